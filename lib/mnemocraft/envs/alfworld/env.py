"""ALFWorld's text games as a Gymnasium environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium

from mnemocraft.bounded import whole
from mnemocraft.envs.alfworld.games import read_game
from mnemocraft.envs.alfworld.process import Session
from mnemocraft.envs.spaces import TextSpace
from mnemocraft.envs.task_env import TaskEnv, outcome
from mnemocraft.errors import MnemocraftError

Observation = dict[str, Any]
"""``text`` (str): the engine's reply, to the letter; the first one describes the room and names the task."""
TASK = "Your task is to: "
NOTHING = "Nothing happens."
"""What the engine replies to anything that is not among the admissible commands."""


class AlfworldEnv(TaskEnv[str]):
    """A household task of ALFWorld (Shridhar et al. 2021) in its own engine, which runs in another process.

    An action is one of the admissible commands, ``info["valid_actions"]``. Anything else is answered by
    "Nothing happens." and takes a step, as in ALFWorld. The episode ends with the first state that meets the
    goal. Nothing here tells what the engine knows and a player does not: no facts, no plan.

    Game files are code: the engine evaluates parts of them as Python. Files that this package does not know
    by their SHA-256 are therefore refused unless the caller says that they are trusted.

    Args:
        game_path: A game, ``game.tw-pddl``.
        max_steps: Steps allowed, refused commands included (50 in ALFWorld's configuration and in GiG A.2).
        trusted: Load the game even if it is not known.
        timeout: Seconds to wait for each answer of the engine. After that, or if it dies, another engine is
            started and the episode is repeated there; the environment only fails if that fails, too.

    Attributes:
        goal: In words, without the full stop.
        valid_actions: The admissible commands, sorted.
        steps: Steps taken so far.
        reason: Why the episode is over (``success`` or ``max_steps``), empty before.

    Raises:
        MissingExtra: The engine is not installed.
        MnemocraftError: The game cannot be read, is not known, or has no legal number of steps.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 (as Gymnasium declares it)
    render_mode = None

    def __init__(
        self,
        game_path: str | Path,
        max_steps: int = 50,
        *,
        trusted: bool = False,
        timeout: float = 120.0,
    ) -> None:
        self.max_steps = whole(max_steps, "max_steps", 1)
        self._game, self._timeout = read_game(game_path, trusted), timeout
        self._record(
            "Alfworld", game_path=str(game_path), max_steps=self.max_steps, trusted=trusted, timeout=timeout
        )
        self.observation_space = gymnasium.spaces.Dict({"text": TextSpace(lambda: [self._text])})
        self.action_space = TextSpace(lambda: self.valid_actions)
        self._session: Session | None = None
        self._start()

    def _start(self) -> None:
        self.close()
        self._session = Session(self._game, self._timeout)
        self.steps = 0
        self._see(self._session)
        self.goal = self._text.rpartition(TASK)[2].strip().removesuffix(".")

    def _see(self, session: Session) -> None:
        self._text, self.valid_actions = session.text, session.commands
        self.reason = "success" if session.won else ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Back to the start; nothing in a game is random."""
        super().reset(seed=seed, options=options)
        if self._session is None or self.steps:
            self._start()
        return self._observation(), self._told()

    def step(self, action: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Give a command.

        Returns:
            Observation, reward (1 for success, otherwise 0), terminated (success), truncated (no steps left)
            and ``info``: ``success``, ``steps``, ``valid_actions``, ``action_success``, ``failure`` if the
            command was refused, and at the end ``reason``. After the end nothing changes any more.

        Raises:
            MnemocraftError: The engine fails again and again.
        """
        if self.reason:
            return self._observation(), 0.0, *self._ends(), self._told("The episode is over.")
        if self._session is None:
            raise MnemocraftError("The environment is closed; call reset() first.")
        failure = None
        # The engine need not be asked about what it refuses: it says always the same, and nothing changes.
        if isinstance(action, str) and action.strip() in self.valid_actions:
            self._session.step(action.strip())
            self._see(self._session)
        else:
            self._text = NOTHING
            failure = f"{action!r} is not one of the {len(self.valid_actions)} admissible commands."
        self.steps += 1
        if not self.reason and self.steps >= self.max_steps:
            self.reason = "max_steps"
        if self.reason:
            self.close()
        return self._observation(), float(self.success), *self._ends(), self._told(failure)

    def close(self) -> None:
        """Let the engine forget the episode."""
        if self._session is not None:
            self._session.end()
            self._session = None

    def _observation(self) -> Observation:
        return {"text": self._text}

    def _told(self, failure: str | None = None) -> dict[str, Any]:
        return self._info(valid_actions=list(self.valid_actions), **outcome(failure))
