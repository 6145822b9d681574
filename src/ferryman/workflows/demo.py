"""The demonstration: a corpus made here, a translator trained on it, and what it can do."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ferryman.config_file import load_config
from ferryman.corpus.phrasebook import LANGUAGES, AlignedPair, write_corpus
from ferryman.errors import ConfigError, TrainingError
from ferryman.evaluation.scores import Scores, corpus_scores
from ferryman.explain import Trace, alignment_error, trace, write_page
from ferryman.files import write_text
from ferryman.training.events import Event, Notice
from ferryman.workflows.explain import DEMO_CORPUS
from ferryman.workflows.load import load
from ferryman.workflows.run import TrainingRun

TRAIN, VALID, TEST, SHOWN = 24_000, 300, 500, 6
MARK = ".ferryman-demo"
PAGE = "inside.html"


@dataclass(frozen=True)
class Demonstration:
    """What the trained translator does on sentences whose word combinations it has never seen."""

    scores: Scores
    exact: float  # share of test sentences translated exactly as the phrasebook has them
    alignment_error: float  # of the attention, given the test sentences and their references
    examples: list[tuple[str, str, str]]  # source, translation, reference
    trace: Trace  # of the first example
    folder: Path
    steps: int


class Demo:
    """One demonstration. Iterate over ``events()``, then read ``result``."""

    def __init__(self, folder: Path, language: str, *, elapsed: Callable[[], float] | None = None) -> None:
        """Set up; an earlier demonstration in ``folder`` is replaced.

        Raises:
            ConfigError: the phrasebook has no such language.
            TrainingError: the folder holds something else.

        """
        if language not in LANGUAGES:
            raise ConfigError(f"the phrasebook has no {language!r}; there is: {', '.join(LANGUAGES)}")
        if folder.exists() and not folder.is_dir():
            raise TrainingError(f"{folder} is a file, and a run needs a folder; choose another with -o")
        if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
            raise TrainingError(f"{folder} holds something that is not a demonstration; choose another with -o")
        shutil.rmtree(folder, ignore_errors=True)
        write_text(folder / MARK, "This folder was made by ferryman demo, which may replace it.\n")
        self.folder = folder
        self.corpus = folder / DEMO_CORPUS
        overrides = [f"data.target_language={language}", f"data.directory={self.corpus}"]
        self.run = TrainingRun(load_config("demo", overrides), folder, elapsed=elapsed)
        self.language = language
        self.test: tuple[AlignedPair, ...] = ()
        self.result: Demonstration | None = None

    def events(self) -> Iterator[Event]:
        """Make the corpus, train, and try the result."""
        yield Notice(f"writing {TRAIN:,} sentence pairs of the phrasebook, English and {self.language}")
        self.test = write_corpus(self.corpus, self.language, train=TRAIN, valid=VALID, test=TEST, seed=1)
        yield from self.run.events()
        trainer = self.run.trainer
        if trainer is not None and trainer.stop_reason is None:
            self.result = self._demonstrate(trainer.progress.step)

    def _demonstrate(self, steps: int) -> Demonstration:
        translator = load(self.folder)
        sources, references = [pair.source for pair in self.test], [pair.target for pair in self.test]
        found = translator.translate(sources)
        scores = corpus_scores([one.text for one in found], [references], target_language=self.language)
        exact = sum(one.text == reference for one, reference in zip(found, references, strict=True)) / len(found)
        shown = sorted(range(len(sources)), key=lambda index: abs(len(sources[index]) - 45))[:SHOWN]
        write_text(self.folder / "samples.txt", "".join(f"{sources[index]}\n" for index in shown))
        examples = [(sources[index], found[index].text, references[index]) for index in shown]
        error = alignment_error(translator, self.test)
        watched = trace(translator, sources[shown[0]], gold=self.test[shown[0]])
        write_page(watched.to_json(), self.folder / PAGE)
        return Demonstration(scores, exact, error, examples, watched, self.folder, steps)
