"""The handshakes of specification, section 5: no combinational paths, stalls without loss."""

from cocotb.triggers import FallingEdge, Timer

from model import Command, Dtype, Op
from tb.load_unit.cycles import FULL_MASK
from tb.load_unit_bench import LoadUnitBench, load_unit_test
from tb.ports import COMMAND_PAYLOAD, FILL_PAYLOAD, RESPONSE_PAYLOAD
from tb.proves import proves
from tb.stimulus import biased_commands, random_fills

STALL = 300

PORT_BITS = {
    **dict.fromkeys(("clk", "rst", "fill_valid", "fill_ready", "fill_error", "idle"), 1),
    **dict.fromkeys(("cmd_valid", "cmd_ready", "rsp_valid", "rsp_ready"), 1),
    "fill_addr": 32,
    "fill_data": 256,
    "cmd_op": 2,
    "cmd_dtype": 2,
    "cmd_base": 32,
    "cmd_index": 256,
    "cmd_mask": 256,
    "rsp_data": 2048,
    "rsp_block_we": 8,
    "rsp_base": 32,
    "rsp_fault": 3,
    "rsp_fault_lane": 3,
    "rsp_fault_addr": 48,
}


@load_unit_test
@proves("PT-1")
async def ports_have_the_widths_of_the_specification(bench: LoadUnitBench) -> None:
    """Every port of section 5, with its number of bits."""
    stride_bits = bench.config.parameters["STRIDE_W"]
    strides = dict.fromkeys(("cmd_block_stride", "cmd_repeat_stride"), stride_bits)
    for port, bits in {**PORT_BITS, **strides}.items():
        assert len(getattr(bench.dut, port)) == bits, port


@load_unit_test
@proves("PT-3", "PT-5")
async def no_output_follows_an_input_within_a_cycle(bench: LoadUnitBench) -> None:
    """Inputs that change between two edges move no output, while traffic flows."""
    await bench.fill_everything()
    bench.accept_responses(50)
    rng = bench.config.rng("wiggle")
    batch = biased_commands(200, rng, bench.ub_bytes, bench.stride_limit)
    bench.send_batch(batch)
    bench.send_fills(random_fills(100, batch, rng, bench.ub_bytes))
    dut = bench.dut
    inputs = [dut.rst, dut.fill_valid, dut.cmd_valid, dut.rsp_ready]
    inputs += [getattr(dut, f"fill_{name}") for name in FILL_PAYLOAD]
    inputs += [getattr(dut, f"cmd_{name}") for name in COMMAND_PAYLOAD]
    outputs = [dut.fill_ready, dut.fill_error, dut.cmd_ready, dut.rsp_valid, dut.idle]
    outputs += [getattr(dut, f"rsp_{name}") for name in RESPONSE_PAYLOAD]
    for _ in range(200):
        await FallingEdge(dut.clk)
        held = [signal.value for signal in inputs]
        before = [str(signal.value) for signal in outputs]
        for signal in inputs:
            signal.value = int.from_bytes(rng.bytes(32), "little") % (1 << len(signal))
        await Timer(1, "ns")
        after = [str(signal.value) for signal in outputs]
        for signal, value in zip(inputs, held, strict=True):
            signal.value = value
        moved = [
            signal._name
            for signal, old, new in zip(outputs, before, after, strict=True)
            if old != new
        ]
        assert not moved, f"an input moves {', '.join(moved)} within the cycle"


@load_unit_test
@proves("PT-3", "PT-4", "CY-9")
async def stalled_responses_wait_unchanged(bench: LoadUnitBench) -> None:
    """With rsp_ready low commands fill the window, then wait; afterwards every response comes."""
    await bench.fill_everything()
    board = bench.scoreboard
    for _ in range(3):
        before = board.commands
        bench.send_batch(
            biased_commands(
                4 * bench.window + 64, bench.config.rng("stall"), bench.ub_bytes, bench.stride_limit
            )
        )
        await bench.cycles(STALL + 16 * bench.window)
        taken = board.commands - before
        assert taken >= bench.window, f"{taken} commands were accepted without rsp_ready"
        assert taken < 4 * bench.window + 64, "commands are accepted without end"
        assert bench.dut.rsp_valid.value == 1, "rsp_valid waits for rsp_ready"
        bench.accept_responses(0)
        await bench.drain()
        bench.stall_responses()
        await bench.cycles(2)
    bench.accept_responses(0)


@load_unit_test
@proves("PT-10", "PT-11")
async def a_lone_command_behind_each_pause(bench: LoadUnitBench) -> None:
    """idle falls after a command's acceptance and rises after its response, at every spacing."""
    await bench.fill_everything()
    bench.accept_responses(0)
    for pause in range(80):
        bench.send(Command(Op.LOADALIGN, Dtype.B32, base=0, mask=FULL_MASK))
        await bench.drain()
        await bench.cycles(1 + pause)
