"""The same command once more: torchrun starts all processes again after one has failed."""

from pathlib import Path

from ferryman.checkpoint import CONFIG
from ferryman.config import Config
from ferryman.config_file import load_config
from ferryman.workflows.fine_tuning import with_tokenizer_of
from ferryman.workflows.folder import RunFolder


def began(config: Config, folder: Path) -> bool:
    """Tell whether the run in a folder is one that this configuration began, and has saved something to go on with."""
    if not RunFolder(folder).has_state:
        return False
    before, now = load_config(folder / CONFIG), with_tokenizer_of(config)
    return before.model_dump(mode="json") == now.model_dump(mode="json")
