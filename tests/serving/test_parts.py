"""The small parts of a server: what it remembers, how often one may ask, who may, and what languages are called."""

import pytest

from ferryman.errors import ConfigError
from ferryman.serving.cache import Cache
from ferryman.serving.detection import Detector
from ferryman.serving.keys import add_key, find_key, read_keys
from ferryman.serving.models import Fleet, Manner, Served, name_models
from ferryman.serving.names import language_name
from ferryman.serving.planning import Plan
from ferryman.serving.rates import MOST_CLIENTS, Rates
from ferryman.serving.refusals import TooManyError, UnfitError


def test_what_was_unused_for_longest_is_forgotten():
    cache = Cache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c"), len(cache)) == (1, None, 3, 2)


def test_without_room_nothing_is_remembered():
    cache = Cache(0)
    cache.put("a", 1)
    assert cache.get("a") is None


def test_a_rate_is_a_bucket_that_fills():
    now = 0.0
    rates = Rates(lambda: now)
    for _ in range(3):
        rates.admit("anna", 3)
    with pytest.raises(TooManyError) as refused:
        rates.admit("anna", 3)
    assert refused.value.retry_seconds in (20, 21)
    rates.admit("bert", 3)
    rates.admit("cleo", 0)
    now = 21.0
    rates.admit("anna", 3)
    with pytest.raises(TooManyError):
        rates.admit("anna", 3)


def test_only_so_many_clients_are_remembered():
    rates = Rates()
    for number in range(MOST_CLIENTS + 10):
        rates.admit(str(number), 5)
    assert len(rates._buckets) == MOST_CLIENTS


def test_keys_are_recognised_and_nowhere_written(tmp_path):
    path = tmp_path / "keys.txt"
    first, second = add_key(path, "anna"), add_key(path, "bert")
    text = path.read_text()
    assert first not in text
    assert second not in text
    path.write_text(f"# who may\n{text.rstrip()} 30\n")
    keys = read_keys(path)
    assert find_key(keys, first).name == "anna"
    assert find_key(keys, first).per_minute is None
    assert find_key(keys, second).per_minute == 30
    assert find_key(keys, "x" + first) is None
    assert find_key(keys, "") is None
    assert find_key(keys, "\ud800") is None


def test_a_name_has_one_key(tmp_path):
    path = tmp_path / "keys.txt"
    add_key(path, "anna")
    with pytest.raises(ConfigError, match="has a key of that name"):
        add_key(path, "anna")
    with pytest.raises(ConfigError, match="letters"):
        add_key(path, "an na")


@pytest.mark.parametrize("line", ["anna", "anna 1234", f"anna {'a' * 64} often", f"anna {'a' * 64} 3 4"])
def test_a_line_that_is_no_key_is_told(tmp_path, line):
    path = tmp_path / "keys.txt"
    path.write_text(f"# keys\n{line}\n")
    with pytest.raises(ConfigError, match=r"keys\.txt, line 2"):
        read_keys(path)


def test_a_file_of_no_keys_lets_nobody_in_by_mistake(tmp_path):
    path = tmp_path / "keys.txt"
    with pytest.raises(ConfigError, match="no such file"):
        read_keys(path)
    path.write_text("# none\n")
    with pytest.raises(ConfigError, match="has no key"):
        read_keys(path)


@pytest.fixture(scope="module")
def detector():
    return Detector(["en", "de", "zh-Hans", "x-elvish"])


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The river is wide.", "en"),
        ("Der Fluss ist breit.", "de"),
        ("这条河很宽。", "zh-Hans"),
        ("Guten Tag", "de"),
        ("house", "en"),
    ],
)
def test_languages_are_told_apart(detector, text, language):
    found, probability = detector.rank(text)[0]
    assert found == language
    assert 0.5 < probability <= 1


