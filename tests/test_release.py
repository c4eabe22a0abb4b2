"""What a release needs besides code: how to cite it, what changed, cards of its data, links that work."""

import json
import re
import tomllib

import pytest
import yaml

from mnemocraft import paths
from mnemocraft.book import pages

PROJECT = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text())
ZENODO = json.loads((paths.ROOT / ".zenodo.json").read_text())
CHANGELOG = (paths.ROOT / "CHANGELOG.md").read_text()
CARDS = [paths.DATA / folder / "README.md" for folder in ("recordings", "kitchen", "minecraft")]
PAPERS = {"2510.11144", "2302.01560", "2601.21841", "2501.19318"}


def test_the_citation_has_what_the_format_asks_for() -> None:
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)
    for reference in CITATION["references"]:
        assert {"type", "title", "authors", "year"} <= set(reference)


def test_all_agree_on_version_licence_and_papers() -> None:
    assert CITATION["version"] == ZENODO["version"] == PROJECT["version"]
    assert CITATION["license"] == ZENODO["license"] == PROJECT["license"]
    assert CITATION["title"] == ZENODO["title"]
    cited = " ".join(each["value"] for ref in CITATION["references"] for each in ref["identifiers"])
    assert set(re.findall(r"\d{4}\.\d{5}", cited)) == PAPERS
    assert {each["identifier"].removeprefix("arXiv:") for each in ZENODO["related_identifiers"]} == PAPERS


def test_the_changelog_is_in_its_form() -> None:
    releases = re.findall(r"^## \[(.+?)\]", CHANGELOG, re.MULTILINE)
    assert releases[0] == "Unreleased" and PROJECT["version"] in releases
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Known at that point"}
    assert set(re.findall(r"^### (.+)$", CHANGELOG, re.MULTILINE)) <= kinds


@pytest.mark.parametrize("card", CARDS, ids=lambda path: path.parent.name)
def test_a_data_card_says_what_a_user_has_to_know(card) -> None:
    text = card.read_text(encoding="utf-8").lower()
    assert text.startswith("# data card")
    for said in ("where from", "made", "python -m training.", "size", "licence", "known faults"):
        assert said in text
    stored = {path.name for path in card.parent.iterdir()} - {"README.md"}
    assert {
        name for name in stored if name.removesuffix(".jsonl.gz").removesuffix(".json") not in text
    } == set()


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *map(str, CARDS)])
def test_links_lead_somewhere(name: str) -> None:
    page = paths.ROOT / name
    found = [link for link in pages.links(page.read_text(encoding="utf-8")) if not link.startswith("#")]
    assert [link for link in found if not (page.parent / link.partition("#")[0]).exists()] == []
