"""From a sentence to its trace: the same translation, watched."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from ferryman.config import DecodingConfig
from ferryman.corpus.phrasebook import AlignedPair
from ferryman.engines.choice import choose_engine
from ferryman.errors import TranslationError
from ferryman.explain.aligning import error_against
from ferryman.explain.internals import attention_entropies, observe_pass, residuals, tell_steps
from ferryman.explain.tree import grow_tree
from ferryman.explain.values import ModelFacts, SearchFacts, Source, Target, Trace, WordLinks
from ferryman.explain.words import Vocabulary, find_words, of_tokens
from ferryman.text.directions import source_of
from ferryman.translator import Translation, Translator
from ferryman.translator.alignment import link_words, membership
from ferryman.translator.attending import alignment_layer
from ferryman.translator.watching import Search


def trace(
    translator: Translator,
    text: str,
    decoding: DecodingConfig | None = None,
    *,
    to: str | None = None,
    gold: AlignedPair | None = None,
) -> Trace:
    """Translate one sentence and tell what happened inside.

    Text, log-probability, score and flags are those of ``translator.translate([text], decoding, to=to)``; the beam tree
    is that of the search which found the translation, and every tensor comes from one pass of the model over it. Where
    something protected was taken out of the sentence or put back, tokens are those that the model saw and said. With
    ``gold``, the same sentence with links that are right, and if the translation is the same too, the alignment has its
    error rate.

    Raises:
        TranslationError: the text is empty, or has several sentences, or is too long to be translated in one piece, or
            needs no translation; several models translate together; or what ``translate`` raises.

    """
    decoding = decoding or translator.config.decoding
    if len(translator.searcher.models) > 1:
        raise TranslationError("several models translate together, and a trace is of one; load that alone")
    sentences = translator.sentences(text, decoding, to=to)
    if len(sentences) > 1:
        raise TranslationError(
            f"the text has {len(sentences)} sentences, which are translated each by itself; "
            f"explain one of them, such as: {sentences[0]}"
        )
    searches: list[Search] = []
    translation = translator.recorded(searches.append).translate([text], decoding, to=to)[0]
    search = _that_found(translation, searches)
    found = _told(translator, text, translation, search, to)
    same = gold is not None and (gold.source, gold.target) == (text.strip(), translation.text)
    return _measured(found, gold, translator) if gold and same and "protected" not in translation.flags else found


def _that_found(translation: Translation, searches: list[Search]) -> Search:
    """Return the first search that found the tokens of the translation.

    Raises:
        TranslationError: there is none.

    """
    if not translation.tokens:
        raise TranslationError("nothing in the text needs a translation, so there is nothing to explain")
    for search in searches:
        if any(one.tokens == translation.tokens for one in search.found):
            return search
    raise TranslationError(
        "the text is too long to be translated in one piece, and a trace is of one; shorten it, or set "
        "decoding.max_source_tokens"
    )


def _told(translator: Translator, text: str, translation: Translation, search: Search, to: str | None) -> Trace:
    symbols, said = translator.symbols, translation.tokens
    source_side, target_side = translator.sides(to)
    source, target = Vocabulary(source_side.tokenizer), Vocabulary(target_side.tokenizer)
    read, inputs = symbols.read(search.source), (symbols.start, *said[:-1])
    seen = observe_pass(translator.model, read, inputs)
    steps, log_probs = tell_steps(seen.log_probs, said, target)
    from_words, to_words = find_words(source_side, read), find_words(target_side, said)
    return Trace(
        model=_model_facts(translator, to),
        decoding=_search_facts(translator, search),
        source=Source(text, source.tokens(read), from_words),
        target=Target(
            translation.text,
            target.tokens(said),
            target.tokens(inputs),
            to_words,
            translation.log_prob,
            translation.score,
            log_probs,
            translation.flags,
        ),
        tensors=seen.tensors,
        steps=steps,
        beam=grow_tree(search.steps, said, target),
        alignment=_links(translator, seen.tensors, search.decoding, from_words, to_words),
        entropy_bits=attention_entropies(seen.tensors),
        residual=residuals(seen.tensors),
    )


def _links(
    translator: Translator,
    tensors: Mapping[str, Float[np.ndarray, "..."]],
    decoding: DecodingConfig,
    source: Sequence[Sequence[int]],
    target: Sequence[Sequence[int]],
) -> WordLinks:
    """Align words as ``decoding.alignment`` does; those of languages without spaces are whole tokens here."""
    layer = alignment_layer(translator.model, decoding.alignment_layer)
    weights = tensors[f"decoder.{layer}.cross_attention.weights"].mean(axis=0)
    ends = membership(of_tokens(source, weights.shape[1])), membership(of_tokens(target, weights.shape[0]))
    links = enumerate(link_words(weights, *ends).tolist())
    told_by = f"mean over the heads of decoder layer {layer + 1}"
    return WordLinks(tuple((said, place) for place, said in links), told_by, layer, None)


def _measured(found: Trace, gold: AlignedPair, translator: Translator) -> Trace:
    weights = found.tensors[f"decoder.{found.alignment.layer}.cross_attention.weights"].mean(axis=0)
    read, said = ([token.id for token in side.tokens] for side in (found.source, found.target))
    error = error_against(gold, weights, translator.tokenizers, read, said)
    return replace(found, alignment=replace(found.alignment, aer=error))


def _search_facts(translator: Translator, search: Search) -> SearchFacts:
    engine = choose_engine(search.decoding.engine, translator.device)
    return SearchFacts(
        search.decoding.width, search.decoding.length_penalty, search.max_length, engine, exact="int8" not in engine
    )


def _model_facts(translator: Translator, to: str | None) -> ModelFacts:
    model, shape, target = translator.model, translator.config.model, translator.target_language(to)
    source = source_of(translator.config.data, target)
    return ModelFacts(
        name=f"{source}-{target}".removeprefix("-"),
        source_language=source,
        target_language=target,
        d_model=shape.d_model,
        d_ff=shape.d_ff,
        heads=shape.heads,
        d_k=shape.d_model // shape.heads,
        encoder_layers=shape.encoder_layers,
        decoder_layers=shape.decoder_layers,
        norm_order=shape.norm_order,
        positions=shape.positions,
        activation=shape.activation,
        source_vocab=len(model.source_table),
        target_vocab=len(model.target_table),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        tie=shape.tie,
        embedding_scale=math.sqrt(shape.d_model) if shape.scale_embedding else 1.0,
    )
