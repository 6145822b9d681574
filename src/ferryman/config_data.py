"""The ``data`` section: which corpora, how they are read and cleaned, and how they are mixed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, Strict, model_validator

from ferryman.config_base import Count, Flag, Names, Positive, Section

MAIN = "main"
Weight = Annotated[float, Strict(), Field(ge=0, le=1000)]
Columns = tuple[Positive, Positive]
Fields = tuple[str, str]
Tag = Annotated[str, Strict(), Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]*$")]
CorpusName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]*$")]


class CleaningConfig(Section):
    """Which pairs are not worth learning from. Only training data is cleaned; pairs are dropped whole."""

    max_characters: Positive = 2000
    """Drop a pair when either side is longer than this many characters."""
    max_length_ratio: Annotated[float, Strict(), Field(gt=1)] = 6.0
    """Drop a pair when one side is this many times longer than the other, in UTF-8 bytes (fair across scripts);
    30 bytes of difference are always allowed."""
    drop_duplicates: Flag = True
    """Keep only the first of identical pairs."""
    drop_copies: Flag = True
    """Drop pairs whose target is the source, untranslated."""
    drop_overlap: Flag = True
    """Drop training pairs whose source or target also stands in the validation or test set."""


class CorpusConfig(Section):
    """One more training corpus, by a name of your choice. What is unset is as for the main corpus."""

    train: Names = ()
    """Its files, as for ``data.train``."""
    valid: Names = ()
    """Its validation corpus. A direction without any has ``data.valid_pairs`` set aside from its first corpus."""
    test: Names = ()
    """Its test corpus; only used to drop overlapping training pairs."""
    weight: Weight = 1.0
    """How many times each pair comes in an epoch: 2: twice; 0.5: in each epoch another half of the pairs; 0: never."""
    tag: Tag | None = None
    """A control token of this name stands before its sources, such as ``bt`` for back-translations."""
    source_language: str = ""
    """Language translated from; unset: the main corpus's."""
    target_language: str = ""
    """Language translated into; unset: the main corpus's."""
    columns: Columns | None = None
    """Which columns of a TSV file hold source and target; unset: the main corpus's."""
    fields: Fields | None = None
    """Which keys of a JSON lines object hold source and target; unset: the main corpus's."""

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse a corpus of no file, or of more than two."""
        check_names(self.train, self.valid, self.test)
        return self


class DataConfig(Section):
    """Where the pairs come from. In names, ``{source}`` and ``{target}`` stand for the two languages."""

    source_language: str = ""
    """Language translated from, a BCP-47 code such as ``en``."""
    target_language: str = ""
    """Language translated into, a BCP-47 code such as ``de`` or ``zh-Hans``."""
    directory: Path = Path()
    """Folder that the names below are relative to."""
    train: Names = ("train.{source}", "train.{target}")
    """Training corpus: two aligned text files, or one file of pairs (.tsv .jsonl .tmx .po .mo); each may be gzipped."""
    valid: Names = ()
    """Validation corpus, likewise. Empty: ``valid_pairs`` pairs are set aside from the training corpus."""
    test: Names = ()
    """Test corpus, likewise. Never trained or tuned on; only used to drop overlapping training pairs."""
    weight: Weight = 1.0
    """How many times each pair of ``train`` comes in an epoch; see ``data.corpora.NAME.weight``."""
    corpora: dict[CorpusName, CorpusConfig] = Field(default_factory=dict)
    """More training corpora, by name."""
    columns: Columns = (1, 2)
    """Which columns of a TSV file hold source and target, counted from 1."""
    fields: Fields = ("source", "target")
    """Which keys of a JSON lines object hold source and target."""
    valid_pairs: Count = 1000
    """Pairs to set aside for validation when there is no validation corpus (at most a tenth of the corpus)."""
    max_tokens: Positive = 256
    """Drop training pairs with more tokens than this on either side."""
    prepared: Path | None = None
    """Folder for the token store; unset: ``prepared/`` inside the run. Set it to share one between runs."""
    cleaning: CleaningConfig = CleaningConfig()

    @model_validator(mode="after")
    def check(self) -> Self:
        """Refuse a corpus of more than two files, and a run without a pair."""
        check_names(self.train, self.valid, self.test)
        if MAIN in self.corpora:
            raise ValueError(f"corpora.{MAIN}: this name means the corpus of data.train; choose another")
        if not any(corpus.weight for corpus in self.every_corpus.values()):
            raise ValueError("weight: the weight of every corpus is 0, so there is nothing to train on")
        return self

    def __hash__(self) -> int:
        return hash(self.model_dump_json())  # a mapping has none of its own

    @property
    def every_corpus(self) -> dict[str, CorpusConfig]:
        """Describe all training corpora by name, ``main`` first, with nothing unset."""
        shared = {key: getattr(self, key) for key in ("source_language", "target_language", "columns", "fields")}
        own = {key: getattr(self, key) for key in ("train", "valid", "test", "weight")}
        every = {MAIN: CorpusConfig(**own, **shared)}
        for name, corpus in self.corpora.items():
            every[name] = corpus.model_copy(update={key: getattr(corpus, key) or shared[key] for key in shared})
        return every


def check_names(train: Sequence[str], valid: Sequence[str], test: Sequence[str]) -> None:
    """Refuse a corpus of more than two files; raise ``ValueError``."""
    for key, names in (("train", train), ("valid", valid), ("test", test)):
        if len(names) > 2 or (key == "train" and not names):
            raise ValueError(f"{key}: expected two aligned files or one file of pairs, found {len(names)} names")
