"""Which settings may change when a run goes on: its budget and how it is watched, not what it is."""

from collections.abc import Sequence
from pathlib import Path

from ferryman.config import Config
from ferryman.errors import ConfigError

BUDGETS = ("minutes", "steps", "epochs")
FREE = {"data.directory", "data.prepared", "model.dropout", "model.attention_dropout", "model.feed_forward_dropout"}
FIXED = tuple(
    f"training.{key}"
    for key in (
        "seed",
        "start_from",
        "freeze",
        "optimizer",
        "batch_tokens",
        "best_metric",
        "validation_beam",
        "validation_sentences",
    )
)


def with_budget(settings: Sequence[str]) -> list[str]:
    """Let a budget named in settings take the place of the configuration's: the other kinds are unset before it."""
    named = {setting.partition("=")[0].removeprefix("training.") for setting in settings}
    if named.isdisjoint(BUDGETS):
        return list(settings)
    return [*(f"training.{name}=null" for name in BUDGETS), *settings]


def check_changes(before: Config, after: Config, folder: Path) -> None:
    """Refuse changes that would make a run that goes on another run.

    Raises:
        ConfigError: names the first one.
    """
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    fixed = [f"{section}.{key}" for section in ("data", "tokenizer", "model") for key in old[section]]
    for name in (*fixed, *FIXED):
        section, _, key = name.partition(".")
        if name not in FREE and old[section][key] != new[section][key]:
            raise ConfigError(
                f"{name}: {old[section][key]} cannot become {new[section][key]} when a run goes on; start a new one, "
                f"with training.start_from={folder} to begin with its weights"
            )
