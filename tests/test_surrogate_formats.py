"""Every mind answers in every format, also in those that no agent of its world has used before."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from mnemocraft.envs import KitchenEnv, TabletopEnv, TextWorldEnv
from mnemocraft.envs.plancraft import examples
from mnemocraft.gnn.aggregation import RoomGraph
from mnemocraft.llm import model
from mnemocraft.llm.types import Reply, Request
from mnemocraft.studies.how2.load import environment
from mnemocraft.surrogate import MINDS, Surrogate

PERFECT = "surrogate:knowledge=1,attention=1,slip=0"
SLIPPING = "surrogate:knowledge=0.3,attention=0.5,slip=0.5"
GUIDES = {
    "kitchen": "You are a robot in a kitchen. People ask you for dishes.",
    "plancraft": "You control a Minecraft crafting table and choose one action at a time.",
    "household": "You are a robot in a room of a house. You are given a task.",
    "minecraft": "You plan for an agent that plays Minecraft 1.16.5.\nYou are given a task.",
    "tabletop": "You guide a robot arm with a suction gripper over a table.",
}
DEPS = {
    "list": "# Answer format: list of steps\nOne step a line: step N: <action>",
    "thoughts": "# Answer format: steps with thoughts\nThe same, each followed by a line Thinking: ...",
    "one": "# Answer format: one step at a time\nThought: ...\nAction: <action>, or Action: stop",
    "plan": "# Answer format: plan\nA function",
}
GIG = ("gig", "react", "cot", "recap")
LINES = {
    "kitchen": r"(Move|Pick up|Place|Stack|Unstack|Cut|Do nothing|Put) ?.*",
    "plancraft": r"(move|smelt) from \w+ to \w+ with quantity \d+|impossible: .+",
    "minecraft": r"(mine|kill|craft|smelt) \d+ \w+",
    "tabletop": r"pick the [\w ]+ and place it (in|on) the [\w ]+",
    "household": r"go to \w+ \d+|(take|move) \w+ \d+ (from|to) \w+ \d+|look",
}
EASY = [item.id for item in examples("low") if item.difficulty == "easy" and not item.impossible][:6]


class Room:
    """Two places, in the words of ALFWorld's engine: a mug on a countertop, and a desk to put it on."""

    def __init__(self) -> None:
        self.at, self.mug, self.graph = "", "countertop 1", RoomGraph()

    def reset(self) -> tuple[dict, dict]:
        seen = "a countertop 1, and a desk 1"
        return self._shown(f"You are in the middle of a room. Looking quickly around you, you see {seen}.")

    def step(self, line: str) -> tuple:
        reply = "Nothing happens."
        if line in self._valid():
            verb, _, rest = line.partition(" ")
            if verb == "go":
                self.at = rest.removeprefix("to ")
                there = "a mug 1" if self.mug == self.at else "nothing"
                reply = f"You arrive at {self.at}. On the {self.at}, you see {there}."
            elif verb == "take":
                self.mug, reply = "", f"You pick up the mug 1 from the {self.at}."
            elif verb == "move":
                self.mug, reply = self.at, f"You move the mug 1 to the {self.at}."
        observation, info = self._shown(reply)
        return observation, 0.0, info["success"], False, info

    def _valid(self) -> list[str]:
        lines = [f"go to {place}" for place in ("countertop 1", "desk 1") if place != self.at]
        lines += [f"take mug 1 from {self.at}"] * (self.mug == self.at)
        return [*lines, *[f"move mug 1 to {self.at}"] * (not self.mug), "look"]

    def _shown(self, reply: str) -> tuple[dict, dict]:
        listed = "\n".join(self._valid())
        self.graph.merge(reply, self._valid())
        text = f"{self.graph.text}\n\nYour task is to: put a mug in desk.\n\nValid Actions:\n{listed}"
        return {"text": text}, {"success": self.mug == "desk 1", "valid_actions": self._valid()}


