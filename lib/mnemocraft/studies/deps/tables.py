"""Tables and claims of notebook 03: ours beside the paper's (:mod:`~mnemocraft.studies.estimates`).

Rates are fractions (the paper prints per cent), their intervals Wilson's over episodes. Claims are tested
over tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from mnemocraft.agents.deps.methods import LABELS
from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.stats import Key, difference
from mnemocraft.studies import claims, findings, papers
from mnemocraft.studies.claims import ALL, Claim, Printed
from mnemocraft.studies.deps import measures
from mnemocraft.studies.deps.load import GROUPS, LEVEL_OF, LEVELS, OVERWORLD_VERSION, WORLDS
from mnemocraft.studies.deps.measures import AT_MOST, AVERAGE, CELL, METHOD_OF, ROUNDS
from mnemocraft.studies.estimates import NUMBERS, in_order, join, means, number, rates, text
from mnemocraft.worlds.minecraft_tasks import minecraft_task, minecraft_tasks

ENVIRONMENTS = {"text": "MC-TextWorld", "overworld": "MineDojo", "learned": "MineDojo"}
"""The paper's environment (Table 3) beside which each of our worlds stands."""
OTHERS = {"10_alfworld": "alfworld", "11_tabletop": "tabletop"}
"""The notebooks that play Figure 1's other environments, and our worlds for them."""
CONTROLLERS = {"text": "none needed", "overworld": "scripted", "learned": "learned"}


def printed(name: str, renamed: Mapping[str, str] | None = None) -> pd.DataFrame:
    """A table of the paper in our words, its rates as fractions in ``paper``."""
    table = papers.table(f"deps_{name}").rename(columns={"meta_task": "group", "item": "task"})
    table = table.rename(columns=dict(renamed or {}))
    if "method" in table:
        table["method"] = table["method"].map(METHOD_OF)
    return table.assign(paper=table["success_rate"] / 100).drop(columns="success_rate")


def _in_text(episodes: pd.DataFrame) -> pd.DataFrame:
    """The episodes of the text world."""
    return episodes[episodes["world"] == "text"]


