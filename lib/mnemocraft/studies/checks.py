"""Wrong parameters of a notebook are refused in one sentence, before anything is played."""

from collections.abc import Sequence

from mnemocraft import paths
from mnemocraft.bounded import whole
from mnemocraft.errors import MnemocraftError


def check_seeds(seeds: Sequence[int], example: int) -> None:
    """Raise MnemocraftError unless they are a list of one or more seeds; ``example`` is one that may be."""
    if isinstance(seeds, str) or not isinstance(seeds, Sequence) or not seeds:
        raise MnemocraftError(
            f"The parameter 'seeds' must be a list of at least one, such as [{example}], not {seeds!r}."
        )
    for seed in seeds:
        whole(seed, "A seed", 0)


def check_models(model: str, other: str | None, name: str = "small_model") -> None:
    """Raise MnemocraftError if two models would write to the same folder; ``name`` is the other parameter."""
    if other and paths.slug(other) == paths.slug(model):
        left_out = ", or None to leave it out" * (name == "small_model")
        raise MnemocraftError(f"model and {name} are both {model!r}: name another {name}{left_out}.")
