"""``ferryman score``: how likely a model finds given translations."""

import json
from pathlib import Path
from typing import Annotated

import typer

from ferryman.cli.console import reported, say, write
from ferryman.cli.options import Debug, DecodingSettings, Json, Model, To, With
from ferryman.wording import counted


def score(
    model: Model,
    source: Annotated[Path, typer.Argument(help="Source texts, one a line.", metavar="SOURCE")],
    target: Annotated[Path, typer.Argument(help="Their translations, one a line.", metavar="TARGET")],
    settings: DecodingSettings = None,
    partners: With = None,
    to: To = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Print the log-probability (natural, end symbol included) of each given translation.

    It is that of the text as the tokenizer cuts it: the one that decoding counts where a search said it in the same
    tokens.
    """
    with reported(debug):
        from ferryman.engines.devices import set_threads
        from ferryman.workflows.evaluate import read_aligned_texts
        from ferryman.workflows.load import load_ready

        sources, targets = read_aligned_texts(source, [target])
        set_threads(0)
        log_probs = load_ready(model, settings or [], to=to, partners=partners or []).score(sources, targets[0])
        for log_prob in log_probs:
            write(json.dumps({"log_prob": log_prob}) if as_json else f"{log_prob:.6f}")
        say(f"{counted(len(log_probs), 'pair')}, mean {sum(log_probs) / max(1, len(log_probs)):.4f}")
