"""Runs in MineDojo's own environment: puts a socket to the tests where its bridge to Java was."""

from __future__ import annotations

import socket
import sys


def install(port: int) -> None:
    """Replace the bridge. From here on the game is whatever answers at a port of this machine."""
    from minedojo.sim.bridge import BridgeEnv
    from minedojo.sim.bridge.bridge_env.bridge_env import StepTuple
    from minedojo.sim.mc_meta.mc import ALL_STAT_KEYS
    from minedojo_worker.protocol import receive, send

    stream = socket.create_connection(("127.0.0.1", port)).makefile("rwb")

    def ask(what: str, text: str) -> dict:
        send(stream, {"what": what, "text": text})
        raw, arrays = receive(stream)
        raw["pov"] = arrays["pov"].tobytes()
        _add_statistics(raw, ALL_STAT_KEYS)
        return raw

    def reset(self, episode_uid, agent_xmls):
        from lxml import etree

        self._terminated = False
        return {0: ask("mission", etree.tostring(agent_xmls[0]).decode())}

    def step(self, action_xmls):
        raw = ask("tick", action_xmls[0])
        self._terminated = raw["lost"]
        return StepTuple(step_success=not raw["lost"], raw_obs={0: raw})

    BridgeEnv.reset, BridgeEnv.step, BridgeEnv.close = reset, step, lambda self: None
    BridgeEnv.__init__ = lambda self, **settings: setattr(self, "_terminated", False)


def _add_statistics(raw: dict, keys: list[list[str]]) -> None:
    """The counters that the game keeps, all 0 but those that were sent."""
    for path in keys:
        part = raw
        for key in path[:-1]:
            part = part.setdefault(key, {})
        part.setdefault(path[-1], 0)


if __name__ == "__main__":
    worker, tests, at = sys.argv[1:]
    sys.path.append(worker)
    install(int(at))
    print("MineDojo and the game print what they like.")
    from minedojo_worker.main import main

    main()
