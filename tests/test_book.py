"""The book of the executed notebooks: its site, its Markdown pages, and the pages that are committed."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from mnemocraft import paths
from mnemocraft.book import executed, pages
from mnemocraft.errors import MnemocraftError

BOOK = paths.ROOT / "book"
COMMITTED = sorted(BOOK.glob("*.md"))
NOTEBOOKS = sorted(path.stem for path in paths.NOTEBOOKS.glob("*.ipynb"))


def png(seed: int, width: int = 20, height: int = 20) -> bytes:
    """Noise, which cannot be compressed."""
    buffer = io.BytesIO()
    noise = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    Image.fromarray(noise).save(buffer, "png")
    return buffer.getvalue()


UNKNOWN = png(2, 400, 400)
"""A picture that is no figure, too heavy for a page."""


def shown(**data: str) -> nbformat.NotebookNode:
    kinds = {"png": "image/png", "html": "text/html", "text": "text/plain", "widget": executed.WIDGET}
    return new_output("display_data", {kinds[name]: value for name, value in data.items()})


def in_base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run's folder: notebook 01 executed in smoke and quick, with tables and figures."""
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))
    frame = pd.DataFrame(
        {("a", "x"): [1], ("a", "y|z"): ["2"]}, index=pd.MultiIndex.from_tuples([("k", "l")])
    )
    cells = [
        new_markdown_cell("# Does it help?\n\nIt does, as [notebook 01](01_x.ipynb) says."),
        new_code_cell("workers = 2\nmodel = 'surrogate'", metadata={"tags": [executed.INJECTED]}),
        new_code_cell(
            "\n".join(f"line_{i} = {i}" for i in range(12)),
            outputs=[
                new_output("stream", name="stdout", text="it begins\n"),
                new_output("stream", name="stderr", text="100%| 3/3 [00:01<00:00]"),
                new_output("stream", name="stdout", text=f"results go to {tmp_path}/data/results/01_x\n"),
                shown(widget='{"model_id": "1"}', text="IntSlider(value=0)"),
                shown(html=frame.to_html(), text="..."),
                shown(png=in_base64(png(1)), text="<Image>"),
                shown(
                    html="<details><summary>Table 9</summary><p>More &lt;b&gt;</p>"
                    "<table><tr><th>a</th></tr><tr><td>9</td></tr></table></details>"
                ),
                shown(html=f'<img src="data:image/png;base64,{in_base64(UNKNOWN)}"><details>said</details>'),
            ],
        ),
        new_code_cell("time()", metadata={"tags": [executed.VARIES]}, outputs=[shown(text="0.123 s")]),
    ]
    for profile in ("smoke", "quick"):
        path = tmp_path / "build/notebooks/surrogate" / profile / "01_x.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(new_notebook(cells=cells), path)
    for file, content in {
        "figures/01_x/figure1.png": png(1),
        "figures/00_w/same.png": png(1),
        "data/results/01_x/surrogate/smoke/t.csv": b"",
        "data/results/01_x/surrogate/quick/t.csv": b"",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(content)
    return tmp_path


def test_the_largest_executed_profile_of_each_model_is_taken(root: Path) -> None:
    other = root / "build/notebooks/replay-a/smoke/01_x.ipynb"
    other.parent.mkdir(parents=True)
    other.write_text((root / "build/notebooks/surrogate/quick/01_x.ipynb").read_text())
    found = executed.find(root / "build/notebooks")
    assert [(one.name, one.profile) for one in found] == [("01_x", "quick"), ("01_x-replay-a", "smoke")]


def test_a_failed_run_and_the_model_of_a_run_without_one_do_not_count(root: Path) -> None:
    path = root / "build/notebooks/surrogate/full/01_x.ipynb"
    path.parent.mkdir()
    failed = new_code_cell("1 / 0", outputs=[new_output("error", ename="E", evalue="", traceback=[])])
    nbformat.write(new_notebook(cells=[failed]), path)
    nbformat.write(
        new_notebook(cells=[new_code_cell("1", metadata={"papermill": {"status": "pending"}})]),
        path.with_name("03_z.ipynb"),  # stopped half-way
    )
    asks_none = new_code_cell('model = "none"\nprofile = "quick"', metadata={"tags": ["parameters"]})
    nbformat.write(new_notebook(cells=[asks_none]), path.with_name("02_y.ipynb"))
    found = executed.find(root / "build/notebooks")
    assert [(one.name, one.model, one.profile) for one in found] == [
        ("01_x", "surrogate", "quick"),
        ("02_y", "none", "full"),
    ]


def test_a_damaged_executed_notebook_is_named(root: Path) -> None:
    path = root / "build/notebooks/surrogate/quick/01_x.ipynb"
    path.write_text(path.read_text()[:500])
    [one] = executed.find(root / "build/notebooks")
    with pytest.raises(MnemocraftError, match=r"01_x.ipynb is missing or damaged .*get it again"):
        one.read()


def test_a_page_has_tables_and_links_and_nothing_of_the_machine(root: Path) -> None:
    (path,) = pages.write(executed.find(root / "build/notebooks"), root / "book")
    text = path.read_text()
    assert path.name == "01_x.md"
    assert "\n|  |  | a / x | a / y\\|z |\n| --- | --- | --- | --- |\n| k | l | 1 | 2 |\n" in text
    assert "![figure1](../figures/01_x/figure1.png)" in text
    assert "it begins\n    results go to data/results/01_x\n" in text
    assert "[notebook 01](01_x.md)" in text
    assert "<details><summary>Code</summary>\n\n```python\nline_0 = 0\n" in text
    assert pages.VARIED in text
    assert (
        "\n<details><summary>Table 9</summary>\n\nMore &lt;b&gt;\n\n| a |\n| --- |\n| 9 |\n\n</details>\n"
        in text
    )
    for absent in ("workers", "100%", "IntSlider", "0.123", "said", str(root), "base64", "<table"):
        assert absent not in text
    assert all((root / "book" / link).exists() for link in pages.links(text) if "notebooks" not in link)


def test_what_is_said_in_a_table_is_no_tag_and_ends_no_cell() -> None:
    cell = "&lt;img src=x&gt; &lt;NA&gt; a\\|b"
    html = f"<table><tr><th>entry</th></tr><tr><td>{cell}</td></tr></table>"
    told = pages.table(pages.BeautifulSoup(html, "html.parser").table)
    assert told.splitlines()[-1] == r"| &lt;img src=x&gt; &lt;NA&gt; a\\\|b |"


def test_pages_are_the_same_each_time_and_stale_pictures_go(root: Path) -> None:
    def written() -> dict[str, bytes]:
        pages.write(executed.find(root / "build/notebooks"), root / "book")
        return {file.name: file.read_bytes() for file in (root / "book").rglob("*.*")}

    first = written()
    (root / "book/images/000000000000.png").write_bytes(png(3))
    assert written() == first
    assert [name for name in first if name.endswith(".png")] == [
        f"{pages.sha256(UNKNOWN).hexdigest()[:12]}.png"
    ]


def test_a_page_of_a_larger_profile_is_not_replaced_by_a_smaller_one(root: Path) -> None:
    full = root / "data/results/01_x/surrogate/full/t.csv"
    full.parent.mkdir()
    full.touch()
    assert pages.write(executed.find(root / "build/notebooks"), root / "book") == []


def test_a_stored_picture_is_small_whatever_it_shows() -> None:
    for width, height in ((1500, 50), (450, 450)):  # too wide, too heavy
        content = pages.small(png(4, width, height))
        assert len(content) <= pages.HEAVIEST
        assert Image.open(io.BytesIO(content)).width <= pages.WIDEST


def test_the_site_has_every_notebook_and_loads_nothing_from_the_network(root: Path) -> None:
    pytest.importorskip("myst_nb")
    from mnemocraft.book import site

    index = site.build(executed.find(root / "build/notebooks"), root / "build/book")
    assert index == root / "build/book/index.html"
    assert 'href="01_x.html"' in index.read_text()
    page = index.with_name("01_x.html").read_text()
    assert (
        "Does it help?" in page and "IntSlider" not in page and "<table" in page and "data:image/png" in page
    )
    assert "0.123 s" in page


@pytest.mark.parametrize(
    "tag",
    [
        '<script src="https://cdn.example.org/a.js">',
        '<link rel="stylesheet" href="//cdn.example.org/a.css">',
        '<img src="http://example.org/a.png">',
        "<style>@import url('https://example.org/a.css')</style>",
    ],
)
def test_what_a_page_loads_from_the_network_is_found(tag: str, tmp_path: Path) -> None:
    pytest.importorskip("myst_nb")
    from mnemocraft.book import site

    page = tmp_path / "page.html"
    page.write_text(f'<a href="https://example.org">a link to follow</a><img src="_images/a.png">{tag}')
    assert len(site.loaded(page)) == 1


def test_without_an_executed_notebook_it_says_what_to_run(tmp_path: Path) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "mnemocraft.book"],
        env={"MNEMOCRAFT_OUTPUT_ROOT": str(tmp_path), "PYTHONPATH": str(paths.ROOT / "lib")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 2
    assert finished.stderr == "run_all.sh: The book needs executed notebooks; run ./run_all.sh first.\n"


def test_the_readme_says_what_each_notebook_is_about_and_links_its_page() -> None:
    rows = re.findall(
        r"^\| \[`(\w+)`\]\(book/(\w+)\.md\) \| .{20,} \|$", (paths.ROOT / "README.md").read_text(), re.M
    )
    assert rows == [(stem, stem) for stem in NOTEBOOKS]


@pytest.mark.parametrize("page", COMMITTED, ids=lambda path: path.stem)
def test_a_committed_page_links_only_what_exists_and_names_no_folder_of_a_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [link for link in pages.links(text) if not (BOOK / link.partition("#")[0]).exists()] == []
    assert re.findall(r"(?<![\w.:/])/(?:home|root|tmp|work|Users)/\S+", text) == []
    assert "base64" not in text


@pytest.mark.parametrize("page", COMMITTED, ids=lambda path: path.stem)
def test_a_committed_page_has_the_text_and_code_of_its_notebook(page: Path, tmp_path: Path) -> None:
    notebook = executed.Executed(paths.NOTEBOOKS / f"{page.stem}.ipynb", paths.NO_MODEL, "full")
    _, *written = pages.page(notebook, tmp_path, {}).split("\n\n")
    text, at = page.read_text(encoding="utf-8"), 0
    for paragraph in written:
        found = text.find(paragraph, at)
        assert found >= 0, f"run the notebook and ./run_all.sh book: the page lacks {paragraph!r}"
        at = found + len(paragraph)


def test_committed_pictures_are_small_and_shown() -> None:
    links = {link for page in COMMITTED for link in pages.links(page.read_text(encoding="utf-8"))}
    for picture in (BOOK / pages.IMAGES).glob("*.png"):
        assert f"{pages.IMAGES}/{picture.name}" in links
        assert picture.stat().st_size <= pages.HEAVIEST
