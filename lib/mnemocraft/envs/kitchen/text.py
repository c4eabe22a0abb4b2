"""Observations in words: one block per object with a line for everything that is true of it."""

from __future__ import annotations

from mnemocraft.envs.kitchen.engine import Atom, KitchenEngine, State


class Describer:
    """Describes the states of one engine; blocks are remembered, since few change from step to step."""

    def __init__(self, engine: KitchenEngine) -> None:
        self._engine = engine
        self._rank = {name: i for i, name in enumerate(engine.domain.predicates)}
        self._about: dict[str, int] = {}
        self._known_atoms = 0
        self._blocks: dict[tuple[str, int, tuple[str, ...]], str] = {}

    def blocks(self, state: State) -> str:
        """All object blocks, in object order, separated by an empty line."""
        self._index_new_atoms()
        return "\n\n".join(
            self._block(name, kind, state.facts & self._about.get(name, 0), state.created)
            for name, kind in self._engine.objects(state.created)
        )

    def _index_new_atoms(self) -> None:
        atoms = self._engine.atoms
        if self._known_atoms == len(atoms):
            return
        with self._engine.lock:
            for bit in list(atoms)[self._known_atoms :]:
                for name in atoms[bit][1:]:
                    self._about[name] = self._about.get(name, 0) | bit
            self._known_atoms = len(atoms)

    def _block(self, name: str, kind: str, facts: int, created: tuple[str, ...]) -> str:
        key = (name, facts, created)
        block = self._blocks.get(key)
        if block is None:
            place = {other: i for i, (other, _) in enumerate(self._engine.objects(created))}
            order = sorted(
                self._engine.true_atoms(facts), key=lambda a: (self._rank[a[0]], [place[o] for o in a[1:]])
            )
            lines = [line for atom in order for line in self._lines(name, atom)]
            block = self._blocks[key] = "\n".join([f"{kind.capitalize()} {name}:", *lines])
        return block

    def _lines(self, name: str, atom: Atom) -> list[str]:
        english = self._engine.domain.predicates[atom[0]].english
        return [
            _filled(line, atom[1:])
            for line, argument in zip(english, atom[1:], strict=True)
            if line is not None and argument == name
        ]


def _filled(line: str, names: tuple[str, ...]) -> str:
    for i, name in enumerate(names):
        line = line.replace(f"{{{i}}}", name)
    return line
