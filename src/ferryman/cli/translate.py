"""``ferryman translate``: lines of text in, lines of text out."""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ferryman.cli.console import elapsed, reported, say, write
from ferryman.cli.options import Debug, Json, Model, split_settings

if TYPE_CHECKING:
    from ferryman.translator import Translation, Translator


def translate(
    model: Model,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Text files, one text a line; none: standard input. Then settings as decoding.key=value.",
            metavar="[FILE]... [decoding.key=value]...",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write; for several files, a folder.")
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Translate text, one line of output for each line of input; with --json, one JSON object.

    Examples:
      echo "The river is wide." | ferryman translate runs/demo

      ferryman translate runs/en-de input.txt -o output.txt decoding.beam=8
    """
    with reported(debug):
        files, settings = split_settings(inputs or [])
        from ferryman.workflows.load import load

        translator = load(model, settings)
        tally = Counter[str]()
        began = time.monotonic()
        for file, target in _jobs([Path(file) for file in files], output):
            with ExitStack() as stack:
                put = _sink(target, stack)
                for translation in translator.translate_stream(_texts(file)):
                    tally.update(["texts", *translation.flags])
                    tally["tokens"] += len(translation.tokens)
                    put(_record(translation, translator) if as_json else one_line(translation.text))
        _summarise(tally, time.monotonic() - began)


def one_line(text: str) -> str:
    """Keep a translation on its line, whatever the model made."""
    return " ".join(text.replace("\r", "\n").split("\n"))


def _jobs(files: list[Path], output: Path | None) -> Iterator[tuple[Path | None, Path | None]]:
    if len(files) <= 1:
        yield (files[0] if files else None), output
        return
    for file in files:
        yield file, None if output is None else output / file.name


def _texts(file: Path | None) -> Iterator[str]:
    from ferryman.corpus.lines import raw_lines, stream_lines

    for line in stream_lines(sys.stdin.buffer, Path("standard input")) if file is None else raw_lines(file):
        yield line.text()


def _sink(target: Path | None, stack: ExitStack) -> Any:
    if target is None:
        return write
    from ferryman.files import replacing

    file = stack.enter_context(stack.enter_context(replacing(target)).open("w", encoding="utf-8", newline="\n"))
    return lambda text: file.write(text + "\n")


def _record(translation: "Translation", translator: "Translator") -> str:
    return json.dumps(
        {
            "text": translation.text,
            "score": translation.score,
            "log_prob": translation.log_prob,
            "tokens": translator.tokenizers.target.pieces(translation.tokens),
            "flags": list(translation.flags),
            "alternatives": [{"text": other.text, "score": other.score} for other in translation.alternatives],
        },
        ensure_ascii=False,
    )


def _summarise(tally: Counter[str], seconds: float) -> None:
    texts, tokens = tally.pop("texts", 0), tally.pop("tokens", 0)
    flags = "".join(f", {count} {flag}" for flag, count in sorted(tally.items()))
    say(f"{texts} texts{flags}; {tokens / max(seconds, 1e-9):,.0f} tokens/s; {elapsed():.1f} s in all")
