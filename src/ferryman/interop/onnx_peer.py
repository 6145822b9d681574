"""ONNX Runtime behind our search: the other side of a comparison, and an example of how the graphs are used."""

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ferryman.decoding import beam_search, forbid
from ferryman.interop.agreement import Peer, Task
from ferryman.interop.onnx import ABOUT, DECODER, ENCODER
from ferryman.interop.stored import read_json
from ferryman.interop.stored_model import StoredModel
from ferryman.text.prefix import before_source

NAME = "onnxruntime"


def is_installed() -> bool:
    """Tell whether there is another side."""
    return importlib.util.find_spec(NAME) is not None


class OnnxStepper:
    """Runs the two graphs behind the stepper protocol of ``ferryman.decoding``."""

    def __init__(self, sessions: tuple[Any, Any], source: Tensor, real: Tensor) -> None:
        self.encoder, self.decoder = sessions
        self.source, self.real = source.numpy(), real.numpy()
        self.names = [entry.name for entry in self.decoder.get_inputs()][3:]
        self.beam, self.position = 1, 0
        self.cross: list[np.ndarray] = []
        self.past: list[np.ndarray] = []

    def start(self, beam: int) -> int:
        """Encode the sources and prepare ``beam`` rows for each; return their number."""
        self.beam, self.position = beam, 0
        self.cross = self.encoder.run(None, {"source": self.source, "real": self.real})
        heads, d_k = self.cross[0].shape[1], self.cross[0].shape[3]
        nothing = np.zeros((len(self.source) * beam, heads, 0, d_k), dtype=np.float32)
        self.past = [nothing] * len(self.cross)
        return len(self.source)

    def step(self, tokens: Tensor) -> Tensor:
        """Append one token to each row; return the log-probabilities of the next."""
        feed = dict(zip(self.names, [*self.cross, *self.past], strict=True))
        given = {"tokens": tokens.numpy(), "position": np.array(self.position), "real": self.real}
        logits, *self.past = self.decoder.run(None, {**given, **feed})
        self.position += 1
        return torch.from_numpy(logits).log_softmax(dim=-1)

    def reorder(self, rows: Tensor) -> None:
        """Let row i continue the past of ``rows[i]``."""
        self.past = [part[rows.numpy()] for part in self.past]

    def keep(self, sentences: Tensor) -> None:
        """Go on with these sentences alone."""
        kept = sentences.numpy()
        self.cross, self.real = [part[kept] for part in self.cross], self.real[kept]
        self.past = [part[(kept[:, None] * self.beam + np.arange(self.beam)).ravel()] for part in self.past]


def open_peer(folder: Path, model: StoredModel) -> tuple[Peer, str]:
    """Load a folder with ONNX Runtime; return it, and its name and version."""
    onnxruntime = importlib.import_module(NAME)
    about, sessions = read_json(folder / ABOUT), _sessions(onnxruntime, folder)
    source, target = model.tokenizers.source, model.tokenizers.target
    rules = [forbid(about["forbidden"])]

    def one(text: str, beam: int, limit: int, to: str) -> str:
        end = [] if about["source_end"] is None else [about["source_end"]]
        ids = [*before_source(model.config, source, to, None), *source.encode(text), *end]
        stepper = OnnxStepper(sessions, torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.bool))
        limits = torch.tensor([limit])
        found = beam_search(
            stepper, beam=beam, n_best=1, max_lengths=limits, bos=about["start"], eos=about["eos"], rules=rules
        )
        return target.decode(found[0][0].tokens).strip()

    def translate(task: Task) -> list[str]:
        return [one(text, task.beam, limit, task.to) for text, limit in zip(task.texts, task.limits, strict=True)]

    return translate, f"{NAME} {onnxruntime.__version__}"


def _sessions(package: ModuleType, folder: Path) -> tuple[Any, Any]:
    options = package.SessionOptions()
    options.intra_op_num_threads = 1
    first, second = (package.InferenceSession(str(folder / name), options) for name in (ENCODER, DECODER))
    return first, second
