"""Markdown pages of executed notebooks, which a code host shows: small, and the same for the same outputs.

Figures are links to the committed files with the same content. Other pictures, such as strips of an episode,
are stored in ``images/``, named by their content and made small.
"""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Iterator
from hashlib import sha256
from html import escape
from itertools import product
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from nbconvert import MarkdownExporter
from nbformat import NotebookNode
from PIL import Image

from mnemocraft import paths
from mnemocraft.book.executed import LONG_CODE, VARIES, Executed, committed_profile

TEMPLATE = f"""
{{%- extends 'markdown/index.md.j2' -%}}
{{%- block input -%}}
{{%- set long = cell.source.count('\\n') >= {LONG_CODE} -%}}
{{%- if long %}}<details><summary>Code</summary>

{{% endif -%}}
```python
{{{{ cell.source }}}}
```
{{%- if long %}}

</details>
{{%- endif %}}
{{% endblock input %}}
"""
IMAGES = "images"
WIDEST = 1000
"""A stored picture is at most as wide, in pixels ..."""
HEAVIEST = 150_000
"""... and its file at most as large, in bytes."""
VARIED = "*(Left out: this output differs from run to run.)*"


def write(books: list[Executed], folder: Path) -> list[Path]:
    """Write the page of every notebook whose committed tables are of the same profile.

    Pages of other notebooks stay as they are; pictures that no page shows are removed.

    Returns:
        The pages that were written.
    """
    figures = paths.output_root() / "figures"
    written = []
    for book in books:
        if book.profile == committed_profile(book.stem, book.model):
            path = folder / f"{book.name}.md"
            (folder / IMAGES).mkdir(parents=True, exist_ok=True)
            path.write_text(page(book, folder, by_content(figures, book.stem)), encoding="utf-8")
            written.append(path)
    shown = {link for path in folder.glob("*.md") for link in links(path.read_text(encoding="utf-8"))}
    for picture in (folder / IMAGES).glob("*.png"):
        if f"{IMAGES}/{picture.name}" not in shown:
            picture.unlink()
    return written


def links(text: str) -> list[str]:
    """The relative links and pictures of a page."""
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]


def by_content(figures: Path, stem: str) -> dict[str, Path]:
    """The PNG figures by the hash of their content; of equal ones the shipped one of notebook ``stem``."""
    kept = [
        path for path in figures.rglob("*.png") if path.parent.name != paths.PROFILES[0]
    ]  # git ignores smoke
    files = sorted(kept, key=lambda path: (stem not in path.parts, len(path.parts), path))
    return {sha256(path.read_bytes()).hexdigest(): path for path in reversed(files)}


def page(book: Executed, folder: Path, figures: dict[str, Path]) -> str:
    """The page of one notebook, to be stored in ``folder``, where new pictures are stored at once."""
    notebook = book.read()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            if VARIES in cell.metadata.get("tags", []) and cell.outputs:
                cell.outputs = [_markdown(VARIED)]
            cell.outputs = [_in_markdown(output, folder, figures) for output in cell.outputs]
    text, _ = MarkdownExporter(raw_template=TEMPLATE).from_notebook_node(notebook)
    text = re.sub(
        r"\]\((\d\d_\w+)\.ipynb\b", r"](\1.md", text
    )  # from notebook to notebook: from page to page
    player = f", model `{book.model}`, and the other parameters as below" * (book.model != paths.NO_MODEL)
    origin = (
        f"*Run with profile `{book.profile}`{player}; made from [the notebook]"
        f"(../notebooks/{book.stem}.ipynb) by `./run_all.sh book`.*"
    )
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"{origin}\n\n" + re.sub(r"\n{3,}", "\n\n", lines).strip() + "\n"


def _markdown(text: str) -> NotebookNode:
    return NotebookNode(output_type="display_data", data=NotebookNode({"text/markdown": text}), metadata={})


def _in_markdown(output: NotebookNode, folder: Path, figures: dict[str, Path]) -> NotebookNode:
    """An output as Markdown; printed text stays as it is."""
    data = output.get("data", {})
    if "image/png" in data:
        return _markdown(_picture(base64.b64decode(data["image/png"]), folder, figures))
    if "text/markdown" not in data and "text/html" in data:
        return _markdown("\n\n".join(_html(data["text/html"], folder, figures)))
    return output


def _html(text: str, folder: Path, figures: dict[str, Path]) -> Iterator[str]:
    """Tables and pictures of an HTML output; or its text if it has neither. Of what is folded up, tables stay
    folded, and the rest is left out."""
    soup = BeautifulSoup(text, "html.parser")
    folded = [tag.extract() for tag in soup("details") if tag.table]
    yield from map(_folded, folded)
    for hidden in soup(["style", "script", "details"]):
        hidden.decompose()
    shown = soup(["table", "img"])
    for tag in shown:
        if tag.name == "table":
            yield table(tag)
        else:
            yield _picture(base64.b64decode(str(tag["src"]).partition("base64,")[2]), folder, figures)
    if not shown and not folded:
        yield _said(soup)


def _folded(tag: Tag) -> str:
    """Tables and sentences behind a title, as GitHub shows them."""
    parts = [table(part) if part.name == "table" else _said(part) for part in tag(["p", "table"])]
    title = "" if tag.summary is None else _said(tag.summary)
    return "\n\n".join([f"<details><summary>{title}</summary>", *parts, "</details>"])


def _said(tag: Tag) -> str:
    """The text of a tag, in which nothing is a tag."""
    return escape(tag.get_text(" ", strip=True), quote=False)


def _picture(content: bytes, folder: Path, figures: dict[str, Path]) -> str:
    """A link to a picture: the committed figure with this content, or a small copy stored here."""
    key = sha256(content).hexdigest()
    if key in figures:
        return f"![{figures[key].stem}]({Path(os.path.relpath(figures[key], folder)).as_posix()})"
    path = folder / IMAGES / f"{key[:12]}.png"
    if not path.exists():
        path.write_bytes(small(content))
    return f"![picture]({IMAGES}/{path.name})"


def small(content: bytes) -> bytes:
    """A PNG with at most :data:`WIDEST` pixels a row, :data:`HEAVIEST` bytes, and 256 colours."""
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    width = min(WIDEST, picture.width)
    while True:
        height = round(picture.height * width / picture.width)
        smaller = picture.resize((width, height), Image.Resampling.LANCZOS)
        buffer = io.BytesIO()
        smaller.quantize(256).save(buffer, "png", optimize=True)
        if buffer.tell() <= HEAVIEST:
            return buffer.getvalue()
        width = width * 9 // 10


def table(tag: Tag) -> str:
    """An HTML table in Markdown, which knows one row of headings: several are joined, cell by cell."""
    cells: dict[tuple[int, int], str] = {}
    rows = tag("tr")
    for y, row in enumerate(rows):
        x = 0
        for cell in row(["th", "td"]):
            while (y, x) in cells:
                x += 1
            text = _said(cell).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
            high, wide = (int(str(cell.get(span, "1"))) for span in ("rowspan", "colspan"))
            for down, right in product(range(high), range(wide)):
                cells[y + down, x + right] = "" if down else text
    width = 1 + max(x for _, x in cells)
    head = len(tag.select("thead tr")) or 1
    columns = [[cells.get((y, x), "") for y in range(head)] for x in range(width)]
    heading = [" / ".join(dict.fromkeys(filter(None, column))) for column in columns]
    body = [[cells.get((y, x), "") for x in range(width)] for y in range(head, len(rows))]
    lines = [heading, ["---"] * width, *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
