"""A restarted command goes on with its own run and no other."""

from ferryman.config import Config
from ferryman.config_file import dump_config, load_config
from ferryman.workflows.restart import began


def written(folder, config: Config) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(dump_config(config), encoding="utf-8")


def test_only_a_saved_run_of_the_same_configuration(tmp_path):
    config = load_config("tiny", ["training.minutes=2", "data.source_language=en"])
    folder = tmp_path / "run"
    assert not began(config, folder)
    written(folder, config)
    assert not began(config, folder)
    (folder / "training_state.safetensors").touch()
    assert began(config, folder)
    written(folder, load_config("tiny", ["training.minutes=3", "data.source_language=en"]))
    assert not began(config, folder)
