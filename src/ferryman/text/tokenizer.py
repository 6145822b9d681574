"""What a tokenizer is: text to token ids and back, whatever cuts the text.

``SentencePieceTokenizer`` is what we train; ``WordTokenizer`` is for models that were trained on words or their parts.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

from ferryman.errors import TokenizerError
from ferryman.files import write_bytes
from ferryman.text.normal_form import find_normal_form

PAD, UNKNOWN, BOS, EOS = "<pad>", "<unk>", "<s>", "</s>"
NOT_TEXT = "\N{REPLACEMENT CHARACTER}"
MORE_CONTROLS = re.compile(r"<(2|tag:|unused:).+>")  # names of control symbols besides those


class Tokenizer(ABC):
    """The tokens of a model by their ids, and how a text becomes them.

    A value: nothing in it changes after it was made; it can be pickled and shared by threads.

    Control symbols cannot arise from text: ``</s>`` in a text is four characters. Tokens are *spelled* in bytes: what
    they add to a text, a space as ▁.

    Attributes:
        normal_form: name of the normal form applied before a text is cut.
        vocab_size: number of ids: they run from 0 to ``vocab_size - 1``.
        special_ids: ids of the control symbols and, where there is one, of the unknown symbol, by our names.
        space_follows: whether a space is a part of the token before it, and not of that behind it.
    """

    normal_form: str
    vocab_size: int
    special_ids: Mapping[str, int]
    space_follows: bool

    def __init__(
        self, pieces: Sequence[str], spellings: Sequence[bytes], special_ids: Mapping[str, int], *, normal_form: str
    ) -> None:
        """Set up what all have in common.

        Args:
            pieces: the name of every id.
            spellings: what every id adds to a text; nothing for a control symbol.
            special_ids: see there.
            normal_form: name of the normal form.

        Raises:
            ConfigError: there is no such normal form.

        """
        self.normal_form = normal_form
        self.vocab_size = len(pieces)
        self.special_ids = dict(special_ids)
        self._pieces, self._spellings = list(pieces), list(spellings)
        self._normalise = find_normal_form(normal_form)

    @property
    @abstractmethod
    def content(self) -> bytes:
        """Return all that makes this tokenizer what it is, but for the normal form; for hashes."""

    @abstractmethod
    def files(self, name: str) -> dict[str, bytes]:
        """Return its files, by their names in a model folder, where the tokenizer itself is called ``name``."""

    @abstractmethod
    def encode_batch(self, texts: Sequence[str], *, threads: int = 1) -> list[list[int]]:
        """Return the ids of each text; see ``encode``."""

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of these ids; pad, bos and eos are skipped.

        The unknown symbol and bytes that are not UTF-8 become U+FFFD.

        Raises:
            TokenizerError: an id is out of range.
        """

    @abstractmethod
    def spell(self, text: str) -> bytes:
        """Return what the tokens of a text are spelled as, joined, without a space before or after it."""

    @abstractmethod
    def parts(self) -> list[tuple[int, int]]:
        """Return for each id the two ids that its piece is best made of, or (-1, -1)."""

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text in its normal form, without bos and eos.

        Raises:
            TokenizerError: the text holds a lone surrogate, which no file can hold; the message says where.
        """
        return self.encode_batch([text])[0]

    def pieces(self, text_or_ids: str | Sequence[int]) -> list[str]:
        """Return the pieces of a text or of ids as they are named in the model (``▁river``, ``<0xE2>``, ``</s>``).

        Raises:
            TokenizerError: an id is out of range, or the text holds a lone surrogate.
        """
        ids = self.encode(text_or_ids) if isinstance(text_or_ids, str) else text_or_ids
        self._check_ids(ids)
        return [self._pieces[index] for index in ids]

    @property
    def spellings(self) -> list[bytes]:
        """Return what each id adds to a text, a space as ▁; nothing for a control symbol."""
        return list(self._spellings)

    def spelled(self, ids: Sequence[int]) -> list[bytes]:
        """Return what each of these ids adds to their text; with spaces as ``decode`` puts them."""
        return [self._spellings[index] for index in ids]

    def same_pieces(self, other: "Tokenizer") -> bool:
        """Tell whether another tokenizer has the same pieces, with the same ids."""
        return self._pieces == other._pieces

    def save(self, folder: Path, name: str) -> None:
        """Write ``files(name)`` into a folder, each whole or not at all."""
        for file, content in self.files(name).items():
            write_bytes(folder / file, content)

    @property
    def pad_id(self) -> int:
        """Return the id that fills up a batch; raise ``TokenizerError`` where there is none."""
        return self._special_id(PAD)

    @property
    def bos_id(self) -> int:
        """Return the id of the start symbol; raise ``TokenizerError`` where there is none."""
        return self._special_id(BOS)

    @property
    def eos_id(self) -> int:
        """Return the id of the end symbol; raise ``TokenizerError`` where there is none."""
        return self._special_id(EOS)

    @property
    def unk_id(self) -> int:
        """Return the id of the unknown symbol; raise ``TokenizerError`` where there is none."""
        return self._special_id(UNKNOWN)

    @property
    def control_symbols(self) -> dict[str, int]:
        """Return the ids of the control symbols besides pad, bos and eos, by name."""
        more = ((index, name) for name, index in self.special_ids.items() if name not in (PAD, UNKNOWN, BOS, EOS))
        return {name: index for index, name in sorted(more)}

    @property
    def never_text(self) -> set[int]:
        """Return the ids that stand for no text: control symbols and the unknown symbol."""
        return set(self.special_ids.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[type, bytes, str]:
        return type(self), self.content, self.normal_form

    def _check_ids(self, ids: Sequence[int]) -> None:
        if len(ids) and (min(ids) < 0 or max(ids) >= self.vocab_size):
            wrong = next(index for index in ids if not 0 <= index < self.vocab_size)
            raise TokenizerError(
                f"token id {wrong} is out of range: this tokenizer has ids 0 to {self.vocab_size - 1}."
            )

    def _special_id(self, name: str) -> int:
        if name not in self.special_ids:
            raise TokenizerError(f"this tokenizer has no {name} symbol: name another symbol in the model's config.")
        return self.special_ids[name]


def check_encodable(text: str) -> None:
    """Raise ``TokenizerError`` naming the first lone surrogate of a text, which UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise TokenizerError(
            f"the text holds a lone surrogate, U+{ord(text[error.start]):04X}, at character {error.start + 1} of "
            f"{len(text)}: it is not valid Unicode; repair or remove it."
        ) from error
