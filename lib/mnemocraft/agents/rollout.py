"""One episode of any agent in any world with any memory. Read :func:`play` first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from mnemocraft.errors import ModelError, RequestTooLong
from mnemocraft.llm import Model
from mnemocraft.llm.types import Message, Reply, TokenLedger, Tool
from mnemocraft.memory.interface import Cue, Hit, Memory
from mnemocraft.memory.none import NoMemory
from mnemocraft.runs.events import Action, Call, End, Error, Event, Note, Recall, Start
from mnemocraft.runs.study import Episode
from mnemocraft.worlds.world import Feedback, World, lacks


class Stopped(Exception):
    """The episode is over; the argument is the reason for the record."""


@dataclass(frozen=True)
class Sampling:
    """How answers in a role are drawn."""

    temperature: float = 0.0
    max_tokens: int = 512


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
    finally fails with reason ``error``. After an error the memory reports nothing, as the stream begins anew
    from what earlier episodes left.

    Args:
        agent: Who plays, see :func:`mnemocraft.agents.get_agent`.
        world: A task at its beginning.
        memory: Shared by the episodes of a stream.
        model: What answers.
        seed: Sent with every request, and of what the agent draws.
        watch: Called with every event as it is recorded.

    Raises:
        MnemocraftError: The world lacks what the agent needs; one sentence.
    """
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
    success = world.success and reason != "error"
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
        self.sample = 0
        self.ledger = TokenLedger()
        self.actions: list[str] = []
        self.feedback = Feedback(True, 0)
        self.counts: dict[str, int | float | str] = {"calls": 0}
        self.trajectory: list[dict[str, Any]] = []

    async def ask(
        self, role: str, messages: list[Message], tools: list[Tool] | None = None, about: str = ""
    ) -> Reply:
        """The model's answer in a role, sampled as the agent says; ``about`` is recorded with it.

        Raises:
            ModelError: The request finally failed.
        """
        how = self.agent.sampling.get(role) or self.agent.sampling.get("", Sampling())
        reply = await self.model.complete(
            messages,
            tools=tools,
            temperature=how.temperature,
            max_tokens=how.max_tokens,
            seed=self.seed,
            sample=self.sample,
        )
        self.ledger.add(role, reply)
        self.count("calls")
        calls = [{"name": call.name, "arguments": call.arguments} for call in reply.tool_calls]
        usage = reply.usage
        self.log(Call(role, reply.text, calls, usage.prompt_tokens, usage.completion_tokens, about))
        return reply

    def cue(self, query: str = "") -> Cue:
        """What the memory is asked by now."""
        return self._cue(self.world.observe().scene, query)

    def _cue(self, scene: str, query: str = "") -> Cue:
        return Cue(self.world.task.goal, scene, query, self.world.encoder)

    def recall(self, query: str = "") -> list[Hit]:
        """What the memory has for a query, or for goal and scene; recorded if there is anything."""
        hits = self.memory.recall(self.cue(query)) if self._remembers else []
        if hits:
            self.log(Recall(query, [asdict(hit) for hit in hits]))
        return hits

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
        scene = self.world.observe().scene if self._remembers else ""
        feedback = self.feedback = self.world.act(action, limit)
        if feedback.success:
            self.actions.append(action)
        if feedback.success and self._remembers:
            self.memory.observe(self._cue(scene), action)
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
