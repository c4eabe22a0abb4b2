"""What notebook 03 found and what it can decide, made from its tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd
from IPython.display import Markdown

from mnemocraft.agents.deps.methods import LABELS
from mnemocraft.figstyle import is_surrogate
from mnemocraft.studies import findings as shipped
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.deps.load import PARTS, STEM, chosen
from mnemocraft.studies.deps.measures import AVERAGE
from mnemocraft.studies.deps.small_tables import KNOWN_UNLIKE
from mnemocraft.studies.findings import Played, each, gather, per_cent, told_in

Tables = Mapping[str, pd.DataFrame]


def findings(played: Played) -> list[str]:
    """About six lines a model."""
    small = (_first_plans, _small_claims, _first_alone)
    return gather(played, (*small, _alike, _mended, _late, _selector, _controller, _power))


def planned(model: str, profile: str, task_list: str) -> pd.DataFrame | Markdown:
    """What a run can decide, from the tables of this model that came with the project, or of the surrogate.

    They have 30 episodes a task; a run with fewer can decide less than this says. A world has its own tasks,
    and one that the profile does not play no row.
    """
    sizes = {world: len(chosen(part, task_list)) for world, part in PARTS[profile].items()}
    all_tasks = sizes["text"]
    most = {"(script)": sizes.get("overworld", 0), "learned": sizes.get("learned", 0)}

    def tasks(row: pd.Series) -> int:
        few = min((count for mark, count in most.items() if mark in row["claim"]), default=all_tasks)
        return int(row["tasks"]) if few == all_tasks else few

    return shipped.planned(STEM, model, "tasks", all_tasks, tasks)


def _claims(found: Tables, hypothesis: str) -> pd.DataFrame:
    """The claims of a hypothesis, over all tasks."""
    table = found["hypotheses"]
    return table[(table["part"] == ALL) & table["hypothesis"].str.contains(hypothesis)]


def _measured(found: Tables, hypothesis: str) -> pd.DataFrame:
    """Those of them that have an effect: their conditions were run."""
    return _claims(found, hypothesis).dropna(subset=["effect"])


_told = partial(told_in, unit="tasks")


def _first_plans(model: str, found: Tables) -> str:
    goals = found["goals_of_the_design"]
    kinds = {KNOWN_UNLIKE: "known tasks that were in no lesson"}
    told = "; ".join(
        f"{per_cent(row)} of {row['n']} games of {row['n_tasks']} "
        f"{kinds.get(row['items'], row['items'] + ' tasks')} "
        f"(goal: {row['goal'].partition(': ')[2]}, **{row['met']}**)"
        for _, row in goals[goals["n"] > 0].iterrows()
    )
    return f"`{model}`: its first plan completes {told}." if told else ""


def _small_claims(model: str, found: Tables) -> str:
    """Of the small model's study, which alone has them: what explanations and what rounds are worth."""
    if "goals_of_the_design" not in found:
        return ""
    mine = found["hypotheses"].query("hypothesis in ['explanations', 'rounds']")
    return f"`{model}`, what explanations and rounds are worth:{each(mine, _told)}"


def _first_alone(model: str, found: Tables) -> str:
    """How much of DEPS's lead in the small model's study is not due to its rounds."""
    rates = found["known_items"].query("version == 'both' and items == @ALL").set_index("arm").T
    if not rates["first plan"]["value"] > rates["gpt"]["value"]:
        return ""
    first, one = (per_cent(rates[arm]) for arm in ("first plan", "gpt"))
    return (
        f"`{model}`: with one call each DEPS completes {first} and GPT {one} of the tasks, so that perhaps "
        "not all of its lead comes from the rounds, which can only add to its first plan (not tested)."
    )


def _alike(model: str, found: Tables) -> str:
    table = found["identical"]
    methods = table["methods"].str.split().map(lambda names: len(set(names) & set(LABELS)))
    same = table[(table["world"] == "text") & (methods > 1)]
    if same.empty:
        return f"`{model}`: no two planners succeed in the same games of the text world."
    row = same.iloc[0]
    why = ", a consequence of: one move list" if is_surrogate(model) else ""
    return (
        f"`{model}`: {row['labels']} succeed in the same **{row['success']:,} of {row['games']:,}** games of "
        f"the text world{why}."
    )


def _mended(model: str, found: Tables) -> str:
    told = "; ".join(_told(row) for _, row in _measured(found, "DEP").iterrows())
    return f"`{model}`: {told}." if told else ""


def _late(model: str, found: Tables) -> str:
    rows = _measured(found, "rounds")
    return f"`{model}`: {_told(rows[rows['claim'].str.startswith('of the hard')].iloc[0])}."


def _selector(model: str, found: Tables) -> str:
    return f"`{model}`: {_told(_measured(found, 'selector').iloc[0])}. Notebook 04 measures the selector."


def _controller(model: str, found: Tables) -> str:
    table = found["table2"]
    mine = table[(table["world"] == "learned") & (table["group"] == AVERAGE) & (table["n"] > 0)]
    counts = [
        f"{row['label']} {round(row['value'] * row['n'])} of {int(row['n'])}"
        for _, row in mine.iloc[::-1].iterrows()
    ]
    paper, tasks = mine.set_index("method")["paper"]["deps"], _claims(found, "controller")["tasks"].iloc[0]
    return (
        f"`{model}`: episodes that get the item with the learned controller: {', '.join(counts)} (the paper, "
        f"over all its tasks: DEPS {paper:.0%}). With {tasks} tasks nothing about it is tested."
    )


def _power(model: str, found: Tables) -> str:
    rows = found["hypotheses"].query("part == @ALL", local_dict={"ALL": ALL})
    played = rows[rows["effect"].notna()]
    none = played["detectable"].isna().sum()
    small = (played["paper_effect"] < played["detectable"]).sum()
    said = ["Nothing is decided about language models."] if is_surrogate(model) else []
    said.append(shipped.power(found["hypotheses"]))
    if len(played) < len(rows):
        said.append(f"{len(rows) - len(played)} of {len(rows)} claims were not played.")
    if 0 < none < len(played):
        said.append(f"{none} of {len(played)} claims have no test: too few tasks, or alike in all.")
    if small:
        said.append(f"In {small} the paper's effect is smaller than that.")
    return f"`{model}`: {' '.join(said)}"
