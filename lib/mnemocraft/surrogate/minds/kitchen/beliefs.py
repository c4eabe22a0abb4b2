"""What the surrogate believes about cooking and about the kitchen, and what makes it change its mind.

A belief is a true sentence. It is known with probability ``knowledge``, drawn once for a seed and a goal, so
every method meets the same mind in the same episode; an unknown belief is replaced by the plausible error
described beside it. Beliefs about *dishes* say what has to be made, beliefs about the *kitchen* how things go
there. Only the latter can be refuted by looking at what an action leads to.
"""

from mnemocraft.surrogate.minds import beliefs

TABLE = "a dish belongs on a table"
"""Unknown: it is served wherever its first layer lies."""
PATTY = "a burger has a patty"
"""Unknown: the patty is left out."""
CLOSED = {"bread": "a sandwich ends with bread", "bottombun": "a burger ends with a top bun"}
"""Unknown: the dish is left open. The guide in the system message tells this."""
ALTERNATE = "the layers alternate"
"""Unknown: layers in any order. A goal that asks for it tells this."""
EVERYTHING = "soup needs every ingredient"
"""Unknown: the last ingredient is forgotten."""
SOUP_BOILS = "soup has to boil"
"""Unknown: it is served cold."""

CUTS = "cutting takes several cuts"
"""Unknown: an item is taken away after one cut."""
TIME = {verb: f"{verb}ing takes time" for verb in ("cook", "fry", "fill", "boil")}
"""Unknown: the item or pot is taken away at once."""
SINGLE = "a station works on a single thing"
"""Unknown: an item is stacked on what lies on the board, stove or fryer."""
FILLED_FIRST = "a pot is filled before it is boiled"
"""Unknown: the empty pot is put on the stove."""
TOP_LAST = "the top goes on last"
"""Unknown: a dish is closed as soon as its top is at hand."""
CLUTTER = "clutter stays off the dish"
"""Unknown: what is in the way is put down on a dish."""
USE_WAITING = "waiting time can be used"
"""Unknown: it waits for what is cooking."""
BOARD = "cutting needs a board"
"""Unknown: it tries to cut where the item lies."""

KITCHEN = (CUTS, *TIME.values(), SINGLE, FILLED_FIRST, TOP_LAST, CLUTTER, USE_WAITING, BOARD)
"""How things go in a kitchen."""
_PREPARED = [
    f"{kind} has to be {state}"
    for state, kinds in (
        ("cut", ("lettuce", "onion", "tomato", "potato")),
        ("cooked", ("patty", "chicken")),
        ("fried", ("chicken", "onion", "potato")),
    )
    for kind in kinds
]
DISHES = (*_PREPARED, TABLE, PATTY, *CLOSED.values(), ALTERNATE, EVERYTHING, SOUP_BOILS)
"""What has to be made."""


def prepared(kind: str, state: str) -> str:
    """The belief that an ingredient has to be cut, cooked or fried."""
    return f"{kind} has to be {state}"


class Beliefs(beliefs.Beliefs):
    """Those of a reader about a kitchen, for one call."""

    world = "kitchen"

    def was_told(self, belief: str) -> bool:
        """Whether it took up what the recipes or the goal say in plain words; once for an episode."""
        return self.who.heeds("plain words", self.task, belief)

    def second_thoughts(self) -> list[str]:
        """Wrong beliefs about dishes that thinking again puts right, each with probability ``knowledge``."""
        return [belief for belief in DISHES if not self.knows(belief) and self.again(belief)]


def lessons(text: str) -> frozenset[str]:
    """The lessons that it has noted down before; a note is always copied, and heeded in a call or not."""
    return frozenset(belief for belief in (*DISHES, *KITCHEN) if belief in text)
