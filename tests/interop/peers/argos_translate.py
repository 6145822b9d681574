"""Install a package with Argos Translate and translate with it: ``python argos_translate.py PACKAGE < LINES``.

Its home is an empty folder that the caller names by HOME, and nothing is fetched: a text is one sentence, because the
models that find sentences would be downloaded. Writes the translations, one a line.
"""

import importlib.util
import socket
import sys
from types import ModuleType
from typing import Any


def offline(*_: Any) -> None:
    """Take the place of everything that opens a connection."""
    raise OSError("nothing is to be fetched")


def main(package: str) -> None:
    """Install, find the translation that came with it, and use it."""
    socket.socket.connect = offline  # type: ignore[method-assign]
    for name in ("stanza", "minisbd"):
        if importlib.util.find_spec(name) is None:  # they find sentences, which is not needed here
            stub: Any = ModuleType(name)
            stub.SBDetect, stub.models = None, ModuleType("models")
            stub.models.list_models = lambda: ["en"]
            sys.modules[name] = stub
    from argostranslate import package as packages
    from argostranslate import translate

    assert not packages.get_installed_packages()
    packages.install_from_path(package)
    (installed,) = packages.get_installed_packages()
    languages = {one.code: one for one in translate.get_installed_languages()}
    translation = languages[installed.from_code].get_translation(languages[installed.to_code])
    plain: Any = getattr(translation, "underlying", translation)  # beneath a cache
    plain.sentencizer.split_sentences = lambda text: [text]
    for line in sys.stdin.read().splitlines():
        sys.stdout.write(plain.translate(line).strip() + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
