"""The How2 agent: an Actor with tool calls, a memory and a teacher behind it (sections 3.3 and 3.5).

Read :meth:`Trial.run` first; it is one episode from the first observation to its record.
"""

import json
from functools import cache
from typing import Any

from mnemocraft.agents.how2 import prompts
from mnemocraft.agents.how2.roles import RoleCaller, ask_question, is_relevant, parse_answer
from mnemocraft.agents.how2.settings import Settings
from mnemocraft.agents.how2.teachers import seen_game, teach
from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft import Example, parse_action, plan
from mnemocraft.envs.plancraft.actions import expert_actions
from mnemocraft.errors import MnemocraftError, ModelError
from mnemocraft.llm import Model
from mnemocraft.llm.types import Message, TokenLedger, ToolCall
from mnemocraft.memory import KeyedMemory
from mnemocraft.runs import Episode

ACTOR_TEMPERATURE = 0.6
"""Sampling temperature of the Actor (section 3.6)."""
MAX_IDLE = 3
"""Consecutive answers without an environment action before a no-op is played (section 3.3)."""


@cache
def task_facts(item: Example) -> dict[str, int | str]:
    """What the record says about a task: difficulty, target and the expert's number of actions (-1: none)."""
    length = -1 if item.impossible else len(expert_actions(item))
    return {"difficulty": item.difficulty, "target": item.target, "expert_actions": length}


