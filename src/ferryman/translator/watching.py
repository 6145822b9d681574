"""Searches as they happened, for those who explain a translation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ferryman.config import DecodingConfig
from ferryman.decoding import BeamStep, Hypothesis


@dataclass(frozen=True)
class Search:
    """One search for the translation of one source: a translation may need several, such as where it was doubtful."""

    source: tuple[int, ...]  # ids, without the end symbol
    decoding: DecodingConfig  # how this search was made
    max_length: int  # tokens, the end symbol counted
    steps: tuple[BeamStep, ...]  # of this source alone; none where it was sampled or searched in groups
    found: tuple[Hypothesis, ...]  # best first


Record = Callable[[Search], None]


@dataclass(frozen=True)
class Recorder:
    """Keeps the steps of a search, apart for each of its sources, and at last tells what each search was."""

    record: Record
    steps: dict[int, list[BeamStep]] = field(default_factory=dict)

    def observer(self, rows: Sequence[int]) -> Callable[[BeamStep], None]:
        """Return what is to be told of the steps of a batch; ``rows`` are the indices of its sources."""

        def observe(step: BeamStep) -> None:
            for place, sentence in enumerate(step.sentences.tolist()):
                self.steps.setdefault(rows[sentence], []).append(step.only(place))

        return observe

    def tell(
        self,
        rows: Sequence[Sequence[int]],
        decoding: DecodingConfig,
        bounds: Sequence[int],
        found: Sequence[Sequence[Hypothesis]],
    ) -> None:
        """Tell of each source's search."""
        for index, (row, bound, hypotheses) in enumerate(zip(rows, bounds, found, strict=True)):
            steps = tuple(self.steps.get(index, ()))
            self.record(Search(tuple(row), decoding, bound, steps, tuple(hypotheses)))
