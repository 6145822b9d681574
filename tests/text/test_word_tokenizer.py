"""Words and their parts as tokens: what subword-nmt and Moses make of a text becomes ids, and text again."""

import importlib
import io
import json
import pickle
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferryman.corpus.phrasebook.generate import generate
from ferryman.errors import TokenizerError
from ferryman.text import Tokenizer, WordTokenizer
from ferryman.text.word_splitting import Merges, Moses

sacremoses = pytest.importorskip("sacremoses")
apply_bpe, learn_bpe = pytest.importorskip("subword_nmt.apply_bpe"), pytest.importorskip("subword_nmt.learn_bpe")

CONTROLS = ("<s>", "<blank>", "</s>", "<unk>")
MARKS = {"<blank>": "<pad>"}
SENTENCES = [pair.source for pair in generate("de", "train", 150)]
LINES = st.lists(
    st.sampled_from([*SENTENCES[0].split(), "", "@@", "@", "x@@", "</s>", "ab", "zoo", "▁", "é"]), max_size=9
)
TEXTS = st.lists(st.sampled_from([*" .,!?'\"-&|<>[]%$()", *"the river's", "@-@", "&amp;", "well-known", "U.S."])).map(
    "".join
)


def words(*symbols: str, **settings) -> WordTokenizer:
    return WordTokenizer([*CONTROLS, *symbols], normal_form="nfc", controls=MARKS, **settings)


@cache
def learned() -> tuple[str, tuple[str, ...]]:
    """Learn merges; return them and the parts of words that they make of the sentences, but for the rarest."""
    codes = io.StringIO()
    learn_bpe.learn_bpe([f"{line}\n" for line in SENTENCES], codes, num_symbols=120)
    merges = Merges(codes.getvalue(), "@@")
    parts = sorted({part for line in SENTENCES for word in line.split() for part in merges.split(word)})
    letters = [f"{letter}@@" for letter in "abcdefghijklmnopqrstuvwxyz"]
    return codes.getvalue(), tuple(dict.fromkeys([*parts, *letters]))[::-1]


@cache
def parts() -> WordTokenizer:
    codes, symbols = learned()
    return words(*symbols, codes=codes)


@given(LINES)
def test_the_tokens_are_those_of_subword_nmt(line):
    known, theirs, expected = set(learned()[1]), apply_bpe.BPE(io.StringIO(learned()[0])), []
    for word in " ".join(line).split():
        *begun, last = theirs.process_line(word).split()
        expected += [part if part in known else "<unk>" for part in begun]
        expected.append(last if last in known and not last.endswith("@@") else "<unk>")
    assert parts().pieces(" ".join(line)) == expected


@given(st.lists(st.integers(0, len(CONTROLS) + len(learned()[1]) - 1)))
def test_decoding_joins_parts_as_the_toolkits_do(ids):
    said = [index for index in ids if index >= len(CONTROLS)]
    joined = (" ".join(parts().pieces(said)) + " ").replace("@@ ", "").rstrip(" ")
    assert parts().decode(said) == joined
    assert parts().decode([index for index in ids if index != parts().unk_id]) == joined


@pytest.mark.parametrize("language", ["en", "de", "fr", "zh"])
@pytest.mark.parametrize(("dashes", "escape"), [(False, True), (True, True), (True, False)])
@given(TEXTS)
def test_moses_cuts_and_joins(language, dashes, escape, text):
    text = " ".join(text.split())
    cut = sacremoses.MosesTokenizer(lang=language).tokenize(text, aggressive_dash_splits=dashes, escape=escape)
    tokenizer = words(*dict.fromkeys(cut), moses=Moses(language, dashes=dashes, escape=escape))
    ids = tokenizer.encode(text)
    assert tokenizer.pieces(ids) == cut
    joined = sacremoses.MosesDetokenizer(lang=language).detokenize(cut, unescape=escape)
    assert tokenizer.decode(ids) == joined
    spelled = b"".join(tokenizer.spelled(ids)).decode().replace("▁", " ")
    assert spelled.split() == joined.split()


def test_lower_case_comes_after_moses():
    tokenizer = words("mr.", "smith", "'s", "ferry", ".", moses="en", lowercase=True)
    assert tokenizer.pieces("Mr. Smith's Ferry.") == ["mr.", "smith", "<unk>", "ferry", "."]
    plain = words("mr.", "smith", "&apos;s", ".", moses="en", lowercase=True)
    assert plain.decode(plain.encode("Mr. SMITH'S.")) == "mr. smith's."


