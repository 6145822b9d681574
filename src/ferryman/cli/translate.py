"""``ferryman translate``: lines of text in, lines of text out; documents keep their form."""

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ferryman.cli.console import elapsed, flush, reported, say, write
from ferryman.cli.interrupts import ending_tidily
from ferryman.cli.options import Debug, Json, Model, To, With, split_settings
from ferryman.wording import counted

if TYPE_CHECKING:
    from ferryman.translator import Translation, Translator
    from ferryman.workflows.translate import Console, Job, Tally


def translate(
    model: Model,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Text files, one text a line, or documents; none, or -: standard input. Then settings as "
            "decoding.key=value or documents.key=value.",
            metavar="[FILE]... [decoding.key=value]...",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write; for several files, a folder.")
    ] = None,
    partners: With = None,
    to: To = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Translate text, one line of output for each line of input; with --json, one JSON object.

    Documents, told by their names (.po .xlf .srt .html .md .docx …), keep their form and need --output.

    \b
    Examples:
      echo "Is it snowing in Rome?" | ferryman translate runs/demo
      ferryman translate runs/en-de input.txt -o output.txt decoding.beam=8
      ferryman translate runs/en-de app.po -o app.de.po
      ferryman translate runs/many input.txt --to fr
      ferryman translate runs/en-de input.txt --with runs/en-de-2
    """  # noqa: D301
    with reported(debug):
        from ferryman.cli.documents import divide, translate_documents
        from ferryman.cli.translating import shown
        from ferryman.workflows.translate import Tally, plan_jobs, translate_files

        files, settings = split_settings(inputs or [])
        documents, jobs = divide(plan_jobs(files, output), settings, as_json)
        from ferryman.corpus.characters import one_line
        from ferryman.engines.devices import set_threads
        from ferryman.workflows.load import load_ready

        set_threads(0)
        translator = load_ready(model, settings, to=to, partners=partners or [])
        if translator.config.decoding.n_best > 1 and not as_json:
            say("only the best translation of each text is shown; --json shows all decoding.n_best")

        def form(found: "Translation") -> str:
            return _record(found, translator) if as_json else one_line(found.text)  # on its line, whatever is in it

        translate_documents(translator, documents)
        if not jobs:
            return
        console, tally = _console(jobs), Tally()
        with ending_tidily(), shown(tally, jobs, console):
            translate_files(translator, jobs, console, form, tally)
        _summarise(tally, translator.searcher.about(translator.config.decoding))


def _console(jobs: Sequence["Job"]) -> "Console":
    """Take standard input and output; a person who types is told what to do and answered at once."""
    from ferryman.workflows.translate import Console

    if sys.stdin is None or all(job.source is not None for job in jobs):
        return Console(io.BytesIO(), write)
    if not sys.stdin.isatty():
        return Console(sys.stdin.buffer, write)
    say("type a line of text and press Enter; end with Ctrl-D")
    return Console(sys.stdin.buffer, _answer, typed=True)


def _answer(line: str) -> None:
    write(line)
    flush()


def _record(translation: "Translation", translator: "Translator") -> str:
    decoding = translator.config.decoding

    def fields(one: "Translation") -> dict[str, object]:
        """Give what there is of any translation, the same of the first and of the alternatives."""
        found: dict[str, object] = {
            "text": one.text,
            "score": one.score,
            "log_prob": one.log_prob,
            "tokens": translator.tokenizers.target.pieces(one.tokens),
            "flags": list(one.flags),
        }
        if decoding.token_log_probs:
            found["token_log_probs"] = one.token_log_probs
        if decoding.alignment != "none":  # null where a translation was changed afterwards
            found["alignment"] = one.alignment and one.alignment.pharaoh
        if decoding.alignment == "soft":
            found["attention"] = one.alignment and {
                "source_tokens": one.alignment.source_tokens,
                "weights": one.alignment.weights,
            }
        return found

    others = [fields(other) for other in translation.alternatives]
    return json.dumps({**fields(translation), "alternatives": others}, ensure_ascii=False)


def _summarise(tally: "Tally", engine: str) -> None:
    flags = "".join(f", {count} {flag.replace('_', ' ')}" for flag, count in sorted(tally.flags.items()))
    speed = f"{tally.tokens_per_second:,.0f} tokens/s ({engine})"
    say(f"{counted(tally.texts, 'text')}{flags}; {speed}; {elapsed():.1f} s in all")
