"""One self-contained page that shows a trace: styles, program, words and data in a single file.

The program in ``web/`` is plain ES modules. A page opened from disk may not load other files, so they are put one after
the other here, each in a function of its own that returns what it exports.
"""

import json
import re
from importlib.resources import files
from pathlib import Path

from ferryman.files import write_text

LANGUAGES = ("en", "zh")
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let) (\w+))", re.MULTILINE)


def page(trace_json: str | None) -> str:
    """Return the page: of one trace, or with None one that asks the server it came from for a trace of any sentence.

    Args:
        trace_json: what ``Trace.to_json`` returns.

    """
    texts = {language: json.loads(_read(f"texts.{language}.json")) for language in LANGUAGES}
    parts = {
        "style": _read("style.css"),
        "texts": _in_script(json.dumps(texts, ensure_ascii=False)),
        "trace": _in_script("null" if trace_json is None else trace_json),
        "modules": bundle("main.js"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _read("index.html"))


def write_page(trace_json: str, path: str | Path) -> None:
    """Write the page of a trace to a file that opens without a network."""
    write_text(Path(path), page(trace_json))


def bundle(entry: str) -> str:
    """Join a module and all that it imports into one program, what is imported first.

    Raises:
        ValueError: modules import one another in a circle.

    """
    return "\n".join(_wrapped(name) for name in _in_order(entry, [], ()))


def _in_order(name: str, done: list[str], above: tuple[str, ...]) -> list[str]:
    if name in above:
        raise ValueError(f"modules import one another in a circle: {' -> '.join((*above, name))}")
    if name not in done:
        for _, needed in IMPORT.findall(_read(name)):
            _in_order(needed, done, (*above, name))
        done.append(name)
    return done


def _wrapped(name: str) -> str:
    source = _read(name)
    exported = ", ".join(EXPORT.findall(source))
    source = IMPORT.sub(lambda found: f"const {{{found[1]}}} = {_variable(found[2])};\n", source)
    return f"const {_variable(name)} = (() => {{\n{EXPORT.sub('', source)}return {{ {exported} }};\n}})();"


def _variable(name: str) -> str:
    return "module_" + name.removesuffix(".js").replace("-", "_")


def _in_script(text: str) -> str:
    """Keep JSON from ending the script element it stands in."""
    return text.replace("<", "\\u003c")


def _read(name: str) -> str:
    return (files("ferryman.explain") / "web" / name).read_text(encoding="utf-8")
