"""Drivers and monitors of the three valid/ready ports, on cocotb-bus.

All of them work at the rising edge of the clock: what they read there are the values before the
edge, what they write takes effect after it. That holds in both simulators.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from cocotb.handle import HierarchyObject
from cocotb.triggers import RisingEdge
from cocotb.types import Logic, LogicArray
from cocotb.utils import get_sim_time
from cocotb_bus.drivers import BusDriver
from cocotb_bus.monitors import BusMonitor

from model import BLOCK_BYTES, LANES, REGISTER_BYTES, Command, Dtype, Fault, FaultKind, Op

CLOCK_NS = 10

FILL_PAYLOAD = ("addr", "data")
COMMAND_PAYLOAD = ("op", "dtype", "base", "block_stride", "repeat_stride", "index", "mask")
RESPONSE_PAYLOAD = ("data", "block_we", "base", "fault", "fault_lane", "fault_addr")


class ProtocolError(AssertionError):
    """A port broke a rule that needs no golden model: an X, a payload that moved.

    `kind` is that of a finding of the player: the output that is wrong.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class ObservedResponse:
    """A response as it stood on the port. Bit i of `unknown` says that block i holds an X."""

    data: bytes
    unknown: int
    block_we: int
    base: int
    fault: Fault


def cycle_now() -> int:
    """The number of the present clock cycle, from the start of the simulation."""
    return int(get_sim_time("ns") // CLOCK_NS)


def command_values(command: Command) -> tuple[int, ...]:
    """The values of COMMAND_PAYLOAD for a command."""
    index = int.from_bytes(
        b"".join(offset.to_bytes(4, "little") for offset in command.index), "little"
    )
    return (
        command.op,
        command.dtype,
        command.base,
        command.block_stride,
        command.repeat_stride,
        index,
        command.mask,
    )


def command_from_values(values: tuple[int, ...]) -> Command:
    """The command that COMMAND_PAYLOAD's values stand for."""
    op, dtype, base, block_stride, repeat_stride, index, mask = values
    offsets = memoryview(index.to_bytes(4 * LANES, "little")).cast("I")
    return Command(Op(op), Dtype(dtype), base, mask, block_stride, repeat_stride, tuple(offsets))


class StreamDriver(BusDriver):
    """Drives valid and a payload, one transaction after another, with idle cycles in between.

    A transaction is a tuple of the payload's values. While valid is low the payload is X (all ones
    where there is no X), so that a unit which looks at it then is found out.
    """

    def __init__(
        self,
        dut: HierarchyObject,
        name: str,
        payload: tuple[str, ...],
        pauses: Iterator[int],
        four_state: bool,
    ) -> None:
        self._signals = ["valid", "ready", *payload]
        super().__init__(dut, name, dut.clk)
        self._edge = RisingEdge(dut.clk)
        self._rst = dut.rst
        self._payload = [getattr(self.bus, signal) for signal in payload]
        self._poison = [
            LogicArray(("X" if four_state else "1") * len(signal)) for signal in self._payload
        ]
        self._pauses = pauses
        self._pause = next(pauses)
        self._sending = False
        # Everything so far: the first cycle with valid high and the values, the cycle of the transfer.
        self.offers: list[tuple[int, tuple[int, ...]]] = []
        self.transfers: list[int] = []
        self._rest()

    @property
    def unsent(self) -> int:
        """Transactions that were queued and have not been transferred."""
        return len(self._sendQ) + self._sending

    def use_pauses(self, pauses: Iterator[int]) -> Iterator[int]:
        """Take the idle cycles from `pauses` from now on; the former ones are returned."""
        former, self._pauses = self._pauses, pauses
        self._pause = next(pauses)
        return former

    def forget_unsent(self) -> int:
        """Drop what is queued behind the present transaction; how many those were."""
        count = len(self._sendQ)
        self._sendQ.clear()
        return count

    def _rest(self) -> None:
        self.bus.valid.value = 0
        for signal, value in zip(self._payload, self._poison, strict=True):
            signal.value = value

    async def _driver_send(self, transaction: tuple[int, ...], sync: bool = True) -> None:
        self._sending = True
        if sync:
            await self._edge
        for _ in range(self._pause):
            await self._edge
        for signal, value in zip(self._payload, transaction, strict=True):
            signal.value = value
        self.bus.valid.value = 1
        self.offers.append((cycle_now() + 1, transaction))
        await self._edge
        while not (self.bus.ready.value == 1 and self._rst.value == 0):
            await self._edge
        self.transfers.append(cycle_now())
        self._sending = False
        self._pause = next(self._pauses)
        if self._pause or not self._sendQ:
            self._rest()


class StreamMonitor(BusMonitor):
    """Watches one valid/ready port and hands on each transfer as (cycle, values).

    A broken rule ends the watch and goes to `on_failure`: a valid or ready that is X, a valid that
    falls without a transfer, a payload that moves while valid waits for ready, or a ProtocolError
    that the callback raises.
    """

    def __init__(
        self,
        dut: HierarchyObject,
        name: str,
        payload: tuple[str, ...],
        callback: Callable[[tuple[int, list[LogicArray]]], Any],
        on_failure: Callable[[str, str], Any],
    ) -> None:
        self._signals = ["valid", "ready", *payload]
        self._on_failure = on_failure
        self._payload = payload
        self._rst = dut.rst
        super().__init__(dut, name, dut.clk, callback=callback)

    async def _monitor_recv(self) -> None:
        try:
            await self._watch()
        except ProtocolError as error:
            self._on_failure(f"MISMATCH {error} in cycle {cycle_now()}", error.kind)

    async def _watch(self) -> None:
        edge = RisingEdge(self.clock)
        valid_signal, ready_signal, rst = self.bus.valid, self.bus.ready, self._rst
        payload = [getattr(self.bus, signal) for signal in self._payload]
        stalled: list[LogicArray] | None = None
        while True:
            await edge
            if rst.value != 0:
                stalled = None
                continue
            valid, ready = valid_signal.value, ready_signal.value
            if ready != 0 and ready != 1:
                raise ProtocolError(f"X {self.name}_ready", f"{self.name}_ready is {ready}")
            if valid == 1:
                values = [signal.value for signal in payload]
                if stalled is not None and str(stalled) != str(values):
                    raise ProtocolError(
                        f"{self.name} payload",
                        f"{self.name}: the payload moved while valid waited for ready",
                    )
                if ready == 1:
                    stalled = None
                    self._recv((cycle_now(), values))
                else:
                    stalled = values
            elif valid != 0:
                raise ProtocolError(f"X {self.name}_valid", f"{self.name}_valid is {valid}")
            elif stalled is not None:
                name = f"{self.name}_valid"
                raise ProtocolError(name, f"{name} fell without a transfer")


def observe_response(values: list[LogicArray]) -> ObservedResponse:
    """The response that RESPONSE_PAYLOAD's values stand for.

    Raises ProtocolError, naming the output, for an X outside of the data and for a fault that does
    not exist.
    """
    data, *others = values
    numbers = []
    for name, value in zip(RESPONSE_PAYLOAD[1:], others, strict=True):
        number = resolve(value)
        if number is None:
            raise ProtocolError("X", f"rsp_{name} is {value} while rsp_valid is high")
        numbers.append(number)
    block_we, base, fault, lane, address = numbers
    if fault >= len(FaultKind):
        raise ProtocolError("rsp_fault", f"rsp_fault is {fault}, which is no fault,")
    whole = resolve(data)
    if whole is not None:
        blocks, unknown = whole.to_bytes(REGISTER_BYTES, "little"), 0
    else:
        blocks, unknown = _known_blocks(str(data))
    return ObservedResponse(blocks, unknown, block_we, base, Fault(FaultKind(fault), lane, address))


def resolve(value: Logic | LogicArray) -> int | None:
    """The unsigned value, or None where a bit is neither 0 nor 1.

    Asking first (`is_resolvable`) looks at each bit as an object: 2048 of them take a millisecond.
    """
    try:
        return int(value)
    except ValueError:
        return None


def _known_blocks(bits: str) -> tuple[bytes, int]:
    """The blocks that are all 0 and 1, the others zero, and a bit for each of those others."""
    blocks, unknown = [], 0
    for lane in range(LANES):
        end = len(bits) - 8 * BLOCK_BYTES * lane
        block = bits[end - 8 * BLOCK_BYTES : end]
        if set(block) <= {"0", "1"}:
            blocks.append(int(block, 2).to_bytes(BLOCK_BYTES, "little"))
        else:
            unknown |= 1 << lane
            blocks.append(bytes(BLOCK_BYTES))
    return b"".join(blocks), unknown
