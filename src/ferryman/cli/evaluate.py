"""``ferryman evaluate``: BLEU, chrF and TER with their signatures."""

import json
from pathlib import Path
from typing import Annotated

import typer

from ferryman.cli.console import reported, say, write
from ferryman.cli.options import Debug, Json, To, With, split_settings
from ferryman.wording import counted


def evaluate(
    system: Annotated[
        Path, typer.Argument(help="Model folder, or a file of translations.", metavar="MODEL|HYPOTHESES")
    ],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="For a model: SOURCE and REFERENCE files, or one file of pairs. For translations: REFERENCE files. "
            "Then settings as decoding.key=value.",
            metavar="[SOURCE] REFERENCE... [decoding.key=value]...",
        ),
    ] = None,
    target_language: Annotated[
        str | None, typer.Option("--target-language", help="Language of the translations; a model knows its own.")
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option("--compare", help="Another model or file of translations, to test the difference with."),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File to write the translations to.")] = None,
    partners: With = None,
    to: To = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Score a model or a file of translations on a test set."""
    with reported(debug):
        from ferryman.corpus.characters import one_line
        from ferryman.engines.devices import set_threads
        from ferryman.files import write_text
        from ferryman.workflows.evaluate import evaluate as run

        words, settings = split_settings(files or [])
        set_threads(0)
        result = run(
            system,
            [Path(word) for word in words],
            target_language=target_language,
            to=to,
            other=compare,
            overrides=settings,
            partners=partners or [],
        )
        if output:
            write_text(output, "".join(f"{one_line(text)}\n" for text in result.hypotheses))
        if result.warning:
            say(f"warning: {result.warning}")
        if as_json:
            write(json.dumps(result.to_json(), ensure_ascii=False, indent=1))
            return
        for score in result.scores.values():
            write(f"{score.name} {score.score:.2f}  {score.signature}")
        for name, found in (result.comparison or {}).items():
            write(
                f"{name}: {found.system.score:.2f} against {found.baseline.score:.2f}, "
                f"difference {found.difference:+.2f}, p = {found.p_value:.4f}"
            )
        flags = "".join(f", {count} {flag.replace('_', ' ')}" for flag, count in result.flags.items())
        write(f"{counted(result.scores.sentences, 'sentence')}{flags}")
