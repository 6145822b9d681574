"""Chapter 1: a lookup is a product with a one-hot matrix; what an embedding has learned."""

import torch
import torch.nn.functional as F
from torch import Tensor

from ferryman.corpus.phrasebook.lexicon import ADJECTIVES, NAMES, NOUNS, VERBS
from ferryman.model.embedding import Embedding
from ferryman.model.positions import SinusoidalPositions
from ferryman.text.tokenizer import Tokenizer
from lab.figures import panels, save
from lab.timing import ratio
from lab.translator import phrasebook, tokenizers, translator

CLASSES = ("name", "noun", "verb", "adjective")


def run(short: bool) -> dict[str, float]:
    """Measure; draw the embedding of the words before and after training."""
    torch.manual_seed(1)
    model = translator(short).model
    source = tokenizers().source
    words = single_tokens(source)
    trained, untrained = model.source_table.detach(), torch.randn(model.source_table.shape)
    if not short:
        draw(words, untrained, trained)
    return {
        **cutting(source),
        **lookup(),
        **sizes(),
        "words": len(words),
        "same_class_untrained": sum(same_class(words, torch.randn(trained.shape)) for _ in range(20)) / 20,
        "same_class_trained": same_class(words, trained),
        "same_class_chance": chance(words),
    }


def cutting(source: Tokenizer) -> dict[str, float]:
    """Cut the test sentences and join them again."""
    texts = [pair.source for pair in phrasebook("test", 300)]
    back = sum(source.decode(source.encode(text)) == text for text in [*texts, "Ein ſeltſames Wort: 船夫 🚣"])
    tokens = sum(len(source.encode(text)) for text in texts)
    words = sum(len(pair.source_words) for pair in phrasebook("test", 300))
    return {"vocab": source.vocab_size, "not_restored": len(texts) + 1 - back, "tokens_per_word": tokens / words}


def lookup() -> dict[str, float]:
    """Compare a lookup with the product of a one-hot matrix and the table."""
    vocab, d_model = 8000, 128
    table, ids = torch.randn(vocab, d_model), torch.randint(0, vocab, (256,))
    one_hot = F.one_hot(ids, vocab).float()
    difference = (one_hot @ table - F.embedding(ids, table)).abs().max().item()
    return {
        "lookup_difference": difference,
        "lookup_speedup": ratio(lambda: one_hot @ table, lambda: [F.embedding(ids, table) for _ in range(10)]) * 10,
    }


def sizes() -> dict[str, float]:
    """Compare the lengths of embedding and position, with the factor sqrt(d_model) and without."""
    d_model, ids = 128, torch.arange(64)[None]
    table = torch.randn(64, d_model) * d_model**-0.5  # as models begin
    lengths = {}
    for name, scale in (("scaled", True), ("unscaled", False)):
        seen: dict[str, Tensor] = {}
        Embedding(SinusoidalPositions(d_model), scale=scale)(ids, table, 0, seen.__setitem__)
        lengths[name] = (seen["positions"].norm(dim=-1).mean() / seen["tokens"].norm(dim=-1).mean()).item()
    return {"position_to_token_scaled": lengths["scaled"], "position_to_token_unscaled": lengths["unscaled"]}


def single_tokens(source: Tokenizer) -> list[tuple[int, str]]:
    """List words that are one token, with their class: (token, class)."""
    spelled = {
        "name": [name.english for name in NAMES],
        "noun": [noun.english for noun in NOUNS.values()],
        "verb": [verb.lexemes[0] for verb in VERBS],
        "adjective": [adjective.english[0] for adjective in ADJECTIVES],
    }
    classes: dict[int, set[str]] = {}
    for kind, words in spelled.items():
        for ids in source.encode_batch(words):
            if len(ids) == 1:
                classes.setdefault(ids[0], set()).add(kind)
    return [(token, kinds.pop()) for token, kinds in classes.items() if len(kinds) == 1]


def same_class(words: list[tuple[int, str]], table: Tensor) -> float:
    """Tell how many of a hundred words have a nearest neighbour (by cosine) of their own class."""
    vectors = F.normalize(table[[token for token, _ in words]], dim=-1)
    nearest = (vectors @ vectors.T).fill_diagonal_(-2).argmax(dim=-1).tolist()
    return 100 * sum(words[near][1] == kind for near, (_, kind) in zip(nearest, words, strict=True)) / len(words)


def chance(words: list[tuple[int, str]]) -> float:
    """Tell the same of a neighbour drawn at random."""
    counts = [sum(kind == one for _, kind in words) for one in CLASSES]
    return 100 * sum(count * (count - 1) for count in counts) / (len(words) * (len(words) - 1))


def draw(words: list[tuple[int, str]], untrained: Tensor, trained: Tensor) -> None:
    """Draw the words on the two directions in which they differ most."""
    figure, axes = panels(2)
    for axis, table, title in zip(axes, (untrained, trained), ("before training", "after training"), strict=True):
        vectors = F.normalize(table[[token for token, _ in words]], dim=-1)
        centred = vectors - vectors.mean(0)
        flat = centred @ torch.linalg.svd(centred, full_matrices=False).Vh[:2].T
        for kind in CLASSES:
            chosen = [index for index, (_, one) in enumerate(words) if one == kind]
            axis.scatter(*flat[chosen].T.tolist(), s=14, label=kind)
        axis.set(title=f"source embedding, {title}", xlabel="1st principal direction", ylabel="2nd principal direction")
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside right center", fontsize=9)
    save(figure, "01-tokens")