class Played:
    """An environment as agents will meet it: a text, a goal, and action lines."""

    def __init__(self, world: str, task: str) -> None:
        makers = {
            "kitchen": lambda: KitchenEnv(task, 42),
            "plancraft": lambda: environment(task, 30),
            "minecraft": lambda: TextWorldEnv("1.16.5", "game", task),
            "household": Room,
            "tabletop": lambda: TabletopEnv(task, 2),
        }
        self.world, self.task, self.env = world, task, makers[world]()
        self.observation, self.info = self.env.reset()

    @property
    def text(self) -> str:
        """The observation."""
        if self.world != "minecraft":
            return self.observation["text"]
        listed = ", ".join(f"{n} {item}" for item, n in self.observation["inventory"].items() if n)
        return f"Task: obtain 1 {self.task}\nInventory: {listed or 'nothing'}\nBiome: plains"

    @property
    def goal(self) -> str:
        """The goal text."""
        goals = {"plancraft": r"type: (.+)", "minecraft": r"Task: (.+)", "household": r"task is to: (.+)\."}
        return re.search(goals.get(self.world, r"Goal: (.+)"), self.text)[1]

    @property
    def success(self) -> bool:
        """Whether the goal is reached."""
        return self.info["success"]

    def act(self, line: str) -> None:
        """Carry out an action line."""
        move = re.fullmatch(r"(move|smelt) from (\w+) to (\w+) with quantity (\d+)", line)
        goal = re.fullmatch(r"(\w+) (\d+) (\w+)", line) if self.world == "minecraft" else None
        if goal:
            wanted = self.observation["inventory"].get(goal[3], 0) + int(goal[2])
            while self.observation["inventory"].get(goal[3], 0) < wanted and not self.success:
                self._step({"name": goal[1], "arguments": {"item": goal[3]}})
                assert self.info["action_success"], line
            return
        slots = {"slot_from": move[2], "slot_to": move[3], "quantity": int(move[4])} if move else {}
        self._step({"name": move[1], "arguments": slots} if move else line)

    def _step(self, action: object) -> None:
        self.observation, _, _, _, self.info = self.env.step(action)


START = {
    "kitchen": "sync/0",
    "plancraft": EASY[0],
    "minecraft": "stick",
    "tabletop": "bowls",
    "household": "mug",
}


def ask(messages: list[dict], model: str = PERFECT, tools: list | None = None, sample: int = 0) -> Reply:
    request = Request(model, messages, tools, seed=1, sample=sample)
    return asyncio.run(Surrogate.from_name(model).generate(request))


def system(world: str, form: str) -> dict:
    text = DEPS.get(form) or (files("mnemocraft.agents.gig") / "prompts" / f"{form}.txt").read_text("utf-8")
    if world != "kitchen":
        text = text.replace("copied word for word from the valid actions", "worded as the guide says")
        text = re.sub(r"- Valid Actions:.*\n", "", text)
    return {"role": "system", "content": f"{GUIDES[world]}\n{text}"}


def user(text: str) -> dict:
    return {"role": "user", "content": text}


def shown(played: Played, form: str, task: str = "") -> dict:
    if form in DEPS:
        return user(f"Task: {played.goal}\n{played.text}")
    blocks = ["Error Feedback: no", f"Observation:\n{played.text}", "Memory:\nan older text"]
    if form == "recap":
        blocks += [f"Current Task: {task or played.goal}", "Decompose it into subtasks."]
    return user("\n\n".join(blocks))


def lines_of(form: str, answer: str) -> list[str]:
    """The action lines in an answer, read as the agents read them."""
    if form == "recap":
        return json.loads(answer)["subtasks"]
    marks = {"cot": r"\d+\. ", "list": r"step \d+: ", "thoughts": r"step \d+: "}
    return re.findall(rf"^{marks.get(form, 'Action: ')}(.+)$", answer, re.MULTILINE)


@pytest.mark.parametrize("form", [*GIG, *(name for name in DEPS if name != "plan")])
@pytest.mark.parametrize("world", MINDS)
def test_every_mind_answers_in_every_format(world: str, form: str) -> None:
    played = Played(world, START[world])
    prompt = [system(world, form), shown(played, form)]
    lines = lines_of(form, ask(prompt).text)
    assert lines and all(re.match(LINES[world], line) for line in lines)
    for sample in range(10):
        assert lines_of(form, ask(prompt, SLIPPING, sample=sample).text) or form in ("recap", *DEPS, "cot")
    if form == "gig":
        answer = ask(prompt).text
        assert re.search(r"^Summary: I did: .+\nCurrent Progress:", answer, re.MULTILINE)


