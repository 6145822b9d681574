"""``ferryman demo``."""

import typer


def demo() -> None:
    """Demo."""
