"""The section ``serving``: what a translation server allows. Where it listens is told by options of the command."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, Strict

from ferryman.config_base import Count, Flag, Names, Positive, Section

Milliseconds = Annotated[int, Strict(), Field(ge=0, le=1000)]
Seconds = Annotated[float, Strict(), Field(gt=0, le=86400)]


class ServingConfig(Section):
    """What a translation server allows."""

    max_characters: Positive = 10_000
    """Characters of one request, all its texts together."""
    max_texts: Positive = 1000
    """Texts of one request."""
    max_seconds: Seconds = 60.0
    """Time for one request, waiting included."""
    max_alternatives: Count = 10
    """Translations besides the best, and the widest beam less one, that a request may ask for."""
    max_file_bytes: Positive = 1_000_000
    """Size of a file to translate."""
    max_file_seconds: Seconds = 600.0
    """Time for one file, waiting included."""
    keep_files: Positive = 100
    """Translated files that can still be fetched; the oldest is deleted for the next one."""
    batch_tokens: Positive = 4096
    """Source tokens (estimated) of several requests that are translated together."""
    queue_tokens: Positive = 100_000
    """Source tokens (estimated) that may wait; half of it for one client, while others wait."""
    patience_ms: Milliseconds = 5
    """How long an idle translator waits, after each request, for another to translate together."""
    cache_entries: Count = 10_000
    """Translated sentences that are remembered; 0: none."""
    pivot: str = ""
    """Language to translate through where no model translates directly, such as ``en``; unset: none, unless a request
    names one."""
    log_text: Flag = False
    """Write the texts into the log."""
    cors_origins: Names = ()
    """Origins, such as ``https://example.org``, whose pages may ask from a browser; ``*``: all."""
    api_keys: Path | None = None
    """File of the keys that are let in, of which it holds only hashes; ``ferryman serve --new-key NAME`` adds one."""
    requests_per_minute: Count = 0
    """How often one key, or without keys one address, may ask; 0: without limit."""
