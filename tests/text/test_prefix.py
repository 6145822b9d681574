"""Control tokens before a source: never made of text, and there only where they are asked for."""

import pytest

from ferryman.config import Config, DataConfig, ModelConfig
from ferryman.errors import ConfigError, TranslationError
from ferryman.text import Tokenizer, TokenizerRecipe, train_tokenizer
from ferryman.text.directions import Direction, directions, find_target
from ferryman.text.prefix import before_source, before_target, check_prefixes, control_symbols, prefix

SYMBOLS = ("<2de>", "<2fr>", "<tag:bt>")
LOOKALIKES = [*SYMBOLS, "x<2de>y", "<2de> hallo", "a <tag:bt> b", "<2de><2fr>", "<2d", "e>"]


@pytest.fixture(scope="module", params=["bpe", "unigram"])
def tokenizer(request) -> Tokenizer:
    """Trained on text full of what looks like its control symbols."""
    recipe = TokenizerRecipe(kind=request.param, vocab_size=330, control_symbols=SYMBOLS)
    return train_tokenizer([*LOOKALIKES, "hallo welt"] * 50, recipe)


def data_for(**corpora) -> DataConfig:
    named = {name: {"train": ["x.tsv"], **settings} for name, settings in corpora.items()}
    return DataConfig(source_language="en", target_language="de", corpora=named)


@pytest.mark.parametrize("told", ["target", "both"])
def test_languages_are_told_before_the_source_or_each_before_its_text(tokenizer, told):
    data = data_for(more={"target_language": "fr"}).model_copy(update={"source_language": "fr"})
    config = Config(data=data, model=ModelConfig(language_tokens=told))
    german, french = (tokenizer.control_symbols[name] for name in SYMBOLS[:2])
    assert before_source(config, tokenizer, "de", None) == [french if told == "both" else german]
    assert before_target(config, tokenizer, "de") == ((german,) if told == "both" else ())


@pytest.mark.parametrize("text", LOOKALIKES)
def test_text_that_looks_like_a_control_symbol_stays_text(tokenizer, text):
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert not set(ids) & set(tokenizer.control_symbols.values())


def test_control_symbols_are_tokens_and_no_text(tokenizer):
    assert tuple(tokenizer.control_symbols) == SYMBOLS
    assert set(tokenizer.control_symbols.values()) <= tokenizer.never_text
    assert tokenizer.decode([*tokenizer.control_symbols.values(), *tokenizer.encode("hallo")]) == "hallo"


def test_a_tokenizer_without_more_symbols_is_as_it_was():
    plain = train_tokenizer(["hallo welt"] * 9, TokenizerRecipe(kind="bpe", vocab_size=270))
    assert plain.control_symbols == {}
    assert prefix(plain, "de", None) == []
    assert plain.pieces([4]) == ["<0x00>"]


def test_language_then_tag(tokenizer):
    ids = tokenizer.control_symbols
    assert prefix(tokenizer, "fr", None) == [ids["<2fr>"]]
    assert prefix(tokenizer, "de", "bt") == [ids["<2de>"], ids["<tag:bt>"]]


def test_what_the_tokenizer_does_not_have_is_refused_with_a_list(tokenizer):
    with pytest.raises(ConfigError, match="no token for the language 'es'; it has de, fr"):
        prefix(tokenizer, "es", None)
    with pytest.raises(ConfigError, match="no tag 'web'; it has bt"):
        prefix(tokenizer, "de", "web")
    check_prefixes(tokenizer, data_for(back={"tag": "bt"}, fr={"target_language": "fr"}))
    with pytest.raises(ConfigError, match="no <tag:web>; it has <2de>, <2fr>, <tag:bt>"):
        check_prefixes(tokenizer, data_for(web={"tag": "web"}))


def test_symbols_are_those_of_several_target_languages_and_of_tags():
    assert control_symbols(data_for()) == ()
    assert control_symbols(data_for(web={}, other={"source_language": "nl"})) == ()
    reverse = {"source_language": "de", "target_language": "en", "tag": "bt"}
    assert control_symbols(data_for(reverse=reverse, more=reverse)) == ("<2de>", "<2en>", "<tag:bt>")


def test_directions_are_told_apart_by_language_whatever_their_case():
    data = data_for(web={"target_language": "DE"}, chinese={"target_language": "zh-hans", "columns": (2, 1)})
    found = directions(data)
    assert list(found) == [Direction("en", "de"), Direction("en", "zh-Hans")]
    assert [corpus.columns for corpus in found.values()] == [(1, 2), (2, 1)]


def test_the_target_language_is_found_or_the_list_is_told():
    several = data_for(fr={"target_language": "fr"}, zh={"target_language": "zh-Hans"})
    assert find_target(data_for(), None) == find_target(several, "DE") == "de"
    assert find_target(several, "zh-hans") == "zh-Hans"
    for wrong in (None, "es", "zh", "french"):
        with pytest.raises(TranslationError, match="de, fr, zh-Hans"):
            find_target(several, wrong)
    with pytest.raises(TranslationError, match="'fr', only into de"):
        find_target(data_for(), "fr")
