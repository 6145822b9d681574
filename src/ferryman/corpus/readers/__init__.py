"""One reader a format; each a generator of pairs in bounded memory (PO and MO: one file at a time)."""

from ferryman.corpus.readers.aligned import read_aligned
from ferryman.corpus.readers.jsonl import read_jsonl
from ferryman.corpus.readers.mo import read_mo
from ferryman.corpus.readers.po import read_po
from ferryman.corpus.readers.tmx import read_tmx
from ferryman.corpus.readers.tsv import read_tsv

__all__ = ["read_aligned", "read_jsonl", "read_mo", "read_po", "read_tmx", "read_tsv"]
