"""Makes the small models: ``python -m training.finetune --world plancraft`` (some three hours of two cores).

Writes ``data/models/plancraft_gemma-3-270m.gguf`` and, beside it, ``.csv``: the loss and the held-out tasks
solved at every check. ``--world kitchen`` (``minecraft``, ``household``) makes that of another world, see
:mod:`training.finetune.worlds`; ``python -m training.finetune show --world kitchen`` only writes what it is
shown, and counts how much of whom (``kitchen_gemma-3-270m_taught.csv``; this takes the extra ``finetune``
too). Each can be stopped at any time and started again; ``--minutes`` stops a training after so many.
A training has several courses. The adapter that is served after a course is all that the next needs, so that
they can be given on different days and machines; ``--anew`` begins with the first all the same. A recording
goes by the adapter that made it. ``python -m training.finetune check --world kitchen`` then plays lessons
that were not given (``kitchen_gemma-3-270m.csv``); Plancraft is checked on such tasks while it is trained.

``python -m training.finetune agree --world plancraft`` compares what llama.cpp makes of the adapter with
``transformers``, and with the expert, on some hundred requests (``_agreement.csv``).
``--world all`` learns of all worlds, in courses that have a part of each; ``check`` then plays in all.
``python -m training.finetune beside --world all`` sets that adapter beside each world's own, on dialogues of
the expert that neither learnt from (``all_gemma-3-270m_beside.csv``).
``python -m training.finetune alike --world kitchen`` lists the kitchens of notebook 09 that look, at first
and but for names, like one that a lesson was in (``kitchen_gemma-3-270m_alike.csv``); with ``--world
minecraft`` the tasks of notebook 03 that a lesson asked for with nothing of use at hand.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from tqdm import tqdm

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.files import replace_file
from mnemocraft.llm.local import ADAPTERS, find_model, fingerprint
from training.finetune.courses import EVERY, LONGEST, SEED, courses, fresh_turns, not_learnt, taught
from training.finetune.worlds import ALIKE, LESSONS

if TYPE_CHECKING:
    import torch
    from peft import PeftModel
    from transformers import PreTrainedTokenizerBase

    from training.finetune.training import Hyperparameters, Trainer

SAVE_EVERY = 10
"""Optimiser steps between two checkpoints: what an interruption costs at most."""
LATER_TOKENS = 1500
"""Tokens that make an optimiser step in all courses of a world but the first, which has 4,000."""
CHECKED = "plancraft"
"""The world that is checked while it is trained."""
_ALL = (CHECKED, *LESSONS, EVERY)
_WORLDS = {
    "train": _ALL,
    "show": _ALL,
    "check": (*LESSONS, EVERY),
    "agree": (CHECKED, *LESSONS),
    "alike": tuple(ALIKE),
    "beside": (EVERY,),
}
"""What is done, for which worlds."""


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m training.finetune", description=__doc__)
    parser.add_argument("what", nargs="?", choices=_WORLDS, default="train")
    parser.add_argument("--world", choices=_ALL, required=True, help="what is learnt")
    parser.add_argument("--anew", action="store_true", help="begin with the first course")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop training after so many")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="processor threads")
    chosen = parser.parse_args(argv)
    if chosen.threads < 1:
        parser.error("--threads is at least 1.")
    if chosen.world not in _WORLDS[chosen.what]:
        while_trained = chosen.what == "check" and chosen.world == CHECKED
        why = f"; {CHECKED} is checked while it is trained" if while_trained else ""
        parser.error(f"{chosen.what} takes --world {' or '.join(_WORLDS[chosen.what])}{why}.")
    if os.environ.get("PYTHONHASHSEED") != "0":
        # The package's sampler draws from sets of names, whose order follows the hash seed.
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "training.finetune", *sys.argv[1:]])
    folder = paths.output_root() / "build" / "finetune" / chosen.world
    if chosen.what == "show":
        if chosen.world in LESSONS:
            _write(taught(folder, chosen.world), f"{_name(chosen.world)}_taught")
        print(f"{sum(map(len, courses(folder, chosen.world)))} dialogues in {folder}")
    elif chosen.what == "train":
        train(folder, chosen.world, chosen.threads, chosen.minutes, chosen.anew)
    elif chosen.what == "agree":
        agree(chosen.world)
    elif chosen.what == "alike":
        _write(ALIKE[chosen.world](), f"{_name(chosen.world)}_alike")
    elif chosen.what == "beside":
        beside(chosen.threads)
    else:
        check_lessons(chosen.world, chosen.threads)


def train(folder: Path, world: str, threads: int, minutes: float, anew: bool = False) -> None:
    """Train, check after every course, and put the best adapter into ``data/models``; of another world the
    last, unchecked (:func:`check_lessons`: that takes half an hour, and memory that a training has taken).

    Raises:
        MnemocraftError: A training is there already, and another was asked for; or the best adapter was made
            elsewhere.
    """
    trainer, ends = _trainer(folder, world, threads, anew), time.monotonic() + 60 * minutes
    if anew and trainer.done:
        raise MnemocraftError(
            f"A training of {trainer.done} steps lies in {folder}: leave --anew out to go on with it, or "
            "delete that folder to begin anew."
        )
    if trainer.done == len(trainer.steps):
        print(f"nothing is left to learn; once {folder} is deleted --anew begins with the first course")
    if anew:  # other checks, here or of the served adapter, are another training's
        replace_file(folder / "checks.csv", "step,solved,tasks\n")
    done = _checks(trainer, folder, world)
    with tqdm(total=len(trainer.steps), initial=trainer.done, unit="step", desc="fine-tuning") as bar:
        while not _finished(trainer, done, world):
            if _due(trainer, world) and trainer.done not in _shares(done):
                done += _check(trainer, folder, world, threads)
                replace_file(folder / "checks.csv", pd.DataFrame(done).to_csv(index=False))
                _write(pd.DataFrame(done).assign(served=lambda t: t["step"] == trainer.done), _name(world))
                continue
            bar.set_postfix(loss=f"{trainer.step():.3f}")
            bar.update()
            over = time.monotonic() > ends
            if trainer.course_is_over:  # before the place is kept: a kill between must not leave it out
                _export(trainer, folder)
                _serve(trainer, folder, world, [])  # all that the next course needs
            if over or trainer.course_is_over or trainer.done % SAVE_EVERY == 0:
                trainer.save()
            if over:
                print(f"{trainer.done} of {len(trainer.steps)} steps; without --anew it goes on from there")
                return
    _serve(trainer, folder, world, done)


def _due(trainer: Trainer, world: str) -> bool:
    """Whether this is where a check is made."""
    return world == CHECKED and trainer.done > 0 and trainer.course_is_over


def _checks(trainer: Trainer, folder: Path, world: str) -> list[dict]:
    """The rows of checks that an earlier sitting made, here or where the served adapter was trained; another
    world has none."""
    files = [file for file in (folder / "checks.csv", ADAPTERS / f"{_name(world)}.csv") if file.is_file()]
    if world != CHECKED or not trainer.done or not files:
        return []
    rows = pd.read_csv(files[0]).drop(columns="served", errors="ignore")
    return rows[rows["step"] <= trainer.done].to_dict("records")


def _serve(trainer: Trainer, folder: Path, world: str, checks: list[dict]) -> None:
    """Put an adapter (of checked ones the best) and the table of all checks where models are found."""
    step = trainer.done
    if checks:
        step = max(_shares(checks).items(), key=lambda item: (item[1], -item[0]))[0]
    if not (made := _file(folder, step)).is_file():
        raise MnemocraftError(f"The best adapter, after step {step}, was made elsewhere: put it at {made}.")
    ADAPTERS.mkdir(exist_ok=True)
    name = _name(world)
    replace_file(ADAPTERS / f"{name}.gguf", made.read_bytes())
    if checks:
        rows = pd.DataFrame(checks).assign(served=lambda t: t["step"] == step)
        _write(rows, name)
    print(f"served: the adapter after step {step} of {len(trainer.steps)}; {ADAPTERS / name}.gguf")


def _write(table: pd.DataFrame, name: str) -> None:
    """Write a table beside the adapters."""
    replace_file(ADAPTERS / f"{name}.csv", table.to_csv(index=False, lineterminator="\n"))


def _trainer(folder: Path, world: str, threads: int, anew: bool) -> Trainer:
    import torch

    from training.finetune.export import copy_adapter
    from training.finetune.render import sequence
    from training.finetune.training import Hyperparameters, Trainer, schedule
    from training.finetune.vocabulary import vocabulary

    lessons = courses(folder, world)
    torch.set_num_threads(threads)  # now: the lessons' memories set FAISS's threads, which are these, to one
    recipe = Hyperparameters(seed=SEED)
    model, tokenizer = _adapted(recipe)
    shown = [[sequence(d, tokenizer, LONGEST[its]) for its, d in part] for part in lessons]
    paces = [recipe] * len(shown)
    if world in LESSONS:
        paces[1:] = [replace(recipe, tokens_per_step=LATER_TOKENS)] * (len(shown) - 1)
    steps = [
        schedule([each for each in part if each.learn.any()], pace)
        for part, pace in zip(shown, paces, strict=True)
    ]
    kept = vocabulary(itertools.chain.from_iterable(shown), tokenizer)
    trainer = Trainer(model, steps, recipe, kept, folder / "checkpoint")
    served = ADAPTERS / f"{_name(world)}.gguf"
    if not (trainer.done or anew) and served.is_file():
        trainer.begin_after(copy_adapter(served, trainer.model))
        replace_file(_file(folder, trainer.done), served.read_bytes())  # it may prove the best
    return trainer


def _adapted(recipe: Hyperparameters) -> tuple[PeftModel, PreTrainedTokenizerBase]:
    """The base model with a fresh adapter, where it is computed fastest, and its tokenizer."""
    import torch

    from training.finetune import attention
    from training.finetune.base import load_base
    from training.finetune.training import add_adapter

    model, tokenizer = load_base(best_dtype())
    model.set_attn_implementation(attention.NAME)
    return add_adapter(model.to("cuda" if torch.cuda.is_available() else "cpu"), recipe), tokenizer


def best_dtype() -> torch.dtype:
    """bfloat16 where the hardware multiplies it, which doubles the speed; elsewhere single precision."""
    import torch

    fast = torch.cuda.is_available() or torch.cpu._is_avx512_bf16_supported()
    return torch.bfloat16 if fast else torch.float32


def _check(trainer: Trainer, folder: Path, world: str, threads: int) -> list[dict]:
    """Play the held-out tasks with the adapter as it is."""
    from training.finetune.validation import check

    found = check(_export(trainer, folder), world, threads).assign(
        step=trainer.done, loss=round(trainer.course_loss, 4)
    )
    return found.to_dict("records")


def _export(trainer: Trainer, folder: Path) -> Path:
    """Write the adapter as it is to a file of its own."""
    from training.finetune.export import export_adapter

    file, base = _file(folder, trainer.done), find_model("").base.stem
    known = {"seed": SEED, "step": trainer.done}
    export_adapter(trainer.model, file, base_name=base, kept=trainer.kept, provenance=known)
    return file


def _file(folder: Path, step: int) -> Path:
    return folder / f"adapter-{step}.gguf"


def _shares(checks: list[dict]) -> dict[int, float]:
    """The mean share of held-out tasks solved, by step; every agent's, and Relevance's, count alike."""
    rows = pd.DataFrame(checks, columns=["step", "solved", "tasks"])
    shares = (rows["solved"] / rows["tasks"]).groupby(rows["step"]).mean()
    return dict(zip(shares.index.tolist(), shares.tolist(), strict=True))


def _finished(trainer: Trainer, checks: list[dict], world: str) -> bool:
    """Whether every step was made and, but of another world, the last one checked."""
    return trainer.done == len(trainer.steps) and (world != CHECKED or trainer.done in _shares(checks))


def check_lessons(world: str, threads: int) -> None:
    """Play lessons that nobody learnt from with a world's served adapter, or with that of all in every world,
    and write its table.

    Raises:
        MnemocraftError: There is no such adapter yet.
    """
    from training.finetune.export import step_of
    from training.finetune.validation import check

    file = ADAPTERS / f"{_name(world)}.gguf"
    step = step_of(file)
    if world == EVERY:
        parts = {each: check(file, each, threads) for each in LONGEST}
        found = pd.concat(parts, names=["world"]).reset_index("world").assign(step=step)
    else:
        found = check(file, world, threads).assign(step=step)
    _write(found, _name(world))
    print(found.to_string(index=False))


def agree(world: str) -> None:
    """Compare the served adapter with the trained one, and with the expert, on fresh demonstrations."""
    import torch

    from training.finetune.agreement import agreement, decisions, summary
    from training.finetune.base import load_base
    from training.finetune.export import load_adapter

    model, tokenizer = load_base(torch.float32)
    file = ADAPTERS / f"{_name(world)}.gguf"
    roles, messages, tools, said = zip(*fresh_turns(world), strict=True)
    prompts = list(zip(messages, tools, strict=True))
    found = agreement(load_adapter(model, file), tokenizer, file, prompts)
    found.insert(0, "role", roles)
    found["as_expert"] = found["answer"] == pd.Series(said)
    decided = decisions(found["role"], pd.Series(said), found["answer"])
    _write(found.drop(columns="answer"), f"{_name(world)}_agreement")
    print(json.dumps(summary(found) | decided, indent=1))
    print(found.groupby("role")["as_expert"].agg(["sum", "size"]))


def beside(threads: int) -> None:
    """Set the adapter of all worlds beside each world's own; what was found of the same two files is kept.

    Raises:
        MnemocraftError: There is no such adapter yet.
    """
    import torch

    from training.finetune import beside as both
    from training.finetune.export import step_of
    from training.finetune.training import Hyperparameters

    name, mine = f"{_name(EVERY)}_beside", ADAPTERS / f"{_name(EVERY)}.gguf"
    step, joint, file = step_of(mine), fingerprint(mine), ADAPTERS / f"{name}.csv"
    own = {world: ADAPTERS / f"{_name(world)}.gguf" for world in LONGEST}
    files = {world: f"{fingerprint(its)} {joint}" for world, its in own.items()}
    before = pd.read_csv(file) if file.is_file() else pd.DataFrame(columns=["world", "files"])
    found = before[before["files"] == before["world"].map(files)]
    if left := [world for world in LONGEST if world not in set(found["world"])]:
        model, tokenizer = _adapted(Hyperparameters(seed=SEED))
        for world in left:
            lessons = list(both.of_tasks(not_learnt(world)))
            torch.set_num_threads(threads)  # see _trainer
            adapters = {both.OWN: own[world], both.JOINT: mine}
            said = both.judged(model.eval(), tokenizer, adapters, lessons, LONGEST[world])
            rows = both.compared(said).assign(world=world, step=step, files=files[world])
            found = pd.concat([found, rows])
            _write(found, name)
    print(found.to_string(index=False))


def _name(world: str) -> str:
    """Of an adapter."""
    return f"{world}_gemma-3-270m"


if __name__ == "__main__":
    try:
        main()
    except MnemocraftError as error:
        sys.exit(str(error))
