"""The good unit and a mutant of it side by side, as an and-inverter graph that ABC can prove."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from flow.mutate.gates import OPS, Gates

_FALSE, _TRUE = 0, 1


@dataclass
class Graph:
    """An and-inverter graph: literal 2 * variable, plus 1 where it is inverted."""

    inputs: list[int] = field(default_factory=list)
    ands: list[tuple[int, int, int]] = field(default_factory=list)
    _count: int = 0
    _shared: dict[tuple[int, int], int] = field(default_factory=dict)

    def variable(self) -> int:
        """A new literal, whose meaning the caller gives."""
        self._count += 1
        return 2 * self._count

    def both(self, one: int, other: int) -> int:
        """And."""
        if one > other:
            one, other = other, one
        if one == _FALSE or one == other ^ 1:
            return _FALSE
        if one in (_TRUE, other):
            return other
        literal = self._shared.get((one, other))
        if literal is None:
            literal = self._shared[one, other] = self.variable()
            self.ands.append((literal, one, other))
        return literal

    def either(self, one: int, other: int) -> int:
        """Or."""
        return self.both(one ^ 1, other ^ 1) ^ 1

    def differ(self, one: int, other: int) -> int:
        """Exclusive or."""
        return self.either(self.both(one, other ^ 1), self.both(one ^ 1, other))

    def choose(self, select: int, one: int, other: int) -> int:
        """`one` where `select` is 1, else `other`."""
        if one == other:
            return one
        return self.either(self.both(select, one), self.both(select ^ 1, other))


class Units:
    """Gates as a graph: the good module, and copies of what a mutant changes of it."""

    def __init__(self, gates: Gates, select: str) -> None:
        self.graph = Graph()
        self.assumed = _TRUE
        self._order = _order(gates)
        self._select = gates.names.get(select, ())
        nets = [net for name, nets in gates.inputs.items() if name != select for net in nets]
        self.inputs = {net: self.graph.variable() for net in nets}
        self.free: list[int] = []
        self.flipflops = gates.flipflops.tolist()
        self.states = [self.graph.variable() for _ in self.flipflops]
        known = dict(self.inputs)
        known |= {q: state for (_, q), state in zip(self.flipflops, self.states, strict=True)}
        known |= dict.fromkeys(self._select, _FALSE) | {0: _FALSE, 1: _TRUE}
        self.good = known
        self._evaluate(known)
        for d, _ in self.flipflops:
            self.literal(d)

    def literal(self, net: int) -> int:
        """The literal of a net of the good module; where nothing drives it, anything may come."""
        if net not in self.good:
            self.good[net] = self.inputs[net] = self.graph.variable()
        return self.good[net]

    def latches(self) -> list[tuple[int, int]]:
        """Of each flip-flop of the good module its state, and the one that follows."""
        following = (self.good[d] for d, _ in self.flipflops)
        return list(zip(self.states, following, strict=True))

    def _evaluate(self, known: dict[int, int]) -> None:
        for kind, a, b, c, out in self._order:
            for net in (a, b, c):
                self.literal(net)
            known[out] = self._gate(kind, known[a], known[b], known[c])

    def evaluate(self, gates: Gates, inputs: Mapping[int, int]) -> dict[int, int]:
        """The literals of the nets of other gates, without states, by those of their inputs."""
        known = {0: _FALSE, 1: _TRUE, **inputs}
        for kind, a, b, c, out in _order(gates):
            known[out] = self._gate(kind, known[a], known[b], known[c])
        return known

    def anything(self) -> int:
        """A literal that may be 0 or 1 in every cycle."""
        self.free.append(self.graph.variable())
        return self.free[-1]

    def all_of(self, nets: Sequence[int]) -> int:
        """The literal that is 1 while all these nets are."""
        literal = _TRUE
        for net in nets:
            literal = self.graph.both(literal, self.literal(net))
        return literal

    def assume(self, literal: int) -> None:
        """Leave out all that comes when this literal has been 0."""
        self.assumed = self.graph.both(self.assumed, literal)

    def changed(self, number: int, states: dict[int, int] | None = None) -> dict[int, int]:
        """The nets that mutant `number` has another literal of, where flip-flops have other `states`."""
        good = self.good
        changed = {net: _TRUE for bit, net in enumerate(self._select) if number >> bit & 1} | (
            states or {}
        )
        for kind, a, b, c, out in self._order:
            if a in changed or b in changed or c in changed:
                literal = self._gate(
                    kind,
                    changed.get(a, good[a]),
                    changed.get(b, good[b]),
                    changed.get(c, good[c]),
                )
                if literal != good[out]:
                    changed[out] = literal
        return changed

    def _gate(self, kind: int, a: int, b: int, c: int) -> int:
        return _GATES[OPS[kind]](self.graph, a, b, c)


def _order(gates: Gates) -> list[tuple[int, ...]]:
    """Of each gate its kind, three inputs and the output, none before those that drive it."""
    return [
        (kind, *gates.gates[at].tolist())
        for kind, first, end in gates.runs.tolist()
        for at in range(first, end)
    ]


_GATES: dict[str, Callable[[Graph, int, int, int], int]] = {
    "NOT": lambda graph, a, b, c: a ^ 1,
    "AND": lambda graph, a, b, c: graph.both(a, b),
    "OR": lambda graph, a, b, c: graph.either(a, b),
    "XOR": lambda graph, a, b, c: graph.differ(a, b),
    "XNOR": lambda graph, a, b, c: graph.differ(a, b) ^ 1,
    "NAND": lambda graph, a, b, c: graph.both(a, b) ^ 1,
    "NOR": lambda graph, a, b, c: graph.either(a, b) ^ 1,
    "ANDNOT": lambda graph, a, b, c: graph.both(a, b ^ 1),
    "ORNOT": lambda graph, a, b, c: graph.either(a, b ^ 1),
    "MUX": lambda graph, a, b, c: graph.choose(c, b, a),
}


Guarded = Sequence[tuple[Sequence[int], Sequence[int]]]
"""Outputs, each group with the nets that must all be 1 for it to count; none where it always does."""


def write_aiger(
    path: Path,
    units: Units,
    number: int,
    outputs: Guarded,
    moved: Mapping[int, int] = MappingProxyType({}),
) -> bool:
    """Write the miter of mutant `number`: its output is 1 where an output differs.

    The mutant has other literals at the nets that are `moved`. Only flip-flops that may differ are
    twice in it. Returns False, and writes nothing, where no output can differ at all.
    """
    graph, good = units.graph, units.good
    affected: dict[int, int] = {}  # of each flip-flop that may differ its own state
    while True:
        states = {units.flipflops[at][1]: state for at, state in affected.items()} | moved
        changed = units.changed(number, states)
        new = [
            at for at, (d, _) in enumerate(units.flipflops) if d in changed and at not in affected
        ]
        if not new:
            break
        affected |= {at: graph.variable() for at in new}
    wrong = _outputs_differ(units, changed, outputs)
    if wrong == _FALSE:
        return False
    latches = units.latches()
    latches += [
        (state, changed.get(units.flipflops[at][0], good[units.flipflops[at][0]]))
        for at, state in affected.items()
    ]
    _write(path, units, latches, wrong)
    return True


def write_activity(path: Path, units: Units, number: int, outputs: Guarded) -> None:
    """Write the good unit alone; the output is 1 where mutant `number`, in its state, goes on otherwise.

    Where that never happens the mutant takes the same states for ever, and gives the same outputs.
    """
    graph, good = units.graph, units.good
    changed = units.changed(number)
    active = _outputs_differ(units, changed, outputs)
    for d in sorted({d for d, _ in units.flipflops} & changed.keys()):
        active = graph.either(active, graph.differ(changed[d], good[d]))
    _write(path, units, units.latches(), active)


def _outputs_differ(units: Units, changed: Mapping[int, int], outputs: Guarded) -> int:
    """The literal that is 1 where an output that counts is another one."""
    graph, good = units.graph, units.good
    wrong = _FALSE
    for guards, nets in outputs:
        moved, counts = _FALSE, units.all_of(guards)
        for net in nets:
            if net in changed:
                moved = graph.either(moved, graph.differ(changed[net], good[net]))
        wrong = graph.either(wrong, graph.both(counts, moved))
    return wrong


def _write(path: Path, units: Units, latches: list[tuple[int, int]], bad: int) -> None:
    """The part of the graph that `bad` depends on while what is assumed holds, in AIGER's binary form."""
    graph, inputs = units.graph, [*units.inputs.values(), *units.free]
    if units.assumed != _TRUE:
        broken = graph.variable()
        latches = [*latches, (broken, graph.either(broken, units.assumed ^ 1))]
        bad = graph.both(bad, graph.both(units.assumed, broken ^ 1))
    definition = {literal: (one, other) for literal, one, other in graph.ands}
    following = dict(latches)
    needed: set[int] = set()
    todo = [bad & ~1]
    while todo:
        literal = todo.pop()
        if literal in needed or literal == 0:
            continue
        needed.add(literal)
        if literal in definition:
            todo += [each & ~1 for each in definition[literal]]
        elif literal in following:
            todo.append(following[literal] & ~1)
    kept = [each for each in latches if each[0] in needed]
    ands = [each for each in graph.ands if each[0] in needed]
    order = [*inputs, *(state for state, _ in kept), *(literal for literal, _, _ in ands)]
    renamed = {0: 0} | {literal: 2 * number for number, literal in enumerate(order, 1)}

    def new(literal: int) -> int:
        return renamed[literal & ~1] | literal & 1

    header = f"aig {len(order)} {len(inputs)} {len(kept)} 1 {len(ands)}\n"
    lines = [header, *(f"{new(following)}\n" for _, following in kept), f"{new(bad)}\n"]
    body = bytearray()
    for literal, one, other in ands:
        small, large = sorted((new(one), new(other)))
        for delta in (new(literal) - large, large - small):
            while delta > 127:
                body.append(delta & 127 | 128)
                delta >>= 7
            body.append(delta)
    path.write_bytes("".join(lines).encode() + bytes(body))
