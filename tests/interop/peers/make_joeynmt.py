"""Train tiny models with Joey NMT and keep what it says: ``python make_joeynmt.py WORK``, with joeynmt installed.

Each run comes to lie in ``joeynmt/NAME`` beside this file: as Joey NMT left it, but of its checkpoint only the weights,
and of its tables of positions the first rows, so that it stays small. ``expected.json`` and ``expected.safetensors``
hold what Joey NMT says: ids, logits, translations and their scores.
"""

from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "joeynmt"
NOUNS = {"river": "der Fluss", "house": "das Haus", "street": "die Straße", "sea": "das Meer", "dog's bed": "das Bett"}
WORDS = {"wide": "breit", "old": "alt", "quiet": "still", "cold": "kalt", "small": "klein", "well-known": "bekannt"}
FORMS = {"The {} is {}.": "{} ist {}.", "Is the {} {}?": "Ist {} {}?", "The {} was not {}.": "{} war nicht {}."}
KEPT_POSITIONS, BEAM, UPDATES = 64, 3, 150
TEXTS = ("The river is wide.", "Is the sea cold?", "The dog's bed was not well-known.", "Houses are small & quiet.")


def corpus() -> list[tuple[str, str]]:
    """Make pairs of sentences."""
    pairs = []
    for (english, german), noun, word in product(FORMS.items(), NOUNS.items(), WORDS.items()):
        said = german.format(noun[1], word[1])
        pairs.append((english.format(noun[0], word[0]), said[0].upper() + said[1:]))
    return pairs


def side(**changes: Any) -> dict[str, Any]:
    """Describe an encoder or a decoder."""
    size = {"num_layers": 2, "num_heads": 2, "hidden_size": 16, "ff_size": 24, "dropout": 0.0}
    return {"type": "transformer", **size, "embeddings": {"embedding_dim": 16, "scale": True}, **changes}
