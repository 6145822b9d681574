"""Words as tokens, or parts of words that subword-nmt's byte-pair encoding makes: for models of other toolkits.

fairseq, OpenNMT-py and Joey NMT have such vocabularies, often of text that Moses has cut. We train none.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

from ferryman.errors import TokenizerError
from ferryman.text.escaping import SPACE_SYMBOL, escape, unescape
from ferryman.text.tokenizer import BOS, EOS, MORE_CONTROLS, NOT_TEXT, PAD, UNKNOWN, Tokenizer, check_encodable
from ferryman.text.word_splitting import DASHES, END_OF_WORD, Merges, Moses, MosesScripts

_NAMES = (PAD, UNKNOWN, BOS, EOS)
_SPACE = SPACE_SYMBOL.encode()


class WordTokenizer(Tokenizer):
    """A vocabulary of words or parts of words, and how a text is cut into these.

    A part of a word that is not its last ends with the separator: ``hou@@ se``. A word that the vocabulary cannot make
    is the unknown symbol; so is one that would read as a control symbol or as a part of the next word. A text of known
    words comes back but for its white space, and with ``moses`` or ``lowercase`` as those leave it.

    Attributes:
        symbols: the token of each id, as the model's makers wrote it.
        codes: the file of merges, of subword-nmt or fastBPE; None: words are not cut.
        separator: what a part of a word ends with, unless it is the last.
        moses: how punctuation is cut off words; None: words are what stands between white space.
        lowercase: whether words are brought into lower case.
        controls: our names of symbols: ``{"<blank>": "<pad>"}``; of ``<pad>``, ``<unk>``, ``<s>``, ``</s>``, ``<2…>``,
            ``<tag:…>`` and ``<unused:…>``. A symbol that is called as one of the first four need not be there.
    """

    space_follows = True

    def __init__(  # noqa: PLR0913 - each is a separate fact of a model
        self,
        symbols: Sequence[str],
        *,
        normal_form: str,
        codes: str | None = None,
        separator: str = "@@",
        moses: Moses | str | None = None,
        lowercase: bool = False,
        controls: Mapping[str, str] | None = None,
    ) -> None:
        """Make a tokenizer of a vocabulary; of ``moses`` the language may be enough.

        Raises:
            TokenizerError: a symbol cannot be one or stands there twice, a control symbol is not among them or has no
                such name, the codes are none, or a library that is needed is not installed.
            ConfigError: there is no such normal form.

        """
        self.symbols = tuple(symbols)
        self.codes, self.separator, self.lowercase = codes, separator, lowercase
        self.moses = Moses(moses) if isinstance(moses, str) else moses
        self.controls = dict(sorted((controls or {}).items()))
        self._scripts = None if self.moses is None else MosesScripts(self.moses)
        self._merges = None if codes is None else Merges(codes, separator)
        _check(self.symbols, self.controls)
        names = [self.controls.get(symbol, symbol) for symbol in self.symbols]
        silent = {*_NAMES, *self.controls.values()}
        special = {name: index for index, name in enumerate(names) if name in silent}
        self._words = {name: index for index, name in enumerate(names) if name not in special}
        self._written = ["" if name in special else self._write(name) for name in names]
        if UNKNOWN in special:
            self._written[special[UNKNOWN]] = f"{NOT_TEXT} "
        spellings = [escape(self._unescape(text)).replace(" ", SPACE_SYMBOL).encode() for text in self._written]
        super().__init__(names, spellings, special, normal_form=normal_form)

    @classmethod
    def load(cls, folder: Path, name: str, *, normal_form: str) -> "WordTokenizer":
        """Read what ``save`` wrote.

        Raises:
            TokenizerError: a file is missing or is not what it should be; the message names it.
            ConfigError: there is no such normal form.

        """
        about, codes = folder / f"{name}.words.json", folder / f"{name}.codes"
        try:
            settings = json.loads(about.read_bytes())
            settings["moses"] = settings["moses"] and Moses(**settings["moses"])
            symbols = (folder / f"{name}.vocab").read_bytes().decode().removesuffix("\n").split("\n")
            merges = codes.read_bytes().decode() if codes.exists() else None
            return cls(symbols, normal_form=normal_form, codes=merges, **settings)
        except OSError as error:
            raise TokenizerError(f"cannot read the tokenizer {error.filename}: {error.strerror}") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise TokenizerError(f"{about}: the tokenizer is damaged: {error}") from error
        except TokenizerError as error:
            raise TokenizerError(f"{folder / name}: {error}") from error

    @cached_property
    def content(self) -> bytes:
        """Return the files, one after the other."""
        return b"\0".join(self.files("").values())

    def files(self, name: str) -> dict[str, bytes]:
        """Return the symbols, one a line; the file of merges, where there is one; and the settings."""
        about = {
            "separator": self.separator,
            "moses": self.moses and asdict(self.moses),
            "lowercase": self.lowercase,
            "controls": self.controls,
        }
        return {
            f"{name}.vocab": "".join(f"{symbol}\n" for symbol in self.symbols).encode(),
            **({} if self.codes is None else {f"{name}.codes": self.codes.encode()}),
            f"{name}.words.json": (json.dumps(about, ensure_ascii=False, indent=1) + "\n").encode(),
        }

    def encode_batch(self, texts: Sequence[str], *, threads: int = 1) -> list[list[int]]:
        """Return the ids of each text, by one thread; see ``encode``."""
        return [[index for word in self._split(text) for index in self._ids_of(word)] for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of these ids; see ``Tokenizer``."""
        self._check_ids(ids)
        text = "".join([self._written[index] for index in ids]).removesuffix(" ")
        return text if self._scripts is None else self._scripts.join(text.split(" "))

    def spell(self, text: str) -> bytes:
        """Return the words of a text, ▁ between them."""
        words = self._split(text)
        return SPACE_SYMBOL.join(map(escape, map(self._unescape, words))).encode()

    def spelled(self, ids: Sequence[int]) -> list[bytes]:
        """Return what each of these ids adds to their text; with spaces as ``decode`` puts them."""
        plain = super().spelled(ids)
        return plain if self._scripts is None else _respaced(plain, self.decode(ids))

    def parts(self) -> list[tuple[int, int]]:
        """Return for each id the two ids whose merge made its piece, or (-1, -1)."""
        halves = {} if self._merges is None else self._merges.halves
        return [self._halves_of(name, halves) if name in self._words else (-1, -1) for name in self._pieces]

    def _split(self, text: str) -> list[str]:
        """Return the words of a text, as they stand in the vocabulary."""
        check_encodable(text)
        normal = self._normalise(text)
        words = normal.split() if self._scripts is None else self._scripts.split(normal)
        return [word.lower() for word in words] if self.lowercase else words

    def _ids_of(self, word: str) -> list[int]:
        parts = [word] if self._merges is None else self._merges.split(word)
        ids = [self._words.get(part, -1) for part in parts]
        if parts[-1].endswith(self.separator):
            ids[-1] = -1
        return [self.unk_id if index < 0 else index for index in ids]

    def _write(self, name: str) -> str:
        return name.removesuffix(self.separator) if name.endswith(self.separator) else f"{name} "

    def _unescape(self, word: str) -> str:
        return word if self._scripts is None else self._scripts.unescape(word)

    def _halves_of(self, name: str, halves: Mapping[str, tuple[str, str]]) -> tuple[int, int]:
        ends = not name.endswith(self.separator)
        left, right = halves.get(name + END_OF_WORD if ends else name.removesuffix(self.separator), ("", ""))
        right = right.removesuffix(END_OF_WORD) if ends else right + self.separator
        pair = self._words.get(left + self.separator, -1), self._words.get(right, -1)
        return pair if min(pair) >= 0 else (-1, -1)


