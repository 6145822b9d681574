"""From which language into which: a checkpoint says so only if its training was told on the command line."""

import re
from pathlib import Path

from ferryman.interop.fairseq.dictionary import read_dictionary
from ferryman.interop.fairseq.files import places
from ferryman.interop.fairseq.settings import Settings

Pair = tuple[str, str]


def find_pair(folder: Path, settings: Settings, rows: tuple[int, int]) -> Pair:
    """Return the names that the dictionaries of the source and the target have.

    Where the settings have none, there are two orders of the two dictionaries; the right one is in the names of folders
    and files (``iwslt14.tokenized.de-en``), or else the only one whose sizes are those of the tables.

    Args:
        folder: of the checkpoint.
        settings: of the checkpoint.
        rows: of the source's and the target's table.

    Raises:
        ConversionError: nothing tells them.

    """
    if settings.get("source_lang") is not None and settings.get("target_lang") is not None:
        return settings.pair
    for place in places(folder):
        names = sorted(path.name.removeprefix("dict.").removesuffix(".txt") for path in place.glob("dict.*.txt"))
        if len(names) == 2:
            orders = [(names[0], names[1]), (names[1], names[0])]
            said = [settings.text("data"), settings.text("save_dir"), str(place.resolve())]
            said += [path.name for path in place.iterdir()]
            named = [order for order in orders if any(_names(each, order) for each in said)]
            sizes = {name: len(read_dictionary(place / f"dict.{name}.txt")) for name in names}
            fitting = [order for order in orders if (sizes[order[0]], sizes[order[1]]) == rows]
            for found in (named, fitting):
                if len(found) == 1:
                    return found[0]
            both, example = " and ".join(names), "-".join(names)
            raise settings.refuse(
                "source_lang", f"and {both} could each be; name the folder after the direction, such as {example}"
            )
    return settings.pair


def _names(text: str, order: Pair) -> bool:
    source, target = map(re.escape, order)
    return re.search(rf"(?<![^\W_]){source}[-_2]{target}(?![^\W_])", text) is not None
