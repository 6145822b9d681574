from hypothesis import given
from hypothesis import strategies as st

from ferryman.text.escaping import escape, unescape

ODD = st.text(alphabet="\u2581\ue5c001 a")


@given(st.text() | ODD)
def test_escape_is_undone(text):
    assert "\u2581" not in escape(text)
    assert unescape(escape(text)) == text


@given(ODD)
def test_unescape_never_fails(text):
    assert len(unescape(text)) <= len(text)


def test_ordinary_text_is_untouched():
    assert escape("a 1 0 中") == "a 1 0 中"
