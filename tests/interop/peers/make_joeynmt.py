"""Train tiny models with Joey NMT and keep what it says: ``python make_joeynmt.py WORK``, with joeynmt 2.3 installed.

Each run comes to lie in ``joeynmt/NAME`` beside this file: as Joey NMT left it, but of its checkpoint only the weights,
and of its tables of positions the first rows, so that it stays small. ``expected.json`` and ``expected.safetensors``
hold what Joey NMT says: ids, logits, translations and their scores.
"""

import io
import json
import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import sentencepiece
import torch
import yaml
from joeynmt.config import load_config, parse_global_args
from joeynmt.prediction import predict, prepare
from safetensors.torch import save_file
from subword_nmt.learn_bpe import learn_bpe

HERE = Path(__file__).parent / "joeynmt"
NOUNS = {"river": "der Fluss", "house": "das Haus", "street": "die Straße", "sea": "das Meer", "dog's bed": "das Bett"}
WORDS = {"wide": "breit", "old": "alt", "quiet": "still", "cold": "kalt", "small": "klein", "well-known": "bekannt"}
FORMS = {"The {} is {}.": "{} ist {}.", "Is the {} {}?": "Ist {} {}?", "The {} was not {}.": "{} war nicht {}."}
TEXTS = (
    "The river is wide.", "Is the sea cold?", "The dog's bed was not well-known.", "Small houses & streets are quiet.",
    "The Street is “old” ?", "Was not the house wide?",
)  # fmt: skip
KEPT_POSITIONS, BEAM, UPDATES, MOST_TOKENS = 64, 3, 240, 40
SPECIAL = ["<unk>", "<pad>", "<s>", "</s>"]


def main(work: Path) -> None:
    """Train and keep every run."""
    work.mkdir(parents=True)
    os.chdir(work)
    pairs = corpus()
    for place, language in enumerate(("en", "de")):
        Path(f"train.{language}").write_text("".join(f"{pair[place]}\n" for pair in pairs), encoding="utf-8")
    write_subwords([text for pair in pairs for text in pair])
    for name, (data, model) in runs().items():
        make(name, data, model)


def corpus() -> list[tuple[str, str]]:
    """Make pairs of sentences."""
    pairs = []
    for (english, german), noun, word in product(FORMS.items(), NOUNS.items(), WORDS.items()):
        said = german.format(noun[1], word[1])
        pairs.append((english.format(noun[0], word[0]), said[0].upper() + said[1:]))
    return pairs


def write_subwords(lines: list[str]) -> None:
    """Learn merges, and a SentencePiece model of which the vocabulary leaves out some pieces."""
    text = "\n".join(line.lower() for line in lines)
    with Path("bpe.codes").open("w", encoding="utf-8") as codes:
        learn_bpe(io.StringIO(text), codes, 60)
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=made,
        vocab_size=69,
        normalization_rule_name="identity",
        unk_id=0,
        pad_id=1,
        bos_id=2,
        eos_id=3,
    )
    Path("sp.model").write_bytes(made.getvalue())
    pieces = sentencepiece.SentencePieceProcessor(model_proto=made.getvalue())
    names = [pieces.id_to_piece(index) for index in range(4, pieces.get_piece_size())]
    kept = [name for place, name in enumerate(names) if len(name) < 3 or place % 5]
    Path("sp.vocab").write_text("\n".join([*SPECIAL, *reversed(kept)]) + "\n", encoding="utf-8")


