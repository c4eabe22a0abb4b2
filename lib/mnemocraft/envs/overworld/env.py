"""The overworld as a Gymnasium environment with MineDojo's observations and actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mnemocraft.bounded import whole
from mnemocraft.envs.overworld import checks
from mnemocraft.envs.overworld.spaces import CRAFT, ticks_of
from mnemocraft.envs.task_env import TaskEnv, outcome
from mnemocraft.errors import MissingExtra

if TYPE_CHECKING:
    from mnemocraft.envs.overworld.engine import OverworldEngine

Observation = dict[str, Any]
Info = dict[str, Any]


class OverworldEnv(TaskEnv[np.ndarray]):
    """A seeded voxel world with the rules of Minecraft 1.11.2 and the face of MineDojo 0.1.

    What it leaves out of the game is listed at the top of :mod:`mnemocraft.envs.overworld`.

    An action is eight whole numbers, ``MultiDiscrete([3, 3, 4, 25, 25, 8, 244, 36])``: forward/back,
    left/right, jump/sneak/sprint, pitch, yaw (bin * 15 - 180 degrees), function (none, use, drop, attack,
    craft, equip, place, destroy), craft argument, slot. A step is a tick of 50 ms; drop, craft, equip, place
    and destroy take three. What cannot be done does nothing (time passes) and is explained in
    ``info["failure"]``.

    Args:
        seed: Seed of the world and of everything that happens by chance in it.
        target: Item, or items with numbers, that must be *gained* since the start; None for an open end.
        max_steps: Steps allowed.
        image_size: Height and width of the images; None for observations without them.
        specified_biome: The biome of all land, for example ``"plains"``; None for a natural mixture.
        initial_inventory: Items with numbers, put into the slots from the main hand on.
        start_time: Time of day in ticks; 0 is sunrise, 6,000 noon, 18,000 midnight.
        allow_time_passage: Whether the sun moves.
        allow_mob_spawn: Whether animals and monsters appear.

    Attributes:
        steps: Steps taken so far.
        reason: Why the episode is over (``success``, ``death`` or ``max_steps``), empty before.

    Raises:
        MissingExtra: Numba is not installed.
        MnemocraftError: A setting is none of the allowed ones; one sentence.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}  # noqa: RUF012 (as Gymnasium declares it)
    render_mode = "rgb_array"

    def __init__(
        self,
        seed: int = 0,
        target: str | dict[str, int] | None = None,
        max_steps: int = 12_000,
        image_size: tuple[int, int] | None = (64, 64),
        *,
        specified_biome: str | None = None,
        initial_inventory: dict[str, int] | None = None,
        start_time: int = 1000,
        allow_time_passage: bool = True,
        allow_mob_spawn: bool = True,
    ) -> None:
        self.seed = whole(seed, "seed", 0)
        self.max_steps = whole(max_steps, "max_steps", 1)
        time = whole(start_time, "start_time", 0, 23_999)
        self._engine = _engine(None if image_size is None else checks.image_size(image_size))
        self.target = checks.target(target)
        biome = self._engine.checked_biome(specified_biome)
        self._settings = biome, time, int(allow_time_passage), int(allow_mob_spawn)
        self._initial = checks.items(initial_inventory or {}, "initial_inventory")
        self.action_space = self._engine.action_space
        self.observation_space = self._engine.observation_space
        self._record(
            "Overworld",
            seed=self.seed,
            target=self.target,
            max_steps=self.max_steps,
            image_size=image_size,
            specified_biome=specified_biome,
            initial_inventory=self._initial,
            start_time=time,
            allow_time_passage=allow_time_passage,
            allow_mob_spawn=allow_mob_spawn,
        )
        self._begin()

    def _begin(self) -> None:
        self._engine.start(self.seed, *self._settings)
        self._engine.set_inventory(self._initial)
        self.steps, self.reason, self._failure = 0, "", ""
        self._observation = self._engine.observer.observe()
        self._counts = self._engine.observer.counts

    # --- episodes ---------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Back to the start; with a seed, in the world of that seed."""
        if seed is not None:
            self.seed = whole(seed, "seed", 0)
        super().reset(seed=seed, options=options)
        self._begin()
        return self._observation, self._told()

    def step(self, action: Sequence[int] | np.ndarray) -> tuple[Observation, float, bool, bool, Info]:
        """Act for one tick, or three.

        Returns:
            Observation, reward (1 at success, otherwise 0), terminated (success or death), truncated (no
            steps left) and ``info``: ``success``, ``steps``, ``action_success``, ``failure`` (why a
            functional action did nothing), and at the end ``reason``. After the end nothing changes any more.

        Raises:
            MnemocraftError: The action is not in the action space; nothing has changed.
        """
        chosen = checks.action(action)
        if self.reason:
            self._failure = "The episode is over."
            return self._observation, 0.0, *self._ends(), self._told()
        self._engine.advance(chosen, ticks_of(chosen[5]))
        self._observation = self._engine.observer.observe(chosen[6] if chosen[5] == CRAFT else None)
        self._failure = self._engine.failure(chosen)
        self.steps += 1
        self._judge()
        return self._observation, float(self.success), *self._ends(), self._told()

    def _judge(self) -> None:
        """Set ``reason`` if the episode is over."""
        if self.target and self._engine.inventory_changed and self._reached():
            self.reason = "success"
        elif self._engine.dead:
            self.reason = "death"
        elif self.steps >= self.max_steps:
            self.reason = "max_steps"

    def _reached(self) -> bool:
        now = self._engine.observer.counts
        return all(now.get(i, 0) - self._counts.get(i, 0) >= number for i, number in self.target.items())

    def _told(self) -> Info:
        return self._info(**outcome(self._failure))

    def render(self) -> np.ndarray:
        """The player's view, uint8 (height, width, 3), as large as the observations' images or 160 x 256."""
        return self.frame(*(self._engine.observer.image_size or (160, 256)))

    def frame(self, height: int, width: int) -> np.ndarray:
        """The player's view in any size, uint8 (height, width, 3)."""
        return self._engine.observer.frame(checks.image_size((height, width)))

    def labelled(self, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
        """As :meth:`frame`, and what each pixel shows, uint8 (height, width): the number of a block, or of a
        body from :data:`mnemocraft.envs.overworld.bodies_view.BODY` on. No observation has it."""
        return self._engine.observer.labelled(checks.image_size((height, width)))

    # --- what MineDojo lets one do besides acting -------------------------------------------------

    def set_inventory(self, items: dict[str, int]) -> None:
        """Replace the whole inventory; see ``initial_inventory``. Seen from the next step on."""
        self._engine.set_inventory(checks.items(items, "inventory"))

    def teleport_agent(self, x: float, y: float, z: float, yaw: int = 0, pitch: int = 0) -> None:
        """Put the player's feet at a place; angles in whole degrees."""
        self._engine.teleport(x, y, z, yaw, pitch)

    def set_block(self, block: str, offset: tuple[int, int, int], variant: int = 0) -> None:
        """Put a block at an offset (x, y, z) from the player's feet, within 40 blocks.

        Raises:
            MnemocraftError: There is no such block or place, or the world remembers no more changes.
        """
        self._engine.set_block(block, offset, variant)

    def spawn_mobs(self, mob: str, offset: tuple[int, int, int]) -> bool:
        """Put a mob at an offset from the player's feet; False if there is no ground or no room."""
        return self._engine.spawn(mob, offset)

    def set_time(self, time: int) -> None:
        """Set the time of day in ticks."""
        self._engine.status["time"] = whole(time, "time", 0, 23_999)

    @property
    def world(self) -> np.ndarray:
        """The state, to look at: an array of one record, see :mod:`mnemocraft.envs.overworld.world`."""
        return self._engine.worlds


def _engine(image_size: tuple[int, int] | None) -> OverworldEngine:
    try:
        from mnemocraft.envs.overworld.engine import OverworldEngine  # loads the compiler
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "llvmlite"):
            raise
        raise MissingExtra(
            "OverworldEnv needs Numba; install it with `pip install 'mnemocraft[minecraft]'`."
        ) from None
    return OverworldEngine(image_size)