@pytest.mark.parametrize("form", ["gig", "react", "recap", "one"])
@pytest.mark.parametrize(
    ("world", "task"),
    [
        ("kitchen", "sync/0"), ("household", "mug"), *(("plancraft", task) for task in EASY),
        ("minecraft", "stick"), ("minecraft", "wooden_pickaxe"), ("minecraft", "stone_sword"),
        ("tabletop", "hanoi"), ("tabletop", "packing"),
    ],
)  # fmt: skip
def test_step_by_step_who_knows_everything_gets_there(world: str, task: str, form: str) -> None:
    """In a conversation that is kept, and by prompts that stand alone."""
    played = Played(world, task)
    messages = [system(world, form), shown(played, form)]
    for _ in range(40):
        answer = ask(messages).text
        line = lines_of(form, answer)[0]
        if form == "recap" and world == "kitchen" and line not in played.info["valid_actions"]:
            (line, *_) = lines_of(form, ask([messages[0], shown(played, form, line)]).text)
        played.act(line)
        if played.success:
            break
        said = {"role": "assistant", "content": answer}
        if form == "one":
            messages += [said, user(f"Success: True\n{played.text}")]
        elif form == "gig":
            summary = answer.partition("Summary: ")[2]
            carried = f"Last Step Summary: {summary.partition(chr(10))[0]}"
            messages = [messages[0], user(f"{shown(played, form)['content']}\n\n{carried}")]
        else:
            messages += [said, shown(played, form)]
    assert played.success


@pytest.mark.parametrize("form", ["cot", "list", "thoughts"])
@pytest.mark.parametrize(
    ("world", "task"),
    [
        ("kitchen", "sync/0"), *(("plancraft", task) for task in EASY), ("minecraft", "stone_sword"),
        ("tabletop", "pyramid"), ("household", "mug"),
    ],
)  # fmt: skip
def test_a_whole_plan_leads_to_the_end(world: str, task: str, form: str) -> None:
    played = Played(world, task)
    for line in lines_of(form, ask([system(world, form), shown(played, form)]).text):
        if not played.success:
            played.act(re.match(LINES[world], line)[0])
    assert played.success


TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {}}}
    for name in ("act", "think", "read_memory")
]


