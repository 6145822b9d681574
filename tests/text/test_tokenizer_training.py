import random
import sys

import pytest

from ferryman.errors import TokenizerError
from ferryman.text import Tokenizer, TokenizerRecipe, train_tokenizer
from ferryman.text.tokenizer_training import Sample

KINDS = ("bpe", "unigram")
TINY = ["The river is wide.", "We cross the river.", "河很宽。"]


def sentences(count, seed=0):
    chance = random.Random(seed)
    words = ["river", "wide", "boat", "house", "green", "walks", "Fähre", "Fluss", "über", "the"]
    return [" ".join(chance.choices(words, k=6)) + "." for _ in range(count)]


@pytest.mark.parametrize("kind", KINDS)
def test_three_sentences_train_with_a_smaller_vocabulary_than_asked(kind):
    tokenizer = train_tokenizer(TINY, TokenizerRecipe(kind=kind, vocab_size=8000))
    assert 260 < tokenizer.vocab_size < 8000
    assert [tokenizer.decode(tokenizer.encode(text)) for text in TINY] == TINY


@pytest.mark.parametrize("kind", KINDS)
def test_ids_of_a_trained_tokenizer(kind):
    tokenizer = train_tokenizer(sentences(50), TokenizerRecipe(kind=kind, vocab_size=290))
    assert tokenizer.vocab_size == 290
    assert (tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id) == (0, 1, 2, 3)
    assert tokenizer.pieces(range(4, 260)) == [f"<0x{byte:02X}>" for byte in range(256)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_recipe_gives_the_same_model(kind, threads):
    recipe = TokenizerRecipe(kind=kind, vocab_size=320, max_sentences=100, threads=threads)
    first = train_tokenizer(sentences(300), recipe)
    assert train_tokenizer(iter(sentences(300)), recipe).model_bytes == first.model_bytes


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [0, 100, 260])
def test_too_small_a_vocabulary_names_the_minimum_and_the_minimum_works(kind, size):
    with pytest.raises(TokenizerError, match=rf"vocabulary of {size} is too small") as caught:
        train_tokenizer(TINY, TokenizerRecipe(kind=kind, vocab_size=size))
    minimum = int(str(caught.value).partition("need ")[2].partition(";")[0])
    assert minimum == 4 + 256 + len(set("".join(TINY)))  # the space is a character too
    assert train_tokenizer(TINY, TokenizerRecipe(kind=kind, vocab_size=minimum)).vocab_size == minimum
    with pytest.raises(TokenizerError, match=f"need {minimum};"):
        train_tokenizer(TINY, TokenizerRecipe(kind=kind, vocab_size=minimum - 1))


@pytest.mark.parametrize("nothing", [[], [""], ["  ", "\t"], ["\ufeff"]])
def test_a_corpus_without_text_is_refused(nothing):
    with pytest.raises(TokenizerError, match="no text to train"):
        train_tokenizer(nothing, TokenizerRecipe(kind="bpe", vocab_size=300))


def test_a_lone_surrogate_is_refused():
    with pytest.raises(TokenizerError, match=r"U\+D800, at character 3 of 3"):
        train_tokenizer(["ab\ud800"], TokenizerRecipe(kind="bpe", vocab_size=300))


def test_long_sentences_are_learned_from():
    """SentencePiece by itself drops every sentence of more than 4,192 bytes."""
    tokenizer = train_tokenizer(["ferry " * 2000], TokenizerRecipe(kind="bpe", vocab_size=300))
    assert tokenizer.pieces("ferry") == ["▁ferry"]


@pytest.mark.parametrize("odd", ["▁", "▅", "\ue5c0", "\0", "\t", "</s>", "<unk>", "<0x41>"])
@pytest.mark.parametrize("kind", KINDS)
def test_reserved_text_hides_nothing_and_survives_training(kind, odd):
    """SentencePiece by itself drops every sentence with ▅ and takes ▁ for a space."""
    text = f"boat{odd}boat {odd} boat"
    tokenizer = train_tokenizer([text] * 20, TokenizerRecipe(kind=kind, vocab_size=400, normal_form="identity"))
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert len(tokenizer.encode("boat")) < len("boat")


