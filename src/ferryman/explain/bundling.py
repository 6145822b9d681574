"""Make one file of a page: the styles, program and words of a folder, where a template names them.

A page may not load other files: opened from disk because browsers refuse that, served because one answer is quickest.
The program is plain ES modules. They are put one after the other here, each in a function of its own that returns what
it exports.
"""

import json
import re
from collections.abc import Callable, Mapping
from importlib.resources.abc import Traversable

LANGUAGES = ("en", "zh")
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)
Read = Callable[[str], str]


def reader(*folders: Traversable) -> Read:
    """Return what reads a file by its name, from the first of the folders that has it."""

    def read(name: str) -> str:
        found = next((folder / name for folder in folders if (folder / name).is_file()), folders[0] / name)
        return found.read_text(encoding="utf-8")

    return read


def assemble(read: Read, parts: Mapping[str, str]) -> str:
    """Return the page: ``index.html`` with its ``{{parts}}``; styles, words and program are among them already."""
    words = {language: json.loads(read(f"texts.{language}.json")) for language in LANGUAGES}
    whole = {
        "style": read("base.css") + read("style.css"),
        "texts": in_script(json.dumps(words, ensure_ascii=False)),
        "modules": bundle("main.js", read),
        **parts,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda place: whole[place[1]], read("index.html"))


def in_script(text: str) -> str:
    """Keep JSON from ending the script element it stands in."""
    return text.replace("<", "\\u003c")


def bundle(entry: str, read: Read) -> str:
    """Join a module and all that it imports into one program, what is imported first.

    Raises:
        ValueError: modules import one another in a circle.

    """
    return "\n".join(_wrapped(name, read(name)) for name in _in_order(entry, read, [], ()))


def _in_order(name: str, read: Read, done: list[str], above: tuple[str, ...]) -> list[str]:
    if name in above:
        raise ValueError(f"modules import one another in a circle: {' -> '.join((*above, name))}")
    if name not in done:
        for _, needed in IMPORT.findall(read(name)):
            _in_order(needed, read, done, (*above, name))
        done.append(name)
    return done


def _wrapped(name: str, source: str) -> str:
    exported = ", ".join(EXPORT.findall(source))
    source = IMPORT.sub(lambda found: f"const {{{found[1]}}} = {_variable(found[2])};\n", source)
    return f"const {_variable(name)} = (() => {{\n{EXPORT.sub('', source)}return {{ {exported} }};\n}})();"


def _variable(name: str) -> str:
    return "module_" + name.removesuffix(".js").replace("-", "_")
