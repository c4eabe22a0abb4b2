"""The executed notebooks: which ones a book is made of, and what of their outputs a reader gets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbformat import NotebookNode

from mnemocraft import paths
from mnemocraft.errors import unreadable

LONG_CODE = 8
"""A code cell with more lines than this is folded up."""
WIDGET = "application/vnd.jupyter.widget-view+json"
INJECTED = "injected-parameters"
ASKS_NOBODY = re.compile(r""""model = (\\"|')none\1""")
"""The default parameter of a notebook in which no language model is asked, as its file has it."""
UNFINISHED = re.compile(r'"output_type": "error"|"status": "(running|pending)"')
"""What the file of a notebook that did not run through has: an error, or a cell that was never ended."""
VARIES = "varies"
"""Tag of a cell whose outputs differ from run to run, such as times: the committed pages leave them out."""


@dataclass(frozen=True)
class Executed:
    """An executed notebook at ``path``; ``model`` is the one that its tables and figures are filed under."""

    path: Path
    model: str
    profile: str

    @property
    def stem(self) -> str:
        """The notebook's name, e.g. ``09_gig_robotouille``."""
        return self.path.stem

    @property
    def name(self) -> str:
        """Name of its page: the notebook's, and the model's unless its figures are shipped."""
        return self.stem if self.model in paths.SHIPPED else f"{self.stem}-{self.model}"

    def read(self) -> NotebookNode:
        """The notebook without what only its run was interested in (:func:`clean`).

        Raises:
            MnemocraftError: It is damaged.
        """
        with unreadable(self.path):
            return clean(nbformat.read(self.path, as_version=4))


def find(folder: Path) -> list[Executed]:
    """Of each notebook and model in ``folder/<model>/<profile>`` the largest profile that ran through."""
    found = {}
    for profile in paths.PROFILES:
        for path in sorted(folder.glob(f"*/{profile}/[0-9][0-9]_*.ipynb")):
            text = path.read_text(encoding="utf-8")
            model = paths.NO_MODEL if ASKS_NOBODY.search(text) else path.parents[1].name
            if not UNFINISHED.search(text):
                one = Executed(path, model, profile)
                found[one.name] = one
    return [found[name] for name in sorted(found)]


def committed_profile(stem: str, model: str) -> str | None:
    """The largest profile whose tables the repository has; git ignores those of ``smoke``."""
    folder = paths.output_root() / "data" / "results" / stem / model
    return next((size for size in paths.PROFILES[:0:-1] if any((folder / size).glob("*.csv"))), None)


def clean(notebook: NotebookNode) -> NotebookNode:
    """The notebook without progress bars, live widgets, times, and names of this machine's folders."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata.pop("papermill", None)
    for cell in notebook.cells:
        cell.metadata.pop("papermill", None)
        if cell.cell_type != "code":
            continue
        if INJECTED in cell.metadata.get("tags", []):  # as many workers as this machine has cores
            cell.source = re.sub(r"^workers = .*\n?", "", cell.source, flags=re.MULTILINE).rstrip()
        cell.outputs = [output for output in map(_clean_output, cell.outputs) if output]
    CoalesceStreamsPreprocessor().preprocess(notebook, {})  # lines between which a bar moved belong together
    return notebook


def _clean_output(output: NotebookNode) -> NotebookNode | None:
    if output.output_type == "stream":
        output.text = relative(output.text)
        return None if output.name == "stderr" else output
    if output.output_type == "error":
        return output
    if output.data.pop(WIDGET, None) and set(output.data) <= {"text/plain"}:
        return None  # all that is left is the widget's class
    for kind in output.data:
        if kind.startswith("text/"):
            output.data[kind] = relative(output.data[kind])
    return output


def relative(text: str) -> str:
    """Absolute paths into a checkout as seen from its root."""
    return re.sub(r"(?<![\w./:])/(?:[\w.@-]+/)+(?=(?:data|figures|build|notebooks|lib)/)", "", text)
