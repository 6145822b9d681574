"""How well attention aligns words, measured on pairs whose right links are known: the phrasebook's."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from ferryman.checkpoint import Tokenizers
from ferryman.corpus.phrasebook import AlignedPair
from ferryman.errors import DataError
from ferryman.explain.error_rate import alignment_error_rate
from ferryman.text.escaping import SPACE_SYMBOL
from ferryman.text.tokenizer import Tokenizer
from ferryman.translator import Translator
from ferryman.translator.alignment import link_words, membership
from ferryman.translator.attending import alignment_layer, attend_to_pair

_SPACE = SPACE_SYMBOL.encode()


def layer_head_aer(
    translator: Translator, pairs: Sequence[AlignedPair], *, to: str | None = None
) -> Float[np.ndarray, "layers heads"]:
    """Return the alignment error rate of each decoder layer and head: 0 is perfect, 1 all wrong.

    The decoder is given the pairs' own translations (forced alignment). Every target word is linked to the source word
    that its tokens looked at most; words that share a token get the same link, so long tokens cost accuracy.

    Raises:
        DataError: the words of a pair are not those of its texts.
        TranslationError: the model does not translate into ``to``.

    """
    layers, heads = range(translator.model.config.decoder_layers), range(translator.model.config.heads)
    found = [_links(translator, pair, layers, to) for pair in pairs]
    return np.array([[_error([one[layer, head] for one in found], pairs) for head in heads] for layer in layers])


def alignment_error(translator: Translator, pairs: Sequence[AlignedPair], *, to: str | None = None) -> float:
    """Return the alignment error rate of the attention behind ``decoding.alignment``: a layer's mean over its heads.

    Raises what ``layer_head_aer`` raises.
    """
    layer = alignment_layer(translator.model, translator.config.decoding.alignment_layer)
    return _error([_links(translator, pair, [layer], to, mean=True)[0] for pair in pairs], pairs)


def _error(found: Sequence[Int[np.ndarray, "target_words"]], pairs: Sequence[AlignedPair]) -> float:
    links = [{(said, place) for place, said in enumerate(one.tolist())} for one in found]
    return alignment_error_rate(links, [set(pair.alignment) for pair in pairs])


def _links(
    translator: Translator, pair: AlignedPair, layers: Sequence[int], to: str | None, *, mean: bool = False
) -> Int[np.ndarray, "..."]:
    """Return the source word of each target word of a pair, for each layer and, without ``mean``, each head."""
    tokenizers, symbols = translator.tokenizers, translator.symbols
    source = [*translator.prefix(to), *tokenizers.source.encode(pair.source)]
    target = [*tokenizers.target.encode(pair.target), symbols.eos]
    weights = attend_to_pair(translator.model, symbols, source, target, layers)
    read = symbols.read(source)
    return _linked(weights.mean(axis=1) if mean else weights, tokenizers, read, target, pair)


def error_against(
    gold: AlignedPair,
    weights: Float[np.ndarray, "tgt src"],
    tokenizers: Tokenizers,
    read: Sequence[int],
    said: Sequence[int],
) -> float:
    """Return the alignment error rate of attention between the tokens of a pair whose links are known.

    Raises:
        DataError: the tokens are of other texts.

    """
    return _error([_linked(weights, tokenizers, read, said, gold)], [gold])


def _linked(
    weights: Float[np.ndarray, "*layers tgt src"],
    tokenizers: Tokenizers,
    read: Sequence[int],
    said: Sequence[int],
    pair: AlignedPair,
) -> Int[np.ndarray, "*layers target_words"]:
    source, target = tokenizers.source, tokenizers.target
    ends = words_of(source, read, pair.source_words), words_of(target, said, pair.target_words)
    return link_words(weights, *map(membership, ends))


def words_of(tokenizer: Tokenizer, ids: Sequence[int], words: Sequence[str]) -> list[list[int]]:
    """Return which of the words, which together are the text but for its spaces, each token is or is a part of.

    Raises:
        DataError: the tokens are of another text.

    """
    spelled = [tokenizer.spell(word).replace(_SPACE, b"") for word in words]
    owners = [number for number, content in enumerate(spelled) for _ in content]
    spellings = tokenizer.spellings
    parts = [spellings[token].replace(_SPACE, b"") for token in ids]
    if b"".join(parts) != b"".join(spelled):
        raise DataError(f"these words are not those of the text: {' '.join(words)}; it reads {tokenizer.decode(ids)}")
    found, place = [], 0
    for part in parts:
        found.append(sorted(set(owners[place : place + len(part)])))
        place += len(part)
    return found
