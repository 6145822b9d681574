"""Files to pairs: one reader a format, the cleaner and its report, the data doctor, the built-in phrasebook.

    files       names -> paths                 resolve, expand
    reading     paths -> pairs                 read_pairs; the formats are in readers/
    cleaning    pairs -> pairs worth learning  clean
    held_out    what is not trained on         HeldOut, split_off
    doctor      paths -> what is wrong         examine
    report      the counts of all of these     ReadingReport, CleaningReport

Everything streams: pairs are generated one by one and the memory needed does not grow with the text, only, by some
bytes a pair, with the hashes that tell duplicates.
"""

from ferryman.corpus.cleaning import clean, duplicates
from ferryman.corpus.doctor import Report, examine
from ferryman.corpus.files import expand, resolve
from ferryman.corpus.held_out import HeldOut, HeldOutTexts, Split, is_held_out, split_off
from ferryman.corpus.pair import Pair
from ferryman.corpus.reading import read_pairs
from ferryman.corpus.report import CleaningReport, ReadingReport

__all__ = [
    "CleaningReport",
    "HeldOut",
    "HeldOutTexts",
    "Pair",
    "ReadingReport",
    "Report",
    "Split",
    "clean",
    "duplicates",
    "examine",
    "expand",
    "is_held_out",
    "read_pairs",
    "resolve",
    "split_off",
]
