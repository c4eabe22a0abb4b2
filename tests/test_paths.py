"""File-system names of models: safe, and never one for two."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.paths import slug

NAMES = st.text(st.characters(codec=None) | st.sampled_from("/\\.:-~_aA0"), min_size=1, max_size=130)


@pytest.mark.parametrize(
    ("model", "folder"),
    [("surrogate", "surrogate"), ("replay:how2_x", "replay-how2_x"), ("gpt-4o-mini", "gpt-4o-mini")],
)
def test_plain_names_stay(model: str, folder: str) -> None:
    assert slug(model) == folder


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("a/b", "a-b"),
        ("a/b", "a:b"),
        ("replay:x", "replay-x"),
        ("Qwen", "qwen"),
        ("é", "e\u0301"),
        ("a", "a~"),
    ],
)
def test_two_names_are_two_folders(one: str, two: str) -> None:
    assert slug(one).lower() != slug(two).lower()


@given(NAMES)
@example("..")
@example("../../etc")
@example("")
@example("-")
@example("x" * 4096)
@example("\ud800")
def test_a_name_leads_nowhere_else(model: str) -> None:
    assert re.fullmatch(r"(?!\.)[A-Za-z0-9._=~-]{1,120}", slug(model))
    place = paths.results_dir("01_x", model, "quick")
    assert Path(*place.parts[:-2]) == paths.output_root() / "data" / "results" / "01_x"


def test_a_profile_that_is_none_has_no_folder() -> None:
    for folder in (paths.results_dir, paths.figures_dir):
        with pytest.raises(MnemocraftError, match="no profile 'huge'; it is one of smoke, quick, full"):
            folder("01_x", "surrogate", "huge")


@given(NAMES, NAMES)
def test_names_are_unique(one: str, two: str) -> None:
    assert one == two or slug(one).lower() != slug(two).lower()


@given(NAMES)
def test_the_name_of_a_folder_as_a_model_has_another_folder(model: str) -> None:
    """Nobody gets into another's results by naming a model like its folder."""
    assert slug(model) == model or slug(slug(model)).lower() != slug(model).lower()


@given(NAMES, NAMES)
@example("none", "0")
def test_no_run_draws_into_the_figures_of_another_model(one: str, two: str) -> None:
    """One model's page showed another's figures when both ran at once."""
    mine, theirs = (
        {paths.figures_dir("01_x", name, profile) for profile in paths.PROFILES} for name in (one, two)
    )
    shipped = {one, two} & set(paths.SHIPPED)  # of a notebook either plays, and draws into the folder itself
    assert one == two or shipped == {one, two} or not mine & theirs
    root = paths.ROOT / "figures" / "01_x"
    assert all(folder == root or root in folder.parents for folder in mine | theirs)
    assert shipped or (len(mine) == 3 and root not in mine)
