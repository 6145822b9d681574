"""How texts become sentences that are translated each by itself, and one text again."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from ferryman.serving.models import Manner
from ferryman.translator import Translation
from ferryman.translator.running import Parts, join

_LINE_END = re.compile(r"(\n\s*)")


@dataclass(frozen=True)
class Part:
    """A text to translate, how, and its translation where the memory has one."""

    manner: Manner
    text: str
    known: Translation | None = None


@dataclass(frozen=True)
class Plan:
    """A text in parts, and how these are translated."""

    manner: Manner
    parts: Parts
    of_parts: Manner
    known: dict[int, Translation] = field(default_factory=dict)
    """Of the parts that are in the memory: their translations."""

    @property
    def sentences(self) -> list[Part]:
        """What there is to translate, and how."""
        return [Part(self.of_parts, text, self.known.get(place)) for place, text in enumerate(self.parts.texts)]

    @classmethod
    def of(cls, text: str, manner: Manner) -> "Plan":
        """Cut a text into lines and these into sentences; one of which more is wanted is left whole.

        As on the command line, each line is translated by itself; and a text, or a line, that is in the memory is not.
        """
        decoding = manner.decoding
        if decoding.target_prefix or decoding.required_phrases or decoding.forbidden_phrases:
            return cls(manner, Parts((text,), ("",)), manner)
        if (known := manner.recall(text)) is not None:
            return cls(manner, Parts((text,), ("",)), manner, {0: known})
        lines, ends = _lines(text)
        remembered = [manner.recall(line) if len(lines) > 1 else None for line in lines]
        split = [
            manner.model.translator.split(line, decoding, to=manner.target)
            if known is None
            else Parts((line,), ("",), manner.tools.languages[0])
            for line, known in zip(lines, remembered, strict=True)
        ]
        places = accumulate((len(each.texts) for each in split), initial=0)
        recalled = {place: known for place, known in zip(places, remembered, strict=False) if known is not None}
        texts = tuple(part for each in split for part in each.texts)
        spaces = tuple(
            space for each, end in zip(split, ends, strict=True) for space in (*each.spaces[:-1], each.spaces[-1] + end)
        )
        flags = dict.fromkeys(flag for each in split for flag in each.flags)
        simple = replace(manner, decoding=decoding.model_copy(update={"split_sentences": False}))
        return cls(manner, Parts(texts, spaces, split[0].language, tuple(flags)), simple, recalled)

    def join(self, found: Sequence[Translation]) -> Translation:
        """Put the translations of the parts, or of the first of them, together."""
        count = len(found)
        parts = replace(self.parts, texts=self.parts.texts[:count], spaces=self.parts.spaces[:count])
        return join(found, parts, self.manner.target, self.manner.decoding)


def _lines(text: str) -> tuple[list[str], list[str]]:
    """Cut a text into lines that are not blank, and the white space between them."""
    pieces = [*_LINE_END.split(text.strip("\n")), ""]
    lines, ends = pieces[0::2], pieces[1::2]
    for place, line in enumerate(lines[:-1]):
        lines[place] = line.rstrip()
        ends[place] = line[len(lines[place]) :] + ends[place]
    return lines, ends
