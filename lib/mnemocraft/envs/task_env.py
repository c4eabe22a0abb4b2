"""What all environments share: how they are registered, and what they tell of an episode.

Importing this registers every environment with Gymnasium:
``gymnasium.make("mnemocraft/Kitchen-v0", task="sync/3")``. Their code is loaded when one is made.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import gymnasium
from gymnasium.utils import RecordConstructorArgs

ENVIRONMENTS = ("Alfworld", "Kitchen", "MineDojo", "Overworld", "Plancraft", "Tabletop", "TextWorld")
"""``Kitchen`` stands for ``mnemocraft/Kitchen-v0``, which is ``mnemocraft.envs.KitchenEnv``."""

for _name in ENVIRONMENTS:
    # Neither wrapper of Gymnasium: actions are tool calls and sentences, and a wrong one gets an answer.
    gymnasium.register(
        f"mnemocraft/{_name}-v0",
        entry_point=f"mnemocraft.envs:{_name}Env",
        order_enforce=False,
        disable_env_checker=True,
    )


Action = TypeVar("Action")


class TaskEnv(gymnasium.Env[dict[str, Any], Action], RecordConstructorArgs):
    """An environment with one task an episode.

    Attributes:
        steps: Steps taken so far.
        reason: Why the episode is over, empty before.
    """

    steps: int
    reason: str

    def _record(self, name: str, **arguments: Any) -> None:
        """Keep the arguments of the constructor, so that ``gymnasium.make(env.spec)`` makes it again."""
        RecordConstructorArgs.__init__(self, **arguments)
        self.spec = replace(gymnasium.spec(f"mnemocraft/{name}-v0"), kwargs=self._saved_kwargs)

    @property
    def success(self) -> bool:
        """Whether the episode is over and its goal reached."""
        return self.reason == "success"

    def _info(self, **more: Any) -> dict[str, Any]:
        """``success``, ``steps``, whatever else there is to tell, and at the end ``reason``."""
        told = {"success": self.success, "steps": self.steps, **more}
        if self.reason:
            told["reason"] = self.reason
        return told

    def _ends(self) -> tuple[bool, bool]:
        """Terminated, and truncated."""
        return self.reason not in ("", "max_steps"), self.reason == "max_steps"


def outcome(failure: str | None) -> dict[str, Any]:
    """``action_success``, and if it was none ``failure``, as parts of ``info``."""
    return {"action_success": False, "failure": failure} if failure else {"action_success": True}
