"""The bench around ub_load_unit: clock, reset, drivers, monitors, scoreboard, record."""

import functools
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject
from cocotb.task import Task
from cocotb.triggers import ClockCycles, RisingEdge

from model import (
    BLOCK_BYTES,
    Case,
    Command,
    CommandBatch,
    FillBatch,
    Play,
    wanted_blocks,
    write_case,
)
from tb.config import BenchConfig, read_config
from tb.coverage import Design, Observed
from tb.cycle_check import CycleCheck
from tb.pauses import idle_cycles, never, ready_cycles
from tb.play_recorder import LevelRecorder, recorded_case
from tb.port_trace import PortTrace
from tb.ports import (
    CLOCK_NS,
    COMMAND_PAYLOAD,
    FILL_PAYLOAD,
    RESPONSE_PAYLOAD,
    StreamDriver,
    StreamMonitor,
    command_from_values,
    command_values,
    cycle_now,
    observe_response,
)
from tb.proves import rules_of
from tb.record import TestRecord, write_record
from tb.rules import watch_outputs
from tb.scoreboard import Scoreboard
from tb.stimulus import fills_of_everything

RESET_CYCLES = 3
CONSEQUENCE_CYCLES = 32
DRIVEN = "driven-"  # and the name of a test: the folder of a case
ONLY_THIS_TEST = "only this test"
"""The kind of a failure that the test itself has found, by what it alone asks of the unit."""


