"""The How2 agent: an Actor with tool calls, a memory and a teacher behind it (sections 3.3 and 3.5).

Read :meth:`Actor.run` first; it is one episode from the first observation to its end.
"""

import json
from functools import partial

from mnemocraft.agents.how2 import prompts
from mnemocraft.agents.how2.roles import ask_question, is_relevant, parse_answer, teach
from mnemocraft.agents.how2.settings import Settings
from mnemocraft.agents.rollout import Agent, Rollout, Sampling, Stopped
from mnemocraft.llm.types import Message, ToolCall
from mnemocraft.memory.interface import Hit
from mnemocraft.runs.events import Learn
from mnemocraft.worlds.asking import as_name
from mnemocraft.worlds.world import Teaching

SAMPLING = {"actor": Sampling(temperature=0.6), "": Sampling(temperature=0.2)}
"""Of the Actor and of all other roles (section 3.6)."""
MAX_IDLE = 3
"""Consecutive answers without an environment action before a no-op is played (section 3.3, where thinking
and reading the memory count; here answers that cannot be carried out do, too)."""
MAX_TIMELESS = 15
"""The same in a world without a no-op, before the episode ends: as many as GiG and ReAct may miss."""
CRAFTING = ("move", "smelt", "impossible")
"""Tools at Plancraft's table; in every other world there is one, ``act`` with an action line."""


def agent(settings: Settings) -> Agent:
    """The agent of a set-up; those with a teacher need a world that has one."""
    needs = () if settings.setup == "base" else (Teaching,)
    label = settings.setup if settings.setup == "base" else f"{settings.setup} ({settings.teacher})"
    return Agent(
        settings.setup, label, partial(how2, settings=settings), SAMPLING, needs, teaches_itself=True
    )


def make(name: str, teacher: str = "executable", ask_first: bool = False, think: bool = True) -> Agent:
    """The agent of a set-up by name.

    Args:
        name: One of :data:`~mnemocraft.agents.how2.settings.SETUPS`.
        teacher: How concrete its teacher's answers are; without a meaning for ``base``.
        ask_first, think: See :class:`~mnemocraft.agents.how2.settings.Settings`.

    Raises:
        MnemocraftError: There is no such teacher.
    """
    return agent(Settings(name, "none" if name == "base" else teacher, ask_first, think))


async def how2(rollout: Rollout, settings: Settings) -> None:
    """Let the Actor call one tool after another until the episode is over."""
    await Actor(rollout, settings).run()


