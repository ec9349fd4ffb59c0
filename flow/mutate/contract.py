"""What the unit is proven to keep to at a module: known in the proofs about mutants of it.

A contract has two sides. What the unit puts in is checked by a module of formal/, by the names of
ports and registers, and proven by `make formal`. Which outputs the unit reads, and when, stands
here; flow.mutate.proofs proves it before it is taken as known.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flow import yosys
from flow.mutate.gates import Gates, read_gates
from flow.mutate.miter import Units
from flow.mutate.plan import Scope
from flow.places import ROOT


@dataclass(frozen=True)
class Reading:
    """An output that counts while the outputs `guards` are 1; its `unread` highest bits never do."""

    output: str
    guards: tuple[str, ...]
    unread: int = 0


@dataclass(frozen=True)
class Contract:
    """`check` has an output `kept` that is 1 in every cycle behind a reset; `readers` is around the module.

    Of each pair of `implied` outputs the first one is 1 only where the second is: `check` says so.
    """

    check: Path
    implied: tuple[tuple[str, str], ...] = ()
    readings: tuple[Reading, ...] = ()
    readers: Scope | None = None


CONTRACTS = {
    "response_queue": Contract(ROOT / "formal" / "response_contract.v"),
    "lane_queue": Contract(
        ROOT / "formal" / "lane_contract.v",
        (("head_asks", "head_valid"), ("head_asks", "head_active")),
        (
            Reading("head_active", ("head_valid",)),
            Reading("head_slot", ("head_valid",)),
            Reading("head_behind", ("head_valid",), unread=1),
            Reading("head_block", ("head_valid", "head_active")),
            Reading("head_bank", ("head_asks",)),
        ),
        Scope("bank_group", ("lane_queue", "lane_collector", "bank_memory")),
    ),
}


def assume(units: Units, planted: Gates, contract: Contract, parameters: dict[str, int]) -> None:
    """Make known, of a module alone with these `parameters`, that the unit keeps to its contract.

    Raises:
        UserError: Yosys failed.
    """
    check = _gates(contract.check, parameters)
    inputs = {
        net: units.literal(inner)
        for port, nets in check.inputs.items()
        for net, inner in zip(nets, _nets(planted, port), strict=True)
    }
    units.assume(units.evaluate(check, inputs)[check.outputs["kept"][0]])


def read(
    contract: Contract, planted: Gates, outputs: Sequence[str], prefix: str = ""
) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """The nets of a module's outputs that the unit reads, those of an output behind their guard.

    `prefix` is the path of the module's instance within what is planted.
    """
    readings = {each.output: each for each in contract.readings}
    for name in outputs:
        nets = planted.names[prefix + name]
        if name in readings:
            reading = readings[name]
            yield _guard(reading, planted, prefix), nets[: len(nets) - reading.unread]
        else:
            yield (), nets


def not_counted(
    contract: Contract, planted: Gates, prefix: str
) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """The nets that count only behind a guard, with it, and those that never count, without one."""
    for each in contract.readings:
        nets = planted.names[prefix + each.output]
        read = len(nets) - each.unread
        yield _guard(each, planted, prefix), nets[:read]
        yield (), nets[read:]


def _guard(reading: Reading, planted: Gates, prefix: str) -> Sequence[int]:
    return [net for name in reading.guards for net in planted.names[prefix + name]]


def _nets(planted: Gates, name: str) -> Sequence[int]:
    """The nets of a signal, or of a memory from its first word on."""
    if name in planted.names:
        return planted.names[name]
    nets: list[int] = []
    number = 0
    while f"{name}[{number}]" in planted.names:
        nets += planted.names[f"{name}[{number}]"]
        number += 1
    return nets


def _gates(check: Path, parameters: dict[str, int]) -> Gates:
    """The gates of a check, with those of the parameters that it has."""
    text = check.read_text(encoding="utf-8")
    own = {name: value for name, value in parameters.items() if f"parameter {name} " in text}
    folder = yosys.synthesize(
        check.stem,
        own,
        {check.name: text.encode()},
        ["proc", "opt", "techmap", "simplemap", "opt", "write_json gates.json"],
    )
    return read_gates(folder / "gates.json", check.stem, "")