def _respaced(spelled: Sequence[bytes], text: str) -> list[bytes]:
    """Put the spaces where a text has them whose words these are; leave all as it is where they are others."""
    found, place = [], 0
    for part in spelled:
        word = unescape(part.decode().replace(SPACE_SYMBOL, ""))
        word = word if text.startswith(word, place) else DASHES.get(word, word)
        if not text.startswith(word, place):
            return list(spelled)
        place += len(word)
        space = bool(part) and text[place : place + 1] == " "
        place += space
        found.append(escape(word).encode() + (_SPACE if space else b""))
    return found


def _check(symbols: Sequence[str], controls: Mapping[str, str]) -> None:
    ids: dict[str, int] = {}
    for index, symbol in enumerate(symbols):
        if not symbol or "\n" in symbol:
            raise TokenizerError(f"the symbol of id {index}, {symbol!r}, is empty or has a line break.")
        name = controls.get(symbol, symbol)
        if name in ids:
            raise TokenizerError(f"{name} stands for two ids, {ids[name]} and {index}.")
        ids[name] = index
    for symbol, name in controls.items():
        if symbol not in symbols:
            raise TokenizerError(f"the control symbol {symbol} is not in the vocabulary.")
        if name not in _NAMES and not MORE_CONTROLS.fullmatch(name):
            raise TokenizerError(
                f"{symbol} is called {name}; a control symbol is one of {', '.join(_NAMES)}, <2…>, <tag:…>, <unused:…>."
            )
