"""``ferryman convert``: to and from other toolkits' formats."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ferryman.cli.console import FAILED, reported, say, write
from ferryman.cli.options import Debug, Json

if TYPE_CHECKING:
    from ferryman.workflows.convert import Conversion


class Target(StrEnum):
    """Formats that can be written."""

    FERRYMAN = "ferryman"
    HUGGINGFACE = "huggingface"
    CTRANSLATE2 = "ctranslate2"
    ARGOS = "argos"
    ONNX = "onnx"


class Numbers(StrEnum):
    """How CTranslate2 may store weights."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    INT16 = "int16"
    INT8 = "int8"
    INT8_FLOAT16 = "int8_float16"
    INT8_BFLOAT16 = "int8_bfloat16"


def convert(
    source: Annotated[
        Path, typer.Argument(help="Model: ours, or one of another toolkit that can be read.", metavar="SOURCE")
    ],
    destination: Annotated[Path, typer.Argument(help="What to write; nothing may be there.", metavar="DESTINATION")],
    to: Annotated[Target, typer.Option("--to", help="Format to write.")],
    settings: Annotated[
        list[str] | None,
        typer.Argument(help="Settings to change, as section.key=value.", metavar="[section.key=value]..."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option("--check", help="File of sentences, one a line, to compare translations on; unset: sample ones."),
    ] = None,
    quantization: Annotated[
        Numbers, typer.Option("--quantization", help="Numbers of a CTranslate2 model or Argos package.")
    ] = Numbers.FLOAT32,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a model in another toolkit's format, or one of theirs in ours, and compare what both say.

    \b
    Examples:
      ferryman convert runs/en-de en-de-hf --to huggingface
      ferryman convert runs/en-de en-de-ct2 --to ctranslate2 --quantization int8
      ferryman convert runs/en-de en-de.argosmodel --to argos --quantization int8
      ferryman convert runs/en-de en-de-onnx --to onnx
      ferryman convert opus-mt-en-de en-de --to ferryman
      ferryman convert m2m100_418M fr-de --to ferryman data.source_language=fr
      ferryman convert checkpoint_best.pt en-de --to ferryman

    Read are Hugging Face (Marian, M2M-100, NLLB), fairseq, OpenNMT-py, Eole and Joey NMT.
    """  # noqa: D301
    with reported(debug):
        from ferryman.workflows.convert import convert as run
        from ferryman.workflows.evaluate import read_lines

        texts = None if check is None else read_lines(check)
        made = run(source, destination, to.value, settings or [], texts=texts, quantization=quantization.value)
        if as_json:
            write(json.dumps(made.to_json(), ensure_ascii=False, indent=1))
        say(f"{destination} is {source} as {to.value}")
        _tell(made)
    if not made.is_good:
        raise typer.Exit(FAILED)


def _tell(made: "Conversion") -> None:
    found = made.agreement
    if found is None:
        say("not compared: the other toolkit is not installed here")
        return
    say(f"{found.equal} of {found.sentences} sample sentences are translated alike by {found.peer}")
    if found.difference is not None:
        say("first difference: {!r}: ours {!r}, theirs {!r}".format(*found.difference))
