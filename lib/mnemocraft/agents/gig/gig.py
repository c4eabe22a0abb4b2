"""GiG: Algorithm 1 of the paper, one state at a time (section 3)."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mnemocraft.agents.gig import prompts
from mnemocraft.agents.gig.answers import read_fields
from mnemocraft.agents.gig.episode import Trial
from mnemocraft.agents.gig.methods import Method
from mnemocraft.memory import SessionGraph, TraceMemory

Embedding = npt.NDArray[np.float32]
"""A state as GiG sees it, shape (64,)."""


class GiG:
    """Plans each step from the current state alone, and from what its two graphs say about it.

    Args:
        trial: The episode.
        method: Which parts of GiG are on.
        embed: The encoder, from the object blocks of an observation to the embedding of its scene graph;
            called only with loop detection or experience.
        memory: M, the memory bank that the episodes of a stream share; None without experience.
    """

    def __init__(
        self, trial: Trial, method: Method, embed: Callable[[str], Embedding], memory: TraceMemory | None
    ) -> None:
        self.trial, self.method, self.embed, self.memory = trial, method, embed, memory
        self.session = SessionGraph() if method.loop_detection else None  # G_session
        self.embeddings: list[Embedding] = []
        self.carried: list[str] = []

    async def next_action(self) -> str:
        """Algorithm 1 for the current state (line 1); the numbers are those of its lines.

        Without loop detection, lookahead or experience the lines that belong to it are passed over.
        """
        trial, method = self.trial, self.method
        if method.embeds:
            self.embeddings.append(self.embed(trial.env.observation()))  # 2
        path = self._loop_path()  # 4, 5
        successors = trial.env.successor_texts() if method.lookahead else {}  # 8
        match = self.memory.closest(self.embeddings[-1]) if self.memory is not None else None  # 10, 11, 12
        shown = [  # in the order of the paper's Figure 12, where what happened before comes last
            prompts.simulation(successors),  # 9
            *self.carried,
            prompts.loop_warning(path),  # 6, 7
            prompts.past_experience(match),  # 13, 14
        ]
        choice = await trial.choose(  # 15
            lambda error: [
                prompts.system(method.prompt),
                prompts.message([*prompts.base(trial.observation, error), *shown]),  # 3
            ],
            loop=path,
            retrieved=match and {"goal": match.goal, "action": match.action, "distance": match.distance},
        )
        trial.count["loops"] += path is not None
        trial.count["retrieved"] += match is not None
        trial.count["followed"] += match is not None and match.action == choice.action
        self.carried = self._carry(choice.answer)
        return choice.action  # 20; z_t is the last of self.embeddings

    def succeeded(self) -> None:
        """Lines 17 to 19: the memory bank takes in the states and actions that led to success."""
        if self.memory is not None:
            self.memory.add(self.trial.env.goal_description, self.embeddings, self.trial.actions)

    def _loop_path(self) -> list[str] | None:
        """The actions since the state was there before, or None; the graph gets node and edge (line 16) too.

        The algorithm adds them after the model has answered, but does not look at the graph in between.
        """
        if self.session is None:
            return None
        return self.session.visit(self.embeddings[-1], self.trial.actions[-1] if self.trial.actions else None)

    def _carry(self, answer: str) -> list[str]:
        """What the next step is told about this one."""
        if self.method.carry:
            return prompts.last_reasoning(answer)
        fields = read_fields(answer)
        return prompts.last_step(fields.get("summary", ""), fields.get("current progress", ""))
