"""Make the fixtures tests/interop/opennmt/*: python opennmt_py.py NAME..., where OpenNMT-py 3.5.1 is installed.

Each is a checkpoint that OpenNMT-py trained and saved, without the optimiser's state, and of its tables of sinusoids
only the beginning. Beside it stands what OpenNMT-py makes of it: logits of a pair, and translations by beam search
without a length penalty.
"""

import argparse
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import sentencepiece
import torch

os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"  # OpenNMT-py reads its own checkpoint as any pickle
HERE = Path(__file__).parents[1] / "opennmt"
SENTENCES = [
    ("the old man reads a book", "der alte mann liest ein buch"),
    ("a child sees the house", "ein kind sieht das haus"),
    ("the house is old", "das haus ist alt"),
    ("where is the book", "wo ist das buch"),
    ("the man sees a child", "der mann sieht ein kind"),
    ("a book is in the house", "ein buch ist in dem haus"),
]
WIDTH = {"hidden_size": 8, "word_vec_size": 8, "transformer_ff": 16, "heads": 2, "enc_layers": 2, "dec_layers": 1}
BASE = {**WIDTH, "encoder_type": "transformer", "decoder_type": "transformer", "position_encoding": True}
VARIANTS = {
    "sentencepiece": {"share_vocab": True, "share_embeddings": True, "share_decoder_embeddings": True},
    "bpe": {
        "pos_ffn_activation_fn": "silu", "add_qkvbias": True, "add_ffnbias": False,
        "position_encoding_type": "SinusoidalConcat", "norm_eps": 1e-5,
    },
    "words": {"pos_ffn_activation_fn": "gelu", "share_decoder_embeddings": True, "vocab_size_multiple": 8},
}  # fmt: skip
STEPS, POSITIONS, BEAM = 300, 20, 4


def make(name: str, compute: Callable[[Path], dict]) -> None:
    """Make a fixture; ``compute`` gives the logits of a checkpoint."""
    folder = HERE / name
    folder.mkdir(parents=True, exist_ok=True)
    temporary = write_corpus(folder, name)
    trained = train(folder, name)
    found = {"logits": compute(trained), "translations": translate(folder, name, trained)}
    keep(torch.load(trained, weights_only=False), folder / "model.pt")
    (folder / "expected.json").write_text(json.dumps(found, ensure_ascii=False) + "\n", encoding="utf-8")
    for path in (trained, *temporary):
        path.unlink()


def write_corpus(folder: Path, name: str) -> list[Path]:
    """Write texts, vocabularies and what cuts texts; return the files that are not to stay."""
    texts = {"src": [pair[0] for pair in SENTENCES], "tgt": [pair[1] for pair in SENTENCES]}
    temporary = []
    for side, lines in texts.items():
        temporary.append(folder / f"{side}.txt")
        temporary[-1].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    if name == "sentencepiece":
        written = io.BytesIO()  # with a name, that would stand in it
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts["src"] + texts["tgt"]), model_writer=written, vocab_size=48,
            model_type="bpe", normalization_rule_name="identity", minloglevel=3,
        )  # fmt: skip
        (folder / "joint.model").write_bytes(written.getvalue())
        model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
        pieces = [model.id_to_piece(index) for index in range(3, model.vocab_size())]
        vocabularies = {"src": pieces, "tgt": pieces}
    elif name == "bpe":
        from subword_nmt.apply_bpe import BPE
        from subword_nmt.learn_bpe import learn_bpe

        vocabularies = {}
        for side, lines in texts.items():
            with (folder / f"{side}.codes").open("w", encoding="utf-8") as codes:
                learn_bpe(iter(lines), codes, 12, min_frequency=1)
            with (folder / f"{side}.codes").open(encoding="utf-8") as codes:
                cut = BPE(codes)
            vocabularies[side] = sorted({part for line in lines for part in cut.segment_tokens(line.split())})
    else:
        vocabularies = {
            side: sorted({word for line in lines for word in line.split()}) for side, lines in texts.items()
        }
    for side, tokens in vocabularies.items():
        temporary.append(folder / f"{side}.vocab.txt")
        temporary[-1].write_text("".join(f"{token}\t9\n" for token in tokens), encoding="utf-8")
    return temporary


