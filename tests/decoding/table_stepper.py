"""Models made of numbers, for searches to run on."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

BOS, EOS = 0, 1


@dataclass
class Language:
    """A random distribution of the next token for every sentence and past, in double precision.

    ``holes`` is the share of tokens without any probability; ``peak`` sharpens the distributions.
    """

    vocab: int = 5
    seed: int = 0
    holes: float = 0.0
    peak: float = 1.0
    known: dict = field(default_factory=dict)

    def log_probs(self, sentence: int, past: tuple[int, ...]) -> list[float]:
        key = (sentence, past)
        if key not in self.known:
            chance = random.Random(f"{self.seed} {sentence} {past}")
            logits = [
                -math.inf if chance.random() < self.holes else self.peak * chance.gauss(0, 1) for _ in range(self.vocab)
            ]
            total = sum(math.exp(logit) for logit in logits)
            self.known[key] = [logit - math.log(total) if total else -math.inf for logit in logits]
        return self.known[key]


class TableStepper:
    """Look the next token up, and remember every row's past as the protocol says it must be.

    It refuses rows that change sentence, sentences that are not there, and steps over a wrong number of rows.
    """

    def __init__(self, language: Language, sentences: Sequence[int]) -> None:
        self.language = language
        self.sentences = list(sentences)
        self.pasts: list[tuple[int, ...]] = []
        self.beam = 0
        self.steps: list[int] = []  # the number of rows at each
        self.moved = 0

    def start(self, beam: int) -> int:
        self.beam = beam
        self.pasts = [()] * (len(self.sentences) * beam)
        return len(self.sentences)

    def step(self, tokens: Tensor) -> Tensor:
        assert len(tokens) == len(self.pasts) == len(self.sentences) * self.beam > 0
        self.steps.append(len(tokens))
        self.pasts = [(*past, token) for past, token in zip(self.pasts, tokens.tolist(), strict=True)]
        rows = [
            self.language.log_probs(self.sentences[row // self.beam], past[1:]) for row, past in enumerate(self.pasts)
        ]
        return torch.tensor(rows, dtype=torch.float64)

    def reorder(self, rows: Tensor) -> None:
        rows = rows.tolist()
        assert len(rows) == len(self.pasts)
        assert [row // self.beam for row in rows] == [row // self.beam for row in range(len(rows))]
        self.moved += rows != list(range(len(rows)))
        self.pasts = [self.pasts[row] for row in rows]

    def keep(self, sentences: Tensor) -> None:
        places = sentences.tolist()
        assert places, "nothing is left to search"
        assert places == sorted(set(places)), "sentences must keep their order"
        self.pasts = [self.pasts[place * self.beam + i] for place in places for i in range(self.beam)]
        self.sentences = [self.sentences[place] for place in places]


class BigramStepper:
    """A bigram model per sentence, in single precision and quick enough for whole batches."""

    def __init__(self, tables: Tensor) -> None:
        self.tables = tables  # (sentences, vocab, vocab): log-probabilities of the next token after each

    def start(self, beam: int) -> int:
        self.beam = beam
        self.row_table = torch.arange(len(self.tables)).repeat_interleave(beam)
        return len(self.tables)

    def step(self, tokens: Tensor) -> Tensor:
        return self.tables[self.row_table, tokens]

    def reorder(self, rows: Tensor) -> None:
        assert torch.equal(self.row_table[rows], self.row_table)

    def keep(self, sentences: Tensor) -> None:
        self.row_table = self.row_table.view(-1, self.beam)[sentences].flatten()


def bigram_tables(sentences: int, vocab: int, seed: int) -> Tensor:
    """Draw a bigram model for every sentence, in which a sentence ends after some ten tokens."""
    logits = 2 * torch.randn(sentences, vocab, vocab, generator=torch.Generator().manual_seed(seed))
    logits[:, :, EOS] += 1.0
    return logits.log_softmax(dim=-1)


def lengths(*maxima: int) -> Tensor:
    """Make the vector of maximum lengths."""
    return torch.tensor(maxima, dtype=torch.long)
