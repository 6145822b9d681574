"""Language tags as files write them."""

import pytest

from ferryman.corpus.languages import EXACT, OTHER, REGIONAL, canonical, closeness, related


@pytest.mark.parametrize(
    ("written", "tag"),
    [
        ("EN_us", "en-us"),
        ("de_AT.UTF-8@euro", "de-at"),
        ("sr@latin", "sr-latn"),
        ("zh_CN", "zh-hans-cn"),
        ("zh-TW", "zh-hant-tw"),
        ("German", ""),
        ("", ""),
    ],
)
def test_a_tag_is_written_in_one_way(written, tag):
    assert canonical(written) == tag


@pytest.mark.parametrize(
    ("wanted", "found", "rank"),
    [
        ("en", "EN", EXACT),
        ("en", "en-US", REGIONAL),
        ("en-US", "en", OTHER),
        ("en", "enm", OTHER),
        ("zh-Hans", "zh_CN", REGIONAL),
        ("zh-Hans", "zh_TW", OTHER),
        ("", "", OTHER),
    ],
)
def test_closeness(wanted, found, rank):
    assert closeness(wanted, found) == rank


def test_related_tags_share_their_language():
    assert related("pt-BR", "pt_PT")
    assert not related("pt", "es")
    assert not related("", "")
