"""One adapter for all worlds beside each world's own: what both say where an expert's dialogue is known.

A turn counts if each of its tokens is the adapter's likeliest after those before it: asked for that turn, it
would have said, greedily, what the expert says. So one pass over a dialogue judges all of its turns. Nothing
is served and nothing played; ``check`` does that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from tqdm import tqdm

from mnemocraft import stats
from mnemocraft.llm.gguf_file import read_gguf
from mnemocraft.llm.merged import TOKENS
from mnemocraft.stats import difference, rate
from training.finetune.demonstrate import Dialogue
from training.finetune.export import copy_adapter
from training.finetune.render import Sequence, sequence

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedTokenizerBase

TASKS = 100
"""Tasks of a world, none of which was learnt from, with all of their dialogues."""
OWN, EVERY = "its own", "all worlds'"
"""Whose adapter."""
NO_WORSE = -0.05
"""What the lower end of the difference has to be above, if one adapter for all is to be called no worse."""


def of_tasks(dialogues: Iterable[Dialogue], tasks: int = TASKS) -> Iterator[tuple[str, Dialogue]]:
    """The dialogues of the first ``tasks``, each with its task; a task of How2 begins with the Actor's."""
    seen: dict[str, None] = {}
    for number, dialogue in enumerate(dialogues):
        if dialogue.source or dialogue.role == "actor":
            task = dialogue.source or f"task {number}"
            if len(seen) == tasks and task not in seen:
                return
            seen[task] = None
        yield task, dialogue


def turns(
    model: PeftModel, kept: list[int], shown: Iterable[tuple[str, str, Sequence]], batch: int = 2048
) -> pd.DataFrame:
    """What an adapter makes of the turns that are to be learnt.

    Args:
        model: With the adapter.
        kept: The tokens that it is served with, in ascending order.
        shown: Task, role and tokens of every dialogue.
        batch: Tokens to be said whose logits are computed at a time.

    Returns:
        One row a turn: ``task``, ``role``, ``tokens``, whether the adapter would have said it (``right``),
        and the ``nats`` that its tokens cost it; infinitely many if it does not have one of them.
    """
    body, rows = model.base_model.model.model, []
    device = next(model.parameters()).device
    known = torch.tensor(kept, device=device)
    head = model.base_model.model.lm_head.weight[known]
    for task, role, item in shown:
        places = np.flatnonzero(item.learn[1:])
        if not len(places):
            continue
        wanted = item.tokens[1:][places]
        with (
            torch.inference_mode(),
            torch.autocast(device.type, dtype=torch.bfloat16, enabled=head.dtype == torch.bfloat16),
        ):
            hidden = body(input_ids=torch.as_tensor(item.tokens, device=device)[None]).last_hidden_state[0]
            found = [_said(hidden[part], head) for part in torch.as_tensor(places).split(batch)]
        best, total, logits = (torch.cat(parts) for parts in zip(*found, strict=True))
        at = np.minimum(np.searchsorted(kept, wanted), len(kept) - 1)
        has = np.asarray(kept)[at] == wanted
        right = has & (best.numpy() == at)
        nats = np.where(has, (total - logits[range(len(at)), at]).numpy(), np.inf)
        begins = np.flatnonzero(np.diff(places, prepend=-2) > 1)
        rows += [
            {"task": task, "role": role, "tokens": len(some), "right": bool(right[some].all())}
            | {"nats": float(nats[some].sum())}
            for some in np.split(np.arange(len(places)), begins[1:])
        ]
    return pd.DataFrame(rows, columns=["task", "role", "tokens", "right", "nats"])


def _said(hidden: torch.Tensor, head: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of every place the likeliest token, the logarithm of the sum of all, and the logits."""
    logits = (hidden @ head.T).float().cpu()
    return logits.argmax(-1), logits.logsumexp(-1), logits


def judged(
    model: PeftModel,
    tokenizer: PreTrainedTokenizerBase,
    adapters: dict[str, Path],
    dialogues: Iterable[Dialogue],
    longest: int,
    tasks: int = TASKS,
) -> pd.DataFrame:
    """:func:`turns` of several adapters, by name (``adapter``), on the same dialogues."""
    shown = [(task, d.role, sequence(d, tokenizer, longest)) for task, d in of_tasks(dialogues, tasks)]
    found = []
    for name, file in adapters.items():
        copy_adapter(file, model)
        kept = read_gguf(file).fields[TOKENS].contents()
        found.append(turns(model, kept, tqdm(shown, desc=name, unit="dialogue")).assign(adapter=name))
    return pd.concat(found, ignore_index=True)


def compared(judged: pd.DataFrame) -> pd.DataFrame:
    """A row a role, and ``all``: the share of turns said as the expert says them, clustered by task.

    Columns ``role``, ``turns``, ``tasks``, ``own`` and ``every`` (of :data:`OWN` and :data:`EVERY`), the
    ``difference`` with ``low`` and ``high``, ``no_worse`` (see :data:`NO_WORSE`; empty where there is no
    interval), and the nats a token of both (``own_nats``, ``every_nats``).
    """
    rows = []
    for role in ("all", *judged["role"].unique()):
        some = judged if role == "all" else judged[judged["role"] == role]
        some = some.assign(said=some["right"].astype(float))
        found = stats.cells(some, rate("said"), by=("adapter",), cluster="task")
        effect = found.estimate(difference([(EVERY,)], [(OWN,)]))
        nats = some.groupby("adapter")[["nats", "tokens"]].sum()
        cost = nats["nats"] / nats["tokens"]
        rows.append(
            {"role": role, "turns": effect.n, "tasks": effect.clusters}
            | {"own": found.value[(OWN,)], "every": found.value[(EVERY,)]}
            | {"difference": effect.value, "low": effect.low, "high": effect.high}
            | {"no_worse": "" if np.isnan(effect.low) else bool(effect.low > NO_WORSE)}
            | {"own_nats": cost[OWN], "every_nats": cost[EVERY]}
        )
    return pd.DataFrame(rows)
