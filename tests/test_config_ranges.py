"""Numbers that no machine can serve are refused by key, before any work."""

import pytest

from ferryman.config_file import load_config
from ferryman.errors import ConfigError


@pytest.mark.parametrize(
    "setting",
    [
        "decoding.length_penalty=1000",
        "decoding.max_length_extra=999999999999999999999999",
        "decoding.threads=100000",
        "training.threads=100000",
        "training.seed=99999999999999999999999999",
        "model.d_model=9999999999999999999998",
    ],
)
def test_out_of_range(setting):
    with pytest.raises(ConfigError, match=setting.partition("=")[0].replace(".", r"\.")):
        load_config("tiny", [setting])