class Actor:
    """The Actor's conversation, and what its tool calls do.

    Attributes:
        messages: The conversation so far.
        tools: Names of the tools on offer.
        idle: Answers without an environment action since the last one.
    """

    def __init__(self, rollout: Rollout, settings: Settings) -> None:
        self.rollout, self.world, self.settings = rollout, rollout.world, settings
        self._crafts = self.world.task.id.startswith("plancraft/")
        self.tools = (CRAFTING if self._crafts else ("act",)) + settings.tools
        self.idle = self._turns = 0
        rollout.count_from(("cache_hits", "cache_misses", "interventions", "reads", "first_read", "actions"))
        rollout.count_from(("invalid_calls", "noops", "impossible_called"))
        guide = self.world.guide if self._crafts else f"{self.world.guide}\n{self.world.wording}"
        opening = self.world.observe().text
        if not settings.remembers and (hits := rollout.recall()):
            opening = "\n\n".join([opening, "Memory:", *(hit.text for hit in hits)])
        self.messages: list[Message] = [
            {"role": "system", "content": prompts.system(guide)},
            {"role": "user", "content": opening},
        ]

    async def run(self) -> None:
        """One tool call after another. Raises Stopped when the episode is over."""
        if self.settings.ask_first and self.settings.setup != "base":
            await self._take(ToolCall("read_memory", {"recipe": self.world.task.item}), "")
        while True:
            reply = await self.rollout.ask("actor", self.messages, prompts.tools(self.tools))
            if reply.tool_calls:
                await self._take(reply.tool_calls[0], reply.text)
            else:
                self._say({"role": "assistant", "content": reply.text})
                self._refuse("No tool was called. Answer with exactly one tool call.", None)
            if self.idle >= (MAX_IDLE if self.world.idle else MAX_TIMELESS):
                self._pass_time()

    async def _take(self, call: ToolCall, text: str) -> None:
        """Carry out one tool call and add its result to the conversation."""
        self._turns += 1
        call_id = f"call_{self._turns}"
        function = {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
        tool_call = {"id": call_id, "type": "function", "function": function}
        self._say({"role": "assistant", "content": text, "tool_calls": [tool_call]})
        line = _line(call)
        error = call.error or self._wrong(call, line)
        if error:
            self._refuse(error, call_id)
        elif call.name == "think":
            self.idle += 1
            self._result("Go on.", call_id)
        elif call.name == "read_memory":
            self.idle += 1
            self._result(await self._read_memory(_name(call.arguments["recipe"])), call_id)
        else:
            self._act(call, line, call_id)

    def _wrong(self, call: ToolCall, line: str) -> str | None:
        """What is wrong with a call, in one sentence, or None."""
        if call.name not in self.tools:
            return f"There is no tool {call.name!r}; call one of {', '.join(self.tools)}."
        field = {"think": "thought", "read_memory": "recipe", "act": "action"}.get(call.name)
        if field is None:
            return self.world.check(line) or None
        value = call.arguments.get(field)
        if not isinstance(value, str) or not (value.strip() if field == "recipe" else value):
            return f"{call.name} needs the argument {field!r}, a text."
        return self.world.check(line) or None if call.name == "act" else None

    def _act(self, call: ToolCall, line: str, call_id: str) -> None:
        self.rollout.count("actions")
        self.rollout.count("impossible_called", call.name == "impossible")
        feedback = self.rollout.act(line)
        # What takes no step is idle too, or an Actor could go on like this for ever.
        self.idle = 0 if feedback.steps else self.idle + 1
        said = [feedback.failure] if not self._crafts and feedback.failure else []
        self._result("\n".join([*said, self.world.observe().text]), call_id)

    def _pass_time(self) -> None:
        """Play a no-op so that an Actor that only thinks or errs still runs out of steps."""
        if not self.world.idle:
            raise Stopped("idle")
        self.idle = 0
        self.rollout.count("noops")
        self.rollout.act(self.world.idle)
        note = "Three answers without an environment action: one step has passed.\n"
        self._say({"role": "user", "content": note + self.world.observe().text})

    async def _read_memory(self, recipe: str) -> str:
        """Algorithm 1: relevant entries of the memory, or else a new answer of the teacher."""
        rollout = self.rollout
        rollout.count("reads")
        rollout.counts["first_read"] = rollout.counts["first_read"] or self._turns
        context = self.world.observe().text
        hits: list[Hit] = rollout.recall(recipe) if self.settings.remembers else []
        if self.settings.checks:
            hits = [hit for hit in hits if await is_relevant(rollout, context, recipe, hit.text)]
        if hits:
            rollout.count("cache_hits")
            return "\n\n".join(hit.text for hit in hits)
        rollout.count("cache_misses")
        return await self._ask_teacher(context, recipe)

    async def _ask_teacher(self, context: str, recipe: str) -> str:
        """A question, the teacher's answer, and the entry made of it (lines 9 to 16 of Algorithm 1)."""
        rollout, world = self.rollout, self.world
        assert isinstance(world, Teaching)  # as the agent needs
        question = await ask_question(rollout, context, recipe)
        rollout.count("interventions")
        answer = await teach(rollout, world, self.settings.teacher, question, recipe)
        entry, keys = answer, [recipe]
        if self.settings.parses:
            entry, tags = await parse_answer(rollout, context, recipe, question, answer)
            keys = list(dict.fromkeys([recipe, *tags]))
        if self.settings.remembers:
            rollout.memory.learn(entry, keys)
        rollout.log(Learn(question, answer, entry, keys))
        return entry

    def _refuse(self, error: str, call_id: str | None) -> None:
        """Tell the Actor what was wrong with its answer; it costs no environment step."""
        self.idle += 1
        self.rollout.count("invalid_calls")
        self.rollout.note("feedback", error)
        if call_id is None:
            self._say({"role": "user", "content": error})
        else:
            self._result(f"Error: {error}", call_id)

    def _result(self, content: str, call_id: str) -> None:
        self._say({"role": "tool", "tool_call_id": call_id, "content": content})

    def _say(self, message: Message) -> None:
        self.messages.append(message)


def _name(recipe: str) -> str:
    """A query as items are named, so that it is one key however it is written; a text without words stays."""
    return as_name(recipe) or recipe


def _line(call: ToolCall) -> str:
    """The action of a call: its line, or the call as JSON."""
    if call.name == "act":
        return str(call.arguments.get("action", ""))
    return json.dumps({"name": call.name, "arguments": call.arguments})
