"""The words of a run: study, condition, stream, episode, and the model that plays them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mnemocraft import paths
from mnemocraft.errors import one_of

if TYPE_CHECKING:
    from mnemocraft.llm import Budget, Model

FAILURES = ("error", "timeout", "crash")
"""End reasons that become the status of a record; every other reason has status ``ok``."""
INSTANT = ("surrogate", "replay")
"""Kinds of models whose answers cost neither money nor time."""
FIRST_LOOK = 20
"""Episodes that a real model plays of a notebook in profile ``smoke``."""


@dataclass(frozen=True)
class Condition:
    """One cell of a study's grid.

    Attributes:
        id: Unique in the study, e.g. ``how2/executable/low``; letters, digits and ``/._=-`` only.
        settings: JSON-able; everything that changes outcomes besides model, seed and tasks. Its keys
            become columns of the result table.
    """

    id: str
    settings: dict[str, Any]


@dataclass(frozen=True)
class Stream:
    """An ordered sequence of episodes that share one memory; ``tasks`` in the order they are met."""

    condition: Condition
    seed: int
    tasks: tuple[str, ...]


@dataclass
class Episode:
    """What came of one episode.

    Attributes:
        success: Whether the task was solved.
        reason: Why it ended, in the study's words. A runner that catches a failure itself, to keep the
            partial trajectory and the tokens spent, says ``error``, ``timeout`` or ``crash`` here.
        steps: Environment steps taken.
        metrics: Anything else to count; the keys become columns of the result table.
        tokens: ``{role: {"prompt": ..., "completion": ..., ...}}``, as ``TokenLedger.roles``.
        trajectory: Messages, actions and observations, JSON-able, for the viewer.
        memory_delta: What the episode wrote to the memory, JSON-able; ``None`` if nothing.
    """

    success: bool
    reason: str
    steps: int
    metrics: dict[str, int | float | str] = field(default_factory=dict)
    tokens: dict[str, dict[str, int]] = field(default_factory=dict)
    trajectory: list[dict[str, Any]] = field(default_factory=list)
    memory_delta: Any = None


class StreamRunner(Protocol):
    """An agent with its memory, somewhere along a stream."""

    async def episode(self, task: str) -> Episode:
        """Play one task, starting from the memory that the earlier episodes left."""
        ...

    def restore(self, deltas: Sequence[Any]) -> None:
        """Bring a fresh runner to where the stream stands.

        Args:
            deltas: One entry per finished episode, in order, after a round trip through JSON; ``None``
                for an episode that wrote nothing or did not end by itself (error, timeout, crash).
        """
        ...


@dataclass(frozen=True)
class Study:
    """A grid of conditions, each with one stream per seed.

    Attributes:
        name: The notebook's stem, e.g. ``01_how2_teacher_spectrum``.
        streams: All streams of all conditions.
        start: Top-level function (it is pickled) that begins a stream with an empty memory. What an
            episode does may depend on the stream, its seed, its task, the number of episodes before it
            and the memory, and on nothing else: a resumed stream starts from a restored runner.
        fingerprint: Digests of the texts and sources that change outcomes, e.g. ``{"prompts": ...}``.
        time_limit: Seconds an episode may take before it ends with status ``timeout``; an episode that
            never waits for anything is only judged once it has ended.
    """

    name: str
    streams: tuple[Stream, ...]
    start: Callable[[Stream, Model], StreamRunner]
    fingerprint: dict[str, str]
    time_limit: float | None = None


@dataclass(frozen=True)
class ModelSpec:
    """How to open a model in whichever process needs it: the arguments of ``get_model``.

    The API key is not among them: it is read from the environment where the model is opened.
    ``name`` and ``options`` (but for ``timeout`` and ``threads``) may change answers and are part of every
    episode's identity; the other fields are matters of transport and are not. Worker processes of a model
    that answers at once each count their own streams against ``budget``; if any other has one, its streams
    share a process, and count together.
    ``most`` cuts a study to so many episodes (:func:`~mnemocraft.runs.forecast.first_look`).
    """

    name: str
    cache: Path | None = None
    base_url: str | None = None
    max_concurrency: int = 16
    max_retries: int = 4
    budget: Budget | None = None
    options: dict[str, Any] = field(default_factory=dict)
    most: int | None = None

    @classmethod
    def of_notebook(
        cls,
        name: str,
        max_dollars: float | None = None,
        max_total_tokens: int | None = None,
        profile: str = "full",
        runs: int = 1,
    ) -> ModelSpec:
        """The model a notebook's parameters name.

        Answers that cost money or minutes are kept in ``build/answers.sqlite``, shared by all notebooks, so
        that no rerun pays for them again. A limit stops the run, resumable, when it is reached; every run has
        the whole limit for itself, and what costs nothing has none. In profile ``smoke`` a model that takes
        its time plays no more than :data:`FIRST_LOOK` episodes in the notebook's ``runs`` together.

        Raises:
            MnemocraftError: There is no such profile, or a limit is no positive number.
        """
        from mnemocraft.llm import Budget

        one_of("profile", profile, paths.PROFILES)
        spec = cls(name)
        if spec.instant:
            cache, most = None, None
        else:
            cache = paths.output_root() / "build" / "answers.sqlite"
            most = FIRST_LOOK // runs if profile == "smoke" else None
        limited = not spec.instant and (max_dollars is not None or max_total_tokens is not None)
        budget = Budget(tokens=max_total_tokens, dollars=max_dollars) if limited else None
        return replace(spec, cache=cache, budget=budget, most=most)

    @property
    def instant(self) -> bool:
        """Whether answers cost neither money nor time."""
        return self._kind in INSTANT

    @property
    def _kind(self) -> str:
        return self.name.partition(":")[0]

    @cached_property
    def own_server(self) -> bool:
        """Whether this is a light local model, of which every worker process has a server to itself."""
        if self._kind != "local" or "server" in self.options:
            return False
        from mnemocraft.llm.local import find_model

        return find_model(self.name.partition(":")[2]).light

    @property
    def streams_at_a_time(self) -> int:
        """How many streams ask one opened model at a time: of a local one as many as it answers."""
        return int(self.options.get("parallel", 1)) if self._kind == "local" else self.max_concurrency

    def servers(self, workers: int) -> int:
        """Among how many servers of its own a run shares the streams: one for each worker, or just one of a
        model that has none to itself, or whose budget has to be counted in one place."""
        return workers if self.own_server and self.budget is None else 1

    @cached_property
    def content_name(self) -> str:
        """The name, and what tells the content of a model file or recording from another under that name."""
        from mnemocraft.llm import content_name

        return content_name(self.name)

    def open(self) -> Model:
        """Open the model. Raises a :class:`~mnemocraft.errors.MnemocraftError` that says what is missing."""
        from mnemocraft.llm import get_model  # here, so that workers load only what their model needs

        return get_model(
            self.name,
            cache=self.cache,
            base_url=self.base_url,
            max_concurrency=self.max_concurrency,
            max_retries=self.max_retries,
            budget=self.budget,
            **self.options,
        )
