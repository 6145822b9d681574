"""A person who types is answered line by line; a file or a pipe is translated in large chunks."""

import io
import sys
from types import SimpleNamespace

import pytest

from ferryman.cli.translate import _translations


class Typed(io.TextIOWrapper):
    """Standard input that says it is a terminal, or is not."""

    terminal = True

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize("terminal", [True, False])
def test_typed_lines_are_answered_one_by_one(monkeypatch, capsys, terminal):
    stdin = Typed(io.BytesIO(b"one\ntwo\n"), encoding="utf-8")
    stdin.terminal = terminal
    monkeypatch.setattr(sys, "stdin", stdin)
    asked = []
    translator = SimpleNamespace(
        translate=lambda texts: asked.append(texts) or [text.upper() for text in texts],
        translate_stream=lambda texts: [text.upper() for text in asked.append(list(texts)) or asked[-1]],
    )
    assert list(_translations(translator, None)) == ["ONE", "TWO"]
    assert asked == ([["one"], ["two"]] if terminal else [["one", "two"]])
    assert ("end with Ctrl-D" in capsys.readouterr().err) is terminal
