"""Make the fixture tests/interop/opennmt/version-2, where OpenNMT-py 2.3.0 and torchtext 0.5.0 are installed.

It is made as those of today's version are; see ``opennmt_py.py`` beside this.
"""

from pathlib import Path

import opennmt_py
import torch
from onmt.model_builder import load_test_model
from onmt.opts import translate_opts
from onmt.utils.parse import ArgumentParser

NAME = "version-2"
opennmt_py.BASE = {
    "rnn_size": 8, "word_vec_size": 8, "transformer_ff": 16, "heads": 2, "enc_layers": 2, "dec_layers": 1,
    "encoder_type": "transformer", "decoder_type": "transformer", "position_encoding": True,
}  # fmt: skip
opennmt_py.VARIANTS[NAME] = {"max_generator_batches": 0}


def logits(path: Path) -> dict:
    """Compute the logits of one pair, whose tokens are drawn."""
    parser = ArgumentParser()
    translate_opts(parser)
    opt = parser.parse_args(["-model", str(path), "-src", "none"])
    fields, model, _ = load_test_model(opt)
    source_ids, target_ids = (fields[side].base_field.vocab.stoi for side in ("src", "tgt"))
    generator = torch.Generator().manual_seed(5)
    source = torch.randint(4, len(source_ids), (7,), generator=generator)
    target = torch.randint(4, len(target_ids), (5,), generator=generator)
    said = torch.cat((torch.tensor([target_ids["<s>"]]), target, torch.tensor([target_ids["</s>"]])))
    with torch.no_grad():
        hidden, _ = model(source.view(-1, 1, 1), said.view(-1, 1, 1), torch.tensor([7]))
        found = model.generator[0](hidden)[:, 0]  # behind it stands only the softmax
    return {"source": source.tolist(), "target": said[:-1].tolist(), "logits": opennmt_py.rounded(found)}


if __name__ == "__main__":
    opennmt_py.make(NAME, logits)
