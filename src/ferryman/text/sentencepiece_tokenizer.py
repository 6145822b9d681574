"""Subword tokens by one SentencePiece model (Kudo and Richardson, 2018)."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import sentencepiece

from ferryman.errors import TokenizerError
from ferryman.text.escaping import SPACE_SYMBOL, escape, unescape
from ferryman.text.id_map import check_id_map, read_id_map
from ferryman.text.tokenizer import BOS, EOS, MORE_CONTROLS, NOT_TEXT, PAD, UNKNOWN, Tokenizer, check_encodable


class SentencePieceTokenizer(Tokenizer):
    """One SentencePiece model, the name of its normal form and, for other toolkits' models, a map of ids.

    ``decode(encode(text)) == normalise(text, normal_form)`` for every text without lone surrogates, as long as the
    model has byte pieces (those we train do). The pieces ``<2…>``, ``<tag:…>`` and ``<unused:…>`` of an id map that the
    model lacks are control symbols.

    Attributes:
        model_bytes: the SentencePiece model file.
        id_map: piece to id, where the ids seen outside are not SentencePiece's own; else None.
    """

    model_bytes: bytes
    id_map: Mapping[str, int] | None

    def __init__(self, model: bytes, *, normal_form: str, id_map: dict[str, int] | None = None) -> None:
        """Make a tokenizer of a SentencePiece model held in memory.

        Raises:
            TokenizerError: the model cannot be read, or the map is not one of pieces to distinct ids.
            ConfigError: there is no such normal form.

        """
        self.model_bytes = model
        self.id_map = None if id_map is None else check_id_map(id_map)
        self._model = _open_model(model)
        own_pieces = [self._model.id_to_piece(index) for index in range(self._model.vocab_size())]
        own_ids = dict(zip(own_pieces, range(len(own_pieces)), strict=True))
        self._ids: Mapping[str, int] = own_ids if self.id_map is None else self.id_map
        pieces = [""] * (1 + max(self._ids.values()))
        for piece, index in self._ids.items():
            pieces[index] = piece
        self._escapes = any(self._model.is_byte(index) for index in range(len(own_pieces)))
        self._controls = {PAD, BOS, EOS} | {piece for piece, index in own_ids.items() if self._model.is_control(index)}
        self._controls |= {piece for piece in self._ids if piece not in own_ids and MORE_CONTROLS.fullmatch(piece)}
        spellings = [self._as_bytes(piece, own_ids.get(piece)) for piece in pieces]
        super().__init__(pieces, spellings, self._find_special(), normal_form=normal_form)
        framed = self._model.normalize("a")
        self._space_before, self._space_after = framed.startswith(SPACE_SYMBOL), framed.endswith(SPACE_SYMBOL)
        self.space_follows = self._space_after and not self._space_before

    @classmethod
    def load(cls, folder: Path, name: str, *, normal_form: str) -> "SentencePieceTokenizer":
        """Read what ``save`` wrote: a SentencePiece model and, where there is one, a JSON map of pieces to ids.

        Raises:
            TokenizerError: a file is missing or is not what it should be; the message names it.
            ConfigError: there is no such normal form.

        """
        path, ids = folder / f"{name}.model", folder / f"{name}.ids.json"
        pairs = read_id_map(ids) if ids.exists() else None
        try:
            return cls(path.read_bytes(), normal_form=normal_form, id_map=pairs)
        except OSError as error:
            raise TokenizerError(f"cannot read the tokenizer {path}: {error.strerror}") from error
        except TokenizerError as error:
            raise TokenizerError(f"{path}: {error}") from error

    @cached_property
    def content(self) -> bytes:
        """Return the model and the id map."""
        return self.model_bytes + json.dumps(self.id_map and dict(self.id_map), sort_keys=True).encode()

    def files(self, name: str) -> dict[str, bytes]:
        """Return the model file and, where there is one, the id map."""
        ids = {} if self.id_map is None else {f"{name}.ids.json": json.dumps(self.id_map, ensure_ascii=False).encode()}
        return {f"{name}.model": self.model_bytes, **ids}

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
        """Return the text of these ids; see ``Tokenizer``."""
        self._check_ids(ids)
        joined = b"".join([self._spellings[index] for index in ids]).decode("utf-8", errors="replace")
        text = joined.replace(SPACE_SYMBOL, " ")
        if self._space_before:
            text = text.removeprefix(" ")
        if self._space_after:
            text = text.removesuffix(" ")
        return unescape(text) if self._escapes else text

    def spell(self, text: str) -> bytes:
        """Return a text's normal form, a space as ▁."""
        return self._prepare(text).replace(" ", SPACE_SYMBOL).encode()

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

    def _find_special(self) -> dict[str, int]:
        """Return the ids of control symbols and the unknown symbol; a model may call its own otherwise than we do."""
        own = (self._model.pad_id(), self._model.unk_id(), self._model.bos_id(), self._model.eos_id())
        names = dict(zip((PAD, UNKNOWN, BOS, EOS), own, strict=True)) if self.id_map is None else {}
        named = {name: self._ids[name] for name in (*self._controls, UNKNOWN) if name in self._ids}
        return named | {name: index for name, index in names.items() if index >= 0}

    def _prepare(self, text: str) -> str:
        check_encodable(text)
        normal = self._normalise(text)
        return escape(normal) if self._escapes else normal

    def _as_bytes(self, piece: str, own_id: int | None) -> bytes:
        if piece in self._controls:
            return b""
        if piece == UNKNOWN or (own_id is not None and self._model.is_unknown(own_id)):
            return NOT_TEXT.encode()
        if own_id is not None and self._model.is_byte(own_id):
            return bytes([int(piece[3:5], 16)])
        return piece.encode()

    def _is_plain(self, own_id: int) -> bool:
        model = self._model
        return not (model.is_control(own_id) or model.is_byte(own_id) or model.is_unknown(own_id))


def _open_model(model: bytes) -> sentencepiece.SentencePieceProcessor:
    problem = "not a SentencePiece model: give the .model or .spm file that was written when it was trained."
    try:
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    except RuntimeError as error:
        raise TokenizerError(problem) from error
    if not model or processor.vocab_size() == 0:
        raise TokenizerError(problem)
    return processor
