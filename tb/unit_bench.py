"""What the benches of single modules share: a clock, a record, and a command in every cycle.

As in tb/ports.py everything happens at the rising edge: what is read there are the values before
the edge, what is written takes effect after it.
"""

import functools
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject
from cocotb.triggers import RisingEdge
from cocotb.types import Logic, LogicArray
from numpy.random import Generator
from numpy.typing import NDArray

from model import LANES, CommandBatch, Dtype, Op
from tb.config import BenchConfig, read_config
from tb.mismatch import describe_command
from tb.ports import CLOCK_NS
from tb.proves import rules_of
from tb.record import TestRecord, write_record
from tb.scoreboard import MAX_REPORTS
from tb.stimulus import biased_commands


@dataclass(frozen=True, slots=True)
class Output:
    """What an output must be for each command of a batch; None where it does not matter.

    `latency` is in cycles behind the inputs, 0 for a combinational output. `lane_bits` is the width
    of each of its eight lanes, 0 for an output that is one value.
    """

    name: str
    expected: Sequence[int | None]
    latency: int = 1
    lane_bits: int = 0


class UnitBench:
    """Owns clock, record and reports of one test of one module."""

    def __init__(self, dut: HierarchyObject, config: BenchConfig) -> None:
        self.dut = dut
        self.config = config
        self.record = TestRecord()
        self._edge = RisingEdge(dut.clk)
        self._trace = hashlib.blake2b(digest_size=8)
        # The first edge comes after the first inputs, which a netlist takes some steps to pass on.
        Clock(dut.clk, CLOCK_NS, "ns").start(start_high=False)

    async def next_cycle(self) -> None:
        """End the present clock cycle: what is read afterwards is how it ended."""
        await self._edge
        self.record.cycles += 1

    async def stream(
        self, batch: CommandBatch, inputs: Mapping[str, Sequence[int]], outputs: Sequence[Output]
    ) -> None:
        """Drive a command of `batch` in every cycle, without a gap, and check every output.

        `inputs` has the values of each input port, one per command. The next command is on the
        inputs while an output of latency 1 is read: a wrong latency cannot pass.
        """
        count, depth = len(batch), max(output.latency for output in outputs)
        self.record.commands_sent += count
        ports = [getattr(self.dut, name) for name in inputs]
        values = list(zip(*inputs.values(), strict=True))
        await self.next_cycle()
        for number in range(count + depth):
            if number < count:
                for port, value in zip(ports, values[number], strict=True):
                    port.value = value
            await self.next_cycle()
            for output in outputs:
                answered = number - output.latency
                if 0 <= answered < count:
                    self._check(batch, answered, output)
            if number >= depth:
                self.record.commands_checked += 1
        self._count(batch)

    def _check(self, batch: CommandBatch, number: int, output: Output) -> None:
        value = getattr(self.dut, output.name).value
        got, expected = number_of(value), output.expected[number]
        self.trace(got)
        if expected is None or got == expected:
            return
        self.fail(
            f"MISMATCH in command {number}",
            describe_command(batch.command(number)),
            *compare_lanes(output.name, value, expected, output.lane_bits),
        )

    def _count(self, batch: CommandBatch) -> None:
        ops = Counter(self.record.ops)
        ops.update(Op(op).name for op in batch.op.tolist())
        self.record.ops = dict(ops)

    def trace(self, *values: int | None) -> None:
        """Add values to the digest by which runs on two simulators are compared."""
        self._trace.update(repr(values).encode())

    def fail(self, *lines: str) -> None:
        """Note a failure; the first few are kept."""
        if len(self.record.failures) < MAX_REPORTS:
            self.record.failures.append("\n  ".join(lines))

    def raise_failures(self) -> None:
        """Raise AssertionError with the reports, if there are any."""
        assert not self.record.failures, "\n".join(self.record.failures)

    def write_record(self, test: str) -> None:
        """Leave the record of this test for the runner."""
        self.record.trace_digest = self._trace.hexdigest()
        write_record(test, self.record)


def unit_test(bench_class: type[UnitBench]) -> Callable:
    """Make a function of a `bench_class` a cocotb test, whose record is written in any case."""

    def decorate(body: Callable[[UnitBench], Awaitable[None]]) -> Callable:
        @functools.wraps(body)
        async def test(dut: HierarchyObject) -> None:
            bench = bench_class(dut, read_config())
            bench.record.proves = rules_of(body)
            try:
                await body(bench)
                bench.raise_failures()
            except Exception as error:
                if not bench.record.failures:
                    bench.fail(f"MISMATCH {error!r}")
                raise
            finally:
                bench.write_record(body.__name__)

        return cocotb.test()(test)

    return decorate


# ---- Values of ports --------------------------------------------------------------------------
def number_of(value: Logic | LogicArray) -> int | None:
    """The value of a port of one bit or more, or None where a bit is neither 0 nor 1."""
    try:
        return int(value)
    except ValueError:
        return None


def pack_lanes(values: NDArray, bits: int) -> list[int]:
    """Each row of `values`, shape (n, 8), as one number with lane 0 in its lowest `bits` bits."""
    return [sum(value << bits * lane for lane, value in enumerate(row)) for row in values.tolist()]


def compare_lanes(name: str, value: Logic | LogicArray, expected: int, lane_bits: int) -> list[str]:
    """One line for each lane in which an output is not as expected; for 0 bits it has no lanes."""
    got = str(value)
    if not lane_bits:
        return [f"{name}: got {_hex(got)}, expected {expected:#x}"]
    lines = []
    for lane in range(LANES):
        end = len(got) - lane_bits * lane
        lane_got = got[end - lane_bits : end]
        lane_expected = expected >> lane_bits * lane & (1 << lane_bits) - 1
        if lane_got != f"{lane_expected:0{lane_bits}b}":
            lines.append(f"{name} lane {lane}: got {_hex(lane_got)}, expected {lane_expected:#x}")
    return lines


def _hex(bits: str) -> str:
    return f"{int(bits, 2):#x}" if set(bits) <= {"0", "1"} else "X"


# ---- Stimulus ---------------------------------------------------------------------------------
def mixed_commands(
    count: int, rng: Generator, ub_bytes: int, stride_limit: int = 1 << 32
) -> CommandBatch:
    """`count` commands, half biased to what is rare, half with all bits of all fields at random."""
    biased = biased_commands(count - count // 2, rng, ub_bytes, stride_limit)
    mixed = CommandBatch.concatenate([biased, _uniform_commands(count // 2, rng, stride_limit)])
    return mixed.take(rng.permutation(count))


def _uniform_commands(count: int, rng: Generator, stride_limit: int) -> CommandBatch:
    return CommandBatch(
        op=rng.integers(len(Op), size=count, dtype=np.uint8),
        dtype=rng.integers(len(Dtype), size=count, dtype=np.uint8),
        base=rng.integers(1 << 32, size=count, dtype=np.uint32),
        block_stride=rng.integers(stride_limit, size=count, dtype=np.uint32),
        repeat_stride=rng.integers(stride_limit, size=count, dtype=np.uint32),
        index=rng.integers(1 << 32, size=(count, LANES), dtype=np.uint32),
        mask=rng.integers(1 << 8, size=(count, 32), dtype=np.uint8),
    )
