"""Tables of notebook 02: skills beside DEPS's Table 18, order of horizons, speed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from mnemocraft.errors import MnemocraftError, one_of
from mnemocraft.studies import papers
from mnemocraft.studies.estimates import NUMBERS, in_order, less, span, text
from mnemocraft.studies.minecraft.load import EVALUATE, RIVAL

CONTROLLERS = ("scripted", "learned", "random")
MOVING = ("Mine", "Kill")
"""First words of the skills that are played with motion and sight; only these have a random controller."""
EFFORT = ("mean_steps", "mean_steps_low", "mean_steps_high")
ORDER_TARGET = 0.75
"""Share of pairs of goals that this project asked of the horizon head."""
SPEEDS = {
    "without images, random": "overworld, no images, random actions",
    "without images, walking": "overworld, no images, walking",
    "with 64x64 images, random": "overworld, 64x64 images, random actions",
    "with 64x64 images, walking": "overworld, 64x64 images, walking",
    RIVAL: "crafter, 64x64 images, random actions",
}
"""Rates of the benchmark and what they are called here."""


def skills(measured: pd.DataFrame) -> pd.DataFrame:
    """Every skill of the paper's Table 18 with every controller that was measured on it, then skills of ours.

    Args:
        measured: :func:`mnemocraft.studies.minecraft.load.skills`.

    Returns:
        Columns ``skill_id`` (the paper's), ``skill``, ``controller``, ``value`` (success rate) with its 95 %
        Wilson interval ``low`` to ``high``, ``n`` episodes, ``paper`` (success rate), ``limit`` and
        ``paper_limit`` (steps allowed), ``steps`` (mean of the successes), ``mean_steps`` (a failure counts
        as all steps allowed) with its bootstrap interval, ``biome``.

    Raises:
        MnemocraftError: a skill of the paper was not measured, or one was measured twice.
    """
    paper = papers.table("deps_table18")
    _complete(measured, paper["skill"].tolist())
    ours = {
        "success_rate": "value",
        "episodes": "n",
        "max_steps": "limit",
        "mean_steps_of_successes": "steps",
    }
    printed = paper.rename(columns={"success_rate": "paper", "episode_length": "paper_limit"})
    joined = measured.rename(columns=ours).merge(printed, on="skill", how="left")
    order = list(dict.fromkeys([*paper["skill"], *measured["skill"]]))
    joined = in_order(joined, {"skill": order, "controller": CONTROLLERS})
    columns = ["skill_id", "skill", "controller", "value", "low", "high", "n", "paper"]
    return joined[[*columns, "limit", "paper_limit", "steps", *EFFORT, "biome"]]


def _complete(measured: pd.DataFrame, wanted: Sequence[str]) -> None:
    have = Counter(zip(measured["skill"], measured["controller"], strict=True))
    for (name, kind), times in have.items():
        one_of("controller", kind, CONTROLLERS)
        if times > 1:
            raise MnemocraftError(
                f"{name} by {kind} stands twice in the skills; `{EVALUATE}` makes them anew."
            )
    for name, kind in product(wanted, CONTROLLERS):
        if (kind != "random" or name.startswith(MOVING)) and (name, kind) not in have:
            raise MnemocraftError(f"{name!r} was not measured with the {kind} controller; `{EVALUATE}` does.")


def lengths(found: pd.DataFrame) -> pd.DataFrame:
    """Episodes and mean steps of the successes by skill and controller; the steps allowed; to be read."""
    kinds = [kind for kind in CONTROLLERS if kind in set(found["controller"])]
    wide = found.pivot(index="skill", columns="controller", values=["n", "steps"]).reindex(
        found["skill"].unique()
    )
    allowed = found.drop_duplicates("skill").set_index("skill")[["limit", "paper_limit"]]
    parts = {"n": wide["n"][kinds].astype("Int64"), "steps": wide["steps"][kinds]}
    return pd.concat(parts | {"steps allowed": allowed.set_axis(["ours", "paper"], axis=1)}, axis=1)


def against_random(found: pd.DataFrame) -> pd.DataFrame:
    """The learned controller less random play on the mine and kill skills, from the table of :func:`skills`.

    Returns:
        One row a skill: ``rate`` (difference of success rates) and ``steps`` (of mean steps; a failure counts
        as all steps allowed), each with its 95 % interval ``..._low`` to ``..._high``, and ``better``: by its
        ``rate``, by its ``steps``, ``no``, or ``-`` where the script never succeeds either.
    """
    of = {(str(row["controller"]), str(row["skill"])): row for _, row in found.iterrows()}
    rows = []
    for name in [skill for kind, skill in of if kind == "random"]:
        learned, random, script = (of[kind, name] for kind in ("learned", "random", "scripted"))
        rate, steps = (less([*learned[[*ends]]], [*random[[*ends]]]) for ends in (NUMBERS[:3], EFFORT))
        better = "-" if not script["value"] else "rate" if rate[1] > 0 else "steps" if steps[2] < 0 else "no"
        rows.append((name, *rate, *steps, better, min(learned["n"], random["n"])))
    columns = [f"{what}{end}" for what in ("rate", "steps") for end in ("", "_low", "_high")]
    return pd.DataFrame(rows, columns=["skill", *columns, "better", "n"])


def better_than_random(against: pd.DataFrame) -> str:
    """The table of :func:`against_random` in sentences."""
    tried = against[against["better"] != "-"]
    by = {how: tried[tried["better"] == how] for how in ("rate", "steps", "no")}
    worlds = f"{span(tried['n'])} worlds a skill"
    told = (
        f"On **{len(by['rate'])} of {len(tried)}** mine and kill skills the learned controller succeeds more "
    )
    sentences = [
        f"{told}often than random play: the 95 % interval of the difference, one skill at a time, excludes 0 "
        f"({worlds})."
    ]
    if len(by["rate"]):
        least = by["rate"].sort_values("rate").iloc[0]
        ends = f"[{100 * least['rate_low']:+.0f}, {100 * least['rate_high']:+.0f}]"
        sentences.append(f"Smallest gain: {100 * least['rate']:+.0f} points {ends}, {least['skill']}.")
    for _, row in by["steps"].iterrows():
        ends = f"[{row['steps_low']:+.0f}, {row['steps_high']:+.0f}]"
        took = f"{row['steps']:+.0f} steps {ends}"
        rate = (
            f"{100 * row['rate']:+.0f} points [{100 * row['rate_low']:+.0f}, {100 * row['rate_high']:+.0f}]"
        )
        sentences.append(
            f"Better by steps alone (a failure takes all allowed): {row['skill']}, {took}; {rate}."
        )
    never = ", ".join(against[against["better"] == "-"]["skill"])
    sentences += [f"Not so on: {', '.join(by['no']['skill'])}."] if len(by["no"]) else []
    sentences += [f"Left out, because the script never succeeds either: {never}."] if never else []
    return " ".join(sentences)


def ordered(found: pd.DataFrame) -> str:
    """How well the two heads order goals, beside what is known without looking, as a Markdown list."""
    lines = []
    for pairs_of, rows in found.groupby("pairs_of", sort=False):
        by = rows.set_index("order_by")
        heads = by.loc[["horizon head", "panorama head", "typical"]]
        one, six, none = (text(row, "accuracy") for _, row in heads.iterrows())
        number, worlds = by[["pairs", "worlds"]].iloc[0]
        lines.append(
            f"- {pairs_of}, {number:,} pairs in {worlds} worlds: {one} from one view (asked for "
            f"{ORDER_TARGET:.2f}), {six} from six, the selector of notebook 04; without looking, by which is "
            f"nearer as a rule, {none}. The differences are not tested."
        )
    return "\n".join(lines)


def speed(recorded: Mapping[str, Any]) -> pd.DataFrame:
    """Recorded steps per second, and how many times crafter's each is.

    Args:
        recorded: :func:`mnemocraft.studies.minecraft.load.speeds`.
    """
    rows = [(name, recorded[key]) for key, name in SPEEDS.items() if key in recorded]
    table = pd.DataFrame(rows, columns=["world", "steps_per_second"])
    return table.assign(times_crafter=table["steps_per_second"] / recorded[RIVAL])


def targets(recorded: Mapping[str, Any]) -> pd.DataFrame:
    """What was asked for and what was recorded; ``met`` says whether it was."""
    wanted = (
        ("steps a second without images", "blind", "without images, random"),
        ("steps a second with 64x64 images", "seeing", "with 64x64 images, random"),
        ("times crafter, with images", "times_crafter", "times crafter, with images"),
        ("reset, ms (at most)", "reset_ms", "reset with image, ms"),
        ("memory of 12,000 steps, MB (at most)", "memory_mb", "peak memory of 12,000 steps, MB"),
    )
    rows = [(what, recorded["targets"][target], recorded[key]) for what, target, key in wanted]
    table = pd.DataFrame(rows, columns=["what", "asked", "recorded"])
    most = table["what"].str.endswith("(at most)")
    return table.assign(
        met=np.where(most, table["recorded"] <= table["asked"], table["recorded"] >= table["asked"])
    )
