"""What follows from a rule of How2's set-ups and is thus no claim to test: questions and the order of tasks.

- A relevance check can only refuse what the memory found, so with it the teacher is asked at least as often
  as without. If it refuses everything, the agent asks as often as Just Ask, and what it adds over a memory
  with exact keys is the share of tasks whose target was met before: 1 - targets/tasks.
- A memory with exact keys holds for a target what was stored for that target. A curriculum keeps the order of
  the tasks of one target, so that it can change only what is shared between targets: entries under the keys
  that Parse adds, and ingredients that are looked up by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pandas as pd

from mnemocraft.agents.how2.roles import says
from mnemocraft.agents.how2.settings import TEACHERS
from mnemocraft.figstyle import is_surrogate
from mnemocraft.stats import difference
from mnemocraft.studies.estimates import span
from mnemocraft.studies.how2 import judged, measures
from mnemocraft.studies.how2.load import SPLITS
from mnemocraft.studies.markup import escaped

WITHOUT_CHECK = {"relevance": "memory_only", "how2": "parse"}
"""The set-ups with a Relevance role, and what they are without it."""
OUTCOMES = ("succeeded", "asked")
"""What a change of order could change about an episode."""


def relevance(episodes: pd.DataFrame, trajectory: judged.Trajectory) -> pd.DataFrame:
    """What the relevance check said and what it added, main variant.

    Args:
        episodes: Prepared episodes (:func:`~mnemocraft.studies.how2.measures.prepare`).
        trajectory: Reads the events of an episode.

    Returns:
        One row a set-up with the role and split: ``checks``, ``refused`` of them, the same of what the
        non-executable teacher said alone (``checks_prose``, ``refused_prose``), episodes with a check
        (``checked``) and those in which all were refused (``all_refused``); ``asked_more`` (share of episodes
        with a question, less that of the set-up without the role), ``most`` (the same of Just Ask, which is
        what refusing everything comes to), ``repeats`` (1 - targets/tasks), and the number of ``episodes``.
    """
    main = episodes[episodes["variant"] == "main"]
    asked = measures.cells(main, "avg_intervention_rate", ("setup", "split"))
    rows = []
    for (setup, without), split in product(WITHOUT_CHECK.items(), SPLITS):
        mine = main[(main["setup"] == setup) & (main["split"] == split)]
        said = _said(mine, trajectory)
        more, most = (
            asked.counted(difference([(one, split)], [(without, split)])).value for one in (setup, "just_ask")
        )
        repeats = 1 - mine["target"].nunique() / mine["task"].nunique() if len(mine) else float("nan")
        rows.append(
            {"setup": setup, "split": split, "checks": len(said), "refused": int(said["refused"].sum())}
            | {
                "checks_prose": int(said["prose"].sum()),
                "refused_prose": int(said[said["prose"]]["refused"].sum()),
            }
            | {"checked": said["episode"].nunique()}
            | {"all_refused": int(said.groupby("episode")["refused"].all().sum())}
            | {"asked_more": more, "most": most, "repeats": repeats, "episodes": len(mine)}
        )
    return pd.DataFrame(rows)


def _said(episodes: pd.DataFrame, trajectory: judged.Trajectory) -> pd.DataFrame:
    """Every answer of the Relevance role: its episode, whether that is about prose, whether it refused."""
    checked = episodes[episodes[judged.CALLS] > 0] if judged.CALLS in episodes else episodes.iloc[:0]
    said = [
        (number, episode["teacher"] == TEACHERS[-1], not says("yes", event["text"]))
        for number, episode in enumerate(checked.to_dict("records"))
        for event in trajectory({str(name): value for name, value in episode.items()})
        if event["type"] == "call" and event["role"] == "relevance"
    ]
    columns = ["episode", "prose", "refused"]
    return pd.DataFrame(said, columns=columns).astype({"prose": bool, "refused": bool})


def order(episodes: pd.DataFrame) -> pd.DataFrame:
    """Pairs of How2's episodes of one task in the order as drawn and in that of a curriculum, high split.

    Returns:
        One row an outcome (:data:`OUTCOMES`): the number of ``pairs``, and how many ``differ``.
    """
    keys = ["teacher", "task", "seed"]
    high = episodes[(episodes["setup"] == "how2") & (episodes["split"] == "high")]
    drawn, sorted_ = (
        high[high["variant"] == name].set_index(keys)[[*OUTCOMES]] for name in ("main", "curriculum")
    )
    pairs = drawn.join(sorted_.add_prefix("sorted_"), how="inner")
    differ = [int((pairs[name] != pairs[f"sorted_{name}"]).sum()) for name in OUTCOMES]
    return pd.DataFrame({"outcome": OUTCOMES, "pairs": len(pairs), "differ": differ})


def same_as_just_ask(table1: pd.DataFrame) -> tuple[int, int]:
    """How many numbers of Table 1 are the same for ``relevance`` and Just Ask, and of how many."""
    keys = ["teacher", "split", "metric"]
    one, other = (
        table1[table1["setup"] == setup].set_index(keys)["value"] for setup in ("relevance", "just_ask")
    )
    both = pd.concat([one, other], axis=1, keys=["one", "other"]).dropna()
    return int((both["one"] == both["other"]).sum()), len(both)


def told(model: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """The facts of a model's tables as sentences; none for what was not run."""
    name = escaped(model)
    of_roles = [*of_relevance(name, tables), *judged.told(name, tables)]
    return [*of_roles, *of_order(name, tables), *of_first_reads(name, tables)]


