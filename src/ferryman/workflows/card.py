"""The README.md inside a model folder: what this model is."""

from ferryman import __version__
from ferryman.config import Config
from ferryman.text.directions import directions, target_languages


def model_card(config: Config, figures: dict[str, float], signature: str = "", *, origin: str = "") -> str:
    """Write the card of a model.

    Args:
        config: of the model.
        figures: of its validation; empty before the first.
        signature: of the BLEU among them.
        origin: the format it was converted from; empty: it was trained here.

    """
    made = f"converted with Ferryman {__version__} from {origin}" if origin else f"trained with Ferryman {__version__}"
    model, several = config.model, len(target_languages(config.data)) > 1
    lines = [
        f"# {', '.join(map(str, directions(config.data)))}",
        "",
        f"An encoder-decoder Transformer {made}: {model.encoder_layers} + "
        f"{model.decoder_layers} layers, d_model {model.d_model}, d_ff {model.d_ff}, {model.heads} heads, "
        f"{model.norm_order}-norm. `config.yaml` says everything else.",
        "",
    ]
    if figures:
        shown = ", ".join(f"{name} {value:.4g}" for name, value in figures.items())
        lines += [f"On its validation set (beam {config.training.validation_beam}): {shown}.", ""]
        lines += [f"{signature}", ""] if signature else []
    lines += [
        "```",
        f"ferryman translate THIS_FOLDER{' --to LANGUAGE' if several else ''} < input.txt > output.txt",
        "```",
        "",
    ]
    return "\n".join(lines)
