"""One self-contained page that shows a trace: styles, program, words and data in a single file."""

from importlib.resources import files
from pathlib import Path

from ferryman.explain.bundling import assemble, in_script, reader
from ferryman.files import write_text

WEB = files("ferryman.explain") / "web"


def page(trace_json: str | None) -> str:
    """Return the page: of one trace, or with None one that asks the server it came from for a trace of any sentence.

    Args:
        trace_json: what ``Trace.to_json`` returns.

    """
    return assemble(reader(WEB), {"trace": in_script("null" if trace_json is None else trace_json)})


def write_page(trace_json: str, path: str | Path) -> None:
    """Write the page of a trace to a file that opens without a network."""
    write_text(Path(path), page(trace_json))
