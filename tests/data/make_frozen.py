"""Make a frozen model: train a tiny one for some seconds on made-up phrases and write down what it translates.

    python tests/data/make_frozen.py tests/data/frozen-0.1

Once a release, into a folder of its own: the folders of earlier releases are never made anew, because it is their age
that the test is about.
"""

import json
import sys
import tempfile
from itertools import product
from pathlib import Path

import torch

from ferryman.checkpoint import Tokenizers, save_model, weights_of
from ferryman.config import Config, DataConfig, DecodingConfig, ModelConfig, TokenizerConfig, TrainingConfig
from ferryman.data.batch import Batch
from ferryman.data.sampler import BatchSampler
from ferryman.data.store import TokenStore, TokenStoreWriter
from ferryman.model.transformer import Transformer
from ferryman.text import TokenizerRecipe, train_tokenizer
from ferryman.training.trainer import Trainer
from ferryman.training.update import Updater
from ferryman.translator import Translator

NUMBERS = {"two": "zwei", "three": "drei", "four": "vier", "seven": "sieben", "ten": "zehn", "many": "viele"}
COLOURS = {"red": "rote", "green": "grüne", "old": "alte", "small": "kleine", "new": "neue"}
NOUNS = {"boats": "Boote", "rivers": "Flüsse", "bridges": "Brücken", "houses": "Häuser", "birds": "Vögel"}
MORE = ["", "two", "red boats", "seven birds four", "green green green", "Zug 🙂 two"]

CONFIG = Config(
    data=DataConfig(source_language="en", target_language="de"),
    tokenizer=TokenizerConfig(vocab_size=330),
    model=ModelConfig(d_model=24, d_ff=48, heads=2, encoder_layers=1, decoder_layers=1, norm_order="pre", dropout=0.05),
    training=TrainingConfig(steps=400, warmup_steps=50, learning_rate=1e-2, schedule="cosine", validations=0),
    decoding=DecodingConfig(device="cpu", beam=4, max_source_tokens=16, max_length_ratio=1.5, max_length_extra=5),
)


def phrases() -> list[tuple[str, str]]:
    """List all phrases of a number, a colour and a noun with their translations."""
    tables = (NUMBERS, COLOURS, NOUNS)
    return [
        (" ".join(words), " ".join(table[word] for table, word in zip(tables, words, strict=True)))
        for words in product(*tables)
    ]


def train(pairs: list[tuple[str, str]], tokenizers: Tokenizers, folder: Path) -> Transformer:
    """Train the model of ``CONFIG``; ``folder`` takes the tokens of the pairs."""
    torch.set_num_threads(1)
    torch.manual_seed(CONFIG.training.seed)
    size, symbols = tokenizers.target.vocab_size, tokenizers.symbols(CONFIG.model.start_symbol)
    with TokenStoreWriter(folder, vocab_size=size) as writer:
        for source, target in pairs:
            writer.add(tokenizers.source.encode(source), tokenizers.target.encode(target))
    store = TokenStore(folder)
    model = Transformer(size, size, CONFIG.model)
    trainer = Trainer(
        Updater(model, CONFIG.training, torch.device("cpu"), torch.float32),
        BatchSampler(store.lengths("source") + 1, store.lengths("target") + 1, batch_tokens=600, seed=1),
        lambda indices, after: Batch.from_store(store, indices, symbols),
        CONFIG.training,
        lambda model: {},
        lambda: 0.0,
    )
    for _ in trainer.events():
        pass
    return model


def main(folder: Path) -> None:
    """Write the model folder and ``expected.json``."""
    pairs = phrases()
    held_out, training = pairs[::7], [pair for index, pair in enumerate(pairs) if index % 7]
    recipe = TokenizerRecipe(kind="bpe", vocab_size=CONFIG.tokenizer.vocab_size)
    tokenizer = train_tokenizer([text for pair in training for text in pair], recipe)
    tokenizers = Tokenizers(tokenizer, tokenizer)
    with tempfile.TemporaryDirectory() as temporary:
        model = train(training, tokenizers, Path(temporary) / "store")
    card = "# A frozen model\n\nMade by `tests/data/make_frozen.py` with an earlier release.\n"
    save_model(folder, weights_of(model), CONFIG, tokenizers, card)
    sources = [source for source, _ in held_out] + MORE
    found = Translator(model, CONFIG, tokenizers).translate(sources)
    expected = [
        {"source": source, "text": one.text, "log_prob": round(one.log_prob, 5), "flags": one.flags}
        for source, one in zip(sources, found, strict=True)
    ]
    lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in expected)
    (folder / "expected.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
