"""Runs notebooks again in one process, as fast as it goes: for ``test_notebooks``.

Every line of the input is JSON with the path of a ``notebook``, its ``parameters``, the ``folder`` of its
tables and their ``names``. Its cells are run until these tables are there; figures are drawn, but not saved.
For every line of the input there is one of the output: empty, or what went wrong. A notebook that hangs ends
the process, which then says on the standard error where every thread was.
"""

import faulthandler
import json
import os
import sys
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.io import capture_output
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from mnemocraft import figstyle
from mnemocraft.studies import report

LONGEST = 300
"""Seconds a notebook may take; idle, the longest takes half a minute."""


def run(notebook: str, parameters: dict[str, Any], folder: str, names: list[str]) -> str:
    """What went wrong, or nothing."""
    shell = InteractiveShell.instance()
    shell.reset(new_session=False)
    for cell in parameterize_notebook(load_notebook_node(notebook), parameters).cells:
        if cell.cell_type == "code":
            with capture_output():
                result = shell.run_cell(cell.source)
            if error := result.error_before_exec or result.error_in_exec:
                return f"{type(error).__name__}: {error}".replace("\n", " ")
            if set(names) <= {path.name for path in Path(folder).glob("*.csv")}:
                return ""
    return "its tables are not all there"


def main() -> None:
    """Answer line by line; whatever else is printed goes to the standard error."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "w") as replies:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        report.save_figures = lambda drawn, folder: []
        figstyle.show = lambda folder, name: None
        for line in sys.stdin:
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            said = run(**json.loads(line))
            faulthandler.cancel_dump_traceback_later()
            print(said, file=replies, flush=True)


if __name__ == "__main__":
    main()