def test_the_corpus_is_read_as_a_stream_and_the_sample_is_bounded():
    seen = iter(sentences(500))
    recipe = TokenizerRecipe(kind="bpe", vocab_size=300, max_sentences=10)
    assert isinstance(train_tokenizer(seen, recipe), Tokenizer)
    assert next(seen, None) is None


def drawn(items, limit, seed, **limits):
    sample = Sample(TokenizerRecipe(kind="bpe", vocab_size=300, seed=seed, **limits), limit)
    for item in items:
        sample.add(item)
    return [text for (text,) in sample.drain()]


def test_the_draw_is_even_and_seeded():
    counts = [0] * 20
    for seed in range(2000):
        texts = drawn(map(str, range(20)), 5, seed)
        assert len(set(texts)) == 5
        for text in texts:
            counts[int(text)] += 1
    assert all(400 < count < 600 for count in counts)
    assert drawn(map(str, range(20)), 5, 7) == drawn(map(str, range(20)), 5, 7)
    assert sorted(drawn(["a", "b"], 5, 0)) == ["a", "b"]


def test_the_draw_is_bounded_by_memory_and_as_large_as_that_allows():
    """Ten letters are estimated at 60 bytes."""
    for seed in range(50):
        assert len(drawn(("x" * 10 for _ in range(100)), 90, seed, max_bytes=359)) == 5
    assert drawn(["x" * 10], 90, 0, max_bytes=59) == []


def test_a_draw_by_memory_is_even():
    first, last = 0, 0
    for seed in range(1000):
        texts = drawn((f"{number:03}" for number in range(100)), 90, seed, max_bytes=20 * 3 * 6)
        first += sum(int(text) < 50 for text in texts)
        last += sum(int(text) >= 50 for text in texts)
    assert first + last == 20_000
    assert abs(first - last) < 600


@pytest.mark.parametrize("text", ["河很宽。", "แม่น้ำ", "川は広い", "𠮷野家"])
def test_scripts_without_spaces_weigh_more(text):
    recipe = TokenizerRecipe(kind="bpe", vocab_size=300)
    latin = recipe.bytes_for("x" * len(text))
    assert recipe.bytes_for(text) > 10 * latin
    assert recipe.bytes_for("Straße") == recipe.bytes_for("강은넓다우리") == 36
    assert TokenizerRecipe(kind="unigram", vocab_size=300).bytes_for("x") > recipe.bytes_for("x")


def test_texts_drawn_together_stay_together_and_are_given_away_once():
    sample = Sample(TokenizerRecipe(kind="bpe", vocab_size=300), 10)
    for number in range(100):
        sample.add(f"{number}", f"{number}!")
    pairs = list(sample.drain())
    assert len(pairs) == 10
    assert all(target == f"{source}!" for source, target in pairs)
    assert list(sample.drain()) == []


@pytest.mark.parametrize(("max_bytes", "learned"), [(100 * 160, 10), (400 * 160, 40)])
def test_a_tokenizer_learns_from_what_fits(max_bytes, learned):
    """Every sentence has ten of a character that no other has."""
    texts = [chr(0x4E00 + number) * 10 for number in range(40)]
    recipe = TokenizerRecipe(kind="bpe", vocab_size=400, character_coverage=1.0, max_bytes=max_bytes)
    tokenizer = train_tokenizer(texts, recipe)
    assert sum(text[0] in tokenizer.pieces(range(260, tokenizer.vocab_size)) for text in texts) == learned


def test_training_prints_nothing(capfd):
    train_tokenizer(TINY, TokenizerRecipe(kind="unigram", vocab_size=8000))
    sys.stdout.flush()
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""
