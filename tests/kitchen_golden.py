"""Golden traces of the real Robotouille engine, kept beside the repository, and small kitchens for tests."""

import gzip
import json
import tomllib
from importlib import resources

import pytest

from mnemocraft import paths
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import kitchen_domain, task_kitchen
from mnemocraft.envs.kitchen.domain import from_toml
from mnemocraft.envs.kitchen.environment_file import read_environment
from mnemocraft.envs.kitchen.scene import Scene

SHARED = paths.ROOT.parent / "shared" / "robotouille"
needs_traces = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the golden traces are not beside the repository"
)


def records(name, of_type=""):
    """The records of a trace file (of one type), in the order of the walks."""
    with gzip.open(SHARED / "traces" / f"{name}.jsonl.gz", "rt") as lines:
        yield from (json.loads(line) for line in lines if not of_type or f'"type":"{of_type}"' in line[:40])


def runs(name, wanted=lambda init: True):
    """``(init, [walk, ...])`` of the kitchens wanted; a walk is the list of its step records and its end."""
    init, walks = None, []
    for record in records(name):
        if record["type"] == "init":
            if init:
                yield init, walks
            init, walks = (record if wanted(record) else None), []
        elif init and record["type"] == "walk":
            walks.append([])
        elif init:
            walks[-1].append(record)
    if init:
        yield init, walks


def short(task):
    """``async/5`` for ``asynchronous/5_potato_soup``."""
    mode, _, name = task.partition("/")
    return f"{mode.removesuffix('hronous')}/{name.split('_')[0]}"


def scene_of(record):
    """Our scene for an ``init`` or layout record."""
    if "task" in record:
        return Scene(
            kitchen_domain(), task_kitchen(short(record["task"])), record["seed"], record.get("noisy", False)
        )
    kitchen = read_environment(record["env"], kitchen_domain(), record["name"])
    return Scene(kitchen_domain(), kitchen, None, False)


def domain_json():
    """Our domain in the JSON format."""
    text = (resources.files("mnemocraft.envs.kitchen") / "domain.toml").read_text()
    return from_toml(tomllib.loads(text))


def open_files(folder, environment, domain=None, **settings):
    """The environment of two files with these contents (JSON values, or text as it is)."""
    for name, content in (("domain.json", domain or domain_json()), ("kitchen.json", environment)):
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return KitchenEnv.from_files(folder / "domain.json", folder / "kitchen.json", **settings)


def row_kitchen(stations, robot=0, goal=(("iscut", ["lettuce"], [1]),)):
    """An environment file with stations in a row, each ``"kind: item item"``; the robot stands above one."""
    flags = {
        "lettuce": ["iscuttable"],
        "patty": ["iscookable"],
        "chicken": ["isfryable", "iscuttable"],
        "potato": ["iscuttable", "isfryableifcut"],
    }
    env = {
        "width": len(stations),
        "height": 2,
        "stations": [],
        "items": [],
        "containers": [],
        "meals": [],
        "players": [{"name": "robot", "x": robot, "y": 1, "direction": [0, -1]}],
        "goal_description": "A test",
        "goal": [{"predicate": p, "args": args, "ids": ids} for p, args, ids in goal],
    }
    for x, line in enumerate(stations):
        station, _, things = line.partition(": ")
        env["stations"].append({"name": station, "x": x, "y": 0})
        for level, name in enumerate(things.split()):
            if name in ("pot", "bowl"):
                env["containers"].append({"name": name, "x": x, "y": 0})
            else:
                extra = {"predicates": flags[name]} if name in flags else {}
                env["items"].append({"name": name, "x": x, "y": 0, "stack-level": level} | extra)
    return env
