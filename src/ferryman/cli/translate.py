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
from ferryman.errors import ConfigError, DataError

if TYPE_CHECKING:
    from ferryman.translator import Translation, Translator

Job = tuple[Path | None, Path | None]  # what to read (none: standard input) and what to write (none: standard output)


def translate(
    model: Model,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Text files, one text a line; none, or -: standard input. Then settings as decoding.key=value.",
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
        jobs = _jobs([Path(file) for file in files if file != "-"], output)
        from ferryman.workflows.load import load

        translator = load(model, settings)
        if translator.config.decoding.n_best > 1 and not as_json:
            say("only the best translation of each text is shown; --json shows all decoding.n_best")
        tally = Counter[str]()
        began = time.monotonic()
        for file, target in jobs:
            with ExitStack() as stack:
                put = _sink(target, stack)
                for translation in _translations(translator, file):
                    tally.update(["texts", *translation.flags])
                    tally["tokens"] += len(translation.tokens)
                    put(_record(translation, translator) if as_json else one_line(translation.text))
        _summarise(tally, time.monotonic() - began)


def one_line(text: str) -> str:
    """Keep a translation on its line, whatever the model made."""
    return " ".join(text.replace("\r", "\n").split("\n"))


def _jobs(files: list[Path], output: Path | None) -> list[Job]:
    """Pair each file with the file to write; refuse what would fail, or lose a file, after some work is done."""
    for file in files:
        if not file.exists() or file.is_dir():
            raise DataError(f"{file}: {'this is a folder, not a file' if file.exists() else 'no such file'}")
    if not files and output is not None and output.is_dir():
        raise ConfigError(f"{output} is a folder; name a file to write the translation of standard input to")
    if not files:
        return [(None, output)]
    if output is None or (len(files) == 1 and not output.is_dir()):
        return [(file, _not_itself(file, output)) for file in files]
    jobs: list[Job] = [(file, _not_itself(file, output / file.name)) for file in files]
    if len({target for _, target in jobs}) < len(jobs):
        raise ConfigError(f"two of the files have the same name, and one translation in {output} would replace another")
    return jobs


def _not_itself(file: Path, target: Path | None) -> Path | None:
    if target is not None and target.exists() and target.samefile(file):
        raise ConfigError(f"{target}: the translation would replace its source; choose another --output")
    return target


def _translations(translator: "Translator", file: Path | None) -> Iterator["Translation"]:
    """Translate a file in large chunks; a person who types, line by line."""
    if file is None and sys.stdin.isatty():
        say("type a line of text and press Enter; end with Ctrl-D")
        for text in _texts(None):
            yield from translator.translate([text])
            sys.stdout.flush()
    else:
        yield from translator.translate_stream(_texts(file))


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
