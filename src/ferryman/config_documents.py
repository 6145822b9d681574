"""The section ``documents``: what is translated of whole files, and how the results are marked."""

from pathlib import Path
from typing import Literal

from ferryman.config_base import Flag, Section

DocumentFormat = Literal[
    "auto",
    "lines",
    "text",
    "po",
    "xliff",
    "tmx",
    "srt",
    "vtt",
    "html",
    "markdown",
    "docx",
    "json",
    "yaml",
    "properties",
    "strings",
]


class DocumentsConfig(Section):
    """What is translated of whole files, and how the results are marked."""

    format: DocumentFormat = "auto"
    """What a file is; ``auto`` tells it by the ending of its name. ``lines``: text, a line of output for each line."""
    fuzzy: Flag = False
    """Translate anew what somebody has translated but marked as doubtful: fuzzy messages of PO, units of XLIFF whose
    state begins with ``needs-``."""
    mark: Flag = True
    """Mark what was translated as not yet reviewed, where the format can: fuzzy in PO, a state in XLIFF."""
    memory: Path | None = None
    """Translation memory (TMX, or TSV of source and target): texts that are in it are not translated but taken over."""
    glossary: Path | None = None
    """Terms and how they are to be translated (TSV, or TMX); of several rows of one term each is right, the first is
    enforced."""
