"""Partial translations: they grow, end as ``translate`` ends, and stop when nobody reads."""

import itertools
import threading

import pytest

from ferryman.config import DecodingConfig
from ferryman.errors import TranslationError


def decoding(**settings):
    return DecodingConfig(**{"device": "cpu", "max_length_ratio": 1.0, "max_length_extra": 4, **settings})


@pytest.mark.parametrize(
    "way",
    [
        {"beam": 1},
        {"beam": 4},
        {"beam": 4, "required_phrases": ["wide"]},
        {"beam": 4, "beam_groups": 2},
        {"sampling": True},
        {"beam": 3, "max_source_tokens": 6},
    ],
)
def test_the_last_is_the_translation(translator, sentences, way):
    for text in (sentences[7], "", "the"):
        parts = list(translator.stream(text, decoding(**way)))
        assert parts[-1] == translator.translate([text], decoding(**way))[0].text
        assert all(one != other for one, other in itertools.pairwise(parts))
    grows = len(list(translator.stream(sentences[7], decoding(**way)))) > 2
    assert grows == (not way.keys() & {"beam_groups", "sampling"})


def test_greedy_search_only_adds(make_translator, sentences):
    parts = list(make_translator(ending=-5.0).stream(sentences[7], decoding(beam=1)))
    assert len(parts) > 4
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(parts))


def test_prefix_and_constraints_hold(translator):
    last = list(translator.stream("the river", decoding(beam=4), prefix="a town", constraints=["quiet"]))[-1]
    assert last.startswith("a town")
    assert "quiet" in last.split()


def test_who_leaves_ends_the_search(make_translator, sentences):
    before = threading.active_count()
    translator = make_translator(ending=-1e9)
    parts = translator.stream(sentences[7], decoding(beam=2, max_length_ratio=1000.0, max_length_extra=10**6))
    assert next(parts) is not None
    parts.close()
    assert threading.active_count() == before


def test_errors_are_the_readers(translator):
    with pytest.raises(TranslationError, match="lone surrogate"):
        list(translator.stream("a\ud800"))


@pytest.mark.parametrize("way", [{}, {"max_source_tokens": 6, "split_sentences": False}])
def test_of_several_sentences_the_first_is_told_first(make_translator, way):
    """White space is that of the whole text from the beginning, and in every sentence greedy search only adds."""
    translator = make_translator(ending=-5.0)
    text = (
        "The old ferry carries a river.\n\nThe town is wide and quiet.  A river." if not way else "the old ferry " * 6
    )
    parts = list(translator.stream(text, decoding(beam=1, fallback=False, **way)))
    assert len(parts) > 8
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(parts))
    assert parts[-1] == translator.translate([text], decoding(beam=1, fallback=False, **way))[0].text


def test_only_of_one_text_it_is_told(translator):
    with pytest.raises(TranslationError, match="of one text, found 2"):
        translator.translate(["a", "b"], tell=print)