def cutting(folder: Path, name: str) -> dict:
    """Return the transform that cuts texts."""
    if name not in ("sentencepiece", "bpe"):
        return {}
    names = ("joint.model", "joint.model") if name == "sentencepiece" else ("src.codes", "tgt.codes")
    models = dict(zip(("src_subword_model", "tgt_subword_model"), (str(folder / each) for each in names), strict=True))
    return {"transforms": [name], **models}


def train(folder: Path, name: str) -> Path:
    """Let OpenNMT-py train; return its checkpoint."""
    corpus = {"path_src": str(folder / "src.txt"), "path_tgt": str(folder / "tgt.txt")}
    config = {
        "data": {"corpus": corpus | ({"transforms": [name]} if cutting(folder, name) else {})},
        **{f"{side}_vocab": str(folder / f"{side}.vocab.txt") for side in ("src", "tgt")},
        **BASE, **VARIANTS[name], **cutting(folder, name), "save_model": str(folder / "trained"),
        "train_steps": STEPS, "save_checkpoint_steps": STEPS, "batch_size": 6, "bucket_size": 6, "num_workers": 0,
        "param_init_glorot": True, "param_init": 0.0, "optim": "adam", "learning_rate": 0.01, "seed": 1,
    }  # fmt: skip
    path = folder / "train.yaml"
    path.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    subprocess.run([Path(sys.executable).parent / "onmt_train", "-config", path], check=True)
    path.unlink()
    return folder / f"trained_step_{STEPS}.pt"


def logits(path: Path) -> dict:
    """Let OpenNMT-py compute the logits of one pair, whose tokens are drawn."""
    from onmt.model_builder import load_test_model
    from onmt.opts import translate_opts
    from onmt.utils.parse import ArgumentParser

    parser = ArgumentParser()
    translate_opts(parser)
    opt = parser.parse_args(["-model", str(path), "-src", "none"])
    ArgumentParser.validate_translate_opts(opt)
    vocabs, model, _ = load_test_model(opt)
    generator = torch.Generator().manual_seed(5)
    source = torch.randint(4, len(vocabs["src"]), (7,), generator=generator)
    target = torch.randint(4, len(vocabs["tgt"]), (5,), generator=generator)
    start = torch.tensor([vocabs["tgt"][vocabs["decoder_start_token"]]])
    said = torch.cat((start, target, start))  # its last is not read
    with torch.no_grad():
        hidden, _ = model(source.view(1, -1, 1), said.view(1, -1, 1), torch.tensor([7]))
        found = model.generator(hidden)[0]
    return {"source": source.tolist(), "target": said[:-1].tolist(), "logits": rounded(found)}


def rounded(values: torch.Tensor) -> list:
    """Return rows of numbers with six digits."""
    return [[float(f"{value:.6g}") for value in row] for row in values.tolist()]


def translate(folder: Path, name: str, path: Path) -> list:
    """Let OpenNMT-py translate."""
    output = folder / "output.txt"
    arguments = {"model": path, "src": folder / "src.txt", "output": output, "beam_size": BEAM, "n_best": 1,
                 "length_penalty": "none", "max_length": 25, "batch_size": 1, "gpu": -1}  # fmt: skip
    command = [Path(sys.executable).parent / "onmt_translate", "-ban_unk_token"]
    for key, value in (arguments | cutting(folder, name)).items():
        command += [f"-{key}", *(value if isinstance(value, list) else [str(value)])]
    subprocess.run(command, check=True)
    found = output.read_text(encoding="utf-8").splitlines()
    output.unlink()
    return [[source, said] for (source, _), said in zip(SENTENCES, found, strict=True)]


def keep(checkpoint: dict, path: Path) -> None:
    """Store a checkpoint without what translating does not need, and without the paths of this machine."""
    opt = vars(checkpoint["opt"])
    for name, value in opt.items():
        if isinstance(value, str) and "/" in value:
            opt[name] = Path(value).name
    opt["data"] = {corpus: {"transforms": each.get("transforms", [])} for corpus, each in opt["data"].items()}
    model = {
        name: tensor[:POSITIONS].clone() if name.endswith("pe.pe") else tensor
        for name, tensor in checkpoint["model"].items()
    }
    kept = {**checkpoint, "model": model, "opt": argparse.Namespace(**opt), "optim": {}}
    torch.save(kept, path)


if __name__ == "__main__":
    for variant in sys.argv[1:] or VARIANTS:
        make(variant, logits)
