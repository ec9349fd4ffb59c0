"""A netlist of simple gates as a program: which gate to work out after which."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

OPS = ("NOT", "AND", "OR", "XOR", "XNOR", "NAND", "NOR", "ANDNOT", "ORNOT", "MUX")
"""The gates, in the order of their numbers in parallel_sim.cpp."""

_PORTS = ("A", "B", "S")
_CONSTANTS = {"0": 0, "1": 1, "x": 0, "z": 0}

Nets = Sequence[int]


@dataclass(frozen=True, eq=False)
class Gates:
    """`count` nets, of which 0 and 1 are the constants.

    `runs` int32 (r, 3) are gates of one kind that depend on none of each other: the kind, the first
    gate and the one behind the last. Those before `first_moving` depend on nothing but the selection
    of the mutant. `gates` int32 (g, 4) has three inputs and the output of each, `flipflops` int32
    (f, 2) the input and the output. `names` are the nets of each signal of the flattened netlist,
    `inputs` and `outputs` those of its ports.
    """

    count: int
    runs: NDArray[np.int32]
    first_moving: int
    gates: NDArray[np.int32]
    flipflops: NDArray[np.int32]
    names: Mapping[str, Nets]
    inputs: Mapping[str, Nets]
    outputs: Mapping[str, Nets]


def read_gates(path: Path, top: str, select: str) -> Gates:
    """The gates of the JSON that Yosys has written of module `top`; `select` is its port of mutants.

    Raises ValueError for a cell that is no simple gate, a combinational loop or a second clock.
    """
    module = json.loads(path.read_text(encoding="utf-8"))["modules"][top]
    cells, flipflops, clocks = [], [], set()
    for cell in module["cells"].values():
        kind, pins = cell["type"].strip("$_"), cell["connections"]
        if kind == "scopeinfo":
            continue
        if kind == "DFF_P":
            clocks.add(pins["C"][0])
            flipflops.append((_net(pins["D"][0]), _net(pins["Q"][0])))
            continue
        if kind not in OPS:
            raise ValueError(f"{cell['type']} is no simple gate")
        inputs = [_net(pins[port][0]) if port in pins else 0 for port in _PORTS]
        cells.append((OPS.index(kind), *inputs, _net(pins["Y"][0])))
    if len(clocks) > 1:
        raise ValueError(f"there are {len(clocks)} clocks")
    names = {
        name: [_net(bit) for bit in value["bits"]] for name, value in module["netnames"].items()
    }
    count = 1 + max(max(map(max, names.values())), max(cell[4] for cell in cells))
    selects = set(names.get(select, ()))
    levels, moving = _levels(cells, {q for _, q in flipflops}, selects, count)
    order = sorted(range(len(cells)), key=lambda cell: (moving[cell], levels[cell], cells[cell][0]))
    keys = [(moving[cell], levels[cell], cells[cell][0]) for cell in order]
    starts = [at for at, key in enumerate(keys) if at == 0 or key != keys[at - 1]]
    runs = [
        (keys[start][2], start, end)
        for start, end in zip(starts, [*starts[1:], len(keys)], strict=True)
    ]
    return Gates(
        count,
        np.array(runs, np.int32),
        sum(not keys[start][0] for start in starts),
        np.array([cells[cell][1:] for cell in order], np.int32),
        np.array(flipflops, np.int32).reshape(-1, 2),
        names,
        *(
            {
                name: names[name]
                for name, port in module["ports"].items()
                if port["direction"] == way
            }
            for way in ("input", "output")
        ),
    )


def _net(bit: int | str) -> int:
    # Yosys numbers its nets from 2 on.
    return _CONSTANTS[bit] if isinstance(bit, str) else bit


def _levels(
    cells: Sequence[tuple[int, ...]], registered: set[int], selects: set[int], count: int
) -> tuple[list[int], list[bool]]:
    """Of each gate: how many come before it at the most, and whether more than a mutant moves it."""
    driver = dict.fromkeys(range(count), -1)
    driver.update({cell[4]: number for number, cell in enumerate(cells)})
    levels, moving = [-1] * len(cells), [False] * len(cells)
    readers: dict[int, list[int]] = {}
    missing = [0] * len(cells)
    for number, cell in enumerate(cells):
        for source in {driver[net] for net in cell[1:4]} - {-1}:
            readers.setdefault(source, []).append(number)
            missing[number] += 1
    ready = [number for number, left in enumerate(missing) if left == 0]
    done = 0
    while ready:
        number = ready.pop()
        done += 1
        level, moves = 0, False
        for net in cells[number][1:4]:
            source = driver[net]
            if source >= 0:
                level = max(level, levels[source] + 1)
                moves |= moving[source]
            else:
                moves |= net > 1 and net not in selects
        levels[number], moving[number] = level, moves
        for reader in readers.get(number, ()):
            missing[reader] -= 1
            if missing[reader] == 0:
                ready.append(reader)
    if done < len(cells):
        raise ValueError(f"{len(cells) - done} gates are in a combinational loop")
    return levels, moving
