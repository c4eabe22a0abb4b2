"""The static site: the executed notebooks and the table of claims, read without a network."""

from __future__ import annotations

import io
import re
import shutil
import tempfile
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup
from sphinx.application import Sphinx

from mnemocraft import paths
from mnemocraft.book.executed import LONG_CODE, Executed
from mnemocraft.errors import MnemocraftError

SETTINGS = {
    "project": "Mnemocraft",
    "extensions": ["myst_nb"],
    "html_theme": "pydata_sphinx_theme",
    "html_theme_options": {"navbar_center": [], "footer_start": [], "footer_end": []},
    "html_sidebars": {"index": [], "**": ["globaltoc.html"]},
    "html_title": "Mnemocraft",
    "html_copy_source": False,
    "html_show_sphinx": False,
    "myst_heading_anchors": 3,
    "nb_execution_mode": "off",
    "nb_ipywidgets_js": {},
    "suppress_warnings": ["myst.header", "myst.xref_missing", "misc.highlighting_failure"],
}
"""Sphinx's configuration; scripts that would come from a network are switched off."""
ROW = re.compile(r"^\| \[?`(\d\d_\w+)`.*? \| (.*) \|$", re.MULTILINE)
"""A row of the README's table of notebooks: name and what it is about."""


def sentences() -> dict[str, str]:
    """What each notebook is about, from the README."""
    return dict(ROW.findall((paths.ROOT / "README.md").read_text(encoding="utf-8")))


def build(books: list[Executed], folder: Path) -> Path:
    """Build the site into ``folder``, anew.

    Returns:
        Its first page.

    Raises:
        MnemocraftError: a page would load something from the network.
    """
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as work:
        source = Path(work) / "source"
        source.mkdir()
        _write_source(books, source)
        warnings = io.StringIO()
        app = Sphinx(
            source, None, folder, Path(work) / "doctrees", "html", SETTINGS, status=None, warning=warnings
        )
        app.build()
    if foreign := {url for page in folder.rglob("*.html") for url in loaded(page)}:
        raise MnemocraftError(f"The site must need no network, but it loads {', '.join(sorted(foreign))}.")
    return folder / "index.html"


def _write_source(books: list[Executed], source: Path) -> None:
    about = sentences()
    for book in books:
        notebook = book.read()
        for cell in notebook.cells:
            if cell.cell_type == "code" and cell.source.count("\n") >= LONG_CODE:
                cell.metadata.setdefault("tags", []).append("hide-input")
        nbformat.write(notebook, source / f"{book.name}.ipynb")
    rows = [
        f"| [{book.name}]({book.name}.ipynb) | {about.get(book.stem, '')} | {book.model} | {book.profile} |"
        for book in books
    ]
    names = [book.name for book in books]
    claims = paths.ROOT / "CLAIMS.md"
    if claims.exists():
        shutil.copy(claims, source / "CLAIMS.md")
        names.append("CLAIMS")
    index = [
        "# Mnemocraft",
        "",
        "How planning agents that use language models remember: notebooks with their results.",
        "",
        "| notebook | what it is about | model | profile |",
        "|---|---|---|---|",
        *rows,
        "",
        "```{toctree}",
        ":hidden:",
        ":titlesonly:",
        *names,
        "```",
    ]
    (source / "index.md").write_text("\n".join(index), encoding="utf-8")


def loaded(page: Path) -> list[str]:
    """What an HTML page would load from the network; links to follow do not count."""
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    tags = soup(["script", "link", "img", "iframe", "source", "video", "audio", "object", "embed"])
    urls = [str(tag.get(name, "")) for tag in tags for name in ("src", "href", "data")]
    urls += re.findall(r"url\(['\"]?([^'\")]+)", " ".join(style.get_text() for style in soup("style")))
    return [url for url in urls if re.match(r"(https?:)?//", url)]