@pytest.mark.parametrize(
    ("world", "task"),
    [
        ("kitchen", "sync/0"), ("minecraft", "wooden_pickaxe"), ("plancraft", EASY[0]), ("tabletop", "kits"),
    ],
)  # fmt: skip
def test_tool_calls_look_up_think_and_act(world: str, task: str) -> None:
    played = Played(world, task)
    guide = {"role": "system", "content": f"{GUIDES[world]}\nAnswer with exactly one tool call."}
    messages = [guide, user(played.text)]
    used = []
    for turn in range(40):
        (call,) = ask(messages, tools=TOOLS).tool_calls
        used.append(call.name)
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        tool_call = {"id": f"call_{turn}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [tool_call]})
        if call.name == "act":
            played.act(call.arguments["action"])
        result = {"act": played.text, "think": "Go on.", "read_memory": "Nothing is known."}[call.name]
        messages.append({"role": "tool", "tool_call_id": f"call_{turn}", "content": result})
        if played.success:
            break
    assert played.success
    assert used[:3] == ["read_memory", "think", "act"] and set(used[2:]) == {"act"}


@pytest.mark.parametrize("world", MINDS)
def test_explainer_and_memory_roles(world: str) -> None:
    played = Played(world, START[world])
    failed = f'Failed step: x\nMessage: "x" is not possible.\n{played.text}\nPlan:\nstep 1: x'
    header = {"role": "system", "content": f"{GUIDES[world]}\n# Answer format: explanation\nExplanation: ..."}
    explained = ask([header, user(failed)]).text
    assert explained.startswith("Explanation: Because") and '"x" is not possible' in explained
    names = {"kitchen": "cheese sandwich", "minecraft": "stick", "household": "mug"}
    names |= dict.fromkeys(("plancraft", "tabletop"), played.goal)

    def about(name: str, **values: str) -> str:
        text = (files("mnemocraft.agents.how2") / "prompts" / f"{name}.txt").read_text("utf-8")
        for key, value in ({"context": played.text, "recipe": names[world]} | values).items():
            text = text.replace(f"${key}", value)
        return ask([{"role": "system", "content": GUIDES[world]}, user(text)]).text

    assert names[world] in about("ask")
    entry = about("parse", question="?", answer="1. mine 3 oak_log\n2. craft 4 oak_planks")
    assert entry.startswith(f"RECIPE: {names[world]}\n") and "RELATED ITEMS: [" in entry
    assert about("relevance", memory="something else") == "no"
    if world != "plancraft":
        assert about("relevance", memory=f"RECIPE: {names[world]}") == "yes"


def test_a_failed_plan_is_made_again_from_what_is_shown() -> None:
    """DEPS outside Minecraft: description, scene, explanation, request."""
    for world, start in START.items():
        played = Played(world, start)
        messages = [system(world, "list"), shown(played, "list")]
        plan = ask(messages).text
        played.act(lines_of("list", plan)[0])
        told = f'Description: I did step 1. I failed at step 2 "x".\n{played.text}\nExplanation: Because so.'
        failure = user(f"{told}\nCorrect the plan for the task: {played.goal}")
        messages += [{"role": "assistant", "content": plan}, failure]
        for line in lines_of("list", ask(messages).text):
            if not played.success:
                played.act(line)
        assert played.success, world


def test_what_the_world_or_a_memory_says_mends_a_belief_in_minecraft() -> None:
    ignorant = "surrogate:knowledge=0,attention=1,slip=0"
    scene = "Task: obtain 1 stone_pickaxe\nInventory: 3 cobblestone, 2 stick, 1 crafting_table"
    told = "I cannot craft stone_pickaxe: I need 3 cobblestone, 2 stick and a crafting_table."
    right = "step 1: craft 1 stone_pickaxe from 3 cobblestone and 2 stick, on crafting_table"
    for before, after in (("", ""), (f"Error Feedback: {told}\n\n", ""), ("", f"\n\nMemory:\n{told}")):
        prompt = [system("minecraft", "thoughts"), user(f"{before}Observation:\n{scene}{after}")]
        assert (right in ask(prompt, ignorant).text) == bool(before + after)


def test_no_prompt_brings_it_down() -> None:
    unknown = "I do not understand the question."
    assert ask([user("What is this?")]).text == unknown
    pilot = {"role": "system", "content": "You are a pilot.\n# Answer format\nAction: x"}
    assert ask([pilot, user("Fly")]).text == unknown
    for world in MINDS:
        assert ask([{"role": "system", "content": GUIDES[world]}, user("What is this?")]).text == unknown
        for form in (*GIG, *DEPS):
            for text in ("", "Observation:", "Observation:\nnothing here", "Task: obtain", "Memory:\nx"):
                assert isinstance(ask([system(world, form), user(text)]).text, str)
        assert ask([{"role": "system", "content": GUIDES[world]}, user("x")], tools=TOOLS).text == unknown


@pytest.mark.parametrize("world", MINDS)
def test_a_mind_is_imported_only_when_its_world_is_played(world: str) -> None:
    played = Played(world, START[world])
    code = f"""
import asyncio, sys
from mnemocraft.llm import get_model
messages = {[system(world, "cot"), shown(played, "cot")]!r}
assert asyncio.run(get_model("surrogate").complete(messages)).text
minds = {{name.split(".")[3] for name in sys.modules if name.startswith("mnemocraft.surrogate.minds.")}}
print(*minds - {{"beliefs"}})  # what they have in common
"""
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.split() == [world]


def test_models_know_neither_the_surrogate_nor_any_world() -> None:
    for file in Path(model.__file__).parent.glob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import) mnemocraft\.(surrogate|envs|agents)", text, re.MULTILINE)
