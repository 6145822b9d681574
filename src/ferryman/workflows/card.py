"""The README.md inside a model folder: what this model is."""

from ferryman import __version__
from ferryman.config import Config


def model_card(config: Config, figures: dict[str, float], signature: str = "") -> str:
    """Write the card of a model; ``figures`` are those of its validation, empty before the first."""
    data, model = config.data, config.model
    lines = [
        f"# {data.source_language} → {data.target_language}",
        "",
        f"An encoder-decoder Transformer trained with Ferryman {__version__}: {model.encoder_layers} + "
        f"{model.decoder_layers} layers, d_model {model.d_model}, d_ff {model.d_ff}, {model.heads} heads, "
        f"{model.norm_order}-norm. `config.yaml` says everything else.",
        "",
    ]
    if figures:
        shown = ", ".join(f"{name} {value:.4g}" for name, value in figures.items())
        lines += [f"On its validation set (beam {config.training.validation_beam}): {shown}.", ""]
        lines += [f"{signature}", ""] if signature else []
    lines += ["```", "ferryman translate THIS_FOLDER < input.txt > output.txt", "```", ""]
    return "\n".join(lines)
