import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.errors import ConfigError
from ferryman.text import NORMAL_FORMS, normalise


@given(st.text())
def test_every_form_is_idempotent(text):
    for name in NORMAL_FORMS:
        once = normalise(text, name)
        assert normalise(once, name) == once


@given(st.text())
def test_identity_changes_nothing(text):
    assert normalise(text, "identity") == text


@pytest.mark.parametrize(
    "separator", ["\t", "\n", "\x0b", "\x0c", "\r", "\r\n", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\u2028", "\u2029"]
)
def test_separators_become_one_space(separator):
    assert normalise(f"a{separator}{separator}b", "nfc") == "a b"


@pytest.mark.parametrize("control", ["\ufeff", "\x00", "\x07", "\x1b", "\x7f", "\x80", "\x92", "\x9f"])
def test_other_controls_and_the_byte_order_mark_are_removed(control):
    assert normalise(f"{control}a{control}b", "nfc") == "ab"


@pytest.mark.parametrize("white", [" ", "  ", "\xa0", "\u3000", "\u2003", " \t\xa0 "])
def test_white_space_is_stripped_at_the_ends(white):
    assert normalise(f"{white}a{white}", "nfc") == "a"


@pytest.mark.parametrize(
    "kept", ["\xa0", "\u3000", "\u202f", "\u200d", "\u200c", "\ufe0f", "\xad", "\u200b", "ｆ", "\ue000"]
)
def test_everything_else_is_kept_inside(kept):
    assert normalise(f"a{kept}b", "nfc") == f"a{kept}b"


def test_composition_reaches_across_a_removed_character():
    assert normalise("e\u0301", "nfc") == "é"
    assert normalise("e\ufeff\u0301", "nfc") == "é"


@given(st.text())
def test_nfc_is_composed_on_one_line(text):
    form = normalise(text, "nfc")
    assert unicodedata.is_normalized("NFC", form)
    assert form == form.strip()
    assert len(form.splitlines()) <= 1
    assert "  " not in form


def test_the_form_of_joey_nmt():
    odd = "\u3000Ｉｓ  it\u200b “old” ?  That’s\u00a0so , ½ : yes . . .\u2009"
    assert normalise(odd, "joeynmt") == 'Is it "old"? That\'s so, 1\u20442: yes...'


def test_unknown_form_gets_a_suggestion():
    with pytest.raises(ConfigError, match="unknown normal form 'NFCC': did you mean 'nfc'"):
        normalise("a", "NFCC")
    with pytest.raises(ConfigError, match="identity, nfc"):
        normalise("a", "q")
