"""Train tiny models with fairseq itself, and note what they compute and say.

Writes ``fairseq/words.de-en`` (post-norm, two vocabularies of words' parts by subword-nmt over text of Moses) and
``fairseq/pieces`` (pre-norm, one vocabulary of SentencePiece, learned positions) beside this file:

    pip install fairseq==0.12.2 subword-nmt==0.3.8 sacremoses sentencepiece  # in an environment of its own
    python tests/interop/peers/make_fairseq.py
"""

import io
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import sacremoses
import sentencepiece
import torch
from fairseq.dataclass.utils import convert_namespace_to_omegaconf
from fairseq.models.transformer import TransformerModel
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

HERE = Path(__file__).parent / "fairseq"
WHO = [("Anna", "Anna"), ("der Fährmann", "the ferryman"), ("die Katze", "the cat"), ("wer", "who")]
DOES = [("sieht", "sees"), ("kennt", "knows"), ("ruft", "calls")]
WHAT = [
    ("den Fluss", "the river"),
    ("das Boot", "the boat"),
    ('"Haus-Boot"', '"house-boat"'),
    ("Annas Boot", "Anna's boat"),
]
TEXTS = [
    "Anna sieht den Fluss.",
    'wer kennt das "Haus-Boot"?',
    "der Fährmann ruft Anna.",
    "Anna.",
    "die Katze, Ömer & Annas Fluss",
]
SMALL = [
    "--encoder-embed-dim", "16", "--decoder-embed-dim", "16", "--encoder-ffn-embed-dim", "32",
    "--decoder-ffn-embed-dim", "32", "--encoder-layers", "2", "--decoder-layers", "1", "--encoder-attention-heads", "2",
    "--decoder-attention-heads", "2",
]  # fmt: skip
TRAINING = [
    "--optimizer", "adam", "--lr", "0.005", "--criterion", "cross_entropy", "--max-tokens", "600",
    "--max-update", "150", "--no-epoch-checkpoints", "--no-last-checkpoints", "--no-save-optimizer-state", "--cpu",
    "--num-workers", "0", "--seed", "1", "--dropout", "0.1", "--max-source-positions", "64",
    "--max-target-positions", "64",
]  # fmt: skip


def sentences() -> dict[str, list[str]]:
    """Make the corpus."""
    both = [
        (f"{who[0]} {does[0]} {what[0]}{mark}", f"{who[1]} {does[1]} {what[1]}{mark}")
        for who, does, what, mark in itertools.product(WHO, DOES, WHAT, ".?")
    ]
    return {"de": [source for source, _ in both], "en": [target for _, target in both]}


def cut_into_parts(texts: dict[str, list[str]], folder: Path) -> dict[str, list[str]]:
    """Cut by Moses and subword-nmt, one file of codes for both languages."""
    cut = {
        language: [
            sacremoses.MosesTokenizer(language).tokenize(text, aggressive_dash_splits=True, return_str=True)
            for text in lines
        ]
        for language, lines in texts.items()
    }
    codes = io.StringIO()
    learn_bpe(io.StringIO("\n".join(cut["de"] + cut["en"])), codes, 150)
    (folder / "bpecodes").write_text(codes.getvalue(), encoding="utf-8")
    bpe = BPE(io.StringIO(codes.getvalue()))
    return {language: [bpe.process_line(text) for text in lines] for language, lines in cut.items()}


def cut_into_pieces(texts: dict[str, list[str]], folder: Path) -> dict[str, list[str]]:
    """Cut by SentencePiece, one model for both languages."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts["de"] + texts["en"]), model_writer=model, vocab_size=70, model_type="bpe",
        normalization_rule_name="identity",  # the tables of the usual one take 240 kB
    )  # fmt: skip
    (folder / "sentencepiece.bpe.model").write_bytes(model.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return {
        language: [" ".join(processor.encode(text, out_type=str)) for text in lines]
        for language, lines in texts.items()
    }


def run(*words: str) -> None:
    """Run a command of fairseq, which stands beside this Python."""
    subprocess.run([Path(sys.executable).parent / words[0], *words[1:]], check=True)


def train(folder: Path, cut: dict[str, list[str]], joined: list[str], options: list[str]) -> None:
    """Prepare the corpus, train, and keep the dictionaries and the checkpoint."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for language, lines in cut.items():
            (work / f"train.{language}").write_text("\n".join(lines) + "\n", encoding="utf-8")
        prefixes = ["--trainpref", f"{work}/train", "--validpref", f"{work}/train", "--destdir", f"{work}/data-bin"]
        run("fairseq-preprocess", "--source-lang", "de", "--target-lang", "en", *prefixes, *joined)
        run("fairseq-train", f"{work}/data-bin", "--save-dir", f"{work}/out", *SMALL, *TRAINING, *options)
        shutil.copy(work / "out" / "checkpoint_best.pt", folder)
        for language in cut:
            shutil.copy(work / "data-bin" / f"dict.{language}.txt", folder)


def observe(folder: Path, **how: str) -> None:
    """Note the ids, the logits and the translations of some texts."""
    model = TransformerModel.from_pretrained(str(folder), "checkpoint_best.pt", str(folder), **how).eval()
    records = []
    for text in TEXTS:
        source = model.encode(text)
        best = model.generate(source, beam=4, unnormalized=True, unkpen=1000.0, max_len_b=60)[0]
        target_in = torch.cat([torch.tensor([2]), best["tokens"][:-1]])
        with torch.no_grad():
            logits, _ = model.models[0](source[None], torch.tensor([len(source)]), target_in[None])
        records.append(
            {
                "text": text,
                "source": source.tolist(),
                "tokens": best["tokens"].tolist(),
                "score": float(best["score"]),
                "translation": model.decode(best["tokens"]),
                "logits": [[round(value, 5) for value in row] for row in logits[0].tolist()],
            }
        )
    (folder / "expected.json").write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")


def keep_settings(folder: Path) -> None:
    """Keep the settings of a checkpoint as versions between 0.10 and 0.12 did, by OmegaConf's own classes."""
    settings = torch.load(folder / "checkpoint_best.pt", weights_only=False)["cfg"]["model"]
    config = convert_namespace_to_omegaconf(settings)
    torch.save({"args": None, "cfg": config, "model": {}}, HERE / "omegaconf.pt")


def main() -> None:
    """Make both folders anew."""
    shutil.rmtree(HERE, ignore_errors=True)
    words, pieces = HERE / "words.de-en", HERE / "pieces"
    for folder in (words, pieces):
        folder.mkdir(parents=True)
    train(words, cut_into_parts(sentences(), words), [], ["--arch", "transformer_iwslt_de_en"])
    observe(
        words,
        tokenizer="moses",
        source_lang="de",
        target_lang="en",
        bpe="subword_nmt",
        bpe_codes=str(words / "bpecodes"),
    )
    keep_settings(words)
    options = [
        "--arch",
        "transformer",
        "--encoder-normalize-before",
        "--decoder-normalize-before",
        "--encoder-learned-pos",
    ]
    options += ["--source-lang", "de", "--target-lang", "en"]  # it keeps these only where it is told them
    options += ["--decoder-learned-pos", "--share-all-embeddings", "--activation-fn", "gelu"]
    train(pieces, cut_into_pieces(sentences(), pieces), ["--joined-dictionary"], options)
    observe(pieces, bpe="sentencepiece", sentencepiece_model=str(pieces / "sentencepiece.bpe.model"))


if __name__ == "__main__":
    main()
