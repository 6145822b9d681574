"""Id maps: the table of pieces and ids that other toolkits keep beside their SentencePiece models."""

import json
from pathlib import Path

from ferryman.errors import TokenizerError


def read_id_map(path: Path) -> dict[str, int]:
    """Read a JSON object of pieces and ids; raise ``TokenizerError`` naming the file where it is not one."""
    try:
        return check_id_map(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise TokenizerError(f"cannot read the id map {path}: {error.strerror}") from error
    except ValueError as error:
        raise TokenizerError(f"the id map {path} is not JSON: {error}") from error
    except TokenizerError as error:
        raise TokenizerError(f"{path}: {error}") from error


def check_id_map(pairs: object) -> dict[str, int]:
    """Return a copy of a map of pieces to distinct ids from 0; raise ``TokenizerError`` where it is not one."""
    if not isinstance(pairs, dict) or not pairs:
        raise TokenizerError('an id map must be an object of pieces and their ids, such as {"</s>": 0, "▁a": 1}.')
    seen: dict[int, str] = {}
    for piece, index in pairs.items():
        if type(index) is not int or index < 0:
            raise TokenizerError(f"the id map gives piece '{piece}' the id {index!r}: an id is a whole number from 0.")
        if index in seen:
            raise TokenizerError(f"the id map gives '{seen[index]}' and '{piece}' the same id, {index}.")
        seen[index] = piece
    return dict(pairs)
