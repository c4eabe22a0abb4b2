"""The other end of the socket: a process that plays games in ALFWorld's engine and imports nothing of ours.

``python -P worker.py SOCKET [--plain]`` reads one JSON object a line from a socket and answers each with one:

- ``{"do": "begin", "episode": 1, "sha256": ..., "game": {...}}`` starts an episode,
- ``{"do": "step", "episode": 1, "command": "look"}`` goes on with it,
- ``{"do": "end", "episode": 1}`` forgets it.

An answer has ``text``, ``commands`` (the admissible ones), ``won``, and ``mib``, the memory in use; or
``lost`` if the episode is not known here (any more), or ``error``. Neither facts nor plans are ever requested
of the engine, so no answer can hold one.
"""

from __future__ import annotations

import copy
import json
import os
import resource
import socket
import sys
from collections import OrderedDict
from functools import lru_cache
from pathlib import Path
from typing import Any

import fast_downward
import textworld.envs.pddl.textgen as textgen
import textworld.logic as logic
from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
from textworld import EnvInfos
from textworld.envs.pddl import PddlEnv

MAX_EPISODES = 32
"""Episodes going on at once; the one that waited longest gives way to another."""
GAMES_KEPT = 4
"""Games whose translation is kept."""
TEXTS_KEPT = 1024
"""Pieces of grammar, and queries, that are kept parsed; a game has some 80."""
SEEN = EnvInfos(won=True, admissible_commands=True)
"""All that is requested of the engine."""


def remember() -> None:
    """Do nothing twice that the engine does again and again: the texts stay the same, letter for letter.

    It translates a game's problem four times (twice to load it, twice to reset it), parses the same few
    grammar symbols and queries for every line that it writes, and copies in depth what it only reads. The
    optimised translation serves its planner alone, which nobody asks here: the plain one takes its place.
    """
    translate, parse, parse_query = (
        fast_downward.pddl2sas,
        textgen._parse_and_convert,
        logic._parse_and_convert,
    )

    @lru_cache(GAMES_KEPT)
    def translated(domain: str, problem: str) -> Any:
        return translate(domain, problem)

    def plainly(domain: str, problem: str, verbose: bool = False, optimize: bool = False) -> Any:
        return translated(domain, problem)

    @lru_cache(TEXTS_KEPT)
    def parsed(text: str, rule: str) -> Any:
        return parse(text, rule_name=rule)

    def copied(text: str, rule_name: str, trace: bool = False) -> Any:
        return copy.deepcopy(parsed(text, rule_name))  # symbols are changed by whoever gets them

    @lru_cache(TEXTS_KEPT)
    def queried(text: str, rule: str) -> Any:
        return parse_query(text, rule_name=rule)

    def listed(text: str, rule_name: str) -> Any:
        found = queried(text, rule_name)
        return list(found) if isinstance(found, list) else found  # predicates are never changed, lists may be

    def shallow(context: dict[str, Any]) -> dict[str, Any]:
        return {
            **context,
            "variables": dict(context["variables"]),
            "mapping": dict(context["mapping"]),
        }

    fast_downward.pddl2sas = plainly
    textgen._parse_and_convert, logic._parse_and_convert = copied, listed
    textgen.copy_context = shallow


class Games:
    """The episodes going on, each in an engine of its own; they are used again, as each loads a library."""

    def __init__(self) -> None:
        self._playing: OrderedDict[int, tuple[str, Any]] = OrderedDict()
        self._free: list[tuple[str, Any]] = []

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What came of a request."""
        episode = request["episode"]
        if request["do"] == "begin":
            return self._begin(episode, request["sha256"], request["game"])
        if episode not in self._playing:
            return {"lost": True}
        self._playing.move_to_end(episode)
        if request["do"] == "end":
            self._free.append(self._playing.pop(episode))
            return {}
        return _seen(self._playing[episode][1].step(request["command"])[0])

    def _begin(self, episode: int, sha256: str, game: dict[str, Any]) -> dict[str, Any]:
        if len(self._playing) >= MAX_EPISODES:
            self._free.append(self._playing.popitem(last=False)[1])
        same = [at for at, (loaded, _) in enumerate(self._free) if loaded == sha256]
        loaded, engine = self._free.pop(same[-1] if same else -1) if self._free else ("", None)
        engine = engine or AlfredDemangler(PddlEnv(SEEN))
        if loaded != sha256:
            engine.load(game)
        seen = _seen(engine.reset())
        self._playing[episode] = sha256, engine
        return seen


def _seen(state: Any) -> dict[str, Any]:
    return {"text": state.feedback, "commands": state["admissible_commands"], "won": state["won"]}


def _mib() -> float:
    """The most memory used so far; Linux's ``ru_maxrss`` counts the process that started this one as well."""
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / (1 << 10)


def main() -> None:
    """Answer requests until the socket is closed at the other end."""
    if "--plain" not in sys.argv:
        remember()
    pipe = socket.socket(fileno=int(sys.argv[1])).makefile("rwb")
    pipe.write(b"{}\n")
    pipe.flush()
    games = Games()
    for line in pipe:
        try:
            answer = games.answer(json.loads(line))
        except Exception as error:  # the engine raises whatever it likes; the sender is told
            answer = {"error": f"{type(error).__name__}: {error}"}
        pipe.write(json.dumps(answer | {"mib": _mib()}).encode() + b"\n")
        pipe.flush()


if __name__ == "__main__":
    main()
    os._exit(0)  # the engine's library is not asked to tidy up
