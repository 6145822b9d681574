"""Our models go out as packages that Argos Translate installs."""

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ferryman import convert, load
from ferryman.errors import ConfigError, ConversionError

pytestmark = pytest.mark.skipif(importlib.util.find_spec("ctranslate2") is None, reason="needs ctranslate2, of convert")


def test_a_package_says_the_same(trained, tmp_path):
    folder, texts = trained
    path = tmp_path / "en-de.argosmodel"
    made = convert(folder, path, "argos", texts=texts, quantization="int8")
    assert made.agreement.sentences > 20
    assert made.agreement.equal == made.agreement.sentences, made.agreement
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        about = json.loads(archive.read("translate-en_de-1_0/metadata.json"))
    assert {name.partition("/")[0] for name in names} == {"translate-en_de-1_0"}
    assert {f"translate-en_de-1_0/{name}" for name in ("model/model.bin", "sentencepiece.model", "README.md")} < set(
        names
    )
    assert (about["from_code"], about["from_name"], about["to_code"], about["to_name"]) == (
        "en",
        "English",
        "de",
        "German",
    )
    assert [one.name for one in tmp_path.iterdir()] == ["en-de.argosmodel"]


ARGOS = os.environ.get("ARGOS_PYTHON") or (sys.executable if importlib.util.find_spec("argostranslate") else None)


@pytest.mark.skipif(
    ARGOS is None,
    reason="needs argostranslate (pip install --no-deps argostranslate), or ARGOS_PYTHON, the interpreter that has it",
)
def test_argos_translate_itself_installs_it_and_says_the_same(trained, tmp_path):
    folder, texts = trained
    convert(folder, tmp_path / "en-de.argosmodel", "argos", texts=[])
    home = tmp_path / "home"
    home.mkdir()
    script = Path(__file__).parent / "peers" / "argos_translate.py"
    places = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ARGOS_", "PYTHON"))}
    done = subprocess.run(
        [ARGOS, script, tmp_path / "en-de.argosmodel"], input="\n".join(texts), capture_output=True, text=True,
        env=places | {"HOME": str(home), "PYTHONUTF8": "1", "ARGOS_BEAM_SIZE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list(home.rglob("translate-en_de-1_0/model/model.bin"))
    plain = ["decoding.beam=1", "decoding.max_length_extra=200", "decoding.protect=[]", "decoding.fallback=false"]
    ours = load(folder, plain)
    said = done.stdout.splitlines()
    assert said == [one.text for one in ours.translate(texts)]
    assert len(said) == len(texts) > 20


def test_with_two_vocabularies_the_source_s_joins_the_target_s_pieces(make_model, tmp_path):
    folder = make_model(source="en", target="de", tie="none", output_bias=True)
    made = convert(folder, tmp_path / "en-de.argosmodel", "argos", texts=["The river is wide.", "Anna sleeps."])
    assert made.agreement.equal == made.agreement.sentences == 2, made.agreement


def test_what_argos_cannot_hold_is_refused(make_model, tmp_path):
    path = tmp_path / "en-de.argosmodel"
    several = make_model(source="several", target="several")
    with pytest.raises(ConversionError, match="one pair of languages, and this model 2: en → de, en → zh-Hans"):
        convert(several, path, "argos")
    plain = make_model(name="plain")
    with pytest.raises(ConversionError, match=r"names its languages, and this model does not: add data\.source"):
        convert(plain, path, "argos", ["data.source_language=''"])
    with pytest.raises(ConfigError, match=r"a package's name ends in .argosmodel"):
        convert(plain, tmp_path / "en-de", "argos")
    convert(plain, path, "argos", texts=[])
    with pytest.raises(ConversionError, match="in the format argos, which is only written"):
        load(path)