@pytest.mark.parametrize("text", ["</s>", "<s> a", "<unk>", "<pad>", "<blank>", "a </s>", "<2de>"])
@pytest.mark.parametrize("settings", [{}, {"moses": "en"}])
def test_no_control_symbol_arises_from_text(text, settings):
    tokenizer = WordTokenizer(
        [*CONTROLS, "a", "<2de>"], normal_form="nfc", controls={**MARKS, "<2de>": "<2de>"}, **settings
    )
    silent = tokenizer.never_text - {tokenizer.unk_id}
    assert not silent.intersection(tokenizer.encode(text))
    assert tokenizer.control_symbols == {"<2de>": 5}
    assert tokenizer.pieces([0, 1, 2, 3]) == ["<s>", "<pad>", "</s>", "<unk>"]
    assert (tokenizer.bos_id, tokenizer.pad_id, tokenizer.eos_id, tokenizer.unk_id) == (0, 1, 2, 3)


def test_the_separator_in_a_text_joins_nothing():
    tokenizer = words("hou@@", "se", "a", "@@")
    assert tokenizer.decode(tokenizer.encode("hou@@ se @@ a")) == "\ufffd se \ufffd a"
    assert tokenizer.decode([4, 5, 6, 4]) == "house a hou"
    assert parts().decode(parts().encode("ab@@ the")).endswith(" the")


def test_text_comes_back_where_its_words_are_known():
    for line in SENTENCES:
        assert parts().decode(parts().encode(f"  {line}\u2028")) == line
    symbol = words("\u2581", "a\u2581b")
    assert symbol.decode(symbol.encode("a\u2581b \u2581")) == "a\u2581b \u2581"


def test_spellings_make_the_text_with_the_space_behind_a_word():
    tokenizer = words("hou@@", "se", "a")
    assert tokenizer.spellings[4:] == [b"hou", "se▁".encode(), "a▁".encode()]
    assert tokenizer.space_follows
    assert tokenizer.spell(" a  house ") == "a▁house".encode()
    assert tokenizer.spellings[:3] == [b"", b"", b""]


def test_a_word_that_looks_like_a_control_symbol_is_a_word():
    tokenizer = words("<2010>")
    assert tokenizer.encode("<2010>") == [4]
    assert tokenizer.control_symbols == {}


def test_an_entity_that_merges_have_cut_is_one_when_it_is_joined():
    tokenizer = words("&@@", "apos@@", ";@@", "s", "it", moses="en", codes="#version: 0.2\na p\no s\nap os\ni t</w>\n")
    ids = tokenizer.encode("it's")
    assert tokenizer.pieces(ids) == ["it", "&@@", "apos@@", ";@@", "s"]
    assert tokenizer.decode(ids) == "it's"
    assert b"".join(tokenizer.spelled(ids)) == "it▁&apos;s▁".encode()


def test_the_spaces_of_a_spelling_are_where_moses_puts_them():
    tokenizer = words(
        "(", "well", "@-@", "known", ")", ",", "isn", "&apos;t", "it", "?", moses=Moses("en", dashes=True)
    )
    ids = tokenizer.encode("(well-known), isn't it?")
    spelled = [part.decode() for part in tokenizer.spelled([*ids, tokenizer.eos_id])]
    assert spelled == ["(", "well", "-", "known", ")", ",▁", "isn", "'t▁", "it", "?", ""]


def test_the_parts_of_a_token_spell_it():
    halves, pieces = parts().parts(), parts().pieces(range(parts().vocab_size))
    made = [
        (piece, pieces[left], pieces[right]) for piece, (left, right) in zip(pieces, halves, strict=True) if left >= 0
    ]
    assert len(made) > 60
    for piece, left, right in made:
        assert left.endswith("@@")
        assert piece == left.removesuffix("@@") + right
    assert {halves[index] for index in parts().never_text} == {(-1, -1)}
    assert set(words("house", "hou@@").parts()) == {(-1, -1)}


@pytest.mark.parametrize("settings", [{}, {"separator": "￭", "lowercase": True}, {"moses": Moses("fr", dashes=True)}])
def test_a_tokenizer_survives_its_files_and_a_pickle(tmp_path, settings):
    codes, symbols = learned()
    for tokenizer in (words(*symbols, "\u0085", "\r", codes=codes, **settings), words("a", **settings)):
        tokenizer.save(tmp_path, "source")
        for copy in (WordTokenizer.load(tmp_path, "source", normal_form="nfc"), pickle.loads(pickle.dumps(tokenizer))):
            assert copy == tokenizer
            assert hash(copy) == hash(tokenizer)
            assert copy.encode("The river, they say.") == tokenizer.encode("The river, they say.")
        assert WordTokenizer.load(tmp_path, "source", normal_form="identity") != tokenizer
        (tmp_path / "source.codes").unlink(missing_ok=True)
    assert (tmp_path / "source.vocab").read_text(encoding="utf-8").split() == [*CONTROLS, "a"]
    assert issubclass(WordTokenizer, Tokenizer)


