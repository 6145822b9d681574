"""How to look inside: layers call ``observe(name, tensor)`` at named points of the one forward pass there is."""

from collections.abc import Callable

from torch import Tensor

Observer = Callable[[str, Tensor], None]


def within(observe: Observer | None, scope: str) -> Observer | None:
    """Put ``scope.`` before every name observed; None stays None and costs nothing."""
    if observe is None:
        return None
    return lambda name, tensor: observe(f"{scope}.{name}", tensor)
