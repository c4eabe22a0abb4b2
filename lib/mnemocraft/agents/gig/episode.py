"""One episode of any planner: ask it for an action, take the action, until something ends it.

Read :func:`play` first.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from mnemocraft.agents.gig.answers import action_error, read_action
from mnemocraft.envs import KitchenEnv
from mnemocraft.errors import ModelError
from mnemocraft.llm import Model
from mnemocraft.llm.types import Message, TokenLedger
from mnemocraft.runs import Episode

TEMPERATURE = 0.0
MAX_TOKENS = 4096
"""Sampling of every call (section 4.1)."""
MAX_TRIES = 5
"""Invalid answers in a row after which a try at a step counts as failed."""
MAX_FAILED = 3
"""Failed tries at a step, anywhere in an episode, that end it; both limits are the benchmark's own."""


class Planner(Protocol):
    """Chooses the actions of one episode."""

    async def next_action(self) -> str:
        """A valid action for the state the trial is in. Raises Stopped when the planner has none."""
        ...

    def succeeded(self) -> None:
        """The goal has been reached."""
        ...


class Stopped(Exception):
    """A planner ends the episode; the argument is the reason for the record."""


class Choice(NamedTuple):
    """A valid action, the answer that named it, and the messages that it answered."""

    action: str
    answer: str
    messages: list[Message]


async def play(trial: "Trial", planner: Planner) -> Episode:
    """Play an episode to its end; a request that finally fails ends it with reason ``error``."""
    try:
        while not trial.reason:
            trial.act(await planner.next_action())
    except Stopped as stopped:
        trial.reason = str(stopped)
    except ModelError as error:
        trial.reason = "error"
        trial.log("error", message=str(error))
    if trial.reason == "success":
        planner.succeeded()
    trial.log("end", reason=trial.reason)
    return trial.episode()


class Trial:
    """The kitchen, the model, and everything that is counted and recorded about one episode.

    Args:
        env: The kitchen, which is reset.
        model: What answers.

    Attributes:
        observation: Text of the current state: objects, valid actions, goal.
        valid: The valid actions of the current state, each once.
        actions: Actions taken so far.
        reason: Why the episode ended; empty while it goes on.
    """

    def __init__(self, env: KitchenEnv, model: Model) -> None:
        self.env, self.model = env, model
        self.ledger = TokenLedger()
        self.actions: list[str] = []
        self.reason = ""
        self.trajectory: list[dict[str, Any]] = []
        self.count = dict.fromkeys(("invalid_actions", "loops", "retrieved", "followed", "calls"), 0)
        self._choices = self._rejected = self._failed = 0
        observation, info = env.reset()
        self._see(observation, info)
        self.log("kitchen", task=env.task, seed=env.seed)

    async def ask(self, messages: list[Message], **event: Any) -> str:
        """The model's answer; ``event`` is recorded with it. Raises ModelError when the request fails.

        An answer after invalid ones is drawn anew, even if the request is the same.
        """
        reply = await self.model.complete(
            messages,
            temperature=TEMPERATURE,
            max_tokens=MAX_TOKENS,
            seed=self.env.seed,
            sample=self._rejected,
        )
        self.ledger.add("planner", reply)
        self.count["calls"] += 1
        usage = reply.usage
        tokens = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
        self.log("call", **tokens, text=reply.text, **event)
        return reply.text

    async def choose(self, request: Callable[[str], list[Message]], **event: Any) -> Choice:
        """Ask until an answer names a valid action; invalid ones take no environment step.

        Args:
            request: From the error feedback (empty at first) to the messages to send.
            event: Recorded with every call.

        Raises:
            Stopped: ``invalid_actions``, after ``MAX_TRIES`` invalid answers at a step for the
                ``MAX_FAILED``-th time.
            ModelError: The request finally failed.
        """
        error = ""
        while self._failed < MAX_FAILED:
            for _ in range(MAX_TRIES):
                messages = request(error)
                answer = await self.ask(messages, **event)
                action = read_action(answer)
                error = action_error(action, self.valid)
                if not error:
                    return Choice(action, answer, messages)
                self.reject(error)
            self._failed += 1
        raise Stopped("invalid_actions")

    def reject(self, error: str) -> None:
        """Count an answer that could not be used, and record the sentence that says why."""
        self.count["invalid_actions"] += 1
        self._rejected += 1
        self.log("feedback", error=error)

    def act(self, action: str) -> None:
        """Take a valid action."""
        self._choices += len(self.valid)
        self._rejected = 0
        observation, _, terminated, truncated, info = self.env.step(action)
        self.actions.append(action)
        self.log("action", action=action, step=info["steps"])
        if terminated or truncated:
            self.reason = info["reason"]
        self._see(observation, info)

    def log(self, kind: str, **entry: Any) -> None:
        """Add an entry to the trajectory."""
        self.trajectory.append({"type": kind, **entry})

    def episode(self) -> Episode:
        """The record of the episode."""
        steps = self.env.steps
        return Episode(
            success=self.reason == "success",
            reason=self.reason,
            steps=steps,
            metrics={**self.count, "branching": round(self._choices / steps, 3) if steps else 0.0},
            tokens=self.ledger.roles,
            trajectory=self.trajectory,
        )

    def _see(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> None:
        self.observation: str = observation["text"]
        self.valid = tuple(dict.fromkeys(info["valid_actions"]))
