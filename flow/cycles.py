"""`make cycles`: what a sequence of commands costs, by the cycle model, and what padding would give."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from flow.bank_chart import bank_chart, bank_loads, row_names
from flow.errors import UserError
from flow.places import ROOT, ensure_folder
from model import (
    COMMANDS_FILE,
    CaseError,
    CommandBatch,
    FaultKind,
    Op,
    Timing,
    conflict_degree_batch,
    find_faults_batch,
    read_commands,
    simulate,
)

SHOWN_CONFLICTS = 5
SHOWN_STRIDES = 3
NEIGHBOURS = (-2, -1, 1, 2)
"""How far other block strides are from the given one, in DataBlocks."""

_BAR = 40


@dataclass(frozen=True)
class Trace:
    """Commands from a file, in a unit with these parameters."""

    name: str
    batch: CommandBatch
    parameters: Mapping[str, int]

    def simulate(self) -> Timing:
        """The cycles of the commands, back to back."""
        unit = self.parameters
        return simulate(self.batch, unit["UB_BYTES"], unit["BANKS"], unit["WINDOW"])

    def degrees(self) -> NDArray[np.uint8]:
        """D of each command (specification, section 6)."""
        return conflict_degree_batch(
            self.batch, self.parameters["BANKS"], self.parameters["UB_BYTES"]
        )

    def faults(self) -> NDArray[np.bool_]:
        """Whether each command faults."""
        faults = find_faults_batch(self.batch, self.parameters["UB_BYTES"])
        return faults.kind != FaultKind.NONE

    def with_block_stride(self, given: int, other: int) -> "Trace":
        """The trace with one block stride replaced wherever a LoadAlign has it."""
        strides = np.where(self.has_block_stride(given), other, self.batch.block_stride)
        return replace(self, batch=replace(self.batch, block_stride=strides.astype(np.uint32)))

    def has_block_stride(self, stride: int) -> NDArray[np.bool_]:
        """Whether each command is a LoadAlign with this block stride."""
        return (self.batch.op != Op.GATHERB) & (self.batch.block_stride == stride)


def read_trace(text: str, parameters: Mapping[str, int]) -> Trace:
    """The trace that TRACE names: a case folder or its commands file (docs/vectors.md).

    Raises:
        UserError: there is none, it is wrong, or a stride does not fit.
    """
    if not text:
        raise UserError(
            f"TRACE is missing: make cycles TRACE=path, a case folder or its {COMMANDS_FILE} "
            "(docs/vectors.md)"
        )
    path = Path(text)
    file = path / COMMANDS_FILE if path.is_dir() else path
    try:
        _, commands = read_commands(file)
    except CaseError as error:
        raise UserError(f"TRACE: {error}") from None
    name = file.parent.resolve().name if file.name == COMMANDS_FILE else file.stem
    trace = Trace(name, CommandBatch.from_commands(commands), parameters)
    _check_strides(trace)
    return trace


def _check_strides(trace: Trace) -> None:
    batch, width = trace.batch, trace.parameters["STRIDE_W"]
    for name, used in (
        ("block_stride", batch.op != Op.GATHERB),
        ("repeat_stride", batch.op >= Op.LOADALIGN_POST_NORMAL),
    ):
        strides = getattr(batch, name)
        if (wide := np.flatnonzero(used & (strides >> np.uint64(width) != 0))).size:
            raise UserError(
                f"TRACE: command {wide[0]}: {name} is {strides[wide[0]]}; "
                f"with STRIDE_W={width} it is at most {(1 << width) - 1}"
            )


def write_chart(trace: Trace, timing: Timing) -> Path:
    """Write the plot of bank load over time, an SVG file under build/cycles."""
    ensure_folder("build")
    folder = ROOT / "build" / "cycles"
    folder.mkdir(exist_ok=True)
    banks, window = trace.parameters["BANKS"], trace.parameters["WINDOW"]
    path = folder / f"{trace.name}-banks{banks}-window{window}.svg"
    path.write_text(bank_chart(trace.name, timing, banks, window), encoding="utf-8")
    return path


def cycles_report(trace: Trace, timing: Timing) -> Iterator[str]:
    """The lines of the report: cycles, bank load, the worst conflicts, and other block strides."""
    yield from _summary(trace, timing)
    for lines in (_bank_lines, _conflict_lines, _padding_lines):
        yield ""
        yield from lines(trace, timing)


def _summary(trace: Trace, timing: Timing) -> Iterator[str]:
    parameters = " ".join(f"{name}={value}" for name, value in trace.parameters.items())
    yield f"{trace.name}: {len(trace.batch)} commands back to back; {parameters}"
    yield f"  cycles           {timing.cycles}, from the first acceptance to the last response"
    yield f"  bytes per cycle  {timing.bytes_per_cycle:.1f}, 256 for each command"
    if faults := int(trace.faults().sum()):
        yield f"  faults           {faults} commands fault and read nothing"


def _bank_lines(trace: Trace, timing: Timing) -> Iterator[str]:
    banks = trace.parameters["BANKS"]
    loads = bank_loads(timing, banks, columns=1).loads[:, 0]
    names = row_names(banks)
    width = max(map(len, names))
    yield "load of the banks: share of the cycles in which each reads"
    for name, load in zip(names, loads.tolist(), strict=True):
        yield f"  bank {name:>{width}}  {100 * load:5.1f} %  {'#' * round(_BAR * load)}".rstrip()


def _conflict_lines(trace: Trace, timing: Timing) -> Iterator[str]:
    degrees = trace.degrees()
    groups = _conflicts(trace, degrees, _lost_cycles(timing))
    if not groups:
        yield "conflicts: none, every command has D <= 1"
        return
    yield "commands that conflict most; lost: cycles beyond one in which all others waited for them"
    yield f"  {'commands':>8}  {'first':>6}  D  {'lost':>6}"
    for numbers, lost in groups[:SHOWN_CONFLICTS]:
        first = numbers[0]
        yield (
            f"  {len(numbers):8}  {first:6}  {degrees[first]}  {lost:6}  {_describe(trace, first)}"
        )
    if len(groups) > SHOWN_CONFLICTS:
        yield f"  kinds beside these: {len(groups) - SHOWN_CONFLICTS}"


def _lost_cycles(timing: Timing) -> NDArray[np.int64]:
    """For how many cycles beyond one the reads of each command, as the oldest, held up the rest."""
    before = np.concatenate([timing.accepted[:1], timing.completed[:-1]])
    # A command enters the crossbar in the cycle after its acceptance.
    return timing.completed - np.maximum(before, timing.accepted + 1) - 1


def _conflicts(
    trace: Trace, degrees: NDArray[np.uint8], lost: NDArray[np.int64]
) -> list[tuple[list[int], int]]:
    """Commands with D > 1 and the cycles lost to them; those that differ in their base together."""
    groups: dict[tuple, list[int]] = {}
    for number in np.flatnonzero(degrees > 1).tolist():
        groups.setdefault((_describe(trace, number), degrees[number]), []).append(number)
    costs = [(numbers, int(lost[numbers].sum())) for numbers in groups.values()]
    return sorted(costs, key=lambda cost: (-cost[1], cost[0][0]))


def _describe(trace: Trace, number: int) -> str:
    command = trace.batch.command(number)
    if command.op is Op.GATHERB:
        return "GATHERB index {" + ", ".join(map(str, command.index)) + "}"
    return f"{command.op.name} block_stride {command.block_stride}"


def _padding_lines(trace: Trace, timing: Timing) -> Iterator[str]:
    strides = _conflicting_strides(trace)
    if not strides:
        yield "padding: no LoadAlign has D > 1"
        return
    yield "other padding: the same commands and bases with another block stride"
    yield f"  {'block_stride':>12}  largest D  {'cycles':>8}  bytes per cycle"
    for stride in strides[:SHOWN_STRIDES]:
        changed = trace.has_block_stride(stride)
        yield _padding_line(stride, trace, timing, changed) + "  as given"
        for other in (stride + distance for distance in NEIGHBOURS):
            if (padded := _padded(trace, stride, other)) is not None:
                yield _padding_line(other, padded, padded.simulate(), changed)
    if len(strides) > SHOWN_STRIDES:
        yield f"  block strides that conflict beside these: {len(strides) - SHOWN_STRIDES}"


def _conflicting_strides(trace: Trace) -> list[int]:
    """The block strides of LoadAlign commands with D > 1, those first that cost most reads."""
    degrees = trace.degrees()
    conflicting = (trace.batch.op != Op.GATHERB) & (degrees > 1)
    strides, kinds = np.unique(trace.batch.block_stride[conflicting], return_inverse=True)
    costs = np.bincount(kinds, weights=degrees[conflicting], minlength=len(strides))
    return strides[np.argsort(-costs, kind="stable")].tolist()


def _padded(trace: Trace, stride: int, other: int) -> Trace | None:
    """The trace with another block stride; None where that is no stride or makes a command fault."""
    if not 0 <= other < 1 << trace.parameters["STRIDE_W"]:
        return None
    padded = trace.with_block_stride(stride, other)
    return None if (padded.faults() & ~trace.faults()).any() else padded


def _padding_line(
    block_stride: int, trace: Trace, timing: Timing, changed: NDArray[np.bool_]
) -> str:
    degree = int(trace.degrees()[changed].max())
    return f"  {block_stride:12}  {degree:9}  {timing.cycles:8}  {timing.bytes_per_cycle:15.1f}"
