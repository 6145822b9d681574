"""The phrasebook as a corpus of aligned files, and its test pairs read back."""

from collections.abc import Iterable
from pathlib import Path

from ferryman.corpus.phrasebook.generate import check, generate
from ferryman.corpus.phrasebook.pair import AlignedPair
from ferryman.files import write_text

LINKS, WORDS = "test.align", "test.words"


def write_corpus(
    directory: str | Path, target_language: str, *, train: int, valid: int, test: int, seed: int = 0
) -> tuple[AlignedPair, ...]:
    """Write ``{train,valid,test}.en``, the same in the target language, and the test's words; return the test pairs.

    ``train``, ``valid`` and ``test`` are numbers of pairs. Files are UTF-8, a sentence a line. ``test.align`` has the
    gold links in Pharaoh's format, "0-0 1-2"; they count the words of ``AlignedPair``, not those between spaces, and
    ``test.words`` has these: the source's with spaces between them, a tab, the target's. Each file appears whole or not
    at all. Raise ConfigError as ``generate`` does, before anything is written.
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
            write_text(folder / LINKS, lines(pharaoh(pair) for pair in pairs))
            write_text(folder / WORDS, lines("\t".join(map(" ".join, _words(pair))) for pair in pairs))
    return pairs


def find_test_pair(directory: str | Path, source: str, target_language: str) -> AlignedPair | None:
    """Find a source text among the test pairs that ``write_corpus`` wrote; None: it is not, or there are none."""
    folder = Path(directory)
    names = ("test.en", f"test.{target_language}", LINKS, WORDS)
    if not all((folder / name).is_file() for name in names):
        return None
    rows = zip(*((folder / name).read_text(encoding="utf-8").splitlines() for name in names), strict=False)
    for found, target, links, words in rows:
        if found == source:
            source_words, target_words = (tuple(side.split(" ")) for side in words.split("\t"))
            pairs = (link.split("-") for link in links.split())
            return AlignedPair(source, target, source_words, target_words, tuple((int(i), int(j)) for i, j in pairs))
    return None


def _words(pair: AlignedPair) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return pair.source_words, pair.target_words


def lines(texts: Iterable[str]) -> str:
    """End every text with a line feed."""
    return "".join(text + "\n" for text in texts)


def pharaoh(pair: AlignedPair) -> str:
    """Spell the links of a pair: ``0-0 1-2``."""
    return " ".join(f"{source}-{target}" for source, target in pair.alignment)
