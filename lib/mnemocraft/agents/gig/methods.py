"""The planners of the study and the parts of GiG that each of its variants has."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """One planner; the flags are for GiG only."""

    label: str
    """Name in the paper's tables."""
    prompt: str = "gig"
    """Which planner it is, and the file in ``prompts/`` that follows the description of the kitchen."""
    lookahead: bool = False
    """Show the observation after every valid action (Bounded Lookahead, section 3.2)."""
    loop_detection: bool = False
    """Warn when a state comes back (loop detection, section 3.1.2)."""
    experience: bool = False
    """Retrieve from a memory bank and add to it (section 3.3)."""
    carry: bool = False
    """Carry the whole last answer instead of what its Summary and Current Progress say (footnote 3)."""

    @property
    def embeds(self) -> bool:
        """States have to be encoded."""
        return self.loop_detection or self.experience


METHODS = {
    "gig": Method("GiG", lookahead=True, loop_detection=True),
    "gig_exp": Method("GiG+Exp", lookahead=True, loop_detection=True, experience=True),
    "recap": Method("ReCAP", "recap"),
    "react": Method("ReAct", "react"),
    "cot": Method("CoT", "cot"),
    "gig_ld": Method("GiG(+LD)", loop_detection=True),
    "gig_bl": Method("GiG(+BL)", lookahead=True),
    "gig_star": Method("GiG*", lookahead=True, loop_detection=True, carry=True),
    "gig_exp_star": Method("GiG(+Exp)*", lookahead=True, loop_detection=True, experience=True, carry=True),
}
"""All methods by the name that conditions use; GiG itself has loop detection and lookahead (footnote 3)."""
