"""Fonts for labels in any script: matplotlib's own has no Chinese characters."""

from collections.abc import Iterable
from functools import lru_cache

from matplotlib import font_manager, ft2font

PREFERRED = ("Noto Sans CJK SC", "Source Han Sans SC", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "SimHei")
OWN = "DejaVu Sans"
BOXES = "Last Resort"  # has a box for every character


def families_for(texts: Iterable[str]) -> tuple[list[str], str]:
    """Choose installed fonts that together have the characters of texts; return their names and what none has."""
    missing = {character for text in texts for character in text if not character.isspace()}
    missing -= _characters(font_manager.findfont(OWN))
    names, found = [OWN], {entry.name: entry.fname for entry in reversed(font_manager.fontManager.ttflist)}
    found = {name: path for name, path in found.items() if not name.startswith(BOXES)}
    likely = sorted(found, key=lambda name: (name not in PREFERRED, "CJK" not in name, "Sans" not in name, name))
    for name in likely:
        if not missing:
            break
        here = missing & _characters(found[name])
        if here:
            names.append(name)
            missing -= here
    return names, "".join(sorted(missing))


@lru_cache(maxsize=512)
def _characters(path: str) -> frozenset[str]:
    try:
        return frozenset(map(chr, ft2font.FT2Font(path).get_charmap()))
    except (OSError, RuntimeError):
        return frozenset()
