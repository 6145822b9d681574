"""Of a model of several languages, a text's name tells which it is written in."""

from pathlib import Path

import pytest

from ferryman.config import DataConfig
from ferryman.errors import ConfigError
from ferryman.text.directions import Direction
from ferryman.workflows.file_languages import direction_for

INTO_ENGLISH = DataConfig(
    source_language="fr",
    target_language="en",
    corpora={"german": {"train": ["a.tsv"], "source_language": "de", "fields": ["de", "en"]}},
)


@pytest.mark.parametrize(
    ("name", "source"),
    [("news.de", "de"), ("news.de-AT.gz", "de"), ("news.fr", "fr"), ("news", "fr"), ("a.tsv", "fr"), ("a.tmx", "fr")],
)
def test_the_name_of_a_text_decides_between_directions(name, source):
    direction, corpus = direction_for(Path(name), INTO_ENGLISH, "en", Path("model"))
    assert direction == Direction(source, "en")
    assert corpus.fields == (("de", "en") if source == "de" else ("source", "target"))


def test_a_text_of_no_source_language_is_refused():
    with pytest.raises(ConfigError, match=r"news\.en: its name tells en, but where model expects fr or de"):
        direction_for(Path("news.en"), INTO_ENGLISH, "en", Path("model"))
