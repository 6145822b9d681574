"""How often each client may ask."""

import time
from collections import OrderedDict
from collections.abc import Callable

from ferryman.serving.refusals import TooManyError

MOST_CLIENTS = 10_000  # remembered; who has not asked for longest is forgotten first


class Rates:
    """A bucket for each client, which fills evenly and holds what may be asked in a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and when it was counted

    def admit(self, client: str, per_minute: int) -> None:
        """Count one request; ``per_minute`` 0: without limit.

        Raises:
            TooManyError: the bucket is empty.

        """
        if not per_minute:
            return
        now = self.clock()
        left, since = self._buckets.pop(client, (float(per_minute), now))
        left = min(float(per_minute), left + (now - since) * per_minute / 60)
        allowed = left >= 1
        self._buckets[client] = (left - 1 if allowed else left, now)
        while len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        if not allowed:
            wait = int((1 - left) * 60 / per_minute) + 1
            raise TooManyError(f"at most {per_minute} requests a minute are allowed; wait {wait} s", wait)
