"""What is told of a text while its sentences are translated one after the other."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ferryman.config import DecodingConfig
from ferryman.translator.running import Parts, join
from ferryman.translator.translation import Translation


@dataclass(frozen=True)
class Growing:
    """The translation of a text as far as it has come."""

    parts: Parts
    language: str
    """Translated into."""
    decoding: DecodingConfig
    told: Callable[[str], None]
    """Takes the text so far."""
    done: list[Translation] = field(default_factory=list)

    def tell(self, latest: str) -> None:
        """Tell the sentences that are done, and what there is of the next, as they stand in the whole text."""
        count = len(self.done) + 1
        parts = replace(self.parts, texts=self.parts.texts[:count], spaces=self.parts.spaces[:count])
        translations = [*self.done, Translation(latest, 0.0, 0.0, ())]
        self.told(join(translations, parts, self.language, self.decoding).text)

    def add(self, translation: Translation) -> None:
        """Go on to the next sentence."""
        self.done.append(replace(translation, alternatives=()))