def test_only_among_those_asked_for(detector):
    ranked = detector.rank("Der Fluss ist breit.", ["en", "zh-Hans"])
    assert {code for code, _ in ranked} == {"en", "zh-Hans"}
    assert sum(probability for _, probability in ranked) == pytest.approx(1)


@pytest.mark.parametrize("text", ["", "   ", "123", "🙂"])
def test_what_has_no_letters_is_in_no_language(detector, text):
    assert {probability for _, probability in detector.rank(text)} == {0.0}


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("de", "German"),
        ("zh-Hans", "Chinese (simplified)"),
        ("de-AT", "German (AT)"),
        ("nb", "Norwegian Bokmål"),
        ("x-toy", "x-toy"),
        ("tlh", "tlh"),
    ],
)
def test_names_of_languages(code, name):
    assert language_name(code) == name


def test_models_are_named_after_their_folders(tmp_path):
    folders = [tmp_path / "a" / "en-de", tmp_path / "b" / "en-de", tmp_path / "en-fr"]
    assert name_models(folders) == ["en-de", "en-de-2", "en-fr"]


def test_ways_between_languages(speaking):
    models = [
        Served("a", speaking("en", "de")),
        Served("b", speaking("de", "fr")),
        Served("c", speaking("en", "de")),
    ]
    fleet = Fleet(models)
    assert [hop.model.name for hop in fleet.route("en", "de")] == ["a"]
    assert [hop.model.name for hop in fleet.route("en", "de", model="c")] == ["c"]
    assert [hop.model.name for hop in fleet.route("en", "fr", "de")] == ["a", "b"]
    assert fleet.route("en", "en") == []
    assert fleet.targets("en") == ["de"]
    with pytest.raises(UnfitError, match="no model translates from en into fr"):
        fleet.route("en", "fr")
    with pytest.raises(UnfitError, match="no model is called d; there are: a, b, c"):
        fleet.route("en", "de", model="d")
    with pytest.raises(UnfitError, match="model b does not translate from en into de, only de → fr"):
        fleet.route("en", "de", model="b")


def test_a_pivot_makes_ways(speaking):
    models = [Served("a", speaking("en", "de")), Served("b", speaking("de", "fr"))]
    fleet = Fleet(models, "de")
    assert [hop.model.name for hop in fleet.route("en", "fr")] == ["a", "b"]
    assert fleet.targets("en") == ["de", "fr"]
    with pytest.raises(ConfigError, match=r"serving\.pivot: es is not supported; there are: en, de, fr"):
        Fleet(models, "es")


def test_codes_are_read_generously(speaking):
    fleet = Fleet([Served("a", speaking("en", "zh-Hans"))])
    assert fleet.find("EN") == "en"
    assert fleet.find("zh") == "zh-Hans"
    for wrong in ("ja", "english", "", "'; drop"):
        with pytest.raises(UnfitError, match="there are: en, zh-Hans"):
            fleet.find(wrong)


def test_a_model_without_languages_cannot_be_served(speaking):
    with pytest.raises(ConfigError, match="a: the model does not say"):
        Fleet([Served("a", speaking("", ""))])


@pytest.mark.parametrize(
    ("text", "parts", "spaces"),
    [
        ("two boats", ["two boats"], [""]),
        ("Two boats. Three boats.", ["Two boats.", "Three boats."], [" ", ""]),
        ("two boats\n\n  ten birds \nmany", ["two boats", "ten birds", "many"], ["\n\n  ", " \n", ""]),
        ("\n\ntwo boats\n", ["two boats"], [""]),
        ("", [""], [""]),
        ("\n", [""], [""]),
        (" " * 20_000 + "x", [" " * 20_000 + "x"], [""]),
    ],
)
def test_a_text_is_cut_into_lines_and_sentences(translator, text, parts, spaces):
    plan = Plan.of(text, Manner(Served("a", translator), "de", translator.config.decoding))
    assert list(plan.parts.texts) == parts
    assert list(plan.parts.spaces) == spaces
