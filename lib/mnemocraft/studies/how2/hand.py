"""Play a Plancraft task by hand in a notebook."""

from __future__ import annotations

from html import escape

import ipywidgets as widgets
from IPython.display import Image

from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft.data import SLOT_NAMES
from mnemocraft.viewer import headless, png


def play(split: str = "low", index: int = 0) -> widgets.VBox | Image:
    """Buttons to play a task, with the table drawn after every action; headless, a picture of its start."""
    env = PlancraftEnv(split, index)
    env.reset()
    return Image(png(env.render()), width=352) if headless() else by_hand(env)


def by_hand(env: PlancraftEnv) -> widgets.VBox:
    """The controls: what to do, from where, to where, how many; ``do`` carries it out."""
    action = widgets.Dropdown(options=("move", "smelt", "impossible"), description="action")
    slot_from = widgets.Dropdown(options=SLOT_NAMES, value="I1", description="from")
    slot_to = widgets.Dropdown(options=SLOT_NAMES[1:], value="A1", description="to")
    quantity = widgets.BoundedIntText(1, min=1, max=64, description="quantity")
    do = widgets.Button(description="do")
    again = widgets.Button(description="start again")
    picture, text = widgets.Image(format="png", width=352), widgets.HTML()

    def draw(observation: dict, info: dict) -> None:
        picture.value = png(env.render())
        end = f" Over: {info['reason']}." if "reason" in info else ""
        text.value = f"<b>Step {info['steps']}.{end}</b><pre>{escape(observation['text'])}</pre>"

    def on_do(_: object) -> None:
        arguments = {"slot_from": slot_from.value, "slot_to": slot_to.value, "quantity": quantity.value}
        call = {"name": action.value, "arguments": {} if action.value == "impossible" else arguments}
        observation, _, _, _, info = env.step(call)
        draw(observation, info)

    do.on_click(on_do)
    again.on_click(lambda _: draw(*env.reset()))
    draw(*env.reset())
    controls = widgets.VBox([action, slot_from, slot_to, quantity, do, again])
    return widgets.VBox([widgets.HBox([picture, controls]), text])
