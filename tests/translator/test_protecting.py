"""Protected spans come back byte for byte and as often as in the source, even from a model that knows nothing."""

from dataclasses import replace

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ferryman.config import DecodingConfig
from ferryman.text.protected import KINDS, Guard
from ferryman.translator.protecting import Sentence, Tools, translate_protected
from ferryman.translator.translation import Translation

T65 = "See https://ex.org/a_b?c=1&d=2 or mail a@b.org, 1,234.50 € , %s, {name}, <b>x</b>"
SPANS = [
    "https://ex.org/a_b?c=1&d=2", "www.ex.org", "a@b.org", "%s", "%(name)d", "%1$s", "{name}", "{0}", "${x}", "{{x}}",
    "$1", "<x id=\"1\"/>", "<br>", "<b>", "</b>", "<i>the", "river</i>", "🙂", "👨‍👩‍👧", "🇩🇪", "👍🏽", "1️⃣",
    "1,234.50", "5", "10:30", "50%", "-3",
]  # fmt: skip
GLUE = [" ", " ", " ", "", ", ", " (", ") ", "-", "\u00a0", ". "]


def decoding(**settings):
    return DecodingConfig(**{"device": "cpu", "beam": 2, "max_length_ratio": 0.4, "max_length_extra": 3, **settings})


@pytest.fixture
def ignorants(make_translator):
    """Translators that have learned nothing: one says words, one bytes (and what is no text) as readily."""
    made = [make_translator(decoder_layers=2), make_translator(decoder_layers=2)]
    with torch.no_grad():
        made[1].model.output_bias[4:260] = 1.0
    return made


@pytest.fixture(params=[0, 1], ids=["words", "bytes"])
def ignorant(ignorants, request):
    return ignorants[request.param]


texts = st.lists(
    st.one_of(st.sampled_from(["the", "ferry", "river", "quiet", "town."]), st.sampled_from(SPANS)), max_size=8
)


@st.composite
def mixed_texts(draw):
    return "".join(part + draw(st.sampled_from(GLUE)) for part in draw(texts))


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(mixed_texts(), min_size=3, max_size=5), st.sampled_from([1, 2]))
def test_every_span_comes_back_as_often_as_in_the_source(ignorants, sources, beam):
    for translator in ignorants:
        found = translator.translate(sources, decoding(beam=beam, n_best=beam, split_sentences=False))
        for source, one in zip(sources, found, strict=True):
            for translation in (one, *one.alternatives):
                assert Guard(source, KINDS).broken(translation.text) == set(), (source, translation)
            assert one.flags.count("protected") <= 1


def test_the_text_of_case_65(ignorant):
    """T65."""
    (found,) = ignorant.translate([T65])
    for span in ("https://ex.org/a_b?c=1&d=2", "a@b.org", "1,234.50", "%s", "{name}", "<b>", "</b>"):
        assert found.text.count(span) == 1
    assert found.text.index("<b>") < found.text.index("</b>")
    assert "protected" in found.flags


@pytest.mark.parametrize(
    "text", ["🙂", "👨‍👩‍👧 🇩🇪", "12 345", "{name}: %s", "...", "<b>{x}</b>", "https://ex.org/a", "。", "5 + 4 = 9"]
)
def test_a_text_without_words_is_copied(ignorant, text):
    """T59, T63."""
    (found,) = ignorant.translate([f" {text}\n"])
    assert found == Translation(text, 0.0, 0.0, (), ("protected",))


@pytest.mark.parametrize("beam", [1, 3])
def test_nothing_depends_on_the_batch_or_the_neighbours(ignorant, sentences, beam):
    sources = [
        *sentences[:6],
        T65,
        "the ferry 🙂 carries <b>seven old</b> people",
        "over {0} and {1} river 5",
        "🙂",
        "",
    ]
    settings = decoding(beam=beam)
    together = ignorant.translate(sources, settings)
    alone = [ignorant.translate([source], settings)[0] for source in sources]
    small = ignorant.translate(sources[::-1], decoding(beam=beam, batch_tokens=1))[::-1]
    assert [(one.text, one.flags) for one in together] == [(one.text, one.flags) for one in alone]
    assert [(one.text, one.flags) for one in together] == [(one.text, one.flags) for one in small]


def test_more_of_the_n_best_never_change_the_first(ignorant):
    sources = [T65, "the ferry 5", "over {0} and {1} river 5", "quiet town"]
    first = ignorant.translate(sources, decoding(beam=4))
    for n_best in (2, 4):
        found = ignorant.translate(sources, decoding(beam=4, n_best=n_best))
        assert [replace(one, alternatives=()) for one in found] == first
        assert all(len(one.alternatives) < n_best for one in found)


def test_switched_off_or_with_nothing_to_protect_nothing_changes(ignorant, sentences):
    off = ignorant.translate([*sentences, T65], decoding(protect=()))
    assert "https://ex.org/a_b?c=1&d=2" not in off[-1].text
    on = ignorant.translate([*sentences, T65], decoding())
    assert [(one.text, one.tokens, one.flags) for one in on[:-1]] == [
        (one.text, one.tokens, one.flags) for one in off[:-1]
    ]
    emails = ignorant.translate([T65], decoding(protect=("email",)))[0]
    assert "a@b.org" in emails.text
    assert "https" not in emails.text


