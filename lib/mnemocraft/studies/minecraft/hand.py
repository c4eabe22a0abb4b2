"""Play in the overworld by hand in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as widgets
import numpy as np
from IPython.display import Image

from mnemocraft.controllers import actions as a
from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.overworld.items import CRAFTS
from mnemocraft.studies.minecraft.views import FRAME
from mnemocraft.viewer import headless, png

CRAFT, EQUIP, PLACE, USE = 4, 5, 6, 1
"""MineDojo's numbers of functional actions."""
WIDTH = 2 * FRAME[1]


def play(seed: int) -> widgets.VBox | Image:
    """Buttons to act in a world and the player's view after each; headless, a picture of its start."""
    env = OverworldEnv(seed, image_size=None)
    env.reset()
    return Image(png(env.frame(*FRAME)), width=WIDTH) if headless() else by_hand(env)


def buttons() -> dict[str, np.ndarray]:
    """What each button does, as MineDojo's eight numbers."""
    moves = {
        "forward": a.FORWARD,
        "jump forward": a.FORWARD_JUMP,
        "back": a.BACK,
        "left": a.LEFT,
        "right": a.RIGHT,
    }
    heads = {
        "hit": a.ATTACK,
        "turn left": a.TURN_LEFT,
        "turn right": a.TURN_RIGHT,
        "look up": a.UP,
        "look down": a.DOWN,
    }
    made = {name: a.to_minedojo(a.index(motion, a.NONE)) for name, motion in moves.items()}
    made |= {name: a.to_minedojo(a.index(a.STAND, head)) for name, head in heads.items()}
    return made | {"use": a.functional(USE), "wait": a.functional(0)}


def by_hand(env: OverworldEnv) -> widgets.VBox:
    """The controls: an action, how many ticks, and what goes through the inventory."""
    ticks = widgets.IntSlider(5, 1, 60, description="ticks")
    craft = widgets.Dropdown(
        options=[(item.replace("_", " "), place) for place, (item, _) in enumerate(CRAFTS)]
    )
    slot = widgets.BoundedIntText(0, min=0, max=35, description="slot")
    again = widgets.Button(description="start again")
    picture, text = widgets.Image(format="png", width=WIDTH), widgets.HTML()

    def draw(observation: dict[str, Any], info: dict[str, Any]) -> None:
        picture.value = png(env.frame(*FRAME))
        failed = f" {info['failure']}" if "failure" in info else ""
        over = f" Over: {info['reason']}." if "reason" in info else ""
        text.value = f"<b>Step {info['steps']}.{escape(failed)}{over}</b><br>{escape(observation['text'])}"

    def act(action: np.ndarray, times: int) -> None:
        for _ in range(times):
            observation, _, _, _, info = env.step(action)
        draw(observation, info)

    def button(name: str, action: np.ndarray) -> widgets.Button:
        made = widgets.Button(description=name)
        turns = name.startswith(("turn", "look"))  # 15 degrees a click
        made.on_click(lambda _: act(action, 1 if turns else ticks.value))
        return made

    def inventory(name: str, function: int) -> widgets.Button:
        made = widgets.Button(description=name)
        made.on_click(lambda _: act(a.functional(function, craft=craft.value, slot=slot.value), 1))
        return made

    again.on_click(lambda _: draw(*env.reset()))
    draw(*env.reset())
    moves = widgets.GridBox(
        [button(*item) for item in buttons().items()],
        layout=widgets.Layout(grid_template_columns="repeat(3, 150px)"),
    )
    hold = widgets.HBox([inventory("craft or smelt", CRAFT), craft])
    slots = widgets.HBox([inventory("place", PLACE), inventory("equip", EQUIP), slot])
    return widgets.VBox([widgets.HBox([picture, widgets.VBox([moves, ticks, hold, slots, again])]), text])
