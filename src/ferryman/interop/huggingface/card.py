"""The README.md of a folder: how it goes out, and what is read of one that comes in."""

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ferryman.config import Config
from ferryman.interop.huggingface.vocabulary import their_name
from ferryman.text.directions import directions
from ferryman.text.tokenizer import Tokenizer

NAME = "README.md"


def huggingface_card(config: Config, tokenizer: Tokenizer, *, merged: bool) -> str:
    """Say what the model is, how to use it, and what the format does not do by itself."""
    pairs = list(directions(config.data))
    codes = list(dict.fromkeys(code for pair in pairs for code in (pair.source, pair.target) if code))
    mark = their_name(f"<2{pairs[0].target}>")
    before = f"{mark} " if f"<2{pairs[0].target}>" in tokenizer.control_symbols else ""
    lines = [
        "---",
        *(["language:", *(f"- {code}" for code in codes)] if codes else []),
        "pipeline_tag: translation",
        "library_name: transformers",
        "---",
        "",
        f"# {', '.join(map(str, pairs))}",
        "",
        "Trained with Ferryman.",
        "",
        "```python",
        "from transformers import AutoModelForSeq2SeqLM, AutoTokenizer",
        'tokenizer = AutoTokenizer.from_pretrained(".")',
        'model = AutoModelForSeq2SeqLM.from_pretrained(".")',
        f'rows = tokenizer(["{before}..."], return_tensors="pt", padding=True)',
        "print(tokenizer.batch_decode(model.generate(**rows), skip_special_tokens=True))",
        "```",
        "",
        "Give one sentence at a time, on one line"
        + (", in Unicode's NFC." if config.tokenizer.normal_form == "nfc" else "."),
        "`length_penalty` has another formula in transformers than in Ferryman.",
    ]
    if before:
        lines.append(f"The language to translate into stands first: `{mark}`.")
    if merged:
        lines.append(
            "The two vocabularies are one here, the source's behind the target's, and each has its own end symbol: "
            "train it further in Ferryman."
        )
    return "\n".join(lines) + "\n"


def card_facts(folder: Path) -> dict[str, str]:
    """Return the languages and the licence that a card names between its first two lines of dashes."""
    try:
        text = (folder / NAME).read_text(encoding="utf-8", errors="replace")
        about = YAML(typ="safe", pure=True).load(text.removeprefix("---").split("\n---", 1)[0])
    except (OSError, YAMLError, ValueError, RecursionError):
        return {}  # a card is for people; a model without a readable one is whole
    if not text.startswith("---") or not isinstance(about, dict):
        return {}
    named = {"languages": _list(about.get("language")), "licence": _list(about.get("license"))}
    return {name: value for name, value in named.items() if value}


def _list(value: Any) -> str:
    return ", ".join(each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str))
