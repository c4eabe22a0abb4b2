"""Why an action did nothing: MineDojo does not tell, so the observations before and after it must."""

from __future__ import annotations

from mnemocraft.envs.minedojo.observation import Observation, counts
from mnemocraft.envs.overworld import outcomes
from mnemocraft.envs.overworld.items import AT_FURNACE, AT_TABLE, CRAFTS
from mnemocraft.envs.overworld.spaces import CRAFT, DESTROY, DROP, EQUIP, PLACE
from mnemocraft.envs.overworld.words import missing as missing_of


def failure(action: list[int], before: Observation, after: Observation) -> str:
    """Why a functional action did nothing, in the words of ``OverworldEnv``; empty if it did something.

    Args:
        action: Eight whole numbers.
        before: The observation that it was chosen on.
        after: The next one.
    """
    function, craft, slot = action[5:]
    item, station = CRAFTS[craft]
    held = str(before["inventory"]["name"][0 if function == DROP else slot])
    missing = ""
    if function == CRAFT:
        outcome, missing = _crafted(item, station, before, after)
    elif function not in (DROP, EQUIP, PLACE, DESTROY):
        outcome = outcomes.DONE  # "use" and "attack" leave no mark that could be judged
    elif held == "air":
        outcome = outcomes.EMPTY_HAND if function == DROP else outcomes.EMPTY_SLOT
    else:
        outcome = _placed(slot, before, after) if function == PLACE else outcomes.DONE
    if outcome == outcomes.DONE:
        return ""
    return outcomes.SENTENCES[outcome].format(
        slot=slot, item=item.replace("_", " "), held=held, missing=missing
    )


def _placed(slot: int, before: Observation, after: Observation) -> int:
    if not before["masks"]["place"][slot]:
        return outcomes.NOT_PLACEABLE
    item = str(before["inventory"]["name"][slot]).replace(" ", "_")
    gone = counts(after).get(item, 0) < counts(before)[item]
    return outcomes.DONE if gone else outcomes.NO_FACE


def _crafted(item: str, station: int, before: Observation, after: Observation) -> tuple[int, str]:
    had = counts(before)
    if counts(after).get(item, 0) > had.get(item, 0):
        return outcomes.DONE, ""
    missing = missing_of(item, station, had)
    if missing:
        return outcomes.NO_MATERIAL, missing
    if station == AT_TABLE and not after["nearby_tools"]["table"]:
        return outcomes.NO_TABLE, ""
    if station == AT_FURNACE:
        near = after["nearby_tools"]["furnace"]
        return (outcomes.NO_FUEL if near else outcomes.NO_FURNACE), ""
    return outcomes.DONE, ""  # made, and fallen to the ground for lack of room