def test_a_tokenizer_is_another_where_anything_differs():
    codes, symbols = learned()
    kinds = [{}, {"codes": codes}, {"separator": "##"}, {"moses": "en"}, {"moses": "de"}, {"lowercase": True}]
    made = [words(*symbols, **kind) for kind in kinds] + [words(*symbols[::-1])]
    assert len({one.content for one in made}) == len(set(made)) == len(made)


def test_merges_of_fastbpe_are_read_too():
    theirs = "t h 120\nth e</w> 80\n"
    tokenizer = words("the", "th@@", "en", "e@@", "n", codes=theirs)
    assert tokenizer.pieces("the then") == ["the", "th@@", "e@@", "n"]
    assert tokenizer.files("source")["source.codes"] == theirs.encode()


def test_words_that_were_cut_are_not_remembered_for_ever(monkeypatch):
    merges = Merges(learned()[0], "@@")
    monkeypatch.setattr("ferryman.text.word_splitting.MOST_CACHED", 10)
    for number in range(50):
        merges.split(f"the{number}")
    assert len(merges._bpe.cache) <= 11


@pytest.mark.parametrize(
    ("symbols", "settings", "problem"),
    [
        (["a", ""], {}, "the symbol of id 5, '', is empty or has a line break"),
        (["a\nb"], {}, "is empty or has a line break"),
        (["a", "b", "a"], {}, "a stands for two ids, 4 and 6"),
        (["<pad>"], {}, "<pad> stands for two ids, 1 and 4"),
        (["a"], {"codes": "#version: 0.2\nt h\nth e x\n"}, "line 3 of the codes, 'th e x', is no pair"),
        (["a"], {"codes": ""}, "line 1 of the codes, '', is no pair"),
    ],
)
def test_what_cannot_be_a_tokenizer_is_refused(symbols, settings, problem):
    with pytest.raises(TokenizerError, match=problem):
        words(*symbols, **settings)


def test_controls_that_are_none_are_refused():
    with pytest.raises(TokenizerError, match="the control symbol <nil> is not in the vocabulary"):
        WordTokenizer(["a"], normal_form="nfc", controls={"<nil>": "<pad>"})
    with pytest.raises(
        TokenizerError, match=r"a is called b; a control symbol is one of <pad>, <unk>, <s>, </s>, <2…>"
    ):
        WordTokenizer(["a"], normal_form="nfc", controls={"a": "b"})
    bare = WordTokenizer(["a", "</s>"], normal_form="nfc")
    with pytest.raises(TokenizerError, match="has no <unk> symbol"):
        bare.encode("b")
    with pytest.raises(TokenizerError, match="token id 2 is out of range"):
        bare.decode([2])


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("source.words.json", "{", r"source\.words\.json: the tokenizer is damaged"),
        ("source.words.json", "{}", r"source\.words\.json: the tokenizer is damaged"),
        ("source.words.json", "[]", r"source\.words\.json: the tokenizer is damaged"),
        ("source.codes", "a\n", r"source: line 1 of the codes"),
        ("source.vocab", "a\na\n", r"source: a stands for two ids"),
    ],
)
def test_damaged_files_are_refused_by_name(tmp_path, file, content, problem):
    words("a", codes=learned()[0]).save(tmp_path, "source")
    (tmp_path / file).write_text(content)
    with pytest.raises(TokenizerError, match=problem):
        WordTokenizer.load(tmp_path, "source", normal_form="nfc")
    (tmp_path / file).unlink()
    if file != "source.codes":
        with pytest.raises(TokenizerError, match=rf"cannot read the tokenizer .*{file}"):
            WordTokenizer.load(tmp_path, "source", normal_form="nfc")


@pytest.mark.parametrize(
    ("settings", "package"), [({"codes": "a b\n"}, "subword-nmt"), ({"moses": "en"}, "sacremoses")]
)
def test_a_missing_library_is_told_with_its_extra(monkeypatch, settings, package):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(TokenizerError, match=rf"needs {package}: pip install 'ferryman\[words\]'"):
        words("a", **settings)
    assert words("a").encode("a") == [4]


def test_settings_are_readable():
    about = json.loads(words("a", moses="de").files("source")["source.words.json"])
    assert about == {
        "separator": "@@",
        "moses": {"language": "de", "dashes": False, "escape": True},
        "lowercase": False,
        "controls": {"<blank>": "<pad>"},
    }
