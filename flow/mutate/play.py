"""Plays traces through the mutants of a module, hundreds at once, in a simulator of gates."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from flow import process, tools, yosys
from flow.cache import digests, made_once
from flow.errors import UserError
from flow.mutate.gates import Gates, Nets, read_gates
from flow.mutate.mutants import PREPARED, Mutant
from flow.mutate.plan import DATA_W, SELECT, TOP
from flow.mutate.stimulus import NOTHING, Trace
from flow.places import ROOT, import_root
from model import BLOCK_BYTES, LANES, OUTPUTS, CommandBatch

SIMULATOR = ROOT / "flow" / "mutate" / "parallel_sim.cpp"
LIMIT_SECONDS = 3600
GATES = "gates.json"

_LEVELS = ("rst", "cmd_valid", "fill_valid", "rsp_ready")
_COMMAND = ("op", "dtype", "base", "block_stride", "repeat_stride", "index", "mask")
# The fields of a response with their ports; data last, as for the player's check.
_RESPONSE = {
    "fault_kind": "rsp_fault",
    "fault_lane": "rsp_fault_lane",
    "fault_address": "rsp_fault_addr",
    "block_we": "rsp_block_we",
    "base": "rsp_base",
}
_DATA = "rsp_data"
_UNCHECKED = 2


@dataclass(frozen=True)
class Seen:
    """The first cycle in which a mutant is seen, and the output that shows it."""

    cycle: int
    output: str


def build_simulator() -> Path:
    """The simulator, compiled if there is none of exactly this source.

    Raises:
        UserError: there is no C++ compiler.
    """
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        raise UserError("no C++ compiler was found: install g++")
    # GCC notes that wide vectors are passed otherwise without AVX: nothing else calls this program.
    options = ["-O2", "-std=c++17", "-Wno-psabi"]

    def make(folder: Path) -> None:
        process.run_tool(
            "the build of the simulator of mutants",
            [compiler, *options, str(SIMULATOR), "-o", str(folder / "simulator")],
            environment=tools.environment(),
            folder=folder,
            log=folder / "build.log",
            limit=LIMIT_SECONDS,
        )

    ingredients = {"source": digests({"": SIMULATOR.read_bytes()}), "options": [compiler, *options]}
    return made_once("parallel-sim", ingredients, make).folder / "simulator"


def plant(
    prepared: Path,
    mutants: Sequence[Mutant],
    folder: Path,
    top: str = TOP,
    cut: Sequence[str] = (),
) -> Gates:
    """The gates of module `top` with these mutants, which the numbers from 1 on switch on.

    The modules `cut` are empty: their outputs may be anything, their inputs are still there by name.

    Raises:
        UserError: Yosys failed.
    """
    script = folder / "mutants.ys"
    script.write_text("".join(f"{each.passes(n)}\n" for n, each in enumerate(mutants, 1)))
    passes = [
        f"read_rtlil {prepared / PREPARED}",
        f"script {script.name}",
        f"hierarchy -top {top}",
        *(f"setattr -set keep 1 {module}/i:*" for module in cut),
        *(f"delete {module}/c:*" for module in cut),
        "flatten",
        # Each instance compares the number of the mutant anew.
        "opt_merge",
        "opt_clean",
        "memory_map",
        "opt_clean",
        "dffunmap",
        "techmap",
        "simplemap",
        "opt_merge",
        "opt_clean",
        f"write_json {GATES}",
    ]
    process.run_tool(
        "the planting of mutants",
        yosys.command_line(passes),
        environment=tools.environment(PYTHONPATH=str(import_root())),
        folder=folder,
        log=folder / "yosys.log",
        limit=LIMIT_SECONDS,
    )
    return read_gates(folder / GATES, top, SELECT)


class Ports:
    """The nets of the unit's ports and banks, in the order of the bits in the files."""

    def __init__(self, gates: Gates, parameters: Mapping[str, int]) -> None:
        names = gates.names
        self.select = names.get(SELECT, [])
        self.levels = [names[name][0] for name in _LEVELS]
        self.command = [net for name in _COMMAND for net in names[f"cmd_{name}"]]
        self.fill = [*names["fill_addr"], *names["fill_data"][:DATA_W]]
        self.outputs = [names[name][0] for name in OUTPUTS]
        self.response: list[int] = []
        self.response_names: list[str] = []
        for port in _RESPONSE.values():
            self._add(port, names[port])
        for lane in range(LANES):
            # The crossbar's lanes stand side by side at the bottom of the port.
            self._add(_DATA, names[_DATA][DATA_W * lane :][:DATA_W])
        self.banks = [net for bank in bank_nets(gates, parameters) for net in bank]

    def _add(self, port: str, nets: Nets) -> None:
        self.response += nets
        self.response_names += [port] * len(nets)

    def lists(self) -> list[Nets]:
        """All of them, in the order of the file."""
        response = self.response
        return [
            *(self.select, self.levels, self.command, self.fill, self.outputs, response, self.banks)
        ]

    def output(self, bit: int) -> str:
        """The name of the output that has a bit of {outputs, response}."""
        return [*OUTPUTS, *self.response_names][bit]


def bank_nets(gates: Gates, parameters: Mapping[str, int]) -> list[Nets]:
    """Of each bank the nets of enable, write and row."""
    banks = parameters["BANKS"]
    if parameters["WINDOW"] == 1 or banks == 1:
        groups = ["block_xbar.g_single.all_banks"]
    else:
        groups = ["block_xbar.g_pair.even_banks", "block_xbar.g_pair.odd_banks"]
    size = len(groups)
    memories = [
        f"{groups[bank % size]}.g_bank[{bank // size}].bank_memory" for bank in range(banks)
    ]
    return [
        [net for port in ("enable", "write", "row") for net in gates.names[f"{memory}.{port}"]]
        for memory in memories
    ]