def table2(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by world, meta-task and method; ``std`` and ``paper_std`` are over the rates of tasks."""
    both = measures.with_average(episodes)
    by = ["world", "group", "method"]
    spread = both.groupby([*by, "task"])["passed"].mean().groupby(level=by).std().rename("std").reset_index()
    paper = printed("table2").assign(paper_std=lambda table: table.pop("std") / 100)
    parts = [paper.assign(world=world) for world in WORLDS if (episodes["world"] == world).any()]
    table = join(pd.concat(parts, ignore_index=True), rates(both, by).merge(spread, on=by), by)
    table = table.assign(label=table["method"].map(LABELS))
    return table[["world", "group", "method", "label", *NUMBERS, "std", "paper", "paper_std"]]


def table3(episodes: pd.DataFrame) -> pd.DataFrame:
    """DEPS in every world and version, beside the paper's environments; its MineRL has none of ours."""
    ours = rates(episodes[episodes["method"] == "deps"], ["world", "group"])
    paper = printed("table3", {"version": "paper_version", "controller": "paper_controller"})
    worlds = pd.DataFrame({"world": list(ENVIRONMENTS), "environment": list(ENVIRONMENTS.values())})
    table = join(paper.merge(worlds, on="environment", how="left"), ours, ["world", "group"])
    table = table.assign(
        controller=table["world"].map(CONTROLLERS),
        version=table["world"].map(episodes.groupby("world")["version"].first()),
        world=table["world"].fillna("-"),
    )
    shown = ["environment", "paper_version", "paper_controller", "world", "version", "controller", "group"]
    return table[[*shown, *NUMBERS, "paper"]]


def table4(episodes: pd.DataFrame) -> pd.DataFrame:
    """DEPS and DEP with at most 0, 1, 3, 5 and any number of rounds, from one run of any number."""
    chosen = episodes[episodes["method"].isin(["dep", "deps"])]
    by = ["world", "method", "group", "max_rounds"]
    ours = rates(measures.by_rounds(measures.with_average(chosen)), by)
    paper = printed("table4", {"rounds": "max_rounds"}).assign(method="deps")
    paper = paper.assign(max_rounds=paper["max_rounds"].map("{:.0f}".format))
    orders = dict(zip(by, (WORLDS, None, (*GROUPS, AVERAGE), list(ROUNDS)), strict=True))
    return in_order(ours.merge(paper, on=by[1:], how="left"), orders)[[*by, *NUMBERS, "paper"]]


def table19(episodes: pd.DataFrame) -> pd.DataFrame:
    """The planner alone (``baseline``: DEPS, no round) and DEPS beside the paper's models; text world."""
    mine = measures.by_rounds(_in_text(episodes).query("method == 'deps'"))
    variant = mine["max_rounds"].map({"0": "baseline", "inf": "DEPS"})
    ours = rates(mine.assign(variant=variant).dropna(subset="variant"), ["group", "variant"])
    table = join(printed("table19"), ours, ["group", "variant"])
    return table[["group", "llm", "variant", *NUMBERS, "paper"]]


def table20(episodes: pd.DataFrame) -> pd.DataFrame:
    """DEPS on four tools, beside the paper's LLaMA models; text world."""
    ours = rates(_in_text(episodes).query("method == 'deps'"), ["task"])
    paper = printed("table20", {"model": "paper_model"})
    names = paper["task"].str.replace(r"(?<=[a-z])(?=[A-Z])", "_", regex=True).str.lower()  # CraftingTable
    table = join(paper.assign(task=names), ours, ["task"])
    return table[["paper_model", "task", *NUMBERS, "paper"]]


def table21(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by task and method in the text world; where the paper has no result, its column is NaN."""
    by = ["task", "method"]
    ours = rates(_in_text(episodes), by)
    table = ours.merge(printed("table21")[[*by, "paper"]], on=by, how="outer")
    tasks = {key: minecraft_task(key) for key in table["task"]}
    ids = sorted(tasks, key=lambda key: tasks[key].id)
    table = in_order(table, {"task": ids, "method": list(LABELS)}).fillna({"n": 0}).astype({"n": int})
    groups = [tasks[key].group for key in table["task"]]
    return table.assign(group=groups, label=table["method"].map(LABELS))[
        ["group", *by, "label", *NUMBERS, "paper"]
    ]


def figure1(episodes: pd.DataFrame) -> pd.DataFrame:
    """Inner Monologue's success by world beside the paper's bars, which are its (section 1).

    Tabletop and ALFWorld are played by other notebooks: ours are the committed ``figure1.csv`` of the largest
    profile in which this model played them, with the columns ``environment``, ``controller`` and the numbers.
    """
    paper, by = printed("fig1"), ["environment", "controller", "world"]
    world = {("Minecraft", "oracle"): "overworld", ("Minecraft", "learned"): "learned"}
    keys = zip(paper["environment"], paper["controller"], strict=True)
    paper = paper.assign(world=[world.get(key, "-") for key in keys])
    text = pd.DataFrame([("Minecraft, text world", "oracle", "text")], columns=by)
    ours = rates(episodes[episodes["method"] == "inner_monologue"], ["world"])
    table = join(pd.concat([paper, text], ignore_index=True), ours, ["world"])[[*by, *NUMBERS, "paper"]]
    return _elsewhere(table, claims.players(episodes))


def _elsewhere(table: pd.DataFrame, model: str) -> pd.DataFrame:
    """Figure 1's table with the bars that notebooks of other worlds left for a model."""
    on = ["environment", "controller"]
    for stem, world in OTHERS.items():
        left = findings.shipped(stem)[1].get(model, {}).get("figure1")
        if left is not None:
            table = table.set_index(on)
            table.update(left.set_index(on)[list(NUMBERS)].assign(world=world))
            table = table.reset_index().astype({"n": int})
    return table


def milestones(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figure 9: in how many episodes of the diamond task each item of Figure 8 was ever held."""
    mine = episodes[episodes["task"] == measures.DIAMOND]
    parts = []
    for place, item in enumerate(measures.milestones(), 1):
        got = [bool(_same(item, v) & held) for v, held in zip(mine["version"], mine["held"], strict=True)]
        parts.append(rates(mine.assign(got=got), CELL, "got").assign(order=place, milestone=item))
    return pd.concat(parts, ignore_index=True)[[*CELL, "order", "milestone", *NUMBERS]]


def _same(item: str, version: str) -> frozenset[str]:
    """The names of a milestone in a version: any log is a log, and from 1.17 on ore leaves raw iron."""
    if version == OVERWORLD_VERSION or item not in ("log", "planks"):
        return frozenset({item, "raw_iron"} if item == "iron_ore" else {item})
    return frozenset(rules(version).members(f"#{'logs' if item == 'log' else item}"))


def conduct(episodes: pd.DataFrame) -> pd.DataFrame:
    """Not in the paper: means an episode of rounds, calls, goals, unread answers and tokens, by condition."""
    return means(episodes, CELL, [*measures.COUNTS, "prompt", "completion", "steps"])


def description(task_list: str, limits: str) -> pd.DataFrame:
    """Table 1: meta-tasks with their number of tasks and steps allowed, ours and the paper's."""
    listed = pd.DataFrame(
        {"meta_task": t.group, "steps": t.steps(limits)} for t in minecraft_tasks(task_list)
    )
    ours = listed.groupby("meta_task")["steps"].agg(tasks="count", steps="first").reindex(list(GROUPS))
    paper = papers.table("deps_table1").rename(columns={"n_tasks": "paper_tasks", "max_steps": "paper_steps"})
    shown = ["meta_task", "name", "tasks", "paper_tasks", "steps", "paper_steps"]
    return paper.merge(ours.reset_index(), on="meta_task")[shown]


def reading(table: pd.DataFrame, alike: pd.DataFrame) -> pd.DataFrame:
    """A long table by method for reading: ``text`` is ours and the paper's number by ``label``.

    Methods that succeed in the same games (:func:`~mnemocraft.studies.deps.measures.identical`) are one row,
    with the paper's number of each.
    """
    names: dict[tuple[str, str], str] = {}
    for world, methods in zip(alike["world"], alike["methods"], strict=True):
        members = [method for method in methods.split() if method in LABELS]
        names |= dict.fromkeys([(world, m) for m in members], ", ".join(LABELS[m] for m in members))
    world = table["world"] if "world" in table else ["text"] * len(table)
    keys = zip(world, table["method"], strict=True)
    told = table.assign(label=[names.get(key, LABELS[key[1]]) for key in keys])
    by = [column for column in ("world", "group", "task", "label") if column in told]
    rows = [
        (*key, f"{text(rows.iloc[0])} | {', '.join(rows['paper'].map(number))}")
        for key, rows in told.groupby(by, sort=False)
    ]
    return pd.DataFrame(rows, columns=[*by, "text"])


BASELINES = ("gpt", "progprompt", "cot", "inner_monologue", "code_as_policies")
HARD = ("MT5", "MT6", "MT7", "MT8")
"""The parts of a claim: easy and hard meta-tasks."""
SCRIPT, LEARNED = "the overworld (script)", "the overworld (learned)"
WHERE = {"text": "the text world", "overworld": SCRIPT, "learned": LEARNED}
ALWAYS = "holds in all meta-tasks (4.2, no test)"
MENDS = "an explanation mends a belief"


def _over(world: str, one: str, other: str, level: str = ALL) -> dict[Key, float]:
    return difference([(world, one, level)], [(world, other, level)])


def _claim(
    hypothesis: str, world: str, one: str, other: str, said: str, assumed: str = "", parted: bool = True
) -> Claim:
    """``one`` solves more games than ``other`` in a world, and in each of :data:`LEVELS`."""
    names = LABELS | AT_MOST
    sentence = f"{names[one]} solves more than {names[other]} in {WHERE[world]}"
    parts = {level: _over(world, one, other, level) for level in LEVELS} if parted else {}
    weights = _over(world, one, other)
    return Claim(hypothesis, sentence, "success", weights, said, rates=True, parts=parts, assumed=assumed)


CLAIMS = (
    *(_claim("DEP", "text", "dep", other, ALWAYS, MENDS) for other in BASELINES),
    _claim("rounds", "text", "deps", "deps@0", "holds in all meta-tasks (Table 4, no test)", MENDS),
    Claim("rounds", "of the hard tasks (MT5 to MT8) rounds after the third still solve more", "success",
          _over("text", "deps", "deps@3", "MT5 to MT8"), "holds (Table 4, no test)", rates=True,
          assumed=MENDS),
    _claim("selector", "overworld", "deps", "dep", ALWAYS),
    _claim("selector", "learned", "deps", "dep", ALWAYS, parted=False),
    Claim("controller", "DEPS solves more in the text world than with the learned controller", "controller",
          difference([("text",)], [("learned",)]), "holds (4.2, Table 3, no test)", rates=True),
)  # fmt: skip
"""``metric`` says which cells: ``success`` (world, method or variant of DEPS, level) or, for DEPS in the
games of all worlds, ``controller`` (world)."""


def _printed_cells() -> dict[tuple[str, Key], float]:
    """The paper's success by cell; that of some of the meta-tasks, and by rounds, is a mean over tasks."""
    rates = printed("table2").pivot(index="group", columns="method", values="paper")
    rounds = printed("table4").pivot(index="group", columns="rounds", values="paper")
    rates = rates.join(rounds.rename(columns={ROUNDS[name.removeprefix("deps@")]: name for name in AT_MOST}))
    size = papers.table("deps_table1").set_index("meta_task")["n_tasks"]
    means = {
        level: rates.loc[list(groups)].mul(size[list(groups)], axis=0).sum() / size[list(groups)].sum()
        for level, groups in {ALL: GROUPS, **LEVELS}.items()
    }
    means[ALL] = printed("table2").set_index(["group", "method"])["paper"][AVERAGE].combine_first(means[ALL])
    return {
        ("success", (world, str(method), level)): float(mean)
        for world in WORLDS
        for level, by_method in means.items()
        for method, mean in by_method.items()
    }


def _merged(
    listed: Sequence[Claim], alike: pd.DataFrame, printed: Printed
) -> tuple[list[Claim], dict[tuple[str, Key], float]]:
    """Claims whose two arms succeed in the same games are one, named after all of these methods.

    Its metric is a name of its own, under which the paper's effect is the smallest of theirs; these effects
    are returned too.
    """
    labels: dict[Key, str] = {
        (world, method): names
        for world, methods, names in zip(alike["world"], alike["methods"], alike["labels"], strict=True)
        for method in methods.split()
    }
    together: dict[tuple[Key, ...], list[Claim]] = {}
    for claim in listed:
        arms = tuple((key[0], labels.get((*key[:2],), str(key)), *key[2:]) for key in claim.weights)
        alone = tuple(claim.weights)  # both arms succeed alike: nothing to name them apart by
        together.setdefault(arms if len(set(arms)) == len(arms) else alone, []).append(claim)
    kept: list[Claim] = []
    smallest: dict[tuple[str, Key], float] = {}
    for ((world, one, *_), *others), (first, *more) in together.items():
        if more:
            metric, number = f"{first.metric} {len(kept)}", len(more) + 1
            solve = "solve" if " and " in str(one) else "solves"
            sentence = f"{one} {solve} more than {others[0][1]} in {WHERE[str(world)]}"
            for part, weights in {ALL: first.weights, **first.parts}.items():
                least = min(_effect(claim, part, printed) for claim in (first, *more))
                smallest |= {(metric, key): least if w > 0 else 0.0 for key, w in weights.items()}
            first = replace(
                first,
                hypothesis=", ".join(dict.fromkeys(claim.hypothesis for claim in (first, *more))),
                text=f"{sentence} ({number} claims in one row: those named together succeed alike)",
                metric=metric,
                paper_verdict=f"{first.paper_verdict}; of its {number} effects the smallest is shown",
            )
        kept.append(first)
    return kept, smallest


def _effect(claim: Claim, part: str, printed: Printed) -> float:
    """The paper's effect in a part of a claim."""
    weights = {ALL: claim.weights, **claim.parts}[part]
    return sum(w * printed[claim.metric, key] for key, w in weights.items())


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """The paper's claims on prepared episodes (:func:`~mnemocraft.studies.claims.judge`), by task.

    In the overworld methods may have played different games; only what all of a world's played is compared.
    """
    games = pd.concat(
        [
            measures.shared(measures.variants(part), "method")
            for _, part in episodes.groupby("world", sort=False)
        ]
    )
    games = pd.concat([games.assign(level=ALL), games.assign(level=games["group"].map(LEVEL_OF))])
    printed = _printed_cells()
    listed, smallest = _merged(CLAIMS, measures.identical(episodes), printed)
    success = measures.cells(games, [*CELL, "level"])
    deps = episodes[episodes["method"] == "deps"]
    measured = {claim.metric: success for claim in listed}
    measured["controller"] = measures.cells(measures.shared(deps, "world"), ["world"])
    judged = claims.judge(listed, measured, "tasks", printed | smallest, claims.players(episodes))
    return judged.drop(columns="metric")