class Trial:
    """One episode: the dialogue so far, the memory it reads and writes, and what is counted."""

    def __init__(
        self, settings: Settings, model: Model, seed: int, memory: KeyedMemory, env: PlancraftEnv
    ) -> None:
        self.settings, self.model, self.seed, self.memory, self.env = settings, model, seed, memory, env
        self.ledger = TokenLedger()
        self.call_role = RoleCaller(model, self.ledger, seed)
        self.observation: dict[str, Any] = {}
        self.messages: list[Message] = []
        self.trajectory: list[dict[str, Any]] = []
        self.written: list[list[Any]] = []
        self.idle = 0
        self.turns = 0
        self.reason = ""
        self.count = dict.fromkeys(
            ("cache_hits", "cache_misses", "interventions", "reads", "first_read", "actions"), 0
        ) | dict.fromkeys(("invalid_calls", "noops", "impossible_called"), 0)

    async def run(self) -> Episode:
        """Play the episode to its end; a request that finally fails ends it with reason ``error``."""
        self.observation, _ = self.env.reset()
        self._say({"role": "system", "content": prompts.text("system")})
        self._say({"role": "user", "content": self.observation["text"]})
        try:
            await self._play()
        except ModelError as error:
            self.reason = "error"
            self.trajectory.append({"type": "error", "message": str(error)})
        self.trajectory.append({"type": "end", "reason": self.reason})
        return Episode(
            success=self.reason in ("success", "impossible_correct"),
            reason=self.reason,
            steps=self.env.steps,
            metrics={**self.count, **task_facts(self.env.example)},
            tokens=self.ledger.roles,
            trajectory=self.trajectory,
            memory_delta=self.written or None,
        )

    async def _play(self) -> None:
        tools = prompts.tools(self.settings.tools)
        if self.settings.ask_first and self.settings.setup != "base":
            await self._take(ToolCall("read_memory", {"recipe": self.observation["target"]}), "")
        while not self.reason:
            reply = await self.model.complete(
                self.messages, tools=tools, temperature=ACTOR_TEMPERATURE, seed=self.seed
            )
            self.ledger.add("actor", reply)
            if reply.tool_calls:
                await self._take(reply.tool_calls[0], reply.text)
            else:
                self._say({"role": "assistant", "content": reply.text})
                self._feedback("No tool was called. Answer with exactly one tool call.", None)
            if self.idle >= MAX_IDLE and not self.reason:
                self._noop()

    async def _take(self, call: ToolCall, text: str) -> None:
        """Carry out one tool call of the Actor and add its result to the dialogue."""
        self.turns += 1
        call_id = f"call_{self.turns}"
        function = {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
        tool_call = {"id": call_id, "type": "function", "function": function}
        self._say({"role": "assistant", "content": text, "tool_calls": [tool_call]})
        error = call.error or self._call_error(call)
        if error:
            self._feedback(error, call_id)
        elif call.name == "think":
            self.idle += 1
            self._result("Go on.", call_id)
        elif call.name == "read_memory":
            self.idle += 1
            self._result(await self._read_memory(call.arguments["recipe"]), call_id)
        else:
            self._act(call, call_id)

    def _call_error(self, call: ToolCall) -> str | None:
        """What is wrong with a call, in one sentence, or None."""
        if call.name not in self.settings.tools:
            return f"There is no tool {call.name!r}; call one of {', '.join(self.settings.tools)}."
        if call.name in ("think", "read_memory"):
            field = "thought" if call.name == "think" else "recipe"
            value = call.arguments.get(field)
            if not isinstance(value, str) or not value:
                return f"{call.name} needs the argument {field!r}, a text."
            return None
        try:
            parse_action({"name": call.name, "arguments": call.arguments})
        except MnemocraftError as error:
            return str(error)
        return None

    def _act(self, call: ToolCall, call_id: str) -> None:
        self.idle = 0
        self.count["actions"] += 1
        self.count["impossible_called"] += call.name == "impossible"
        before = self.observation["inventory"]
        self._step({"name": call.name, "arguments": call.arguments})
        crafted = "0" in before and call.name == "move" and before != self.observation["inventory"]
        if crafted and not self.reason and not self.env.example.impossible:
            self._check_eager_crafting()
        self._result(self.observation["text"], call_id)

    def _noop(self) -> None:
        """Play a no-op so that an Actor that only thinks or errs still runs out of steps."""
        self.idle = 0
        self.count["noops"] += 1
        self._step({"name": "noop", "arguments": {}})
        note = "Three answers without an environment action: one step has passed.\n"
        self._say({"role": "user", "content": note + self.observation["text"]})

    def _step(self, action: dict[str, Any]) -> None:
        self.observation, _, terminated, truncated, info = self.env.step(action)
        self.trajectory.append(
            {
                "type": "action",
                "action": action,
                "step": info["steps"],
                "inventory": self.observation["inventory"],
            }
        )
        if terminated or truncated:
            self.reason = info["reason"]

    def _check_eager_crafting(self) -> None:
        """End the episode once a craft has made the target unreachable (Appendix D.2, Figures 22 and 24)."""
        if plan(seen_game(self.observation).counts(), self.observation["target"]) is None:
            self.reason = "eager_crafting"

    async def _read_memory(self, recipe: str) -> str:
        """Algorithm 1: relevant entries of the memory, or else a new answer of the teacher."""
        self.count["reads"] += 1
        self.count["first_read"] = self.count["first_read"] or self.turns
        context = self.observation["text"]
        entries = self.memory.read(recipe) if self.settings.remembers else []
        if self.settings.checks:
            entries = [e for e in entries if await is_relevant(self.call_role, context, recipe, e)]
        event: dict[str, Any] = {"type": "memory", "query": recipe, "hit": bool(entries)}
        if entries:
            self.count["cache_hits"] += 1
            self.trajectory.append({**event, "question": None, "answer": None, "entries": entries})
            return "\n\n".join(entries)
        self.count["cache_misses"] += 1
        question, answer, entry = await self._ask_teacher(context, recipe)
        self.trajectory.append({**event, "question": question, "answer": answer, "entries": [entry]})
        return entry

    async def _ask_teacher(self, context: str, recipe: str) -> tuple[str, str, str]:
        """A question, the teacher's answer, and the entry made of it (lines 9 to 16 of Algorithm 1)."""
        question = await ask_question(self.call_role, context, recipe)
        self.count["interventions"] += 1
        answer = await teach(self.settings.teacher, self.call_role, self.observation, question, recipe)
        entry, keys = answer, [recipe]
        if self.settings.parses:
            entry, tags = await parse_answer(self.call_role, context, recipe, question, answer)
            keys = list(dict.fromkeys([recipe, *tags]))
        if self.settings.remembers:
            self.memory.write(entry, keys)
            self.written.append([entry, keys])
        return question, answer, entry

    def _feedback(self, error: str, call_id: str | None) -> None:
        """Tell the Actor what was wrong with its answer; it costs no environment step."""
        self.idle += 1
        self.count["invalid_calls"] += 1
        if call_id is None:
            self._say({"role": "user", "content": error})
        else:
            self._result(f"Error: {error}", call_id)

    def _result(self, content: str, call_id: str) -> None:
        self._say({"role": "tool", "tool_call_id": call_id, "content": content})

    def _say(self, message: Message) -> None:
        self.messages.append(message)
        self.trajectory.append({"type": "message", **message})
