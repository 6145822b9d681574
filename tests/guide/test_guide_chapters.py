"""What the guide's chapters say is what their experiments found, and their links lead where they say.

The experiments themselves are run in full by ``make guide``; here, some in short form, and the results they left.
"""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
UNDERSTAND = GUIDE / "understand"
PAGES = sorted(page.name for page in UNDERSTAND.glob("[0-9]*.md"))
BOTH = [f"{folder}{name}" for name in PAGES for folder in ("", "zh/")]


@pytest.fixture(scope="module")
def make() -> ModuleType:
    path = sys.path.copy()
    spec = importlib.util.spec_from_file_location("guide_make", GUIDE / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path[:] = path


def test_both_languages_have_the_same_twelve_chapters():
    assert [name[:2] for name in PAGES] == [f"{number:02}" for number in range(1, 13)]
    assert sorted(page.name for page in (UNDERSTAND / "zh").glob("*.md")) == PAGES


def test_the_index_names_every_page():
    english, chinese = ((GUIDE / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh-CN.md"))
    others = [page.name for page in GUIDE.glob("*.md") if not page.name.startswith("README")]
    for index, folder in ((english, "understand/"), (chinese, "understand/zh/")):
        named = set(re.findall(r"\]\(([\w./-]+)\)", index))
        assert {f"{folder}{name}" for name in PAGES} | set(others) <= named


@pytest.mark.parametrize("page", [*BOTH, "glossary.md", "../README.md", "../README.zh-CN.md"])
def test_links_lead_where_they_say(make: ModuleType, page: str):
    assert make.chapters.link_problems(UNDERSTAND / page) == [], "run: python docs/guide/make.py --links"


@pytest.mark.parametrize("page", BOTH)
def test_numbers_are_those_that_were_found(make: ModuleType, page: str):
    said = list(make.chapters.numbers(UNDERSTAND / page))
    assert said
    found = make.committed()
    assert [problem for number in said if (problem := number.problem(found, fresh=False))] == []


def test_both_languages_say_the_same_numbers(make: ModuleType):
    for name in PAGES:
        english, chinese = (
            sorted((number.key, number.value, number.sign, number.by) for number in make.chapters.numbers(page))
            for page in (UNDERSTAND / name, UNDERSTAND / "zh" / name)
        )
        assert english == chinese, name


def test_no_mark_is_misspelt(make: ModuleType):
    for page in BOTH:
        text = (UNDERSTAND / page).read_text(encoding="utf-8")
        assert text.count("<!--") == len(list(make.chapters.numbers(UNDERSTAND / page))), page


def test_each_chapter_has_its_parts():
    for page in BOTH:
        text = (UNDERSTAND / page).read_text(encoding="utf-8")
        assert "```math" in text and "<details>" in text and ".py#L" in text, page
        assert re.search(r"!\[[^\]]+\]\([./]*figures/", text), page
        assert re.search(r"\.\./experiments/\d\d_\w+\.py\)", text), page


def test_equations_use_only_what_github_draws():
    """GitHub has an error in place of an equation with one of these macros, and draws none right after a mark."""
    refused = re.compile(r"\\(operatorname|mbox|phantom|hphantom|vphantom|def|newcommand|require|class|href|style)\b")
    pages = [*(GUIDE.parent).rglob("*.md"), GUIDE.parents[1] / "README.md", GUIDE.parents[1] / "README.zh-CN.md"]
    found = {page.name: refused.findall(page.read_text(encoding="utf-8")) for page in pages}
    assert {name: macros for name, macros in found.items() if macros} == {}
    for page in BOTH:
        text = (UNDERSTAND / page).read_text(encoding="utf-8")
        for one in re.finditer(r"\$[^$`\n]+\$", text):
            assert text[one.start() - 1].isspace(), f"{page}: {one.group()}"
            assert not re.match(r"\w", text[one.end() :]), f"{page}: {one.group()}"


def test_figures_are_small_and_have_a_ground_of_their_own():
    for figure in (UNDERSTAND / "figures").glob("*.svg"):
        assert figure.stat().st_size < 150_000, figure.name
        assert "fill: #ffffff" in figure.read_text(encoding="utf-8")[:4000], figure.name


@pytest.mark.parametrize("number", ["02", "03", "04"])
def test_short_experiments_find_what_the_text_says(make: ModuleType, number: str):
    pytest.importorskip("matplotlib", reason="the guide's figures need the extra plot")
    results = make.load(make.experiments()[number])(True)
    exact = {
        "02": ["shuffle_memory_without", "shuffle_logits_without", "shuffle_logits_with", "same_distance_spread"],
        "03": ["one_pass_difference"],
        "04": ["max_entropy", "score_std_64", "entropy_scaled_64", "entropy_unscaled_64", "queries_unscaled_64"],
    }[number]
    found = {f"{number}.{key}": results[key] for key in exact}
    said = [one for page in BOTH for one in make.chapters.numbers(UNDERSTAND / page) if one.key in found]
    assert {one.key for one in said} == set(found)
    assert [problem for one in said if (problem := one.problem(found, fresh=True))] == []


@pytest.fixture
def page(tmp_path: Path, make: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(make.chapters, "GUIDE", tmp_path)
    (tmp_path / "code.py").write_text(
        "import os\n\n\nclass Boat:\n    def row(self):\n        pass\n", encoding="utf-8"
    )
    return tmp_path / "01-page.md"


@pytest.mark.parametrize(
    ("said", "found", "right"),
    [
        ("0.83<!-- 01.x -->", 0.8349, True),
        ("0.83<!-- 01.x -->", 0.836, False),
        ("0.83<!-- 01.x ±0.05 -->", 0.88, True),
        ("0.83<!-- 01.x ±0.05 -->", 0.89, False),
        ("80<!-- 01.x ±10% -->", 88, True),
        ("80<!-- 01.x ±10% -->", 89, False),
        ("1,500<!-- 01.x -->", 1500, True),
        ("−2.5<!-- 01.x -->", -2.5, True),
        ("4<!-- 01.x ≥ -->", 4.01, True),
        ("4<!-- 01.x ≥ -->", 3.9, False),
        ("4 %<!-- 01.x ≤ -->", 3.9, True),
        ("4<!-- 01.x ≤ -->", 4.1, False),
        ("4<!-- 01.y -->", 4.0, False),
        ("4<!-- 01.x -->", float("nan"), False),
    ],
)
def test_a_number_is_compared_as_its_mark_says(make: ModuleType, page: Path, said: str, found: float, right: bool):
    page.write_text(said, encoding="utf-8")
    [number] = make.chapters.numbers(page)
    problem = number.problem({"01.x": found}, fresh=True)
    assert (problem is None) == right
    if problem:
        assert "01-page.md" in problem and number.key in problem and number.said in problem


def test_results_are_taken_into_the_text_to_the_digits_it_has(make: ModuleType, page: Path):
    page.write_text("0.83<!-- 01.x ±0.05 --> 4<!-- 01.y ≥ --> 12<!-- 02.z -->", encoding="utf-8")
    assert make.chapters.accept_numbers(page, {"01.x": 0.9149, "01.y": 5.0})
    assert page.read_text(encoding="utf-8") == "0.91<!-- 01.x ±0.05 --> 4<!-- 01.y ≥ --> 12<!-- 02.z -->"


def test_links_follow_the_code(make: ModuleType, page: Path):
    page.write_text("[`Boat`](code.py#L1) [`Boat.row`](code.py#L5) [`sail`](code.py#L2) [x](gone.md)", encoding="utf-8")
    problems = make.chapters.link_problems(page)
    assert len(problems) == 3 and "Boat" in problems[0] and "sail" in problems[1] and "gone.md" in problems[2]
    assert make.chapters.refresh_links(page)
    assert "[`Boat`](code.py#L4)" in page.read_text(encoding="utf-8")


def test_a_link_without_a_name_is_told(make: ModuleType, page: Path):
    page.write_text("[see here](code.py#L4)", encoding="utf-8")
    assert "no name" in make.chapters.link_problems(page)[0]


@pytest.fixture
def desk(tmp_path: Path, make: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A guide of one chapter, whose experiment always finds 7."""
    experiments, understand = tmp_path / "experiments", tmp_path / "understand"
    experiments.mkdir()
    understand.mkdir()
    (experiments / "04_boats.py").write_text("def run(short):\n    return {'boats': 7.0}\n", encoding="utf-8")
    monkeypatch.setattr(make, "EXPERIMENTS", experiments)
    monkeypatch.setattr(make, "RESULTS", experiments / "results.json")
    monkeypatch.setattr(make.chapters, "GUIDE", tmp_path)
    monkeypatch.setattr(make.chapters, "UNDERSTAND", understand)
    return understand / "04-boats.md"


def test_making_a_chapter_tells_where_the_text_is_wrong(make: ModuleType, desk: Path, capsys):
    desk.write_text("There are 5<!-- 04.boats ±0.5 --> boats.", encoding="utf-8")
    assert make.main(["04"]) == 1
    told = capsys.readouterr().out.splitlines()[-1]
    assert "04-boats.md" in told and "04.boats" in told and "said to be 5" in told and "7 was found" in told
    assert "5<!--" in desk.read_text(encoding="utf-8") and not make.RESULTS.exists()


def test_what_was_found_is_taken_into_text_and_results_when_asked(make: ModuleType, desk: Path):
    desk.write_text("There are 5<!-- 04.boats ±0.5 --> boats.", encoding="utf-8")
    assert make.main(["04", "--accept"]) == 0
    assert "There are 7<!--" in desk.read_text(encoding="utf-8") and make.committed() == {"04.boats": 7.0}
    assert make.main(["04"]) == 0
