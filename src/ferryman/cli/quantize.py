"""``ferryman quantize``: eight-bit matrices, if they change little."""

import json
from pathlib import Path
from typing import Annotated

import typer

from ferryman.cli.console import reported, say, write
from ferryman.cli.options import Debug, Json, Model, To, split_settings
from ferryman.workflows.gate import Gate


def quantize(
    model: Model,
    files: Annotated[
        list[str],
        typer.Argument(
            help="Sources, one a line, to compare on; or SOURCE and REFERENCE files, or one file of pairs. "
            "Then settings as decoding.key=value.",
            metavar="SOURCE [REFERENCE]... [decoding.key=value]...",
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Model folder to write; unset: only measure.")
    ] = None,
    min_agreement: Annotated[
        float, typer.Option("--min-agreement", help="Least chrF of the translations against those in float32.")
    ] = Gate.min_agreement,
    max_loss: Annotated[
        float, typer.Option("--max-loss", help="Most BLEU that may be lost, where there are references.")
    ] = Gate.max_loss,
    to: To = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare a model in eight bits with itself in float32, and write one that uses them if little changes."""
    with reported(debug):
        from ferryman.engines.devices import set_threads
        from ferryman.workflows.quantise import quantise

        words, settings = split_settings(files)
        set_threads(0)
        result = quantise(
            model,
            [Path(word) for word in words],
            output,
            gate=Gate(min_agreement, max_loss),
            to=to,
            overrides=settings,
        )
        if as_json:
            write(json.dumps(result.to_json(), ensure_ascii=False, indent=1))
        else:
            write(f"{result.identical} of {result.sentences} translations are the same; {result.agreement:.1f} chrF")
            for numbers, scores in (result.scores or {}).items():
                write(f"{numbers}: BLEU {scores['bleu'].score:.2f}  {scores['bleu'].signature}")
            write(", ".join(f"{numbers} {seconds:.1f} s" for numbers, seconds in result.seconds.items()))
        if output is not None:
            say(f"{output} is the model with decoding.engine: int8")
