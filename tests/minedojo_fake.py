"""A worker without MineDojo: it speaks the protocol, always sees the same, and misbehaves on demand.

Arguments: folder of the protocol, file of the observation, and what goes wrong.
"""

import os
import signal
import sys
import time

import numpy as np


def main() -> None:
    """Serve until something goes wrong."""
    folder, file, fault = sys.argv[1:]
    sys.path.append(folder)
    from minedojo_worker.protocol import MAGIC, VERSION, receive, send

    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    observation = dict(np.load(file))
    old, none = fault == "old protocol", fault == "no package"
    send(answers, {"protocol": VERSION + old, "minedojo": "" if none else "0.2" if fault == "0.2" else "0.1"})
    steps = 0
    while True:
        try:
            request, _ = receive(requests)
        except EOFError:
            return
        what = request["what"]
        steps += what == "step"
        wrong = steps == 2 and what == "step"
        if wrong and fault == "killed":
            print("the game has crashed", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        if wrong and fault == "slow":
            time.sleep(60)
        if wrong and fault == "garbage":
            answers.write(b"[INFO] Loaded 3131 tasks.\n")
            answers.flush()
        if wrong and fault == "half":
            answers.write(MAGIC + b"\0\0\0\x50" + b'{"body": {"num')
            answers.flush()
            return
        body = {"number": request["number"], "prompt": "", "reward": 1.5, "success": False}
        body |= {
            "deaths": 3 + (wrong and fault == "death"),
            "biome": "mesa",
            "done": wrong and fault == "lost",
        }
        if wrong and fault == "late":
            send(answers, body | {"number": 1}, observation)
        if wrong and fault == "refused":
            body = {"number": request["number"], "error": "AssertionError: no such thing."}
        if wrong and fault == "lacks":
            observation = {name: array for name, array in observation.items() if name != "life_stats/food"}
        send(answers, body, observation if what in ("reset", "step") else {})


main()
