"""Where things are: the one place that knows the layout of the repository."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""Repository root (the package is installed from a checkout, in editable mode)."""
DATA = ROOT / "data"
NOTEBOOKS = ROOT / "notebooks"


def slug(model: str) -> str:
    """File-system name of a model: ``replay:how2/a`` becomes ``replay-how2-a``."""
    return "".join(c if c.isalnum() or c in "._=-" else "-" for c in model)


def output_root() -> Path:
    """Folder below which a run writes: the repository, or ``$MNEMOCRAFT_OUTPUT_ROOT`` (tests use it)."""
    return Path(os.environ.get("MNEMOCRAFT_OUTPUT_ROOT") or ROOT).resolve()


def results_dir(stem: str, model: str, profile: str) -> Path:
    """Folder of a notebook's tables; git ignores those of profile ``smoke``."""
    return output_root() / "data" / "results" / stem / slug(model) / profile


def figures_dir(stem: str, profile: str) -> Path:
    """Folder of a notebook's figures; ``smoke`` has its own, so that it never overwrites committed ones."""
    parent = output_root() / "build" if profile == "smoke" else output_root()
    return parent / "figures" / stem


def run_dir(stem: str, model: str) -> Path:
    """Folder of a notebook's episodes, shared by all profiles: a longer one reuses a shorter one's."""
    return output_root() / "build" / "runs" / stem / slug(model)
