"""The README.md of a folder that goes out."""

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
