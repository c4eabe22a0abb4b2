"""Trains the learned controller: ``python -m training.controller`` (20 minutes, two cores).

In each of three rounds the teacher demonstrates (one file a skill), disturbed by the clone of the
round before, and the cloning goes on with all demonstrations so far (a checkpoint every 200 steps). All of it
is taken up where it was left. Then the panorama head is trained alone; at the end the weights and their card
are written.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
from tqdm import tqdm

from mnemocraft.controllers.actions import MIRROR
from mnemocraft.controllers.features import GOALS, IMAGE, SHARP
from mnemocraft.controllers.looks import LOOKS
from mnemocraft.controllers.network import HORIZONS, WEIGHTS, Network, load_network
from mnemocraft.controllers.skills import PRACTISED, UNDERGROUND, Skill
from mnemocraft.files import replacing
from mnemocraft.paths import ROOT
from mnemocraft.weights import read, sha256, write
from training.controller import demonstrations, panorama
from training.controller.rows import (
    UNKNOWN,
    batch_of,
    cells_of,
    held_out,
    horizons_of,
    mirrored_blocks,
    mirrored_numbers,
)
from training.controller.views import LOOKED, PLACES, look_around_in, look_at

FOLDER = ROOT / "build" / "controllers"
ROUNDS = 3
TICKS = 1300
"""Noted ticks of each skill in a round, on the average."""
HARD, EASY = 1.5, 0.7
"""Share of these ticks: what has to be looked for, and what is there at once."""
FIRST_SEED = 100_000
"""Worlds of the demonstrations; those of the evaluation come before."""
WORLDS, SIGHTS, PANORAMAS = 10_000, 400, 400
"""Seeds of a round, worlds that are only looked at, and those in which one looks around."""
STEPS, BATCH, RATE, DECAY = 5400, 128, 2e-3, 1e-3
HORIZON_WEIGHT, SPOT_WEIGHT, RAREST = 0.3, 20.0, 15.0
CHECKPOINT = 200


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.controller", description="Train the learned controller."
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ticks", type=int, default=TICKS, help="demonstrated ticks a skill and round")
    parser.add_argument("--steps", type=int, default=STEPS, help="batches")
    parser.add_argument("--workers", type=int, default=2, help="processes that demonstrate")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="where to write")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where to keep what is half done")
    options = parser.parse_args(argv)
    folder = options.folder / f"{options.seed}-{options.ticks}-{options.steps}"
    weights: Path | None = None
    unseen = FIRST_SEED * (1 + options.seed) + WORLDS * ROUNDS
    rounds = [make_views(folder / "views.npy", look_at, range(unseen, unseen + SIGHTS), options.workers)]
    for number in range(ROUNDS):
        part = folder / f"round-{number}"
        first = FIRST_SEED * (1 + options.seed) + WORLDS * number
        make_demonstrations(part, options.ticks, first, weights, options.workers)
        rounds.append(demonstrations.load(part))
        weights, stop = part / "clone.safetensors", options.steps * (number + 1) // ROUNDS
        network = clone(
            np.concatenate(rounds), options.seed, options.steps, folder / "checkpoint.safetensors", stop
        )
        network.save(weights, {"seed": options.seed, "steps": stop})
    data = np.concatenate(rounds)
    losses = measure(network, data[held_out(data)])
    half = folder / "network.safetensors"
    network.save(half, {})
    places = range(unseen + SIGHTS, unseen + SIGHTS + PANORAMAS)
    around = make_views(folder / "around.npy", look_around_in, places, options.workers)
    network = load_network(half)  # in half precision, as it will be at work
    losses["panorama_loss"] = panorama.fit(network, around, options.seed)
    network.save(options.weights, {"seed": options.seed, "ticks": len(data), "steps": options.steps})
    print(f"wrote {options.weights}: {losses}")
    write_card(options.weights, data, losses, options.seed, options.steps)


# --- demonstrations -------------------------------------------------------------------------------------


def make_demonstrations(folder: Path, ticks: int, first_seed: int, clone: Path | None, workers: int) -> None:
    """Write the missing files of demonstrations, one a skill, however many processes make them."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {skill: folder / f"{place:02}.npy" for place, skill in enumerate(PRACTISED)}
    missing = [skill for skill in PRACTISED if not paths[skill].exists()]
    missing.sort(key=lambda skill: -skill.max_steps)  # the long ones first
    with (
        ProcessPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool,
        tqdm(total=len(PRACTISED), initial=len(PRACTISED) - len(missing), desc=folder.name) as bar,
    ):
        futures = [pool.submit(_write, paths[skill], skill, ticks, first_seed, clone) for skill in missing]
        for future in as_completed(futures):
            future.result()
            bar.update()


