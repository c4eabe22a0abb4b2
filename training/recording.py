"""Makes the recordings that notebooks replay: ``python -m training.recording 03``.

Plays the part of a study that is recorded live with the small model, and writes its answers to
``data/recordings``. It can be stopped (Ctrl+C, or ``kill`` in the background; episodes in flight are played
to their end first) and started again: answers and finished episodes are kept in ``build/recording``, and the
answers so far in the recording, from where the next sitting goes on (``--go-on``), on another machine too.
How long each takes is in ``training/finetune/PLAN.md``. One adapter has one recording, whatever notebooks it
plays in: what two of them ask is asked once.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm.local import find_model
from mnemocraft.llm.replay import RECORDINGS, SUFFIX, export_recording, import_recording, read_recording
from mnemocraft.runs import ModelSpec, Study, run_study
from mnemocraft.studies.deps import small as deps
from mnemocraft.studies.gig import small as gig
from mnemocraft.studies.household import small as household
from mnemocraft.studies.how2 import load as how2
from mnemocraft.studies.how2 import sweep
from mnemocraft.studies.mindstores import small as mindstores


def _household(profile: str) -> Study:
    """The generated games too, which need no download."""
    theirs = household.study(profile, household.ORDER)
    generated = household.study("quick", household.ORDER)
    return replace(theirs, streams=(*generated.streams, *theirs.streams))


class Recorded(NamedTuple):
    """What is recorded for a notebook.

    Attributes:
        adapter: Who plays; gives the recording its name.
        study: What is played of a profile.
        slots: Of a server; as many streams ask it at a time at most.
        context: Tokens that fit into the model's context.
    """

    adapter: str
    study: Callable[[str], Study]
    slots: int
    context: int = 32_768


STUDIES = {
    "01": Recorded(how2.ADAPTER, partial(sweep.small, seeds=sweep.SMALL_SEEDS), 11, context=16_384),
    "03": Recorded(deps.ADAPTER, deps.study, 6, context=16_384),
    "06": Recorded(deps.ADAPTER, mindstores.study, 18, context=16_384),
    "09": Recorded(gig.ADAPTER, partial(gig.study, arms=gig.ARMS), 6),
    "10": Recorded(household.ADAPTER, _household, 6),
}
"""By notebook. In 06 three players speak in five roles each: with six slots, whose conversations lose their
beginnings to each other, a fifth more of the prompts had to be computed. A server in PyTorch for 01 should
have twice as many slots as streams ask it, for the same reason; 11 streams are what a half (``--part``) has
of a split."""


PATIENCE_S = 1800.0
"""Seconds for an answer: after a kill all slots compute their long conversations anew, with one thread."""


def main(argv: Sequence[str] | None = None) -> None:
    """Command line.

    Raises:
        MnemocraftError: It is not said whether to begin with the answers that there are, or they are
            another model's.
    """
    chosen = _chosen(argv)
    adapter, study, slots, context = STUDIES[chosen.notebook]
    part, parts = chosen.part or (1, 1)
    files = find_model(adapter)
    model, file = files.backend, RECORDINGS / f"{adapter}{SUFFIX}"
    out = paths.output_root() / "build" / "recording" / files.name
    if chosen.part:
        out = out / f"part-{part}-of-{parts}"
    cache, anew = out / "answers.sqlite", out / "anew"  # which says of a cache that it goes without the file
    _begin(chosen, file, model, cache, anew)
    whole = study("full")
    played = replace(whole, streams=whole.streams[part - 1 :: parts])
    served = {"server": chosen.server} if chosen.server else {"context": context}
    options = {"parallel": slots, "timeout": PATIENCE_S, **served}
    spec = ModelSpec(f"local:{adapter}", cache, options=options)
    try:
        with _stoppable():
            records = run_study(played, spec, out=out / chosen.notebook, workers=chosen.workers)
        print(f"{len(records)} episodes, all that there are")
    except KeyboardInterrupt:
        print("stopped; goes on with --go-on")
        if not cache.exists():
            return
    target = out / file.name if chosen.part else file
    answers = export_recording(cache, target, model)
    if target == file:
        anew.unlink(missing_ok=True)
    print(f"{answers} answers, {target.stat().st_size / 1e6:.1f} MB: {target}")


def _chosen(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training.recording", description=__doc__)
    parser.add_argument("notebook", choices=STUDIES, help="whose study")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count(), help="processes, each with a server of its own"
    )
    parser.add_argument("--server", help="address of a server that has this model (training.serving.server)")
    parser.add_argument(
        "--part",
        type=_part,
        help="K/N: only every Nth stream, from the Kth on, into a file in build/recording",
    )
    parser.add_argument(
        "--add", nargs="+", type=Path, default=[], help="files of parts, whose answers are taken"
    )
    known = parser.add_mutually_exclusive_group()
    known.add_argument(
        "--go-on",
        action="store_true",
        help="begin with the answers in data/recordings; only if the model is still the one that gave them",
    )
    known.add_argument("--replace", action="store_true", help="begin anew, without what data/recordings has")
    return parser.parse_args(argv)


def _begin(chosen: argparse.Namespace, file: Path, model: str, cache: Path, anew: Path) -> None:
    """Put the answers that there are into the cache, but for those that ``--replace`` leaves out."""
    if file.exists() and not (chosen.go_on or chosen.replace):  # else other notebooks' answers would be lost
        raise MnemocraftError(f"{file.name} exists: --go-on begins with its answers, --replace without them.")
    if chosen.replace and cache.exists():
        raise MnemocraftError(
            f"{cache} has answers already: --go-on goes on with them; without the file --replace begins."
        )
    if chosen.replace:
        anew.parent.mkdir(parents=True, exist_ok=True)
        anew.touch()
    if chosen.go_on and file.exists() and not (anew.exists() and cache.exists()):
        if not (why := _of_another(file, model)):
            import_recording(file, cache)
        elif not cache.exists():  # a --replace that was stopped has its answers there
            raise MnemocraftError(f"{why}; --replace leaves it out.")
    for added in chosen.add:
        if why := _of_another(added, model):
            raise MnemocraftError(f"{why}.")
        import_recording(added, cache)


def _of_another(recording: Path, model: str) -> str:
    """What is wrong with a recording of another model."""
    who = read_recording(recording)[0]["model"]
    return "" if who == model else f"{recording.name} is of {who}, not of {model}"


@contextmanager
def _stoppable() -> Iterator[None]:
    """Ctrl+C and ``kill`` stop it in order, also where a shell has a background job ignore Ctrl+C."""
    before = {
        stop: signal.signal(stop, signal.default_int_handler) for stop in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for stop, handler in before.items():
            signal.signal(stop, handler)


def _part(text: str) -> tuple[int, int]:
    """``K/N`` as numbers."""
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is not K/N with K from 1 to N")
    return int(part), int(parts)


if __name__ == "__main__":
    try:
        main()
    except MnemocraftError as error:
        sys.exit(str(error))
