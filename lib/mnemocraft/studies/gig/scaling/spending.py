"""What recorded episodes of GiG and ReAct cost in attention, call by call, and what the formulas predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mnemocraft import costs
from mnemocraft.agents.gig import prompts
from mnemocraft.agents.gig.answers import read_fields
from mnemocraft.envs import KitchenEnv
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs import read_trajectory
from mnemocraft.studies import papers
from mnemocraft.worlds.kitchen import KitchenWorld

METHODS = ("gig", "react")
PAIR = ["mode", "task", "seed"]
PAPER_CROSSOVER = int(papers.fact("gig", "fig10_baselines_cheaper_below"))
"""Steps below which the paper's baselines are cheaper (A.3)."""


@dataclass(frozen=True)
class Spent:
    """What one episode cost.

    Attributes:
        each: Attention cost of each call, as the paper counts.
        anew: The same with the text that GiG carries over read anew, as a cache of prefixes would have to.
        lengths: Mean lengths of its calls.
    """

    each: list[int]
    anew: list[int]
    lengths: costs.Lengths

    @property
    def predicted(self) -> list[float]:
        """The model's cost after each call, from the mean lengths."""
        s, o, r, branching = self.lengths
        steps = range(1, len(self.each) + 1)
        if branching == 1:
            return [costs.react_attention_cost(n, s, o, r) for n in steps]
        return [costs.gig_attention_cost(n, s, o, r, branching) for n in steps]


def spent(method: str, trajectory: Sequence[Mapping[str, Any]], system: int, branching: float) -> Spent:
    """The cost of an episode of GiG or ReAct, from its recorded calls (at least one).

    Args:
        trajectory: The log, as :func:`mnemocraft.runs.read_trajectory` gives it.
        system: Tokens of the system message.
        branching: Mean number of valid actions.
    """
    calls = [entry for entry in trajectory if entry["type"] == "call"]
    tokens = [(call["prompt_tokens"], call["completion_tokens"]) for call in calls]
    kept = _kept(trajectory)
    if method == "react":
        conversation = costs.conversation(tokens, kept)
        each = costs.conversation_costs(conversation)
        return Spent(each, each, costs.mean_lengths(conversation, system))
    turns = costs.single_turns(tokens, system, _carried(calls, kept))
    anew = costs.single_turns(tokens, system, [0] * len(tokens))
    lengths = costs.mean_lengths(turns, system, branching)
    return Spent(costs.single_turn_costs(turns), costs.single_turn_costs(anew), lengths)


