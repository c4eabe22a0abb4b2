"""One adapter for all worlds beside each world's own: what both say where an expert's dialogue is known.

A turn counts if each of its tokens is the adapter's likeliest after those before it: asked for that turn,
the model in PyTorch would have said, greedily, what the expert says. So one pass over a dialogue judges all
of its turns. Nothing is served and nothing played; ``check`` does that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from tqdm import tqdm

from mnemocraft import stats
from mnemocraft.llm.gguf_file import read_gguf
from mnemocraft.llm.merged import TOKENS
from mnemocraft.stats import MIN_CLUSTERS, Estimate, difference, rate
from training.finetune.demonstrate import Dialogue
from training.finetune.export import copy_adapter
from training.finetune.render import Sequence, sequence

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedTokenizerBase

TASKS = 100
"""Tasks of a world, none of which was learnt from. What a memory is asked of the last ones may come after."""
OWN, JOINT = "its own", "all worlds'"
"""Whose adapter."""
ACTS = ("actor", "planner")
"""Roles by which one adapter for all is judged: what they say is what is done."""
NO_WORSE = -0.05
"""What the lower end of the difference has to be above, if it is to be called no worse."""
PART = 2048
"""Tokens to be said whose logits are computed at a time."""


def of_tasks(dialogues: Iterable[Dialogue], tasks: int = TASKS) -> Iterator[tuple[str, Dialogue]]:
    """Dialogues up to the first of another task than ``tasks``, each with its task.

    A task of How2 begins with the Actor's dialogue.
    """
    seen: dict[str, None] = {}
    for number, dialogue in enumerate(dialogues):
        if dialogue.source or dialogue.role == "actor":
            task = dialogue.source or f"task {number}"
            if len(seen) == tasks and task not in seen:
                return
            seen[task] = None
        yield task, dialogue


def turns(model: PeftModel, kept: list[int], shown: Iterable[tuple[str, str, Sequence]]) -> pd.DataFrame:
    """What an adapter makes of the turns that are to be learnt.

    Args:
        model: With the adapter.
        kept: The tokens that it is served with, in ascending order.
        shown: Task, role and tokens of every dialogue.

    Returns:
        One row a turn: ``task``, ``role``, ``tokens``, and ``right``: whether the adapter would have said it.
    """
    body, rows = model.base_model.model.model, []
    device = next(model.parameters()).device
    known = torch.tensor(kept, device=device)
    weights = model.base_model.model.lm_head.weight
    head = weights[known].float()
    for task, role, item in shown:
        places = np.flatnonzero(item.learn[1:])
        if not len(places):
            continue
        half = torch.autocast(device.type, dtype=torch.bfloat16, enabled=weights.dtype == torch.bfloat16)
        with torch.inference_mode():
            with half:
                tokens = torch.as_tensor(item.tokens, device=device)[None]
                hidden = body(input_ids=tokens).last_hidden_state[0].float()
            best = [(hidden[part] @ head.T).argmax(-1) for part in torch.as_tensor(places).split(PART)]
            right = known[torch.cat(best)].cpu().numpy() == item.tokens[1:][places]
        begins = np.flatnonzero(np.diff(places, prepend=-2) > 1)
        rows += [
            {"task": task, "role": role, "tokens": len(some), "right": bool(some.all())}
            for some in np.split(right, begins[1:])
        ]
    return pd.DataFrame(rows, columns=["task", "role", "tokens", "right"])


def judged(
    model: PeftModel,
    tokenizer: PreTrainedTokenizerBase,
    adapters: Mapping[str, Path],
    lessons: Iterable[tuple[str, Dialogue]],
    longest: int,
) -> pd.DataFrame:
    """:func:`turns` of several adapters, by name (``adapter``), on the same dialogues (:func:`of_tasks`)."""
    shown = [(task, d.role, whole(sequence(d, tokenizer, longest), longest)) for task, d in lessons]
    found = []
    for name, file in adapters.items():
        copy_adapter(file, model)
        kept = read_gguf(file).fields[TOKENS].contents()
        found.append(turns(model, kept, tqdm(shown, desc=name, unit="dialogue")).assign(adapter=name))
    return pd.concat(found, ignore_index=True)


def whole(item: Sequence, longest: int) -> Sequence:
    """A dialogue without the turn in which it is cut, if it is."""
    if len(item.tokens) < longest or not item.learn[-1]:
        return item
    learn = item.learn.copy()
    learn[np.flatnonzero(~learn)[-1] + 1 :] = False
    return replace(item, learn=learn)


def compared(said: pd.DataFrame) -> pd.DataFrame:
    """A row a role: the share of turns said as the expert says them, clustered by task.

    Columns ``role``, ``turns``, ``tasks``, the shares of both adapters (``own``, ``joint``), the
    ``difference`` with ``low`` and ``high``, and ``no_worse``: yes or no for who acts (:data:`ACTS`), nothing
    for the others and below :data:`~mnemocraft.stats.MIN_CLUSTERS` tasks.
    """
    rows = []
    for role in said["role"].unique():
        some = said[said["role"] == role].assign(right=lambda table: table["right"].astype(float))
        found = stats.cells(some, rate("right"), by=("adapter",), cluster="task")
        effect = found.estimate(difference([(JOINT,)], [(OWN,)]))
        rows.append(
            {"role": role, "turns": effect.n, "tasks": effect.clusters}
            | {"own": found.value[(OWN,)], "joint": found.value[(JOINT,)]}
            | {"difference": effect.value, "low": effect.low, "high": effect.high}
            | {"no_worse": _no_worse(effect) if role in ACTS else ""}
        )
    return pd.DataFrame(rows)


def _no_worse(effect: Estimate) -> str:
    if effect.fewest < MIN_CLUSTERS:
        return ""
    least = effect.value if effect.agreed else effect.low
    return "yes" if least > NO_WORSE else "no"
