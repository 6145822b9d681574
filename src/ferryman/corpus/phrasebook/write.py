"""Write the phrasebook as a corpus of aligned files."""

from collections.abc import Iterable
from pathlib import Path

from ferryman.corpus.phrasebook.generate import check, generate
from ferryman.corpus.phrasebook.pair import AlignedPair
from ferryman.files import write_text


def write_corpus(
    directory: str | Path, target_language: str, *, train: int, valid: int, test: int, seed: int = 0
) -> tuple[AlignedPair, ...]:
    """Write ``{train,valid,test}.en``, the same in the target language, and ``test.align``; return the test pairs.

    ``train``, ``valid`` and ``test`` are numbers of pairs. Files are UTF-8, a sentence a line. ``test.align`` has the
    gold links in Pharaoh's format, "0-0 1-2"; they count the words of ``AlignedPair``, not those between spaces. Each
    file appears whole or not at all. Raise ConfigError as ``generate`` does, before anything is written.
    """
    counts = {"train": train, "valid": valid, "test": test}
    for split, count in counts.items():
        check(target_language, split, count)
    folder = Path(directory)
    pairs: tuple[AlignedPair, ...] = ()
    for split, count in counts.items():
        pairs = tuple(generate(target_language, split, count, seed=seed))  # of the test at last
        write_text(folder / f"{split}.en", lines(pair.source for pair in pairs))
        write_text(folder / f"{split}.{target_language}", lines(pair.target for pair in pairs))
        if split == "test":
            write_text(folder / "test.align", lines(pharaoh(pair) for pair in pairs))
    return pairs


def lines(texts: Iterable[str]) -> str:
    """End every text with a line feed."""
    return "".join(text + "\n" for text in texts)


def pharaoh(pair: AlignedPair) -> str:
    """Spell the links of a pair: ``0-0 1-2``."""
    return " ".join(f"{source}-{target}" for source, target in pair.alignment)
