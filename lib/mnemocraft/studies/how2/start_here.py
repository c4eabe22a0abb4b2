"""What notebook 00 shows: the cost of the How2 study, a small model at work, what the surrogate assumes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from mnemocraft.llm.budget import prices
from mnemocraft.llm.types import Usage
from mnemocraft.runs import Study
from mnemocraft.studies.findings import Played
from mnemocraft.studies.how2 import sweep
from mnemocraft.studies.how2.load import ADAPTER
from mnemocraft.surrogate import DEFAULTS, MINDS
from mnemocraft.surrogate.assumptions import ASSUMPTIONS

SAMPLE = 60
"""Episodes of each set-up and teacher in which tokens are counted."""
DEMO_STEPS = {"smoke": 8, "quick": 8, "full": sweep.MAX_STEPS}
"""Environment steps of an episode with the local model, which needs seconds for each."""
RECORDED = f"replay:{ADAPTER}"
"""What the local model answered; the demonstration of profile ``quick`` is among what notebook 01 asks."""
AGENT = ["setup", "teacher"]
MEANINGS = {
    "knowledge": "probability that what it believes about the recipes of an item is right (in the kitchen: "
    "about a dish or a way of preparing; in Minecraft: about what an item needs). Otherwise it is plausibly "
    "wrong: another ingredient, another shape, an ingredient missing, a step skipped. Drawn once per seed "
    "and item.",
    "attention": "probability that something in its context is taken up: a told recipe, executable steps, "
    "'cannot be made', the advice to look things up first. Drawn once per episode and piece of text. What is "
    "taken up overrides a belief that it contradicts.",
    "slip": "probability that a call is malformed, misplaced or eager, and that a line it writes (an "
    "explanation, a memory entry, a verdict) is wrong.",
    "context_decay": "how fast attention falls with the prompt: it is multiplied by "
    "exp(-context_decay x tokens / 1000). A study that turns it on assumes that long histories distract.",
}
"""What the surrogate's numbers mean."""


def demo(profile: str) -> Study:
    """Three episodes for a slow local model, cut short in the small profiles."""
    return sweep.demo(3, DEMO_STEPS[profile])


def demo_model(profile: str) -> str:
    """Who plays the demonstration: the small model live, or in ``smoke``, for want of time, its recording."""
    return RECORDED if profile == "smoke" else f"local:{ADAPTER}"


def managed(records: pd.DataFrame) -> str:
    """One sentence on what a model managed in its demonstration."""
    counts = records.reindex(columns=["actions", "invalid_calls", "reads"]).fillna(0).sum().astype(int)
    model, solved = records["model"].iloc[0], records["success"].sum()
    return (
        f"{model} solved {solved} of {len(records)} tasks within {records['max_steps'].max()} step(s) each: "
        f"{counts['actions']} valid moves, smelts or refusals, {counts['reads']} look-ups, "
        f"{counts['invalid_calls']} invalid calls."
    )


def sample() -> Study:
    """A few episodes of every set-up and teacher, to count tokens in."""
    quick = sweep.study("quick", [0])
    settings = {"split": "low", "variant": "main"}
    chosen = [s for s in quick.streams if settings.items() <= s.condition.settings.items()]
    short = tuple(replace(s, tasks=s.tasks[:SAMPLE]) for s in chosen)
    return replace(quick, name="00_start_here", streams=short)


def tokens(records: pd.DataFrame) -> pd.DataFrame:
    """Mean prompt and completion tokens an episode, summed over roles, by set-up and teacher."""
    kinds = {
        kind: records.filter(regex=rf"^tokens_.*_{kind}$").sum(axis=1) for kind in ("prompt", "completion")
    }
    return records[AGENT].assign(**kinds).groupby(AGENT, sort=False).mean().reset_index()


def estimate(records: pd.DataFrame, seeds: Sequence[int]) -> pd.DataFrame:
    """Tokens (millions) and list price of each profile of the study, for every model of ``data/prices.csv``.

    Args:
        records: Episodes whose token counts stand for all of their set-up and teacher.
        seeds: The seeds that would be run.
    """
    each = tokens(records).set_index(AGENT)
    rows = []
    for profile in sweep.TASKS:
        streams = sweep.study(profile, seeds).streams
        total = sum(
            each.loc[tuple(s.condition.settings[k] for k in AGENT)] * len(s.tasks) for s in streams
        ).round()
        usage = Usage(int(total["prompt"]), int(total["completion"]), estimated=True)
        rows += [
            {"profile": profile, "episodes": sum(len(s.tasks) for s in streams), "priced_model": name}
            | {
                "prompt_millions": usage.prompt_tokens / 1e6,
                "completion_millions": usage.completion_tokens / 1e6,
            }
            | {"usd": price.of(usage)}
            for name, price in prices().items()
        ]
    return pd.DataFrame(rows)


def findings(played: Played) -> list[str]:
    """The lines at the head of the notebook: what a run costs."""
    found = [tables["cost_estimate"] for tables in played.values() if "cost_estimate" in tables]
    rows = [(str(name), rows) for table in found for name, rows in table.groupby("profile", sort=False)]
    return [_cost(name, each) for name, each in rows]


def _cost(profile: str, rows: pd.DataFrame) -> str:
    low, high = (rows.iloc[place] for place in (rows["usd"].argmin(), rows["usd"].argmax()))
    return (
        f"Notebook 01 at profile `{profile}` is {low['episodes']} episodes: by the surrogate's count "
        f"{low['prompt_millions']:.1f} million tokens of prompts and {low['completion_millions']:.1f} "
        "million of answers, more with a model that thinks aloud. List price: from "
        f"\\${low['usd']:.2f} ({low['priced_model']}) to \\${high['usd']:.2f} ({high['priced_model']})."
    )


def defaults() -> pd.DataFrame:
    """The surrogate's numbers as they are unless the model's name says otherwise, and what they mean."""
    knowledge = ", ".join(f"{spec.knowledge:g} {world}" for world, spec in MINDS.items())
    values = {"knowledge": knowledge} | {name: f"{value:g}" for name, value in DEFAULTS.items()}
    rows = [(name, value, MEANINGS[name]) for name, value in values.items()]
    return pd.DataFrame(rows, columns=["number", "default", "meaning"]).set_index("number")


def assumptions() -> str:
    """Markdown: what the surrogate assumes, each with an anchor by its name, as verdicts name it."""
    return "\n".join(
        f'- <a id="{name.replace(" ", "-")}"></a>**{name}**: {said}' for name, said in ASSUMPTIONS.items()
    )
