"""The tokenizer: text to token ids and back, through one SentencePiece model (Kudo and Richardson, 2018)."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import sentencepiece

from ferryman.errors import TokenizerError
from ferryman.files import write_bytes
from ferryman.text.escaping import SPACE_SYMBOL, escape, unescape
from ferryman.text.id_map import check_id_map, read_id_map
from ferryman.text.normal_form import find_normal_form

PAD, UNKNOWN, BOS, EOS = "<pad>", "<unk>", "<s>", "</s>"
_NOT_TEXT = "\N{REPLACEMENT CHARACTER}"
_MORE_CONTROLS = re.compile(r"<(2|tag:|unused:).+>")  # names of control symbols that only an id map knows


class Tokenizer:
    """One SentencePiece model, the name of its normal form and, for other toolkits' models, a map of ids.

    A value: nothing in it changes after it was made; it can be pickled and shared by threads.

    ``decode(encode(text)) == normalise(text, normal_form)`` for every text without lone surrogates, as long as the
    model has byte pieces (those we train do). Control symbols cannot arise from text: ``</s>`` in a text is four
    characters. So are the pieces ``<2…>``, ``<tag:…>`` and ``<unused:…>`` of an id map that the model lacks.

    Attributes:
        normal_form: name of the normal form applied before a text is cut.
        model_bytes: the SentencePiece model file.
        id_map: piece to id, where the ids seen outside are not SentencePiece's own; else None.
        vocab_size: number of ids: they run from 0 to ``vocab_size - 1``.
    """

    normal_form: str
    model_bytes: bytes
    id_map: Mapping[str, int] | None
    vocab_size: int

    def __init__(self, model: bytes, *, normal_form: str, id_map: dict[str, int] | None = None) -> None:
        self.normal_form = normal_form
        self.model_bytes = model
        self.id_map = None if id_map is None else check_id_map(id_map)
        self._normalise = find_normal_form(normal_form)
        self._model = _open_model(model)
        own_pieces = [self._model.id_to_piece(index) for index in range(self._model.vocab_size())]
        own_ids = dict(zip(own_pieces, range(len(own_pieces)), strict=True))
        self._ids: Mapping[str, int] = own_ids if self.id_map is None else self.id_map
        self.vocab_size = 1 + max(self._ids.values())
        self._pieces = [""] * self.vocab_size
        for piece, index in self._ids.items():
            self._pieces[index] = piece
        self._escapes = any(self._model.is_byte(index) for index in range(len(own_pieces)))
        self._controls = {PAD, BOS, EOS} | {piece for piece, index in own_ids.items() if self._model.is_control(index)}
        self._controls |= {piece for piece in self._ids if piece not in own_ids and _MORE_CONTROLS.fullmatch(piece)}
        self._bytes = [self._as_bytes(piece, own_ids.get(piece)) for piece in self._pieces]
        framed = self._model.normalize("a")
        self._space_before, self._space_after = framed.startswith(SPACE_SYMBOL), framed.endswith(SPACE_SYMBOL)

    @classmethod
    def from_bytes(cls, model: bytes, *, normal_form: str, id_map: dict[str, int] | None = None) -> "Tokenizer":
        """Make a tokenizer of a SentencePiece model held in memory.

        Raises:
            TokenizerError: the model cannot be read, or the map is not one of pieces to distinct ids.
            ConfigError: there is no such normal form.
        """
        return cls(model, normal_form=normal_form, id_map=id_map)

    @classmethod
    def load(cls, path: Path, *, normal_form: str, id_map: Path | None = None) -> "Tokenizer":
        """Read a SentencePiece model file and, where given, a JSON map of pieces to ids.

        Raises:
            TokenizerError: a file is missing or is not what it should be; the message names it.
            ConfigError: there is no such normal form.
        """
        pairs = None if id_map is None else read_id_map(id_map)
        try:
            return cls.from_bytes(path.read_bytes(), normal_form=normal_form, id_map=pairs)
        except OSError as error:
            raise TokenizerError(f"cannot read the tokenizer {path}: {error.strerror}") from error
        except TokenizerError as error:
            raise TokenizerError(f"{path}: {error}") from error

    def save(self, path: Path, *, id_map: Path | None = None) -> None:
        """Write the model file and, where there is one, the id map; each whole or not at all.

        Raises:
            TokenizerError: this tokenizer has an id map and no path for it was given.
        """
        if self.id_map is not None:
            if id_map is None:
                raise TokenizerError(f"the tokenizer for {path} has an id map: say where to save it (id_map=…).")
            write_bytes(id_map, json.dumps(self.id_map, ensure_ascii=False).encode())
        write_bytes(path, self.model_bytes)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text in its normal form, without bos and eos.

        Raises:
            TokenizerError: the text holds a lone surrogate, which no file can hold; the message says where.
        """
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str], *, threads: int = 1) -> list[list[int]]:
        """Return the ids of each text; see ``encode``."""
        ready = [self._prepare(text) for text in texts]
        kind = int if self.id_map is None else str
        if threads == 1:  # SentencePiece starts a thread for any list, which takes a hundred times as long as a text
            rows = [self._model.encode(text, out_type=kind) for text in ready]
        else:
            rows = self._model.encode(ready, out_type=kind, num_threads=threads)
        if self.id_map is None:
            return rows
        unknown = self.unk_id
        return [
            [unknown if piece in self._controls else self.id_map.get(piece, unknown) for piece in row] for row in rows
        ]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of these ids; pad, bos and eos are skipped.

        The unknown symbol and bytes that are not UTF-8 become U+FFFD.

        Raises:
            TokenizerError: an id is out of range.
        """
        self._check_ids(ids)
        joined = b"".join([self._bytes[index] for index in ids]).decode("utf-8", errors="replace")
        text = joined.replace(SPACE_SYMBOL, " ")
        if self._space_before:
            text = text.removeprefix(" ")
        if self._space_after:
            text = text.removesuffix(" ")
        return unescape(text) if self._escapes else text

    def pieces(self, text_or_ids: str | Sequence[int]) -> list[str]:
        """Return the pieces of a text or of ids as they are named in the model (``▁river``, ``<0xE2>``, ``</s>``).

        Raises:
            TokenizerError: an id is out of range, or the text holds a lone surrogate.
        """
        ids = self.encode(text_or_ids) if isinstance(text_or_ids, str) else text_or_ids
        self._check_ids(ids)
        return [self._pieces[index] for index in ids]

    def spell(self, text: str) -> bytes:
        """Return what the pieces of a text, joined, are: its normal form, a space as ▁, none put before or after it."""
        return self._prepare(text).replace(" ", SPACE_SYMBOL).encode()

    @property
    def spellings(self) -> list[bytes]:
        """Return what each id adds to the joined pieces; nothing for a control symbol."""
        return list(self._bytes)

    def parts(self) -> list[tuple[int, int]]:
        """Return for each id the two ids that its piece is best made of, or (-1, -1).

        Best is where the worse of the two scores is highest: in a BPE model, the two that were merged first.
        """
        scores = {
            piece: self._model.get_score(own_id)
            for own_id in range(self._model.vocab_size())
            if self._is_plain(own_id) and (piece := self._model.id_to_piece(own_id)) in self._ids
        }

        def best(piece: str) -> tuple[int, int]:
            cuts = [(piece[:at], piece[at:]) for at in range(1, len(piece)) if piece in scores]
            known = [cut for cut in cuts if cut[0] in scores and cut[1] in scores]
            if not known:
                return -1, -1
            left, right = max(known, key=lambda cut: min(scores[cut[0]], scores[cut[1]]))
            return self._ids[left], self._ids[right]

        return [best(piece) for piece in self._pieces]

    @property
    def pad_id(self) -> int:
        """Return the id that fills up a batch; raise ``TokenizerError`` where there is none."""
        return self._control_id(PAD, self._model.pad_id())

    @property
    def bos_id(self) -> int:
        """Return the id of the start symbol; raise ``TokenizerError`` where there is none."""
        return self._control_id(BOS, self._model.bos_id())

    @property
    def eos_id(self) -> int:
        """Return the id of the end symbol; raise ``TokenizerError`` where there is none."""
        return self._control_id(EOS, self._model.eos_id())

    @property
    def unk_id(self) -> int:
        """Return the id of the unknown symbol; raise ``TokenizerError`` where there is none."""
        return self._control_id(UNKNOWN, self._model.unk_id())

    @property
    def control_symbols(self) -> dict[str, int]:
        """Return the ids of the control symbols besides pad, bos and eos, by name."""
        more = ((self._ids[name], name) for name in self._controls - {PAD, BOS, EOS} if name in self._ids)
        return {name: index for index, name in sorted(more)}

    @property
    def never_text(self) -> set[int]:
        """Return the ids that stand for no text: control symbols and the unknown symbol."""
        return {self._ids[name] for name in (*self._controls, UNKNOWN) if name in self._ids}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self.model_bytes)

    def _identity(self) -> tuple[bytes, str, Mapping[str, int] | None]:
        return self.model_bytes, self.normal_form, self.id_map

    def _prepare(self, text: str) -> str:
        check_encodable(text)
        normal = self._normalise(text)
        return escape(normal) if self._escapes else normal

    def _as_bytes(self, piece: str, own_id: int | None) -> bytes:
        if piece in self._controls:
            return b""
        if piece == UNKNOWN or (own_id is not None and self._model.is_unknown(own_id)):
            return _NOT_TEXT.encode()
        if own_id is not None and self._model.is_byte(own_id):
            return bytes([int(piece[3:5], 16)])
        return piece.encode()

    def _is_plain(self, own_id: int) -> bool:
        model = self._model
        return not (model.is_control(own_id) or model.is_byte(own_id) or model.is_unknown(own_id))

    def _check_ids(self, ids: Sequence[int]) -> None:
        if len(ids) and (min(ids) < 0 or max(ids) >= self.vocab_size):
            wrong = next(index for index in ids if not 0 <= index < self.vocab_size)
            raise TokenizerError(
                f"token id {wrong} is out of range: this tokenizer has ids 0 to {self.vocab_size - 1}."
            )

    def _control_id(self, name: str, own_id: int) -> int:
        index = own_id if self.id_map is None else self.id_map.get(name, -1)
        if index < 0:
            raise TokenizerError(f"this tokenizer has no {name} symbol: name another symbol in the model's config.")
        return index


def check_encodable(text: str) -> None:
    """Raise ``TokenizerError`` naming the first lone surrogate of a text, which UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise TokenizerError(
            f"the text holds a lone surrogate, U+{ord(text[error.start]):04X}, at character {error.start + 1} of "
            f"{len(text)}: it is not valid Unicode; repair or remove it."
        ) from error


def _open_model(model: bytes) -> sentencepiece.SentencePieceProcessor:
    problem = "not a SentencePiece model: give the .model or .spm file that was written when it was trained."
    try:
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    except RuntimeError as error:
        raise TokenizerError(problem) from error
    if not model or processor.vocab_size() == 0:
        raise TokenizerError(problem)
    return processor
