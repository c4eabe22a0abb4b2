"""One episode of any agent in any world with any memory. Read :func:`play` first."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from mnemocraft.errors import MnemocraftError, ModelError, RequestTooLong
from mnemocraft.llm import Model
from mnemocraft.llm.cache import is_refusal
from mnemocraft.llm.types import Message, Reply, TokenLedger, Tool
from mnemocraft.memory.experience import LONGEST
from mnemocraft.memory.interface import Cue, Hit, Memory
from mnemocraft.memory.none import NoMemory
from mnemocraft.runs.events import Action, Call, End, Error, Event, Note, Recall, Start
from mnemocraft.runs.study import Episode
from mnemocraft.worlds.world import Feedback, World, lacks

MOST_UNUSABLE = 5
"""Answers in a row of which nothing can be used that end an episode with reason ``no_answers``."""
LONGEST_KEPT, MOST_KEPT = 20_000, 4_000_000
"""Characters of an answer, and of all answers of an episode, that its trajectory keeps."""


class Stopped(Exception):
    """The episode is over; the argument is the reason for the record."""


@dataclass(frozen=True)
class Sampling:
    """How answers in a role are drawn.

    Attributes:
        held: While it is generated, an answer is held to its form and to the actions that are listed, where
            some are.
    """

    temperature: float = 0.0
    max_tokens: int = 512
    held: bool = False


@dataclass(frozen=True)
class Agent:
    """Somebody who plays: an async function over a rollout, and what it needs.

    Attributes:
        name: As the registry has it.
        label: For tables and figures.
        run: Plays until the rollout is stopped.
        sampling: By role; ``""`` for all roles that are not named.
        needs: Capabilities that a world must have.
        teaches_itself: It writes into the memory what it learns; for the others, what led to success is kept
            under the goal.
    """

    name: str
    label: str
    run: Callable[[Rollout], Awaitable[None]]
    sampling: Mapping[str, Sampling] = field(default_factory=dict)
    needs: tuple[type, ...] = ()
    teaches_itself: bool = False


_MADE = {
    "agent": ("run", "mnemocraft.agents.get_agent"),
    "world": ("act", "mnemocraft.worlds.make"),
    "memory": ("recall", "mnemocraft.memory.get_memory"),
    "model": ("complete", "mnemocraft.llm.get_model"),
}
"""What an episode takes: by what it is known, and who makes it."""


async def play(
    agent: Agent,
    world: World,
    memory: Memory,
    model: Model,
    *,
    seed: int = 0,
    watch: Callable[[Event], None] = lambda event: None,
) -> Episode:
    """Play an episode to its end.

    A request that is too long for the model ends it with reason ``dialogue_full``, as an outcome; one that
    finally fails with reason ``error``, and a model that answers nothing with ``no_answers``. After an error
    the memory reports nothing, as the stream begins anew from what earlier episodes left.

    Args:
        agent: Who plays, see :func:`mnemocraft.agents.get_agent`.
        world: A task at its beginning.
        memory: Shared by the episodes of a stream.
        model: What answers.
        seed: Sent with every request, and of what the agent draws.
        watch: Called with every event as it is recorded.

    Raises:
        MnemocraftError: The world lacks what the agent needs, or was played to its end; or one of the four
            is something else, such as its name. One sentence.
    """
    for (kind, (does, maker)), thing in zip(_MADE.items(), (agent, world, memory, model), strict=True):
        if not hasattr(thing, does):
            raise MnemocraftError(f"{thing!r} is no {kind}; {maker} makes one.")
    if world.steps and world.reason:
        raise MnemocraftError(f"The world {world.task.id} was played to its end: make it anew.")
    for capability in agent.needs:
        if not isinstance(world, capability):
            raise lacks(world, capability, agent.label)
    rollout = Rollout(agent, world, memory, model, seed, watch)
    name = type(memory).__name__
    rollout.log(Start(agent.name, name, world.task.id, world.task.goal, seed))
    reason = "agent_stopped"
    try:
        await agent.run(rollout)
    except Stopped as stopped:
        reason = str(stopped)
    except RequestTooLong:
        reason = "dialogue_full"
    except ModelError as error:
        reason = "error"
        rollout.log(Error(str(error)))
    except BaseException:
        memory.commit(world.task.goal, False)  # what it holds of this episode must not be the next one's
        raise
    success = world.success and reason != "error"
    if reason != "error":
        rollout.remember_episode(success, reason)
    if success and not agent.teaches_itself:
        memory.learn(f"{world.task.goal}: {'; '.join(rollout.actions)}", [world.task.goal])
    delta = memory.commit(world.task.goal, success)
    rollout.log(End(reason, world.steps))
    return Episode(
        success=success,
        reason=reason,
        steps=world.steps,
        metrics={**rollout.counts, **world.task.facts},
        tokens=rollout.ledger.roles,
        trajectory=rollout.trajectory,
        memory_delta=None if reason == "error" else delta,
    )


class Rollout:
    """An episode that is being played: what an agent may do, and everything that is counted and recorded.

    Attributes:
        sample: Index of the next draw among repeats of one request; agents raise it to be answered anew.
        actions: Action lines that were carried out.
        feedback: What came of the last action line.
        counts: Metrics of the episode.
        trajectory: The events so far, as they are kept.
    """

    def __init__(
        self,
        agent: Agent,
        world: World,
        memory: Memory,
        model: Model,
        seed: int,
        watch: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self.agent, self.world, self.memory, self.model, self.seed = agent, world, memory, model, seed
        self._watch = watch
        self._remembers = type(memory) is not NoMemory  # else nobody needs to look
        self._start = self.cue() if self._remembers else None
        self._told = False
        self._empty = self._kept = 0
        self.sample = 0
        self.ledger = TokenLedger()
        self.actions: list[str] = []
        self.feedback = Feedback(True, 0)
        self.counts: dict[str, int | float | str] = {"calls": 0}
        self.trajectory: list[dict[str, Any]] = []

    def sampling(self, role: str) -> Sampling:
        """How the agent draws answers in a role."""
        return self.agent.sampling.get(role) or self.agent.sampling.get("", Sampling())

    async def ask(
        self,
        role: str,
        messages: list[Message],
        tools: list[Tool] | None = None,
        about: str = "",
        grammar: str | None = None,
    ) -> Reply:
        """The model's answer in a role, sampled as the agent says.

        Args:
            role: Who is asked.
            messages: OpenAI chat messages.
            tools: OpenAI tool definitions.
            about: Recorded with the answer.
            grammar: What the answer is held to (:class:`~mnemocraft.llm.types.Request`).

        Raises:
            Stopped: ``no_answers``; this is one of :data:`MOST_UNUSABLE` empty answers in a row.
            ModelError: The request finally failed.
        """
        how = self.sampling(role)
        reply = await self.model.complete(
            messages,
            tools=tools,
            temperature=how.temperature,
            max_tokens=how.max_tokens,
            seed=self.seed,
            sample=self.sample,
            grammar=grammar,
        )
        self.ledger.add(role, reply)
        self.count("calls")
        text, calls = self._as_kept(reply)
        usage = reply.usage
        self.log(Call(role, text, calls, usage.prompt_tokens, usage.completion_tokens, about))
        self._empty = self._empty + 1 if is_refusal(reply) else 0
        if self._empty >= MOST_UNUSABLE:
            raise Stopped("no_answers")
        return reply

    def _as_kept(self, reply: Reply) -> tuple[str, list[dict[str, Any]]]:
        """An answer as the trajectory keeps it; what is cut off counts as ``cut_answers``."""
        calls = [{"name": call.name, "arguments": call.arguments} for call in reply.tool_calls]
        room = max(0, min(LONGEST_KEPT, MOST_KEPT - self._kept))
        text, size = reply.text[:room], len(reply.text) + len(json.dumps(calls))
        if size > room:
            calls = [{"name": call["name"], "arguments": {}} for call in calls]
            self.count("cut_answers")
        self._kept += min(size, room)
        return text, calls

    def cue(self, query: str = "", plan: str = "") -> Cue:
        """What the memory is asked by now."""
        seen = self.world.observe()
        return Cue(
            self.world.task.goal,
            seen.scene,
            query,
            self.world.encoder,
            plan,
            inventory=seen.inventory,
            image=seen.image,
            biome=seen.biome,
        )

    def recall(self, query: str = "", plan: str = "") -> list[Hit]:
        """What the memory has for a query, a plan, or goal and scene; recorded if there is anything."""
        hits = self.memory.recall(self.cue(query, plan)) if self._remembers else []
        if hits:
            self.log(Recall(query or plan, [asdict(hit) for hit in hits]))
        return hits

    def experience(self, start: Cue, plan: str, outcome: str, success: bool) -> None:
        """Hand the memory a plan that was carried out from ``start``, and its outcome in a sentence.

        An agent that does so itself leaves nothing for the end; for the others the episode is one experience.
        """
        self._told = True
        self.memory.experience(replace(start, plan=plan[:LONGEST]), outcome, success)

    def remember_episode(self, success: bool, reason: str) -> None:
        """At the end, hand the memory what was done from the beginning on, unless the agent did so."""
        if self._start is None or self._told or not self.actions:
            return
        why = "" if self.feedback.success else f": {self.feedback.failure}"
        outcome = "Success: the goal was reached." if success else f"Failure ({reason}){why}"
        self.experience(self._start, "; ".join(self.actions), outcome, success)

    def act(self, action: str, limit: int | None = None, place: int = 0, line: str = "") -> Feedback:
        """Try an action line.

        Args:
            action: The line.
            limit: Steps that it may take, where it takes several.
            place: Its number in a plan, from 1 on.
            line: How the plan says it.

        Raises:
            Stopped: The episode is over, with the world's reason.
        """
        before = self.cue() if self._remembers else None
        feedback = self.feedback = self.world.act(action, limit)
        if feedback.success or self.world.success:  # half a goal may be all that the task asked for
            self.actions.append(action)
            if before is not None:
                self.memory.observe(before, action)
        failure = feedback.failure
        self.log(Action(action, feedback.success, failure, self.world.steps, place, line, limit))
        if self.world.reason:
            raise Stopped(self.world.reason)
        return feedback

    def count(self, name: str, number: int = 1) -> None:
        """Add to a metric."""
        self.counts[name] = int(self.counts.get(name, 0)) + number

    def count_from(self, names: Sequence[str]) -> None:
        """Metrics that are 0 if nothing happens."""
        self.counts |= dict.fromkeys(names, 0)

    def note(self, name: str, text: str) -> None:
        """Record a text under a name, see :class:`~mnemocraft.runs.events.Note`."""
        self.log(Note(name, text))

    def log(self, event: Event) -> None:
        """Add an event to the trajectory."""
        self.trajectory.append(event.as_json())
        self._watch(event)
