"""Answers the requests that come on standard input, on standard output, until the input ends."""

from __future__ import annotations

import os
import sys
import traceback
from importlib.metadata import PackageNotFoundError, version
from typing import BinaryIO

from .protocol import VERSION, Arrays, Body, receive, send
from .simulator import Simulator


def main() -> None:
    """Say hello, then serve one simulator."""
    requests, answers = _pipes()
    send(answers, {"protocol": VERSION, "minedojo": _installed()})
    simulator = Simulator()
    while True:
        try:
            request, _ = receive(requests)
        except EOFError:
            return
        body, arrays = _answer(simulator, request)
        send(answers, {"number": request["number"], **body}, arrays)


def _pipes() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for the frames.

    What MineDojo and the game print must not get between the frames, nor may they read a request: from now on
    they find an empty input, and print to standard error.
    """
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _installed() -> str:
    try:
        return version("minedojo")
    except PackageNotFoundError:
        return ""


def _answer(simulator: Simulator, request: Body) -> tuple[Body, Arrays]:
    """Do what is asked; whatever goes wrong inside MineDojo becomes a text."""
    try:
        return simulator.do(request["what"], request["arguments"])
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return {"error": lines[-1][:500] if lines else type(error).__name__}, {}
