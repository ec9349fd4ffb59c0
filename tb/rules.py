"""Rules of single outputs that hold in every cycle: fill_error, idle, and the silence of reset."""

from cocotb.handle import HierarchyObject
from cocotb.triggers import RisingEdge

from tb.ports import cycle_now
from tb.scoreboard import Scoreboard

IDLE_WITHIN = 64  # cycles after the last activity (specification, section 5)


async def watch_outputs(dut: HierarchyObject, scoreboard: Scoreboard) -> None:
    """Check fill_error and idle in every cycle outside of reset, the readys and valids inside.

    Runs until its first failure, which goes to the scoreboard.
    """
    edge = RisingEdge(dut.clk)
    quiet_in_reset = (dut.cmd_ready, dut.fill_ready, dut.rsp_valid, dut.fill_error)
    in_reset = False
    last_busy = cycle_now()
    while True:
        await edge
        cycle = cycle_now()
        if in_reset:
            for signal in quiet_in_reset:
                if signal.value != 0:
                    scoreboard.fail(
                        f"MISMATCH {signal._name} is {signal.value} in reset", signal._name
                    )
                    return
            if dut.idle.value not in (0, 1):
                scoreboard.fail("MISMATCH idle is X in reset", "X idle")
                return
        elif dut.rst.value == 0:
            fill_error = scoreboard.fill_error_due(cycle)
            if dut.fill_error.value != fill_error:
                scoreboard.fail(
                    f"MISMATCH fill_error is {dut.fill_error.value} in cycle {cycle}, "
                    f"expected {fill_error:d}",
                    "fill_error",
                )
                return
            idle = dut.idle.value
            if idle == 1:
                scoreboard.last_idle_cycle = cycle
            elif idle != 0:
                scoreboard.fail(f"MISMATCH idle is {idle} in cycle {cycle}", "X idle")
                return
            if scoreboard.in_flight(cycle):
                last_busy = cycle
                if idle != 0:
                    scoreboard.fail(
                        f"MISMATCH idle is {idle} with a command in flight ({cycle})", "idle"
                    )
                    return
            elif cycle - max(last_busy, scoreboard.last_fill_cycle) > IDLE_WITHIN and idle != 1:
                scoreboard.fail(
                    f"MISMATCH idle is {idle}, {IDLE_WITHIN} cycles after the end ({cycle})", "idle"
                )
                return
        in_reset = dut.rst.value != 0
        if in_reset:
            last_busy = cycle
