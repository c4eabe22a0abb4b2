"""From the text of an observation to a scene graph: entities are nodes, relations between two are edges.

GiG, section 3.1.1. The parser is deterministic and knows no kitchen: it needs blocks of lines, each headed by
the type and name of an entity, and takes a line that names a second entity as a relation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mnemocraft.errors import MnemocraftError

_HEADER = re.compile(r"(\w+) (\S+):")
_END = ("Valid Actions:", "Goal: ")
"""Beginnings of the first line that no longer describes an entity."""
OTHER = "_"
"""Stands in a relation where the line has the other entity's name."""


class BadObservation(MnemocraftError):
    """The text cannot be read as an observation; the message quotes the line."""


@dataclass(frozen=True)
class SceneGraph:
    """The entities of one observation and what relates them.

    Attributes:
        names: One name a node, e.g. ``lettuce1``, in the order of the observation.
        texts: What the sentence encoder reads of each node: its type and all that its lines say of it alone.
            Names are left out, so that equal things in different kitchens have equal features.
        edges: ``(source, target, relation)`` with node positions. A relation is stated from both of its
            ends, so that every edge has a twin in the other direction.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    edges: tuple[tuple[int, int, str], ...]

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self.names)


def scene_graph(observation: str) -> SceneGraph:
    """Parse an observation; valid actions and goal may follow the blocks and are not read.

    Args:
        observation: Blocks separated by empty lines, each ``<Type> <name>:`` and lines ``<name> ...``.

    Raises:
        BadObservation: no block at all, a line that does not fit, or an entity that has two blocks.
    """
    blocks = list(_blocks(observation))
    index = {name: i for i, (_, name, _) in enumerate(blocks)}
    if not blocks:
        raise BadObservation("The observation has no block such as 'Station table1:'.")
    if len(index) < len(blocks):
        double = next(name for i, (_, name, _) in enumerate(blocks) if index[name] != i)
        raise BadObservation(f"The observation has two blocks for {double!r}; an entity may have one.")
    texts, edges = [], []
    for source, (kind, _, lines) in enumerate(blocks):
        status = []
        for words in lines:
            others = [word for word in words if word in index]
            if others:
                relation = " ".join(OTHER if word in index else word for word in words)
                edges += [(source, index[other], relation) for other in others]
            else:
                status.append(" ".join(words))
        texts.append(f"{kind}: {'; '.join(status)}")
    return SceneGraph(tuple(index), tuple(texts), tuple(edges))


def _blocks(observation: str) -> Iterator[tuple[str, str, Sequence[list[str]]]]:
    """Type, name and lines (as words, without the name itself) of each block."""
    block: tuple[str, str, list[list[str]]] | None = None
    for line in observation.splitlines():
        if line.startswith(_END):
            break
        if header := _HEADER.fullmatch(line):
            if block:
                yield block
            block = header[1], header[2], []
        elif line.strip():
            name, *words = line.split()
            if block is None or name != block[1] or not words:
                owner = f"a line about {block[1]!r}" if block else "a header such as 'Station table1:'"
                raise BadObservation(f"The observation has the line {line!r} where {owner} must stand.")
            block[2].append(words)
    if block:
        yield block