class LoadUnitBench:
    """Owns everything around one ub_load_unit for one test.

    Raises AssertionError from `finish` with the reports when anything was wrong.
    """

    def __init__(self, dut: HierarchyObject, config: BenchConfig) -> None:
        self.dut = dut
        self.config = config
        self.record = TestRecord()
        self.ub_bytes = config.parameters["UB_BYTES"]
        self.blocks = self.ub_bytes // BLOCK_BYTES
        self.banks = config.parameters["BANKS"]
        self.window = config.parameters["WINDOW"]
        self.stride_limit = 1 << config.parameters["STRIDE_W"]
        self.scoreboard = Scoreboard(self.ub_bytes)
        self.trace = PortTrace(dut)
        self.cycle_check = CycleCheck(
            dut, self.ub_bytes, self.banks, self.window, self.scoreboard.fail
        )
        self._pause_rng = config.rng("pauses")
        self._first_cycle = cycle_now()

        dut.rst.value = 1
        dut.rsp_ready.value = 0
        # The first edge comes after the first inputs, which a netlist takes some steps to pass on.
        Clock(dut.clk, CLOCK_NS, "ns").start(start_high=False)
        # Monitors stand before drivers: they see the ports of an edge before anything is written.
        self._watch("fill", FILL_PAYLOAD, self._on_fill)
        self._watch("cmd", COMMAND_PAYLOAD, self._on_command)
        self._watch("rsp", RESPONSE_PAYLOAD, self._on_response)
        cocotb.start_soon(watch_outputs(dut, self.scoreboard))
        self._levels = LevelRecorder(dut)
        cocotb.start_soon(self._levels.watch())
        cocotb.start_soon(self.cycle_check.watch())
        cocotb.start_soon(self.trace.watch())
        self.fills = self._driver("fill", FILL_PAYLOAD, config.idle)
        self.commands = self._driver("cmd", COMMAND_PAYLOAD, config.idle)
        self._ready_driver: Task[None] | None = None
        self._resetting: Task[None] | None = None

    def _watch(self, name: str, payload: tuple[str, ...], callback: Callable) -> None:
        StreamMonitor(self.dut, name, payload, callback, self.scoreboard.fail)

    def _driver(self, name: str, payload: tuple[str, ...], idle: int) -> StreamDriver:
        pauses = idle_cycles(idle, self._pause_rng.spawn(1)[0])
        return StreamDriver(self.dut, name, payload, pauses, self.config.four_state)

    # ---- What happened on the ports -----------------------------------------------------------
    def _on_fill(self, transfer: tuple) -> None:
        cycle, (address, data) = transfer
        self.cycle_check.fill = int(address)
        content = data.to_bytes(byteorder="little")
        self.scoreboard.on_fill(cycle, int(address), content)
        self.trace.on_fill(cycle, int(address), content)

    def _on_command(self, transfer: tuple) -> None:
        cycle, values = transfer
        command = command_from_values(tuple(int(value) for value in values))
        self.cycle_check.wanted = wanted_blocks(command, self.ub_bytes)
        self.scoreboard.on_command(cycle, command)
        self.trace.on_command(cycle, command)

    def _on_response(self, transfer: tuple) -> None:
        cycle, values = transfer
        self.cycle_check.answered = True
        response = observe_response(values)
        unwritten = self.scoreboard.on_response(cycle, response)
        self.trace.on_response(cycle, response, unwritten)

    # ---- What a test does ---------------------------------------------------------------------
    async def reset(self, cycles: int = RESET_CYCLES) -> None:
        """Hold rst for some cycles; whatever was in flight is forgotten by the scoreboard too."""
        self.dut.rst.value = 1
        await RisingEdge(self.dut.clk)
        self.record.commands_sent -= self.scoreboard.forget_in_flight()
        for _ in range(cycles - 1):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0

    def accept_responses(self, backpressure: int | None = None) -> None:
        """Drive rsp_ready, low in `backpressure` percent of the cycles (default: as asked)."""
        percent = self.config.backpressure if backpressure is None else backpressure
        self._drive_ready(ready_cycles(percent, self._pause_rng.spawn(1)[0]))

    def _drive_ready(self, pattern: Iterator[tuple[int, int]]) -> None:
        self.stall_responses()
        self._ready_driver = cocotb.start_soon(drive_ready(self.dut, pattern))

    def stall_responses(self) -> None:
        """Hold rsp_ready low."""
        if self._ready_driver is not None:
            self._ready_driver.cancel()
            self._ready_driver = None
        self.dut.rsp_ready.value = 0

    def start(self, play: Play) -> None:
        """Queue a whole play, straight after a reset: the player does the same in the same cycles."""
        self.commands.use_pauses(chain(play.command_gaps.tolist(), never()))
        self.fills.use_pauses(chain(play.fill_gaps.tolist(), never()))
        self.send_batch(play.commands)
        self.send_fills(play.fills)
        self._drive_ready(chain(play.ready.tolist(), ready_cycles(0, self._pause_rng)))
        self._resetting = cocotb.start_soon(self._drive_resets(play.resets.tolist()))

    async def _drive_resets(self, pattern: Iterable[tuple[int, int]]) -> None:
        for low, high in pattern:
            for _ in range(low):
                await RisingEdge(self.dut.clk)
            if high:
                await self.reset(high)

    def send_fills(self, fills: FillBatch) -> None:
        """Queue fills in order."""
        for address, data in zip(fills.address.tolist(), fills.data, strict=True):
            self.send_fill(address, data.tobytes())

    def send_fill(self, address: int, data: bytes) -> None:
        """Queue one fill: a byte address and 32 bytes."""
        self.fills.append((address, int.from_bytes(data, "little")))

    def send(self, command: Command) -> None:
        """Queue one command."""
        self.record.commands_sent += 1
        self.commands.append(command_values(command))

    def send_batch(self, batch: CommandBatch | Iterable[Command]) -> None:
        """Queue commands in order."""
        if isinstance(batch, CommandBatch):
            batch = map(batch.command, range(len(batch)))
        for command in batch:
            self.send(command)

    async def fill_everything(self) -> None:
        """Write random bytes into the whole Unified Buffer, one fill per cycle."""
        pauses = self.fills.use_pauses(never())
        self.send_fills(fills_of_everything(self.config.rng("contents"), self.ub_bytes))
        await self.drain()
        self.fills.use_pauses(pauses)

    async def cycles(self, count: int) -> None:
        """Let `count` clock cycles pass."""
        await ClockCycles(self.dut.clk, count)

    async def drain(self) -> None:
        """Wait until everything queued was sent and answered.

        Raises AssertionError at the first failure, and when nothing moves for longer than any rule
        of the specification allows.
        """
        patience = 16 * (self.window + 4) + 4096
        board = self.scoreboard
        moved = cycle_now()
        before = None
        while self._sending() or board.responses_due:
            await ClockCycles(self.dut.clk, 16)
            if board.failures:
                # What follows from the first one says more: a wrong read gives a wrong response.
                await ClockCycles(self.dut.clk, CONSEQUENCE_CYCLES)
            self._raise_failures()
            progress = (board.commands, board.checked, board.fills)
            if progress != before:
                moved, before = cycle_now(), progress
            elif cycle_now() - moved > patience:
                board.fail(
                    f"MISMATCH nothing has moved for {patience} cycles: {self.commands.unsent} "
                    f"commands and {self.fills.unsent} fills are not sent, {board.describe_due()}",
                    "hang",
                )

    def _sending(self) -> bool:
        resetting = self._resetting is not None and not self._resetting.done()
        return bool(self.commands.unsent or self.fills.unsent or resetting)

    async def finish(self) -> None:
        """Drain, wait for idle, and fail on anything that was wrong or is left over."""
        await self.drain()
        await self.cycles(80)
        self._raise_failures()

    def _raise_failures(self) -> None:
        assert not self.scoreboard.failures, "\n".join(self.scoreboard.failures)

    def keep_failure(self, test: str) -> None:
        """Keep what was driven, as a case in which the player can find the failure again."""
        board, levels = self.scoreboard, self._levels
        kinds = [kind for kind in board.failure_kinds if kind != ONLY_THIS_TEST]
        if not kinds:
            return
        case = self._driven(test)
        # What fails in the reset before the first cycle still does so behind it.
        cycle = max(0, board.failure_cycle - levels.first_cycle)
        self.record.keep_failure(test, case.completed(self.config.parameters), kinds, cycle)

    def keep_driven(self, test: str) -> None:
        """Leave what was driven as a case in the working directory, if anything was."""
        if self.commands.offers or self.fills.offers:
            case = self._driven(test).completed(self.config.parameters)
            write_case(Path(f"{DRIVEN}{test}"), case)

    def _driven(self, test: str) -> Case:
        about = f"{test}, seed {self.config.seed}"
        return recorded_case(about, self._levels, self.commands, self.fills)

    def write_record(self, test: str) -> None:
        """Leave the record of this test for the runner."""
        board, record = self.scoreboard, self.record
        record.commands_checked = board.checked
        record.responses_left = board.responses_due
        record.fills = board.fills
        record.cycles = cycle_now() - self._first_cycle
        record.ops, record.faults = dict(board.ops), dict(board.faults)
        record.trace_digest = self.trace.digest
        record.failures = board.failures
        record.failure_kinds = board.failure_kinds
        if not board.failures and self._levels.cycles:
            record.observe(self._observed())
        write_record(test, record)

    def _observed(self) -> Observed:
        """What the test has driven, from the first cycle without reset on."""
        levels, parameters = self._levels, self.config.parameters
        values = [values for _, values in self.commands.offers[: len(self.commands.transfers)]]
        addresses = [address for _, (address, _) in self.fills.offers]
        accepted, answered, filled = (
            np.array(cycles, np.int64) - levels.first_cycle
            for cycles in (
                self.commands.transfers,
                self.scoreboard.answered_cycles,
                self.fills.transfers,
            )
        )
        return Observed.of_transfers(
            Design(**{name.lower(): value for name, value in parameters.items()}),
            CommandBatch.from_commands([command_from_values(each) for each in values]),
            accepted,
            answered,
            np.array(addresses[: len(filled)], np.uint32),
            filled,
            ready=levels.ready_by_cycle,
            resets=levels.resets_by_cycle,
        )


async def drive_ready(dut: HierarchyObject, pattern: Iterator[tuple[int, int]]) -> None:
    """Drive rsp_ready by pairs (cycles high, cycles low)."""
    edge = RisingEdge(dut.clk)
    for high, low in pattern:
        for level, count in ((1, high), (0, low)):
            if count:
                dut.rsp_ready.value = level
                for _ in range(count):
                    await edge


def load_unit_test(body: Callable[[LoadUnitBench], Awaitable[None]]) -> Callable:
    """A cocotb test of ub_load_unit: a bench out of reset, `body`, the leftovers, the record."""

    @functools.wraps(body)
    async def test(dut: HierarchyObject) -> None:
        bench = LoadUnitBench(dut, read_config())
        bench.record.proves = rules_of(body)
        try:
            await bench.reset()
            await body(bench)
            await bench.finish()
        except AssertionError as error:
            if not bench.scoreboard.failures:
                bench.scoreboard.fail(f"MISMATCH {error}", ONLY_THIS_TEST)
            bench.keep_failure(body.__name__)
            raise
        finally:
            if bench.config.keep_driven:
                bench.keep_driven(body.__name__)
            bench.write_record(body.__name__)

    return cocotb.test()(test)
