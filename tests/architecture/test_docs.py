"""The generated pages are what the code says now; the paper's map names files that are there."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["config", "cli"])
def test_generated_pages_are_up_to_date(generate: ModuleType, page: str) -> None:
    written = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert written == getattr(generate, f"{page}_page")(), "run: python docs/generate.py"


def test_every_setting_is_explained(generate: ModuleType) -> None:
    assert "|  |\n" not in generate.config_page()


@pytest.mark.parametrize("page", ["docs/paper.md", "README.md", "README.zh-CN.md", "CONTRIBUTING.md"])
def test_links_and_paths_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    here = (ROOT / page).parent
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in link]
    assert all((here / link).exists() for link in links), [link for link in links if not (here / link).exists()]
    code = re.findall(r"`((?:model|training|decoding|data|workflows|configs|tests)/[\w./-]*)`", text)
    homes = (ROOT, ROOT / "src" / "ferryman")
    missing = [path for path in code if not any((home / path).exists() for home in homes)]
    assert not missing


def test_both_readmes_have_the_same_shape() -> None:
    english, chinese = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh-CN.md"))
    assert english.count("\n## ") == chinese.count("\n## ")
    numbers = re.compile(r"\b\d+\.\d+\b")
    assert sorted(numbers.findall(english)) == sorted(numbers.findall(chinese))
