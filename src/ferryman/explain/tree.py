"""The tree of a beam search: every candidate, what it continues and what became of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ferryman.decoding import BeamStep
from ferryman.explain.values import Beam, BeamCandidate, BeamLevel, Fate, Finished
from ferryman.explain.words import Vocabulary


@dataclass
class Tree:
    """Grows step by step."""

    vocabulary: Vocabulary
    levels: list[BeamLevel] = field(default_factory=list)
    paths: dict[tuple[int, ...], int] = field(default_factory=dict)  # the key of each hypothesis, by its tokens
    live: list[tuple[int | None, tuple[int, ...]]] = field(default_factory=list)  # key and tokens of each beam place

    def grow(self, step: BeamStep) -> None:
        """Add a step of the search for one sentence."""
        columns = (step.log_prob, step.score, step.token, step.origin, step.ends)
        kept = step.kept[0].tolist()
        found: list[BeamCandidate] = []
        after: dict[int, tuple[int | None, tuple[int, ...]]] = {}
        past = self.live or [(None, ())]
        for place, values in enumerate(zip(*(column[0].tolist() for column in columns), strict=True)):
            log_prob, score, token, origin, ends = values
            if log_prob == -math.inf:
                continue
            parent, before = past[origin]
            key, tokens = len(self.paths), (*before, token)
            self.paths[tokens] = key
            fate: Fate = "finished" if ends else "kept" if place in kept else "dropped"
            piece, text = self.vocabulary.spell(token)
            found.append(BeamCandidate(key, parent, token, piece, text, log_prob, score, fate))
            after[place] = key, tokens
        self.live = [after.get(place, (None, ())) for place in kept]
        self.levels.append(BeamLevel(step.length, tuple(found)))

    def beam(self, chosen: Sequence[int]) -> Beam:
        """Return the whole tree; ``chosen`` are the tokens of the translation."""
        ended = [one for level in self.levels for one in level.candidates if one.fate == "finished"]
        ended.sort(key=lambda one: -one.score)
        tokens = {key: tokens for tokens, key in self.paths.items()}
        finished = tuple(
            Finished(one.key, self.vocabulary.tokenizer.decode(tokens[one.key]).strip(), one.log_prob, one.score, rank)
            for rank, one in enumerate(ended, start=1)
        )
        path = [self.paths.get(tuple(chosen[: end + 1])) for end in range(len(chosen))] if self.levels else []
        keys = tuple(key for key in path if key is not None)
        return Beam(tuple(self.levels), finished, keys[-1] if keys else None, keys)


def grow_tree(steps: Sequence[BeamStep], chosen: Sequence[int], vocabulary: Vocabulary) -> Beam:
    """Draw the tree of a search for one sentence, in which the tokens ``chosen`` were found."""
    tree = Tree(vocabulary)
    for step in steps:
        tree.grow(step)
    return tree.beam(chosen)