def write_gates(path: Path, gates: Gates, ports: Ports) -> None:
    """Write the netlist for the simulator."""
    counts = (gates.count, gates.first_moving, len(gates.runs), len(gates.gates))
    parts = [np.array([*counts, len(gates.flipflops)], np.int32)]
    parts += [gates.runs, gates.gates, gates.flipflops]
    parts += [np.array([len(nets), *nets], np.int32) for nets in ports.lists()]
    path.write_bytes(b"".join(part.tobytes() for part in parts))


def write_traces(path: Path, traces: Sequence[Trace], parameters: Mapping[str, int]) -> None:
    """Write the traces, one behind the other, for the simulator."""
    row_w = (parameters["UB_BYTES"] // BLOCK_BYTES // parameters["BANKS"]).bit_length() - 1
    cycles, commands, fills, responses, banks = [], [], [], [], []
    command_count = fill_count = 0
    for trace in traces:
        inputs = trace.inputs.copy()
        for column, first in ((1, command_count), (2, fill_count)):
            numbers = inputs[:, column]
            inputs[:, column] = np.where(numbers == NOTHING, NOTHING, numbers + np.uint32(first))
        response = trace.response
        response = np.where(response == NOTHING, NOTHING, response + np.uint32(command_count))
        cycles.append(np.column_stack([inputs, trace.outputs, response]).astype(np.uint32))
        commands.append(_command_bits(trace.commands, parameters["STRIDE_W"]))
        data = trace.fills.data[:, : DATA_W // 8]
        fills.append(np.concatenate([_bits(trace.fills.address, 32), _byte_bits(data)], axis=1))
        responses.append(_response_bits(trace))
        banks.append(_bank_bits(trace.accesses, row_w))
        command_count += len(trace.commands)
        fill_count += len(trace.fills)
    tables = [np.concatenate(part) for part in (cycles, commands, fills, responses, banks)]
    counts = np.array([len(table) for table in tables[:4]], np.uint32)
    with path.open("wb") as file:
        for part in (counts, *tables):
            file.write(part.tobytes())


def play(
    simulator: Path, gates_file: Path, traces_file: Path, ports: Ports, mutants: range
) -> dict[int, tuple[Seen | None, Seen | None]]:
    """When each of the mutants is seen at the ports, and at the banks; number 0 is the design itself.

    Raises:
        UserError: the simulator failed.
    """
    command = [str(simulator), str(gates_file), str(traces_file), str(mutants.start)]
    result = subprocess.run(
        [*command, str(mutants.stop)],
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    if result.returncode != 0:
        raise UserError(f"the simulator of mutants failed: {result.stderr.strip()}")
    found: dict[int, tuple[Seen | None, Seen | None]] = {}
    for line in result.stdout.splitlines():
        number, cycle, bit, bank_cycle, _ = map(int, line.split())
        seen = Seen(cycle, ports.output(bit)) if cycle >= 0 else None
        at_bank = Seen(bank_cycle, "bank access") if bank_cycle >= 0 else None
        found[number] = seen, at_bank
    return found


def _bits(values: NDArray[np.integer], width: int) -> NDArray[np.uint8]:
    """The bits of each value, the lowest first: uint8 (n, width)."""
    wide = values.astype(np.uint64)[:, np.newaxis]
    return (wide >> np.arange(width, dtype=np.uint64) & np.uint64(1)).astype(np.uint8)


def _byte_bits(octets: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.unpackbits(np.ascontiguousarray(octets), axis=1, bitorder="little")


def _command_bits(commands: CommandBatch, stride_w: int) -> NDArray[np.uint8]:
    widths = {"op": 2, "dtype": 2, "base": 32, "block_stride": stride_w, "repeat_stride": stride_w}
    parts = [_bits(getattr(commands, name), width) for name, width in widths.items()]
    index = commands.index.astype("<u4").view(np.uint8).reshape(-1, 4 * LANES)
    return np.concatenate([*parts, _byte_bits(index), _byte_bits(commands.mask)], axis=1)


def _response_bits(trace: Trace) -> NDArray[np.uint8]:
    responses = trace.responses
    widths = {"fault_kind": 3, "fault_lane": 3, "fault_address": 48, "block_we": 8, "base": 32}
    parts = [_bits(getattr(responses, name), widths[name]) for name in _RESPONSE]
    blocks = responses.data.reshape(-1, LANES, BLOCK_BYTES)[:, :, : DATA_W // 8]
    for lane in range(LANES):
        known = trace.known[:, lane, np.newaxis]
        parts.append(np.where(known, _byte_bits(blocks[:, lane]), _UNCHECKED))
    return np.concatenate(parts, axis=1).astype(np.uint8)


def _bank_bits(accesses: NDArray[np.uint32], row_w: int) -> NDArray[np.uint8]:
    parts = []
    for bank in range(accesses.shape[1]):
        access = accesses[:, bank]
        enabled = (access != NOTHING)[:, np.newaxis]
        row = np.concatenate([_bits(access & 1, 1), _bits(access >> 1, row_w)], axis=1)
        parts += [enabled, np.where(enabled, row, _UNCHECKED)]
    return np.concatenate(parts, axis=1).astype(np.uint8)
