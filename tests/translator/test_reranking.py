"""Candidates in another order: by agreement (T61), or by a model's own score."""

import pytest

from ferryman.config import DecodingConfig
from ferryman.decoding import CharacterOverlap, consensus
from ferryman.errors import TranslationError


def decoding(**settings):
    return DecodingConfig(
        **{"device": "cpu", "beam": 5, "max_length_ratio": 1.0, "max_length_extra": 4, "fallback": False, **settings}
    )


def test_mbr_orders_all_of_the_beam_and_keeps_the_scores(make_translator, sentences):
    translator = make_translator(ending=6.0)
    plain = translator.translate(sentences, decoding(n_best=5))
    found = translator.translate(sentences, decoding(n_best=5, rerank="mbr"))
    changed = 0
    for one, other in zip(plain, found, strict=True):
        before, after = ([first, *first.alternatives] for first in (one, other))
        by_tokens = {candidate.tokens: (candidate.text, candidate.score, candidate.log_prob) for candidate in before}
        assert by_tokens == {c.tokens: (c.text, c.score, c.log_prob) for c in after}
        expected = [before[place].text for place in consensus([c.text for c in before], CharacterOverlap())]
        assert [candidate.text for candidate in after] == expected
        changed += one.text != other.text
    assert changed > 5


def test_mbr_of_one_hypothesis_is_that(translator, sentences):
    plain, found = (translator.translate(sentences[:9], decoding(beam=1, rerank=rerank)) for rerank in ("none", "mbr"))
    assert found == plain


def test_candidates_are_ordered_by_the_models_score(make_translator, sentences):
    translator = make_translator(ending=6.0)
    source, candidates = sentences[7], [*sentences[10:16], sentences[10], ""]
    found = translator.rerank(source, candidates, decoding(length_penalty=0.5))
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert sorted(one.text for one in found) == sorted(candidates)
    for one in found:
        assert one.log_prob == pytest.approx(translator.score([source], [one.text])[0], abs=1e-4)
        assert one.score == pytest.approx(one.log_prob / ((5 + len(one.tokens)) / 6) ** 0.5, rel=1e-6)
        assert translator.tokenizers.target.decode(one.tokens) == one.text


def test_a_search_s_own_hypotheses_keep_their_order_and_scores(make_translator, sentences):
    translator = make_translator(ending=6.0)
    for source, best in zip(sentences, translator.translate(sentences, decoding(n_best=5)), strict=True):
        best = [best, *best.alternatives]
        found = translator.rerank(source, best[::-1], decoding())
        assert [one.score for one in found] == pytest.approx([one.score for one in best], abs=1e-4)
        assert found[0].tokens == best[0].tokens or found[0].score == pytest.approx(best[0].score, abs=1e-4)


def test_no_candidates(translator):
    assert translator.rerank("the river", []) == []
    with pytest.raises(TranslationError, match="expected a list of texts"):
        translator.rerank("the river", "the town")
