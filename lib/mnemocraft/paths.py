"""Where things are: the one place that knows the layout of the repository."""

import os
import re
import sysconfig
from hashlib import sha256
from pathlib import Path

from mnemocraft.errors import one_of

_ABOVE = Path(__file__).resolve().parents[2]
CHECKOUT = (_ABOVE / "notebooks").is_dir()
"""Whether the package runs from a checkout; an installed wheel has the library and its data only."""
ROOT = _ABOVE if CHECKOUT else Path.cwd()
"""Repository root; without a checkout the folder one works in."""
DATA = ROOT / "data" if CHECKOUT else Path(sysconfig.get_path("data")) / "share" / "mnemocraft"
NOTEBOOKS = ROOT / "notebooks"
PROFILES = ("smoke", "quick", "full")
"""The sizes of a run, the smallest first."""
NO_MODEL = "none"
"""The model's name where none is asked; a notebook with this default is filed under it whatever is named."""
SHIPPED = ("surrogate", NO_MODEL)
"""The models whose figures come with the repository."""
_SCHEMES = ("local", "replay", "surrogate")
_LONGEST = 100


def slug(model: str) -> str:
    """File-system name of a model, another one for each model: ``replay:how2`` becomes ``replay-how2``.

    A name that had to be changed otherwise ends with ``~`` and eight digits of its SHA-256, as ``a/b`` and
    ``a-b`` would be one folder; so does one with capital letters, which some file systems do not tell apart.
    It is one plain name: it leads nowhere else, is not hidden and not too long.
    """
    plain = re.sub(r"[^A-Za-z0-9._=-]", "-", model)
    scheme, _, rest = plain.partition("-")
    meant = f"{scheme}:{rest}" if scheme in _SCHEMES and rest else plain
    if meant == model and plain == plain.lower() and plain[:1] not in ("", ".") and len(plain) <= _LONGEST:
        return plain
    return f"{plain.lstrip('.')[:_LONGEST]}~{sha256(model.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def output_root() -> Path:
    """Folder below which a run writes: :data:`ROOT`, or ``$MNEMOCRAFT_OUTPUT_ROOT`` (tests use it)."""
    return Path(os.environ.get("MNEMOCRAFT_OUTPUT_ROOT") or ROOT).resolve()


def results_dir(stem: str, model: str, profile: str) -> Path:
    """Folder of a notebook's tables; git ignores those of profile ``smoke``.

    Raises:
        MnemocraftError: There is no such profile.
    """
    one_of("profile", profile, PROFILES)
    return output_root() / "data" / "results" / stem / slug(model) / profile


def figures_dir(stem: str, model: str, profile: str) -> Path:
    """Folder of a run's figures.

    ``figures/<notebook>/`` itself holds the shipped ones, which go with the largest profile of a model of
    :data:`SHIPPED` that has tables. Any other run draws into ``figures/<notebook>/<model>/<profile>/`` and
    overwrites nothing that was shipped; git ignores those of profile ``smoke``.

    Raises:
        MnemocraftError: There is no such profile.
    """
    one_of("profile", profile, PROFILES)
    folder = output_root() / "figures" / stem
    larger = PROFILES[PROFILES.index(profile) + 1 :]
    done = any(results_dir(stem, model, other).is_dir() for other in larger)
    if model in SHIPPED and profile != "smoke" and not done:
        return folder
    return folder / slug(model) / profile


def run_dir(stem: str, model: str) -> Path:
    """Folder of a notebook's episodes, of all profiles: where their tasks begin alike they share them."""
    return output_root() / "build" / "runs" / stem / slug(model)


NOT_PLAYED = "mnemocraft_not_played"
"""In the metadata of the output in which a notebook says why it plays nothing."""
