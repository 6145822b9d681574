"""Files of tensors: equal ones are equal to the byte."""

import torch
from safetensors.torch import load_file

from ferryman.tensor_files import read_about, save_tensors


def test_equal_tensors_make_equal_files(tmp_path):
    tensors = {"b": torch.arange(6.0).view(2, 3), "a": torch.ones(2, dtype=torch.bfloat16)}
    about = {name: f'{name} ü\n"\\\x01中' for name in "tokenizers version format steps seed".split()}
    found = set()
    for turn in range(6):
        path = tmp_path / f"{turn}.safetensors"
        save_tensors(path, tensors, dict(reversed(about.items())) if turn % 2 else about)
        found.add(path.read_bytes())
    assert len(found) == 1
    assert read_about(path) == about
    assert all(torch.equal(load_file(path)[name], tensors[name]) for name in tensors)


def test_nothing_need_be_said_about_them(tmp_path):
    save_tensors(tmp_path / "x", {"a": torch.ones(2)}, {})
    assert read_about(tmp_path / "x") == {}
