"""Make the fixtures tests/interop/eole/*: python eole_folders.py NAME..., where Eole 0.6 is installed.

They are made as those of OpenNMT-py are; see ``opennmt_py.py`` beside this.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import torch
from opennmt_py import BEAM, POSITIONS, SENTENCES, STEPS, cutting, rounded, write_corpus
from safetensors.torch import load_file, save_file

HERE = Path(__file__).parents[1] / "eole"
WEIGHTS = "model.00.safetensors"
WIDTH = {"hidden_size": 8, "word_vec_size": 8, "transformer_ff": 16, "heads": 2, "layers": 2}
VARIANTS = {
    "sentencepiece": {"share_embeddings": True, "share_decoder_embeddings": True, "decoder": {"layers": 1}},
    "words": {
        "mlp_activation_fn": "gated-silu", "add_qkvbias": True, "add_final_linear_bias": True, "add_ffnbias": True,
        "generator_bias": False, "norm_eps": 1e-4,
        "embeddings": {"position_encoding_type": "Learned", "n_positions": 60, "position_shift": 2},
    },
}  # fmt: skip


def main() -> None:
    """Make the fixtures that are named, or all."""
    for name in sys.argv[1:] or VARIANTS:
        folder = HERE / name
        folder.mkdir(parents=True, exist_ok=True)
        temporary = write_corpus(folder, name)
        trained = train(folder, name)
        found = {"logits": logits(trained), "translations": translate(folder, trained)}
        for path in trained.iterdir():
            if path.name == "vocab.json" or path.suffix == ".model":
                shutil.copy(path, folder / path.name)
        weights = load_file(trained / WEIGHTS)
        cut = {name: tensor[:POSITIONS].clone() for name, tensor in weights.items() if name.endswith("pe.pe")}
        save_file(weights | cut, folder / WEIGHTS)
        keep(json.loads((trained / "config.json").read_text(encoding="utf-8")), folder / "config.json")
        (folder / "expected.json").write_text(json.dumps(found, ensure_ascii=False) + "\n", encoding="utf-8")
        shutil.rmtree(folder / "trained")
        for path in temporary:
            path.unlink()


def train(folder: Path, name: str) -> Path:
    """Let Eole train; return the folder it saved."""
    transform = {key: value for key, value in cutting(folder, name).items() if key != "transforms"}
    transforms = [name] if transform else []
    config = {
        "data": {"corpus": {"path_src": str(folder / "src.txt"), "path_tgt": str(folder / "tgt.txt")}},
        **{f"{side}_vocab": str(folder / f"{side}.vocab.txt") for side in ("src", "tgt")},
        "share_vocab": name == "sentencepiece", "transforms": transforms, "seed": 1,
        "transforms_configs": {name: transform} if transform else {},
        "training": {
            "model_path": str(folder / "trained"), "train_steps": STEPS, "save_checkpoint_steps": STEPS,
            "batch_size": 6, "bucket_size": 6, "num_workers": 0, "learning_rate": 0.01, "optim": "adam",
        },
        "model": {"architecture": "transformer", **WIDTH, **VARIANTS[name]},
    }  # fmt: skip
    path = folder / "train.yaml"
    path.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    subprocess.run([Path(sys.executable).parent / "eole", "train", "-config", path], check=True)
    path.unlink()
    return folder / "trained" / f"step_{STEPS}"


def logits(folder: Path) -> dict:
    """Let Eole compute the logits of one pair, whose tokens are drawn."""
    from eole.config.run import PredictConfig
    from eole.models.model import get_model_class

    config = PredictConfig(model_path=str(folder), src="none")
    model, vocabs, _ = get_model_class(config.model).for_inference(config)
    generator = torch.Generator().manual_seed(5)
    source = torch.randint(4, len(vocabs["src"]), (7,), generator=generator)
    target = torch.randint(4, len(vocabs["tgt"]), (5,), generator=generator)
    start = torch.tensor([vocabs["tgt"][vocabs["decoder_start_token"]]])
    said = torch.cat((start, target, start))  # its last is not read
    with torch.no_grad():
        hidden = model(source.view(1, -1), said.view(1, -1), torch.tensor([7]))[0]
        found = model.generator(hidden)[0]
    return {"source": source.tolist(), "target": said[:-1].tolist(), "logits": rounded(found)}


def translate(folder: Path, trained: Path) -> list:
    """Let Eole translate."""
    output = folder / "output.txt"
    options = {"model_path": trained, "src": folder / "src.txt", "output": output, "beam_size": BEAM, "n_best": 1,
               "length_penalty": "none", "max_length": 25, "batch_size": 1}  # fmt: skip
    command = [Path(sys.executable).parent / "eole", "predict", "--ban_unk_token"]
    subprocess.run(
        [*command, *(str(part) for key, value in options.items() for part in (f"--{key}", value))], check=True
    )
    found = output.read_text(encoding="utf-8").splitlines()
    output.unlink()
    return [[source, said] for (source, _), said in zip(SENTENCES, found, strict=True)]


def keep(config: dict, path: Path) -> None:
    """Store a configuration without the paths of this machine."""
    config["data"] = {}
    for name in ("src_vocab", "tgt_vocab"):
        config[name] = Path(config[name]).name
    config["training"]["model_path"] = Path(config["training"]["model_path"]).name
    path.write_text(json.dumps(config, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
