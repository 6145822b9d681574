"""Chapter 11: from the start symbol to the end symbol: greedy search, beams, and what a wider beam is worth."""

import torch

from ferryman import Translator
from ferryman.config import Config, DecodingConfig
from ferryman.evaluation.scores import corpus_scores
from ferryman.translator import Translation
from lab.figures import panels, save
from lab.translator import CONFIG, phrasebook, phrasebook_model, tokenizers, translator

STEPS = 450
BEAMS = (1, 2, 4, 8, 16)
PLAIN = DecodingConfig(fallback=False, split_sentences=False, protect=(), length_penalty=0.0)  # the search alone


def run(short: bool) -> dict[str, float]:
    """Translate with beams of several widths, with a model that has learned little."""
    weak = Translator(
        phrasebook_model(2 if short else STEPS, batch_tokens=512), Config.model_validate(CONFIG), tokenizers()
    )
    data = phrasebook("test", 300)[: 6 if short else 200]
    sources, references = [pair.source for pair in data], [pair.target for pair in data]
    results: dict[str, float] = {}
    beams = BEAMS[:2] if short else BEAMS
    found = {beam: weak.translate(sources, PLAIN.model_copy(update={"beam": beam})) for beam in beams}
    for beam, translations in found.items():
        results[f"log_prob_{beam}"] = sum(one.log_prob for one in translations) / len(data)
        results[f"bleu_{beam}"] = bleu(translations, references)
        results[f"length_{beam}"] = sum(len(one.tokens) for one in translations) / len(data)
    for beam in beams:
        penalised = weak.translate(sources, PLAIN.model_copy(update={"beam": beam, "length_penalty": 1.0}))
        results[f"bleu_penalised_{beam}"] = bleu(penalised, references)
    right = weak.score(sources, references)
    widest, greedy = found[beams[-1]], found[1]
    missed = [one.log_prob < log_prob for one, log_prob in zip(widest, right, strict=True)]
    gained = [one.log_prob > other.log_prob + 1e-4 for one, other in zip(widest, greedy, strict=True)]
    results |= {
        "reference_likelier_than_beam": 100 * sum(missed) / len(data),
        "greedy_missed": 100 * sum(gained) / len(data),
    }
    good = translator(short)
    for beam in (1, 5):
        said = good.translate(sources, DecodingConfig(beam=beam))
        results[f"good_exact_{beam}"] = (
            100 * sum(one.text == reference for one, reference in zip(said, references, strict=True)) / len(data)
        )
    results |= beyond_the_end(good, sources[:50])
    if not short:
        draw(results)
    return results


def bleu(translations: list[Translation], references: list[str]) -> float:
    """Score translations."""
    texts = [one.text for one in translations]
    return corpus_scores(texts, [references], target_language="de")["bleu"].score


def beyond_the_end(good: Translator, sources: list[str]) -> dict[str, float]:
    """Take the end symbol away for forty tokens; tell how likely it was at the end, and what is said instead."""
    free = good.translate(sources, PLAIN.model_copy(update={"beam": 1, "token_log_probs": True}))
    ends = torch.tensor([one.token_log_probs[-1] for one in free if one.token_log_probs is not None])
    forced = good.translate(sources, PLAIN.model_copy(update={"beam": 1, "min_length": 40, "max_length_extra": 60}))
    begun = sum(long.tokens[: len(one.tokens) - 1] == one.tokens[:-1] for long, one in zip(forced, free, strict=True))
    repeats = sum(repeating(list(one.tokens)) for one in forced)
    return {
        "end_probability": 100 * ends.exp().mean().item(),
        "same_beginning": 100 * begun / len(sources),
        "repeats_itself": 100 * repeats / len(sources),
    }


def repeating(tokens: list[int]) -> bool:
    """Tell whether three tokens in a row come a second time."""
    runs = [tuple(tokens[start : start + 3]) for start in range(len(tokens) - 2)]
    return len(set(runs)) < len(runs)


def draw(results: dict[str, float]) -> None:
    """Draw log-probability and BLEU by beam."""
    figure, axes = panels(2)
    for axis, name, label, title in (
        (axes[0], "log_prob", "mean log-probability, nats", "what the search looks for"),
        (axes[1], "bleu", "BLEU", "what we want"),
    ):
        axis.plot(BEAMS, [results[f"{name}_{beam}"] for beam in BEAMS], "o-", label="no length penalty")
        axis.set(xscale="log", xlabel="beam", ylabel=label, title=title, xticks=BEAMS)
        axis.set_xticklabels([str(beam) for beam in BEAMS])
        axis.minorticks_off()
    axes[1].plot(BEAMS, [results[f"bleu_penalised_{beam}"] for beam in BEAMS], "o--", label="length penalty 1")
    axes[1].legend(fontsize=8)
    save(figure, "11-decoding")
