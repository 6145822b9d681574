"""API keys: a file of names and hashes, a line each; the keys themselves are nowhere.

A key is 32 random bytes, which nobody can guess, so that a plain SHA-256 hides it. A line is
``NAME SHA256 [REQUESTS_PER_MINUTE]``; lines that begin with # are left out.
"""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from ferryman.errors import ConfigError
from ferryman.files import write_text

_HASH = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[\w.@-]{1,64}")


@dataclass(frozen=True)
class Key:
    """Who holds a key, what it is recognised by, and how often it may ask (none: as the configuration says)."""

    name: str
    digest: str
    per_minute: int | None = None


def read_keys(path: Path) -> list[Key]:
    """Read a file of keys.

    Raises:
        ConfigError: it is not there, has no key, or a line is no key.

    """
    if not path.is_file():
        raise ConfigError(f"serving.api_keys: {path}: no such file; ferryman serve --new-key NAME makes it")
    keys = [
        _parse(line, f"{path}, line {number}")
        for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    ]
    if not keys:
        raise ConfigError(f"serving.api_keys: {path} has no key, so nobody could ask; add one with --new-key NAME")
    return keys


def add_key(path: Path, name: str) -> str:
    """Make a key, add its hash to a file, which is made if need be, and return the key: it cannot be had again.

    Raises:
        ConfigError: the name is none, or taken.

    """
    if not _NAME.fullmatch(name):
        raise ConfigError(f"--new-key {name!r}: a name has up to 64 letters, digits and signs of . _ @ -")
    text = path.read_text(encoding="utf-8-sig") if path.is_file() else ""
    if any(line.split()[:1] == [name] for line in text.splitlines()):
        raise ConfigError(f"--new-key {name}: {path} has a key of that name; delete its line to withdraw it")
    key = secrets.token_urlsafe(32)
    end = "" if not text or text.endswith("\n") else "\n"
    write_text(path, f"{text}{end}{name} {digest(key)}\n")
    return key


def digest(key: str) -> str:
    """Return what a key is recognised by."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def find_key(keys: list[Key], key: str) -> Key | None:
    """Find whose key it is; takes as long whether or not there is one."""
    wanted, found = digest(key), None
    for each in keys:
        if hmac.compare_digest(each.digest, wanted):
            found = each
    return found


def _parse(line: str, where: str) -> Key:
    name, hashed, *rest = [*line.split(), "", ""][: max(2, len(line.split()))]
    if not _HASH.fullmatch(hashed) or len(rest) > 1 or not all(part.isdecimal() for part in rest):
        raise ConfigError(f"{where}: expected a name, a SHA-256 in hexadecimal and perhaps requests a minute")
    return Key(name, hashed, int(rest[0]) if rest else None)
