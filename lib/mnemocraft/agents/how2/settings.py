"""What can be varied about a How2 agent, and what the names mean."""

from dataclasses import dataclass
from itertools import product

from mnemocraft.errors import MnemocraftError, one_of
from mnemocraft.worlds.world import LEVELS

TEACHERS = LEVELS
"""The four teachers (section 3.4): one plan, told at four levels of abstraction."""
SETUPS = ("base", "just_ask", "memory_only", "parse", "relevance", "how2")
"""No teacher; a teacher without memory (section 3.5); a memory with neither, one or both of the
Parse and Relevance roles (sections 4.2 to 4.5)."""
MEMORY_SETUPS = SETUPS[2:]
AGENTS = (("base", "none"), *product(SETUPS[1:], TEACHERS))
"""Every set-up with every teacher that it can have."""


@dataclass(frozen=True)
class Settings:
    """One agent. Raises MnemocraftError when a name is unknown or set-up and teacher do not fit."""

    setup: str
    teacher: str = "none"
    ask_first: bool = False
    """Read the memory for the target before anything else (Appendix C.3)."""
    think: bool = True
    """Offer the think tool; off for models that reason by themselves (Appendix F)."""

    def __post_init__(self) -> None:
        one_of("set-up", self.setup, SETUPS)
        allowed = ("none",) if self.setup == "base" else TEACHERS
        if self.teacher not in allowed:
            raise MnemocraftError(
                f"Set-up {self.setup!r} does not go with teacher {self.teacher!r}; "
                f"it is one of {', '.join(allowed)}."
            )

    @property
    def remembers(self) -> bool:
        """Answers are kept and looked up."""
        return self.setup not in ("base", "just_ask")

    @property
    def parses(self) -> bool:
        """Answers are rewritten before they are kept."""
        return self.setup in ("parse", "how2")

    @property
    def checks(self) -> bool:
        """Stored entries are used only after a relevance check."""
        return self.setup in ("relevance", "how2")

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools that the Actor is offered besides the world's actions."""
        return ("think",) * self.think + ("read_memory",) * (self.setup != "base")
