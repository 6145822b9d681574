"""Another order for candidates than that of the search: by agreement among them, or by a model's score."""

from collections.abc import Sequence

from ferryman.config import DecodingConfig
from ferryman.decoding import CharacterOverlap, Hypothesis, consensus, penalty
from ferryman.text.tokenizer import Tokenizer
from ferryman.translator.translation import Translation


def whole(decoding: DecodingConfig) -> DecodingConfig:
    """Ask a search for all hypotheses of its beam."""
    return decoding.model_copy(update={"n_best": decoding.width})


def to_search(decoding: DecodingConfig) -> DecodingConfig:
    """Return how to search so that there is everything to choose from, whatever number of results is asked for."""
    return decoding if decoding.rerank == "none" else whole(decoding)


def ranked(found: Sequence[Hypothesis], decoding: DecodingConfig, tokenizer: Tokenizer) -> list[Hypothesis]:
    """Put a text's hypotheses into the order of ``decoding.rerank``; scores stay what they are."""
    if decoding.rerank == "none":
        return list(found)
    texts = [tokenizer.decode(hypothesis.tokens).strip() for hypothesis in found]
    return [found[place] for place in consensus(texts, CharacterOverlap())]


def scored(
    candidates: Sequence[str | Translation],
    said: Sequence[tuple[int, ...]],
    log_probs: Sequence[float],
    length_penalty: float,
) -> list[Translation]:
    """Make translations of candidates, their tokens and log-probabilities, best score first."""
    found = [
        Translation(
            candidate.text if isinstance(candidate, Translation) else candidate,
            log_prob / penalty(len(tokens), length_penalty),
            log_prob,
            tokens,
            candidate.flags if isinstance(candidate, Translation) else (),
        )
        for candidate, tokens, log_prob in zip(candidates, said, log_probs, strict=True)
    ]
    return sorted(found, key=lambda one: -one.score)