def make_views(
    path: Path, look: Callable[[int], np.ndarray], worlds: Sequence[int], workers: int
) -> np.ndarray:
    """Pictures of many worlds to learn to see from: what ``look`` notes in each of them."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with ProcessPoolExecutor(workers) as pool:
            seen = pool.map(look, worlds, chunksize=5)
            _save(path, list(tqdm(seen, total=len(worlds), desc=path.stem, unit="world")))
    return np.asarray(np.load(path))


def _write(path: Path, skill: Skill, ticks: int, first_seed: int, clone: Path | None) -> None:
    hidden = skill.goal.verb == "kill" or skill.max_steps >= UNDERGROUND
    wanted = int(ticks * (HARD if hidden else EASY))
    _save(path, list(demonstrations.collect(skill, wanted, first_seed, clone)))


def _save(path: Path, parts: list[np.ndarray]) -> None:
    with replacing(path) as draft, draft.open("wb") as file:
        np.save(file, np.concatenate(parts))


# --- cloning --------------------------------------------------------------------------------------------


def clone(data: np.ndarray, seed: int, steps: int, checkpoint: Path, stop: int) -> Network:
    """Go on training a network on demonstrations; equal data and seed, equal weights on the same machine.

    Args:
        data: Array of :data:`demonstrations.FIELDS`.
        seed: Of the first weights and of the batches.
        steps: Batches of the whole training.
        checkpoint: File that keeps what is half done.
        stop: Batches after which to stop for now.
    """
    torch.manual_seed(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = Network().to(device, memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    done = _resume(checkpoint, network.train(), optimiser)
    rows = np.flatnonzero(~held_out(data))
    rare = rarity(data["spots"][rows[:: len(rows) // 5000 or 1]]).to(device)
    with tqdm(total=steps, initial=done, desc="cloning", unit="batch") as bar:
        for step in range(done, stop):
            rng = np.random.default_rng([seed, step])
            torch.manual_seed(int(rng.integers(1 << 31)))  # so that one who goes on leaves out the same
            loss = _loss(network, data[rng.choice(rows, BATCH)], rare, rng, device)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.param_groups[0]["lr"] = rate(step / steps)
            optimiser.step()
            bar.update()
            if (step + 1) % CHECKPOINT == 0 or step + 1 == stop:
                bar.set_postfix(loss=f"{loss.item():.3f}")
                _keep(checkpoint, network, optimiser, step + 1)
    return network.cpu().eval()


def rate(done: float) -> float:
    """Learning rate after a share of the training: a short rise, then half a cosine down to nothing."""
    return RATE * min(1.0, 10 * done + 0.01) * 0.5 * (1 + math.cos(math.pi * done))


def _loss(
    network: Network, rows: np.ndarray, rare: torch.Tensor, rng: np.random.Generator, device: str
) -> torch.Tensor:
    """Joint loss on a batch, half of it mirrored."""
    rows = rows.copy()
    flip = rng.random(len(rows)) < 0.5
    rows["image"][flip] = rows["image"][flip][..., ::-1]
    rows["blocks"][flip] = mirrored_blocks(rows["blocks"][flip])
    rows["numbers"][flip] = mirrored_numbers(rows["numbers"][flip])
    rows["spots"][flip] = rows["spots"][flip][..., ::-1]
    acted = flip & (rows["action"] != LOOKED)
    rows["action"][acted] = np.array(MIRROR)[rows["action"][acted]]
    with torch.autocast(device, torch.bfloat16):  # twice as fast where the processor knows this format
        actions, horizons, spots = (part.float() for part in network(batch_of(rows, device)))
    wise = torch.from_numpy(rows["action"].copy()).to(device)
    left = torch.from_numpy(horizons_of(rows)).to(device)
    seen = cells_of(rows["spots"]).to(device)
    spotting = binary_cross_entropy_with_logits(spots, seen, pos_weight=rare)
    return (
        cross_entropy(actions, wise)
        + HORIZON_WEIGHT * cross_entropy(horizons.flatten(0, 1), left.flatten(), ignore_index=UNKNOWN)
        + SPOT_WEIGHT * spotting
    )


def rarity(spots: np.ndarray) -> torch.Tensor:
    """Weight of the cells that show the source of each goal, (len(GOALS), 1, 1): the rarer, the more."""
    share = cells_of(spots).mean((0, 2, 3), keepdim=True)[0].clamp(min=1e-4)
    return ((1 - share) / share).sqrt().clamp(1, RAREST)


def measure(network: Network, rows: np.ndarray) -> dict[str, float]:
    """Accuracy of the actions, their loss, and loss of the horizons, on the given rows that have them."""
    wise, left = torch.from_numpy(rows["action"].copy()), torch.from_numpy(horizons_of(rows))
    with torch.inference_mode():
        parts = [network(batch_of(rows[at : at + 512])) for at in range(0, len(rows), 512)]
    actions, horizons, _ = (torch.cat(part) for part in zip(*parts, strict=True))
    return {
        "accuracy": float((actions.argmax(1) == wise)[wise != LOOKED].float().mean()),
        "action_loss": float(cross_entropy(actions, wise)),
        "horizon_loss": float(cross_entropy(horizons.flatten(0, 1), left.flatten(), ignore_index=UNKNOWN)),
    }


def _keep(path: Path, network: Network, optimiser: torch.optim.Optimizer, step: int) -> None:
    """Write the state of the training."""
    tensors = {f"network.{name}": value.cpu().numpy() for name, value in network.state_dict().items()}
    for number, state in optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser.{number}.{name}": value.cpu().numpy() for name, value in state.items()}
    write(path, tensors, {"step": step})


def _resume(path: Path, network: Network, optimiser: torch.optim.Optimizer) -> int:
    """Take up a training that was broken off; the steps that are done."""
    if not path.exists():
        return 0
    tensors, about = read(path, "training.controller")
    state: dict[int, dict[str, torch.Tensor]] = {}
    weights = {}
    for key, array in tensors.items():
        part, name = key.split(".", 1)
        if part == "network":
            weights[name] = torch.from_numpy(array.copy())
        else:
            number, name = name.split(".")
            value = torch.from_numpy(array.copy())
            state.setdefault(int(number), {})[name] = value[0] if name == "step" else value
    network.load_state_dict(weights)
    optimiser.load_state_dict(optimiser.state_dict() | {"state": state})
    return int(about["step"])


# --- the card -------------------------------------------------------------------------------------------

CARD = """\
# Card of `{file}`

