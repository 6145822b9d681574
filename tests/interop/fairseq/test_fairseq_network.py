"""A checkpoint of fairseq computes here what it computes there."""

from argparse import Namespace
from typing import Any

import pytest
import torch

from ferryman.checkpoint import assemble
from ferryman.data.batch import pad_rows
from ferryman.interop.formats import read_stored

BOTH = ("encoder", "decoder")
PRE_NORM = {f"{stack}_normalize_before": True for stack in BOTH}
LEARNED = {f"{stack}_learned_pos": True for stack in BOTH}
ONE_DICTIONARY = {"de": ["das", "Haus", "the", "House"], "en": ["das", "Haus", "the", "House"]}


NORMS = {"encoder": ("self_attn", "final"), "decoder": ("self_attn", "encoder_attn", "final")}


def old_names(weights):
    """Rename the weights as the first versions have them."""
    found = {"decoder.embed_out": weights["decoder.output_projection.weight"]}
    for name, tensor in without_output(weights).items():
        stack, (norm, kind) = name[:7], name.split(".")[-2:]
        if norm.endswith("_layer_norm"):
            place = NORMS[stack].index(norm.removesuffix("_layer_norm"))
            found[name.replace(norm, f"layer_norms.{place}")] = tensor
        elif norm == "q_proj":
            parts = [weights[name.replace("q_proj", f"{part}_proj")] for part in "qkv"]
            found[name.replace(f"q_proj.{kind}", f"in_proj_{kind}")] = torch.cat(parts)
        elif norm not in ("k_proj", "v_proj"):
            found[name] = tensor
    return found | {"encoder.embed_positions.weights": torch.zeros(7, 16)}


def without_output(weights):
    return {name: tensor for name, tensor in weights.items() if name != "decoder.output_projection.weight"}


def in_groups(args):
    """Put the settings into ``cfg``, as 0.12 does for a model that was started from the command line."""
    options = vars(args) | {"_name": args.arch}
    task = {"_name": "translation", "source_lang": args.source_lang, "target_lang": args.target_lang}
    return {"args": None, "cfg": {"model": Namespace(**options), "task": task, "bpe": None, "tokenizer": None}}


def nested(args):
    """Put the settings into ``cfg`` with groups inside of the model's, as for one that Hydra started."""
    model = {"_name": "transformer", "encoder": {}, "decoder": {}, "quant_noise": {"pq": 0.0, "scalar": 0.0}}
    for name, value in vars(args).items():
        stack, _, rest = name.partition("_")
        if stack in BOTH:
            model[stack][rest] = value
        else:
            model[name] = value
    names = {name: model.pop(name) for name in ("source_lang", "target_lang")}
    del model["arch"], model["task"]
    return {"args": None, "cfg": {"model": model, "task": {"_name": "translation", **names}, "bpe": {"_name": None}}}


@pytest.mark.parametrize(
    ("settings", "about"),
    [
        ({}, {}),
        ({"share_decoder_input_output_embed": True, "activation_fn": "gelu"}, {"change": without_output}),
        ({"share_all_embeddings": True, **PRE_NORM}, {"state": in_groups, "words": ONE_DICTIONARY}),
        ({"no_scale_embedding": True, **LEARNED}, {"state": nested}),
        ({"activation_fn": "swish", **PRE_NORM, **LEARNED}, {"half": True}),
        ({}, {"change": old_names}),
        (PRE_NORM, {"change": old_names, "state": in_groups}),
    ],
    ids=["post-norm", "two-way gelu", "three-way pre-norm", "learned", "swish fp16", "old names", "old pre-norm"],
)
def test_the_same_logits(make_checkpoint, settings, about):
    folder, theirs = make_checkpoint(**settings, **about)
    stored = read_stored(folder)
    ours = assemble(stored.weights, stored.config, stored.tokenizers, folder)
    rows = [[4, 5, 6], [7, 4, 6, 5, 4, 7, 6], [5]]
    source, real = pad_rows(rows, pad=1, last=2)
    target_in, _ = pad_rows([[2, *row] for row in rows], pad=1)
    with torch.inference_mode():
        found = ours(source, target_in, real)
    for place, row in enumerate(rows):
        expected = theirs([*row, 2], [2, *row])
        assert expected.abs().max() > 1
        assert (found[place, : len(row) + 1] - expected).abs().max() < 1e-4


def test_settings_as_omegaconf_keeps_them(make_checkpoint, foreign, monkeypatch):
    nodes = {
        name: foreign(f"omegaconf.{name}") for name in ("dictconfig.DictConfig", "nodes.AnyNode", "nodes.EnumNode")
    }
    kinds = foreign("fairseq.dataclass.constants.Kinds")
    kinds.__reduce__ = lambda self: (kinds, ("translation",))

    def node(name, **state):
        made = nodes[name]()
        vars(made).update(state)
        return made

    def kept(value):
        if isinstance(value, dict):
            return node(
                "dictconfig.DictConfig", _content={key: kept(each) for key, each in value.items()}, _parent=None
            )
        return node("nodes.AnyNode", _val=value, _metadata=node("nodes.EnumNode", ref_type=dict, key_type=Any))

    def state(args):
        config = nested(args)["cfg"]
        config["model"]["decoder"]["output_dim"] = "${model.decoder.embed_dim}"
        config["task"]["_name"] = kinds()
        return {"args": None, "cfg": kept(config)}

    folder, _ = make_checkpoint(state=state, decoder_layers=1, **PRE_NORM)
    monkeypatch.undo()
    stored = read_stored(folder)
    assert (stored.config.model.decoder_layers, stored.config.model.norm_order) == (1, "pre")
    assert stored.config.data.source_language == "de"
