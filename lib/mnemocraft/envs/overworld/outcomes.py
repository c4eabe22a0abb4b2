"""What a functional action came to, as a number for compiled code and a sentence for people."""

from __future__ import annotations

(
    DONE,
    EMPTY_SLOT,
    EMPTY_HAND,
    NO_MATERIAL,
    NO_TABLE,
    NO_FURNACE,
    NO_FUEL,
    NOT_PLACEABLE,
    NO_FACE,
    OCCUPIED,
    NO_USE,
) = range(11)

SENTENCES = {
    EMPTY_SLOT: "Slot {slot} is empty.",
    EMPTY_HAND: "There is nothing in the main hand to drop.",
    NO_MATERIAL: "Cannot craft {item}: missing {missing}.",
    NO_TABLE: "Cannot craft {item}: a placed crafting table must be in view within 5 blocks.",
    NO_FURNACE: "Cannot smelt {item}: a placed furnace must be in view within 5 blocks.",
    NO_FUEL: "Cannot smelt {item}: missing fuel.",
    NOT_PLACEABLE: "{held} cannot be placed.",
    NO_FACE: "Cannot place {held}: no block under the crosshair within reach.",
    OCCUPIED: "Cannot place {held}: there is no room at the face under the crosshair.",
    NO_USE: "Nothing happens on use here.",
}
"""``slot``: the action's slot; ``item``: what was to be made; ``held``: the stack in the slot."""
