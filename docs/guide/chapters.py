"""What the guide's chapters say that can be checked: links into the code, and numbers that experiments found.

A number is followed by a comment, which rendered pages do not show: ``0.83<!-- 04.entropy ±0.05 -->``. It names the
chapter and the key of its experiment's result, and how far a fresh run may be off: ``±0.05``, ``±10%``, or ``≥`` and
``≤`` for "at least" and "at most". Without that, rounding alone may differ.

A link into the code has the name of a function or class as its text and goes to the line where that begins.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

GUIDE = Path(__file__).parent
UNDERSTAND = GUIDE / "understand"
LINK = re.compile(r"\[`(?P<name>[\w.]+)(?:\(\))?`\]\((?P<path>[\w./-]+\.py)#L(?P<line>\d+)\)")
NUMBER = re.compile(
    r"(?P<said>[-−]?\d[\d,]*(?:\.\d+)?)(?P<unit>[ \u00a0]?%)?"
    r"<!-- (?P<key>\d\d\.\w+)(?: (?P<sign>[±≥≤])(?P<by>[\d.]+)?(?P<percent>%)?)? -->"
)


def chapters() -> list[Path]:
    """List the pages of both languages, in order."""
    return sorted(UNDERSTAND.glob("[0-9][0-9]-*.md")) + sorted((UNDERSTAND / "zh").glob("[0-9][0-9]-*.md"))


@dataclass(frozen=True)
class Number:
    """A number that a chapter says, and what it may be compared with."""

    page: Path
    key: str  # "04.entropy"
    said: str
    sign: str  # "", "±", "≥" or "≤"
    by: float  # with ±: how far off a fresh run may be
    relative: bool  # ``by`` is a share of what is said, in percent

    @property
    def value(self) -> float:
        """The number itself."""
        return float(self.said.replace(",", "").replace("−", "-"))

    @property
    def decimals(self) -> int:
        """How many digits follow the point."""
        return len(self.said.partition(".")[2])

    def problem(self, found: Mapping[str, float], *, fresh: bool) -> str | None:
        """Say what is wrong with the number, or None.

        Args:
            found: results by key.
            fresh: they come from a run just made, which may be a little off; else they are those the text was
                written from, and it must round them.
        """
        where = f"{self.page.relative_to(GUIDE)}: {self.key} is said to be {self.said}"
        if self.key not in found:
            return f"{where}, but no experiment finds it"
        value = found[self.key]
        rounding = 0.5 * 10.0**-self.decimals + 1e-9
        if self.sign == "≥":
            right = value >= self.value
        elif self.sign == "≤":
            right = value <= self.value
        else:
            by = abs(self.value) * self.by / 100 if self.relative else self.by
            right = abs(value - self.value) <= rounding + (by if fresh else 0.0)
        return None if right else f"{where} ({self.sign or 'rounded'}), and {value:.6g} was found"


def numbers(page: Path) -> Iterator[Number]:
    """Find the numbers of a page."""
    for match in NUMBER.finditer(page.read_text(encoding="utf-8")):
        yield Number(
            page,
            match["key"],
            match["said"],
            match["sign"] or "",
            float(match["by"] or 0),
            match["percent"] is not None,
        )


def accept_numbers(page: Path, found: Mapping[str, float]) -> bool:
    """Write what was found into a page, to the digits it has, but not "at least"; tell if anything changed."""

    def put(match: re.Match[str]) -> str:
        if match["key"] not in found or match["sign"] in {"≥", "≤"}:
            return match[0]
        decimals = len(match["said"].partition(".")[2])
        number = f"{found[match['key']]:,.{decimals}f}".replace("-", "−")
        return number + match[0][len(match["said"]) :]

    return _rewrite(page, NUMBER, put)


def line_of(code: Path, name: str) -> int | None:
    """Tell the line on which a function, class or ``Class.method`` begins; None if the file has none of that name."""
    body: list[ast.stmt] = ast.parse(code.read_text(encoding="utf-8")).body
    line = None
    for part in name.split("."):
        kinds = (ast.FunctionDef, ast.ClassDef)
        node = next((one for one in body if isinstance(one, kinds) and one.name == part), None)
        if node is None:
            return None
        line, body = node.lineno, node.body
    return line


def refresh_links(page: Path) -> bool:
    """Let the links of a page lead to where things are now; tell if anything changed."""

    def put(match: re.Match[str]) -> str:
        code = (page.parent / match["path"]).resolve()
        line = line_of(code, match["name"]) if code.exists() else None
        return match[0] if line is None else match[0].replace(f"#L{match['line']})", f"#L{line})")

    return _rewrite(page, LINK, put)


def link_problems(page: Path) -> list[str]:
    """Name the links of a page that lead nowhere, or to another line than they should."""
    text, problems = page.read_text(encoding="utf-8"), []
    for match in LINK.finditer(text):
        code = (page.parent / match["path"]).resolve()
        line = line_of(code, match["name"]) if code.exists() else None
        if line != int(match["line"]):
            problems.append(f"{page.name}: `{match['name']}` is at line {line} of {code.name}, not {match['line']}")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        if not (page.parent / target).exists():
            problems.append(f"{page.name}: there is no {target}")
    bare = [link for link in re.findall(r"\]\([^)]*\.py#L\d+\)", text) if link not in _checked(text)]
    return problems + [f"{page.name}: the text of {link} is no name in backquotes" for link in bare]


def _checked(text: str) -> set[str]:
    return {match[0][match[0].index("](") :] for match in LINK.finditer(text)}


def _rewrite(page: Path, pattern: re.Pattern[str], put: Callable[[re.Match[str]], str]) -> bool:
    before = page.read_text(encoding="utf-8")
    after = pattern.sub(put, before)
    if after != before:
        page.write_text(after, encoding="utf-8", newline="\n")
    return after != before