def runs() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Describe the text and the network of each run."""
    moses = {"pretokenizer": "moses"}
    parts = {"level": "bpe", "tokenizer_type": "subword-nmt", "tokenizer_cfg": {"codes": "bpe.codes", **moses}}
    pieces = {"level": "bpe", "tokenizer_type": "sentencepiece", "tokenizer_cfg": {"model_file": "sp.model"}}
    words = {"level": "word", "tokenizer_cfg": moses, "normalize": True}
    weighed = network(layer_norm="post", alpha=1.25, tied_softmax=True)
    return {
        "parts": ({**parts, "lowercase": True, "voc_min_freq": 3}, weighed),
        "pieces": (
            {**pieces, "voc_file": "sp.vocab"},
            network(layer_norm="pre", activation="gelu", tied_softmax=True, tied_embeddings=True),
        ),
        "words": (words, network(layer_norm="pre", scale=False, activation="swish")),
    }  # fmt: skip


def network(
    *, tied_softmax: bool = False, tied_embeddings: bool = False, scale: bool = True, **side: Any
) -> dict[str, Any]:
    """Describe a network."""
    size = {"num_layers": 1, "num_heads": 2, "hidden_size": 16, "ff_size": 24, "dropout": 0.0}
    stack = {"type": "transformer", **size, "embeddings": {"embedding_dim": 16, "scale": scale}, **side}
    tied = {"tied_softmax": tied_softmax, "tied_embeddings": tied_embeddings}
    start = {"initializer": "xavier_uniform", "embed_initializer": "xavier_uniform", "bias_initializer": "zeros"}
    return {
        **start,
        "embed_init_gain": 1.0,
        "init_gain": 1.0,
        **tied,
        "encoder": stack,
        "decoder": {**stack, "num_layers": 2},
    }


def settings(name: str, data: dict[str, Any], model: dict[str, Any]) -> dict[str, Any]:
    """Write what Joey NMT reads."""
    return {
        "name": name,
        "joeynmt_version": "2.3.0",
        "model_dir": name,
        "use_cuda": False,
        "random_seed": 1,
        "data": {"train": "train", "dev": "train", "dataset_type": "plain", "sample_dev_subset": 20,
                 "src": {"lang": "en", **data}, "trg": {"lang": "de", **data}},
        "testing": {"beam_size": BEAM, "beam_alpha": 1.0, "batch_size": 1, "batch_type": "sentence",
                    "max_output_length": MOST_TOKENS, "eval_metrics": ["bleu"], "return_prob": "hyp",
                    "generate_unk": False},
        "training": {"optimizer": "adam", "learning_rate": 0.01, "batch_size": 30, "batch_type": "sentence",
                     "epochs": 1000, "updates": UPDATES, "validation_freq": UPDATES, "logging_freq": UPDATES,
                     "early_stopping_metric": "bleu", "normalization": "tokens",
                     "scheduling": "warmupinversesquareroot", "learning_rate_warmup": 20, "print_valid_sents": [0]},
        "model": model,
    }  # fmt: skip


def make(name: str, data: dict[str, Any], model: dict[str, Any]) -> None:
    """Train a run, ask it, and keep it."""
    Path("config.yaml").write_text(yaml.safe_dump(settings(name, data, model)), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "joeynmt", "train", "config.yaml", "--skip-test"], check=True)
    kept = HERE / name
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    files = ("config.yaml", "src_vocab.txt", "trg_vocab.txt", "bpe.codes", "sp.model")
    for path in (Path(name) / file for file in files):
        if path.exists():
            shutil.copy(path, kept)
    weights = torch.load(Path(name) / "best.ckpt", weights_only=False)["model_state"]
    small = {
        key: tensor[:, :KEPT_POSITIONS].clone() if key.endswith("pe.pe") else tensor for key, tensor in weights.items()
    }
    torch.save({"model_state": small}, kept / "best.ckpt")
    ask(Path(name), kept)


@torch.no_grad()
def ask(run: Path, kept: Path) -> None:
    """Write down what a run says."""
    config = load_config(run / "config.yaml")
    args = parse_global_args(config, mode="translate")
    network, _, _, stream = prepare(args, rank=0, mode="translate")
    for text in TEXTS:
        stream.set_item(text)

    def translate(alpha: float) -> dict[str, Any]:
        _, _, said, _, scores, _ = predict(
            model=network, data=stream, device=args.device, n_gpu=0, normalization="none",
            args=args.test._replace(beam_alpha=alpha), autocast=args.autocast,
        )  # fmt: skip
        return {"translations": said, "scores": [float(score[0]) for score in scores]}

    found = {"beam": BEAM, "texts": TEXTS, **translate(0.0), "penalised": {"beam_alpha": 1.0, **translate(1.0)}}
    batches = [next(iter(stream.make_iter(batch_size=len(TEXTS), device=args.device)))]
    source = batches[0].src
    found["source_ids"] = [[index for index in row if index != network.pad_index] for row in source.tolist()]
    chance = torch.Generator().manual_seed(1)
    drawn = torch.randint(4, network.decoder.output_size, (len(TEXTS), 9), generator=chance)
    target = torch.cat([torch.full((len(TEXTS), 1), network.bos_index), drawn], dim=1)
    real = source != network.pad_index
    encoded, _, _, _ = network(return_type="encode", src=source, src_length=real.sum(1), src_mask=real[:, None])
    logits, _, _, _ = network(
        return_type="decode", trg_input=target, encoder_output=encoded, encoder_hidden=None, src_mask=real[:, None],
        unroll_steps=None, decoder_hidden=None, trg_mask=torch.ones(1, 1, 1, dtype=torch.bool),
    )  # fmt: skip
    save_file({"source": source, "target": target, "logits": logits.contiguous()}, kept / "expected.safetensors")
    (kept / "expected.json").write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
