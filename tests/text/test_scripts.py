"""Which script a language is written in."""

import pytest

from ferryman.text.scripts import LETTER_OF, script_of


@pytest.mark.parametrize(
    ("language", "script"),
    [
        ("de", "Latin"),
        ("de-AT-1996", "Latin"),
        ("zh", "Han"),
        ("zh-Hant-TW", "Han"),
        ("zh-hans", "Han"),
        ("ja", "Han or Kana"),
        ("sr", None),
        ("sr-Latn", "Latin"),
        ("sr-Cyrl-RS", "Cyrillic"),
        ("ru-Latn", "Latin"),
        ("am-Ethi", None),
        ("", None),
    ],
)
def test_script_of(language, script):
    assert script_of(language) == script


@pytest.mark.parametrize(
    ("script", "text"),
    [("Han", "河"), ("Han or Kana", "の"), ("Latin", "ß"), ("Cyrillic", "ж"), ("Hangul", "강"), ("Thai", "แ")],
)
def test_letters(script, text):
    assert LETTER_OF[script].search(text)
    assert not LETTER_OF["Greek"].search(text)
