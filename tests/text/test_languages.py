import pytest

from ferryman.errors import ConfigError
from ferryman.text import base_language, check_language


@pytest.mark.parametrize(
    ("written", "usual"),
    [
        ("en", "en"),
        ("EN", "en"),
        ("no", "no"),
        ("deu", "deu"),
        ("zh-hans", "zh-Hans"),
        ("ZH-HANS-cn", "zh-Hans-CN"),
        ("pt-br", "pt-BR"),
        ("es-419", "es-419"),
        ("zh-YUE-hk", "zh-yue-HK"),
        ("sl-ROZAJ-biske", "sl-rozaj-biske"),
        ("de-1996", "de-1996"),
        ("de-de-U-CO-phonebk", "de-DE-u-co-phonebk"),
        ("en-x-Team", "en-x-team"),
        ("x-Klingon", "x-klingon"),
    ],
)
def test_well_formed_codes_are_brought_into_their_usual_case(written, usual):
    assert check_language(written) == usual
    assert check_language(usual) == usual


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("zh_CN", "write 'zh-CN'"),
        ("pt_br", "write 'pt-BR'"),
        ("de_DE.UTF-8", "write 'de-DE'"),
        ("ca@valencia", "write 'ca'"),
        (" en ", "write 'en'"),
    ],
)
def test_locale_names_are_refused_with_what_to_write(written, hint):
    with pytest.raises(ConfigError, match=hint):
        check_language(written)


@pytest.mark.parametrize(
    "written", ["", "e", "english", "german", "en-", "-en", "en--us", "中文", "e2", "en-u", "en\n"]
)
def test_ill_formed_codes_are_refused(written):
    with pytest.raises(ConfigError, match="not a language code"):
        check_language(written)


def test_base_language():
    assert base_language("zh-Hans-CN") == "zh"
    assert base_language("EN") == "en"
    assert base_language("x-klingon") == "x-klingon"