def test_tokens_and_scores_are_those_of_the_translation_made(ignorant):
    (bare,) = ignorant.translate(["the ferry carries people"], decoding())
    (found,) = ignorant.translate(["the ferry carries 🙂 people"], decoding())
    assert (found.tokens, found.score, found.log_prob) == (bare.tokens, bare.score, bare.log_prob)
    assert found.text.replace(" 🙂", "").replace("🙂 ", "") == bare.text


class Scripted:
    """Translates as told, and looks at source words in order."""

    def __init__(self, tokenizer, answers):
        self.answers = answers
        self.asked = []
        self.tools = Tools(self.translate, self.attend, tokenizer, tokenizer, spaced=True)

    def translate(self, sentences, decoding):
        self.asked += [sentence.text for sentence in sentences]
        encode = self.tools.target.encode
        beams = [
            [Translation(text, -1.0, -1.0, tuple(encode(text))) for text in self.answers[s.text]] for s in sentences
        ]
        return [replace(best[0], alternatives=tuple(best[1 : decoding.n_best])) for best in beams]

    def attend(self, source, target):
        rows = torch.arange(len(target))[:, None] / len(target) - torch.arange(len(source)) / len(source)
        return (-4 * len(source) * rows.abs()).exp().numpy()


def keep(tokenizer, answers, source, **settings):
    scripted = Scripted(tokenizer, answers)
    (found,) = translate_protected([Sentence(source, 1)], decoding(**settings), scripted.tools)
    return found, scripted.asked


def test_what_the_model_keeps_is_left_as_it_is(tokenizer):
    found, asked = keep(tokenizer, {"the river 5": ["5 town"]}, "the river 5")
    assert (found.text, found.flags, asked) == ("5 town", (), ["the river 5"])


@pytest.mark.parametrize(
    ("answers", "expected", "flags"),
    [
        (["3, 2, 1"], "3, 2, 1", ()),
        (["3 1"], "1 2 3", ("protected",)),
        (["3 2 1 people"], "1 2 3", ("protected",)),
        (["three", "3 2 1"], "3 2 1", ("protected",)),
    ],
)
def test_numbers_alone_are_put_in_order_by_the_model_but_not_changed(tokenizer, answers, expected, flags):
    found, asked = keep(tokenizer, {"1 2 3": answers}, "1 2 3")
    assert (found.text, found.flags) == (expected, flags)
    assert set(asked) == {"1 2 3"}


def test_numbers_in_another_form_are_mended_in_place(tokenizer):
    found, asked = keep(tokenizer, {"a 1,234.50 b 50%": ["50 % und 1.234,50"]}, "a 1,234.50 b 50%")
    assert (found.text, found.flags) == ("50% und 1,234.50", ("protected",))
    assert len(asked) == 1


def test_a_number_nearly_right_is_mended_and_another_is_not(tokenizer):
    found, _ = keep(tokenizer, {"no 1102 and three": ["Nr. 11012, 3"]}, "no 1102 and three")
    assert found.text == "Nr. 1102, 3"
    answers = {"three towns, 5 people": ["3 town, fünf"], "three towns, people": ["3 town, old"]}
    found, asked = keep(tokenizer, answers, "three towns, 5 people", beam=1)
    assert "3 town" in found.text
    assert asked == list(answers)


def test_another_hypothesis_that_keeps_the_spans_is_taken(tokenizer):
    answers = {"the {x} river": ["der Fluss", "der {x} {x} Fluss", "ein {x} Fluss"]}
    found, asked = keep(tokenizer, answers, "the {x} river", beam=3)
    assert (found.text, found.flags, found.alternatives) == ("ein {x} Fluss", ("protected",), ())
    assert len(asked) == 2, "one search that ends with the first, and one for all of the beam"
    found, asked = keep(tokenizer, answers, "the {x} river", beam=3, n_best=3)
    assert found.text == "ein {x} Fluss"
    assert len(asked) == 1


def test_only_what_was_lost_is_taken_out(tokenizer):
    answers = {"the {x} river 🙂 and 5 people": ["5 {x} old"], "the {x} river and 5 people": ["the {x} town 5 people"]}
    found, _ = keep(tokenizer, answers, "the {x} river 🙂 and 5 people", beam=1)
    assert found.text == "the {x} town 🙂 5 people"


def test_everything_is_taken_out_if_more_is_lost_then(tokenizer):
    answers = {
        "the {x} river 🙂 people": ["{x} old"],
        "the {x} river people": ["the river people 🙂"],
        "the river people": ["the river people {x}"],
    }
    found, asked = keep(tokenizer, answers, "the {x} river 🙂 people", beam=1)
    assert asked == list(answers)
    assert sorted(found.text.split()) == sorted("the {x} river 🙂 people".split())


def test_tags_stay_well_nested(tokenizer):
    """T66, its inline tags."""
    source = "the <b>old <i>river</i></b> town"
    answers = {source: ["<b>the <i>old</b> river</i> town"], "the old river town": ["the old river town"]}
    assert keep(tokenizer, answers, source)[0].text == source
