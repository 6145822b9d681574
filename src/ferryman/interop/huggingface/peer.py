"""``transformers`` itself, where it is installed: the other side of a comparison."""

import importlib
import importlib.util
import os
import warnings
from pathlib import Path
from typing import Any

import torch

from ferryman.interop.agreement import Peer, Task
from ferryman.interop.huggingface.vocabulary import their_name

NAME = "transformers"


def is_installed() -> bool:
    """Tell whether there is another side."""
    return importlib.util.find_spec(NAME) is not None


def open_peer(folder: Path) -> tuple[Peer, str]:
    """Load a folder with ``transformers``; return it, and its name and version."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    transformers: Any = importlib.import_module(NAME)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a normaliser that is not used
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
        model: Any = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()

    @torch.inference_mode()
    def translate(task: Task) -> list[str]:
        forced: dict[str, int] = {}
        before = ""
        if model.config.model_type == "m2m_100":
            forced = {"forced_bos_token_id": tokenizer.convert_tokens_to_ids(_language(tokenizer, task.to))}
        elif their_name(f"<2{task.to}>") in tokenizer.get_vocab():
            before = their_name(f"<2{task.to}>")
        found = []
        for text, limit in zip(task.texts, task.limits, strict=True):
            rows = tokenizer([before + text], return_tensors="pt")
            options = {"num_beams": task.beam, "length_penalty": 0.0, "max_new_tokens": limit, "max_length": None}
            said = model.generate(**rows, **options, **forced, do_sample=False)
            found.append(tokenizer.batch_decode(said, skip_special_tokens=True)[0].strip())
        return found

    return translate, f"{NAME} {transformers.__version__}"


def _language(tokenizer: Any, code: str) -> str:
    """Name a language's token as its own tokenizer does: ``__de__``, or ``deu_Latn``."""
    return f"__{code.replace('-', '_')}__" if hasattr(tokenizer, "lang_code_to_token") else code.replace("-", "_")