def of_relevance(model: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """What a model's relevance check refused and added, as a sentence."""
    table = tables.get("relevance", pd.DataFrame(columns=["checks"]))
    table = table[table["checks"] > 0]
    if table.empty or "checks_prose" not in table:  # of an earlier version
        return []
    checks, refused, checked, wholly = table[["checks", "refused", "checked", "all_refused"]].sum()
    alone = table[table["setup"] == "relevance"]
    every, no, prose, no_prose = alone[["checks", "refused", "checks_prose", "refused_prose"]].sum()
    said = f"**{model}** says no in {refused} of {checks} relevance checks"
    if refused and every:
        said += (
            f": to {no - no_prose} of {every - prose} answers that list moves, {no_prose} of {prose} in prose"
        )
        said += f" and {refused - no} of {checks - every} that Parse rewrote" if checks > every else ""
    said += f"; to all of them in {wholly} of {checked} episodes."
    added = "; ".join(
        f"{row['asked_more']:+.3f} in `{row['split']}` (refusing everything would add {row['most']:+.3f}, "
        f"or {row['repeats']:+.3f} if every target were asked about; n = {row['episodes']} episodes)"
        for _, row in alone.dropna(subset=["asked_more", "most"]).iterrows()
    )
    if added:
        said += f" Over memory-only the check adds to the episodes with a question {added}."
    if "table1" in tables and len(alone) and (alone["refused"] == alone["checks"]).all():
        same, of = same_as_just_ask(tables["table1"])
        said += f" `relevance` is then Just Ask: {same} of their {of} numbers in Table 1 are the same."
    return [said]


def of_order(model: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """What a curriculum changed, as a sentence."""
    table = tables.get("order", pd.DataFrame(columns=["pairs"]))
    table = table[table["pairs"] > 0].set_index("outcome") if len(table) else table
    if table.empty:
        return []
    success, asked = (table.loc[name] for name in OUTCOMES)
    return [
        f"With a curriculum, {success['differ']} of {success['pairs']} paired episodes of How² end otherwise "
        f"with **{model}**, and {asked['differ']} differ in whether the teacher is asked: with exact keys, "
        "targets share no more than the keys that Parse adds and ingredients that are looked up."
    ]


def of_first_reads(model: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """That a model looks at its memory at one place only, where Figure 4 has nothing to compare."""
    table = tables.get("figure4", pd.DataFrame(columns=["n", "first_read"]))
    met = table[table["n"] > 0]
    if met["first_read"].nunique() != 1:
        return []
    place = met["first_read"].iloc[0]
    first = f"has its first `read_memory` of Just Ask always in the same place, *{place}*"
    first = "never looks into its memory in Just Ask" if place == "No call" else first
    return [
        f"**{model}** {first} (n = {span(met['n'])} solvable episodes a teacher), so that a "
        "Figure 4 of it would compare nothing."
    ]


def teaching(model: str) -> str:
    """What Table 5 is worth: answers and verdicts come from the same model."""
    name = escaped(model)
    if is_surrogate(model):
        return (
            f"`{name}` judges its own answers, which it writes from the same plan that the template is made "
            "of: this table shows that the study runs, not that anything could teach."
        )
    return f"`{name}` judges its own answers; a model may like what it wrote itself."