def _kept(trajectory: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Whether each call's answer was accepted: a rejected one is followed by its error feedback."""
    following = [*trajectory[1:], {"type": "end"}]
    return [
        after.get("name") != "feedback"
        for entry, after in zip(trajectory, following, strict=True)
        if entry["type"] == "call"
    ]


def _carried(calls: Sequence[Mapping[str, Any]], kept: Sequence[bool]) -> list[int]:
    """Tokens that each of GiG's prompts takes over from the last accepted answer: summary and progress.

    Their share of the answer's characters stands for their share of its tokens.
    """
    carried, held = [], 0
    for call, accepted in zip(calls, kept, strict=True):
        carried.append(held)
        if accepted and call["text"]:
            fields = read_fields(call["text"])
            noted = sum(len(fields.get(name, "")) for name in ("summary", "current progress"))
            held = round(call["completion_tokens"] * noted / len(call["text"]))
    return carried


def system_tokens(method: str, task: str, seed: int, first_prompt: int) -> int:
    """Tokens of the system message: its share of the first prompt's characters, which are written anew."""
    world = KitchenWorld(KitchenEnv(task, seed))
    successors = world.successors() if method == "gig" else {}
    user = prompts.message([*prompts.base(world.observe().text), prompts.simulation(successors)])
    system = len(prompts.system(world, method)["content"])
    return round(first_prompt * system / (system + len(user["content"])))


def measured(records: pd.DataFrame, out: Path) -> pd.DataFrame:
    """One row a model call of every episode that ended by itself: its cost, all in all, and as predicted.

    Returns:
        Columns ``method``, ``mode``, ``task``, ``seed``, ``call`` (from 1), ``cost``, ``total``,
        ``total_anew``, ``predicted``, and the episode's mean lengths ``system``, ``observation``, ``output``,
        ``branching``.

    Raises:
        MnemocraftError: GiG or ReAct has no episode that ended by itself.
    """
    frames = []
    ended = records[records["status"] == "ok"].sort_values("mode", ascending=False, kind="stable")
    for _, record in ended.iterrows():  # sync before async
        trajectory = read_trajectory(out, record)
        first = next((entry["prompt_tokens"] for entry in trajectory if entry["type"] == "call"), None)
        if first is None:  # its first prompt did not fit into the model's context
            continue
        system = system_tokens(record["method"], record["task"], record["seed"], first)
        found = spent(record["method"], trajectory, system, record["branching"] or 1)
        columns = {
            "call": range(1, len(found.each) + 1),
            "cost": found.each,
            "total": np.cumsum(found.each),
            "total_anew": np.cumsum(found.anew),
            "predicted": found.predicted,
        }
        names = {name: record[name] for name in ("method", *PAIR)}
        frames.append(pd.DataFrame(names | columns | found.lengths._asdict()))
    table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame({"method": []})
    if missing := set(METHODS) - set(table["method"]):
        lacking = " or ".join(sorted(missing))
        raise MnemocraftError(f"No episode of {lacking} ended by itself; see their errors.")
    return table


def episodes(calls: pd.DataFrame) -> pd.DataFrame:
    """One row an episode: its last row of :func:`measured`, with ``call`` as ``calls``, and its growth.

    ``growth`` is the exponent with which the cost grew from half the episode to its end: 1 for a cost in
    proportion to the number of calls, 2 for its square. NaN for a single call.
    """
    keys = ["method", *PAIR]
    table = calls.groupby(keys, sort=False).tail(1).rename(columns={"call": "calls"}).drop(columns="cost")
    half = calls.rename(columns={"call": "half", "total": "half_total"})[[*keys, "half", "half_total"]]
    table = table.assign(half=table["calls"] // 2).merge(half, on=[*keys, "half"], how="left")
    longer = np.log(table["calls"] / table["half"].replace(0, np.nan))
    growth = np.log(table["total"] / table["half_total"]) / longer
    return table.assign(growth=growth).drop(columns=["half", "half_total"])


def lengths(played: pd.DataFrame) -> pd.DataFrame:
    """Mean lengths of :func:`episodes` by method and mode, and how far the prediction is from the cost."""
    names = ["calls", *costs.Lengths._fields]
    columns = {"predicted_per_spent": "predicted", "anew_per_spent": "total_anew"}
    ratios = {ratio: played[column] / played["total"] for ratio, column in columns.items()}
    groups = played.assign(**ratios).groupby(["mode", "method"], sort=False)
    return groups[[*names, *ratios]].mean().assign(episodes=groups.size()).reset_index()


def pairs(calls: pd.DataFrame) -> pd.DataFrame:
    """GiG and ReAct in the same kitchen, compared after equally many calls.

    Returns:
        Columns ``mode``, ``task``, ``seed``, ``calls`` (of the shorter episode), ``ratio`` (ReAct's cost over
        GiG's after them), ``early_ratio`` (after 24 at most), ``crossover`` (the call from which on ReAct's
        cost was the higher one; NaN if it never was), ``predicted`` (the model's, from ReAct's lengths and
        the branching that GiG met).
    """
    gig, react = (calls[calls["method"] == method] for method in METHODS)
    both = react.merge(gig, on=[*PAIR, "call"], suffixes=("", "_gig"))
    both = both.assign(ratio=both["total"] / both["total_gig"])
    rows = [(*key, *_compared(rows)) for key, rows in both.groupby(PAIR, sort=False)]
    return pd.DataFrame(rows, columns=[*PAIR, "calls", "ratio", "early_ratio", "crossover", "predicted"])


def _compared(both: pd.DataFrame) -> tuple[int, float, float, float, int | None]:
    last = both.iloc[-1]
    n, ratio = int(last["call"]), both["ratio"].to_numpy()
    behind = np.flatnonzero(ratio <= 1)
    crossover = int(behind[-1]) + 2 if len(behind) else 1
    predicted = costs.crossover_horizon(
        last["system"], last["observation"], last["output"], last["branching_gig"]
    )
    early = ratio[min(n, PAPER_CROSSOVER - 1) - 1]
    return n, ratio[-1], early, crossover if crossover <= n else np.nan, predicted