The learned controller of the Minecraft worlds: a goal-conditioned policy and a horizon head on one backbone,
in the spirit of the controller and selector of DEPS (*Describe, Explain, Plan and Select*, section 3.3 and
appendix C.1), trained anew by `python -m training.controller`. Nothing of the paper's authors is
in it: their weights and data are others, and their 42 actions are not listed in the paper.

SHA-256 {sha}, {size:.2f} MB, half precision,
{parameters:,} parameters, torch {torch}. Another version or processor may train other weights.

## What it does

In: image {image} x {image}, the 3 x 3 x 3 blocks around (turned to the view), pitch, height, place in the
block, life, food, light, kind of the tool in the hand, goal (one of
{goals}),
and the little that is kept of the past by rule: where it last saw its goal, whether it is time to look
around, and whether it is stuck; by rule it also knows whether it is above the height where the goal's ores
are found. Out: logits of 42 actions; a distribution over the remaining steps, {classes} classes up to 12,000.

## How it was made

Behaviour cloning of a teacher, a script that knows the state but acts on what lies before its eyes
(`mnemocraft.controllers.teacher`): {ticks:,} ticks of {episodes:,} episodes in {skills} skills' worlds (seeds
from {first:,} on; every tenth held out), in {rounds} rounds. Now and then somebody else acts, so that
recovering is seen too: at random in the first round, later the clone of the round before (DAgger). Half of
each batch is mirrored. {steps:,} batches of {batch}, AdamW, top rate {rate}, seed {seed}. Loss: cross entropy
of the actions + {weight} x negative log-likelihood of the remaining steps + {spotting} x binary cross
entropy of where in the picture the sources of all goals are seen, which the simulator knows. To learn to
spot, and how far things are, there are {views:,} views of {sights} more worlds, in which nobody acts. The
remaining steps are those that the scripted controller, which knows the whole state, estimates from there to
every goal, seen or not: so the horizon head learns what to expect.

A second head, for predictions from {looks} looks around (pictures of {sharp} x {sharp}, on which animals are
made out twice as far), is trained last and alone in {panoramas} further worlds ({places} places of each, none
to four animals of a kind near), on the same estimates; ores are asked for in every eighth of them. All else
of the network stays as it is.

On held-out worlds: accuracy of the action {accuracy:.3f}, its loss {action_loss:.3f}, loss of the horizon
{horizon_loss:.3f}, from looks around {panorama_loss:.3f} (in its own worlds). Success rates and the order
of horizons: `data/models/controller_skills.csv` and `controller_horizons.csv`, made by
`python -m training.controller.evaluate`.

## Limits

It was never run in the real game, whose pictures differ. It searches by rule and does not know where it has
looked already. At 64 x 64 an animal 16 blocks away is three or four pixels high. It digs straight down, and
sometimes into lava.
"""


def write_card(path: Path, data: np.ndarray, losses: dict[str, float], seed: int, steps: int) -> None:
    """Write the model card beside the weights."""
    acted = data[data["action"] != LOOKED]
    facts = {
        "file": path.name,
        "sha": sha256(path),
        "size": path.stat().st_size / 1e6,
        "parameters": sum(p.numel() for p in Network().parameters()),
        "torch": version("torch"),
        "goals": ", ".join(GOALS),
        "classes": len(HORIZONS),
        "ticks": len(acted),
        "episodes": len(np.unique(acted[["goal", "episode"]])),
        "views": len(data) - len(acted),
        "sights": SIGHTS,
        "looks": LOOKS,
        "image": IMAGE,
        "sharp": SHARP,
        "panoramas": PANORAMAS,
        "places": PLACES,
        "skills": len(PRACTISED),
        "rounds": ROUNDS,
        "first": FIRST_SEED * (1 + seed),
        "steps": steps,
        "batch": BATCH,
        "rate": RATE,
        "seed": seed,
        "weight": HORIZON_WEIGHT,
        "spotting": SPOT_WEIGHT,
    }
    path.with_suffix(".md").write_text(CARD.format(**facts, **losses), encoding="utf-8")
