"""Results that are remembered: as many as were allowed, the longest unused forgotten first."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """For one thread; with room for none, it remembers nothing."""

    def __init__(self, entries: int) -> None:
        self.entries = entries
        self._values: OrderedDict[Hashable, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable) -> Value | None:
        """Return what was remembered, and remember it longer."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key]

    def put(self, key: Hashable, value: Value) -> None:
        """Remember something."""
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self.entries:
            self._values.popitem(last=False)
