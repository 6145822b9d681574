"""Argos packages: a CTranslate2 model in a zip archive, which Argos Translate and LibreTranslate install."""

import json
import shutil
import tempfile
import zipfile
from pathlib import Path

import sentencepiece

from ferryman.errors import ConversionError
from ferryman.interop.agreement import Peer, Task
from ferryman.interop.ctranslate2 import Quantization, import_package, write_ctranslate2
from ferryman.interop.stored_model import StoredModel, sentencepiece_sides
from ferryman.text.directions import Direction, directions
from ferryman.text.escaping import SPACE_SYMBOL
from ferryman.text.languages import base_language
from ferryman.text.prefix import before_source, before_target

SUFFIX = ".argosmodel"
PACKAGE_VERSION, ARGOS_VERSION = "1.0", "1.9"
_TOKENIZER = "sentencepiece.model"
_NAMES = {
    "ar": "Arabic", "az": "Azerbaijani", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech",
    "da": "Danish", "de": "German", "el": "Greek", "en": "English", "eo": "Esperanto", "es": "Spanish",
    "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish",
    "gl": "Galician", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "ms": "Malay", "nb": "Norwegian",
    "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish", "th": "Thai", "tl": "Tagalog",
    "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def write_argos(model: StoredModel, path: Path, quantization: Quantization) -> None:
    """Write a package of one pair of languages.

    It has one SentencePiece model, the source's: of a translation Argos only joins the pieces, which needs no other.

    Raises:
        ConversionError: the model is of several pairs, its languages are unknown, or CTranslate2 cannot write it.

    """
    direction = _direction(model)
    pieces, _ = sentencepiece_sides(model, "an Argos package")
    if pieces.id_map is not None and pieces.id_map.keys() & pieces.control_symbols.keys():
        raise ConversionError("the tokenizer has symbols that its SentencePiece model lacks; Argos cannot use it")
    source, target = (base_language(code) for code in (direction.source, direction.target))
    metadata = {
        "package_version": PACKAGE_VERSION,
        "argos_version": ARGOS_VERSION,
        "from_code": source,
        "from_name": _NAMES.get(source, source),
        "to_code": target,
        "to_name": _NAMES.get(target, target),
    }
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as place:
        folder = Path(place) / f"translate-{source}_{target}-{PACKAGE_VERSION.replace('.', '_')}"
        (folder / "model").mkdir(parents=True)
        write_ctranslate2(model, folder / "model", quantization)
        (folder / _TOKENIZER).write_bytes(pieces.model_bytes)
        (folder / "metadata.json").write_text(json.dumps(metadata, indent=1) + "\n", encoding="utf-8")
        (folder / "README.md").write_text(f"# {direction}\n\nTrained with Ferryman.\n", encoding="utf-8")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.rglob("*")):
                archive.write(file, file.relative_to(place))


def _direction(model: StoredModel) -> Direction:
    config, tokenizers = model.config, model.tokenizers
    pairs = list(directions(config.data))
    if len(pairs) > 1:
        shown = ", ".join(map(str, pairs[:5]))
        raise ConversionError(f"an Argos package has one pair of languages, and this model {len(pairs)}: {shown} …")
    direction = pairs[0]
    if not direction.source or not direction.target:
        raise ConversionError(
            "an Argos package names its languages, and this model does not: add data.source_language=CODE "
            "data.target_language=CODE"
        )
    told = before_source(config, tokenizers.source, direction.target, None)
    if told or before_target(config, tokenizers.target, direction.target):
        raise ConversionError("this model is told its languages by tokens, which Argos does not put before a source")
    return direction


def open_peer(path: Path) -> tuple[Peer, str]:
    """Do what Argos Translate does with a package, between splitting into sentences and joining them."""
    package = import_package()

    def translate(task: Task) -> list[str]:
        with tempfile.TemporaryDirectory() as place:
            shutil.unpack_archive(path, place, "zip")
            folder = next(Path(place).iterdir())
            pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / _TOKENIZER))
            translator = package.Translator(str(folder / "model"), device="cpu", inter_threads=1, intra_threads=1)
            found = [
                translator.translate_batch(
                    [pieces.encode(text, out_type=str)],
                    beam_size=task.beam,
                    length_penalty=0.0,
                    min_decoding_length=0,
                    max_decoding_length=limit,
                )[0].hypotheses[0]
                for text, limit in zip(task.texts, task.limits, strict=True)
            ]
            return [pieces.decode_pieces(tokens).replace(SPACE_SYMBOL, " ").strip() for tokens in found]

    return translate, f"ctranslate2 {package.__version__} in an Argos package"
