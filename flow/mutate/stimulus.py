"""What the bench drives, as traces: inputs and the models' outputs in every cycle."""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from flow.benches import BENCHES, DEFAULT_BENCH
from flow.cache import digests, made_once
from flow.errors import UserError
from flow.places import ROOT
from flow.run import ALL_TESTS, run
from flow.settings import Settings
from model import (
    BLOCK_BYTES,
    Case,
    CommandBatch,
    FillBatch,
    Play,
    ResponseBatch,
    execute_in_order,
    levels,
    offered_cycles,
    predict,
    read_case,
)
from tb.config import BenchConfig
from tb.load_unit_bench import DRIVEN
from tb.player.play_check import undecided_lanes
from tb.random_play import random_play

CORPUS = ROOT / "tests" / "corpus"
DIRECTED_OPS = 300
TAIL_CYCLES = 80
RESET_CYCLES = 3
RANDOM_OPS = 1500
RANDOM_PAUSES = ((0, 0), (40, 0), (0, 60), (30, 30))
"""(percent idle, percent backpressure) of each random play, as by turns in a regression."""

NOTHING = 0xFFFF_FFFF


@dataclass(frozen=True)
class Driven:
    """One thing that the bench drives, by the name of its test or case."""

    name: str
    case: Case


@dataclass(frozen=True, eq=False)
class Trace:
    """A case by cycle, from a reset on, the Unified Buffer loaded before.

    All uint32: `inputs` (c, 4) are the levels of rst, cmd_valid, fill_valid and rsp_ready as bits 0
    to 3, the numbers of the command and of the fill that are offered (NOTHING where none is), and 1
    where the outputs are checked. `outputs` (c,) are the levels of model.OUTPUTS, `response` (c,) the
    number of the response that is shown (NOTHING where none is, or its command is dropped), `accesses`
    (c, banks) what each bank does: NOTHING, or 2 * row + 1 for a write.
    `known` bool (n, 8) are the lanes of the responses whose data are decided.
    """

    name: str
    commands: CommandBatch
    fills: FillBatch
    responses: ResponseBatch
    known: NDArray[np.bool_]
    inputs: NDArray[np.uint32]
    outputs: NDArray[np.uint32]
    response: NDArray[np.uint32]
    accesses: NDArray[np.uint32]

    @property
    def cycles(self) -> int:
        """How many cycles it has."""
        return len(self.inputs)


def bench_stimulus(
    parameters: Mapping[str, int], simulator: str, say: Callable[[str], None]
) -> list[Driven]:
    """All that the bench drives into a unit with these parameters, in the order in which it is played.

    Random commands first, those of `make sim` without a variable; then the directed tests, then
    the stored cases.

    Raises:
        UserError: the bench does not run.
    """
    driven = random_plays(parameters)
    driven += directed_tests(parameters, simulator, say)
    return driven + stored_cases(parameters)


def random_plays(parameters: Mapping[str, int]) -> list[Driven]:
    """Random commands as `make sim` draws them, without and with pauses."""
    driven = []
    for number, (idle, backpressure) in enumerate(RANDOM_PAUSES):
        config = BenchConfig(
            seed=1 + number,
            ops=RANDOM_OPS,
            idle=idle,
            backpressure=backpressure,
            parameters=dict(parameters),
            simulator="verilator",
        )
        play = random_play(config, config.ops)
        name = f"random_commands IDLE={idle} BACKPRESSURE={backpressure}"
        driven.append(Driven(name, Case.of_play(name, bytes(BLOCK_BYTES), play)))
    return driven


def directed_tests(
    parameters: Mapping[str, int], simulator: str, say: Callable[[str], None]
) -> list[Driven]:
    """What each directed test of ub_load_unit drives, recorded at its ports once for each content.

    Raises:
        UserError: the bench does not run.
    """
    settings = Settings(
        bench=BENCHES[DEFAULT_BENCH],
        simulator=simulator,
        parameters=dict(parameters),
        ops=DIRECTED_OPS,
        tests=(ALL_TESTS,),
        keep_driven=True,
    )
    sources = [*settings.bench.sources(), *(ROOT / "tb").rglob("*.py")]
    sources += (ROOT / "model").glob("*.py")

    def record(folder: Path) -> None:
        say(f"recording the directed tests at {_in_words(parameters)}")
        with tempfile.TemporaryDirectory(dir=folder) as name:
            finished = run(settings, folder=Path(name), say=say)
            for each in sorted(Path(name).glob(f"{DRIVEN}*")):
                shutil.copytree(each, folder / each.name.removeprefix(DRIVEN))
            if not (folder / "random_commands").exists():
                raise UserError(f"no test has left what it has driven: {finished.verdict.problems}")

    ingredients = {
        "sources": digests({str(path.relative_to(ROOT)): path.read_bytes() for path in sources}),
        "parameters": dict(parameters),
        "ops": DIRECTED_OPS,
    }
    folder = made_once("driven", ingredients, record).folder
    names = sorted(path.name for path in folder.iterdir() if path.is_dir())
    return [Driven(name, read_case(folder / name)) for name in names if name != "random_commands"]


def stored_cases(parameters: Mapping[str, int]) -> list[Driven]:
    """The stored cases that a unit with these parameters can play."""
    driven = []
    for folder in sorted(CORPUS.glob("*/")):
        case = read_case(folder)
        strides = [max(each.block_stride, each.repeat_stride) for each in case.commands]
        fits = max(strides, default=0) >> parameters["STRIDE_W"] == 0
        if fits and len(case.contents) <= parameters["UB_BYTES"]:
            driven.append(Driven(f"{folder.parent.name}/{folder.name}", case))
    return driven


def trace_of(driven: Driven, parameters: Mapping[str, int]) -> list[Trace]:
    """The loading of the Unified Buffer, then the case: what goes in, and what the models say.

    Specification, sections 2 to 6.
    """
    blocks = parameters["UB_BYTES"] // BLOCK_BYTES
    contents = np.zeros(parameters["UB_BYTES"], np.uint8)
    contents[: len(driven.case.contents)] = np.frombuffer(driven.case.contents, np.uint8)
    load = FillBatch(
        (BLOCK_BYTES * np.arange(blocks)).astype(np.uint32),
        contents.reshape(-1, BLOCK_BYTES).copy(),
    )
    empty = replace(driven.case, commands=(), gaps=(), fills=(), ready=(), resets=()).play()
    loading = replace(empty, fills=load, fill_gaps=np.zeros(blocks, np.uint32))
    return [
        _trace(driven.name, loading, contents, parameters),
        _trace(driven.name, driven.case.play(), contents, parameters),
    ]


def _trace(
    name: str, play: Play, contents: NDArray[np.uint8], parameters: Mapping[str, int]
) -> Trace:
    ub_bytes, banks = parameters["UB_BYTES"], parameters["BANKS"]
    prediction = predict(play, ub_bytes, banks, parameters["WINDOW"])
    # Behind the last transfer nothing changes any more.
    cycles = [*prediction.cycles, *[prediction.cycles[-1]] * TAIL_CYCLES]
    count = len(cycles)
    accepted, filled = prediction.accepted, prediction.filled
    kept = np.delete(np.arange(len(play.fills)), prediction.lost_fills)
    responses = execute_in_order(
        contents.copy(), play.commands, accepted, play.fills.take(kept), filled[kept]
    )
    idle = np.array([cycle.idle for cycle in cycles], np.bool_)
    known = ~undecided_lanes(play, accepted, filled, idle, ub_bytes)

    inputs = np.full((count, 4), NOTHING, np.uint32)
    resets, ready = (
        np.fromiter((level for level, _ in zip(each, range(count), strict=False)), np.bool_)
        for each in (levels(play.resets, first=False), levels(play.ready, first=True))
    )
    inputs[:, 1] = _offers(play.command_gaps, accepted, count)
    inputs[:, 2] = _offers(play.fill_gaps, filled, count)
    valid = (inputs[:, 1:3] != NOTHING).astype(np.uint32)
    inputs[:, 0] = resets | valid[:, 0] << 1 | valid[:, 1] << 2 | ready.astype(np.uint32) << 3
    inputs[:, 3] = 1
    outputs = np.array([cycle[:5] for cycle in cycles], np.uint32)
    accesses = np.full((count, banks), NOTHING, np.uint32)
    for number, cycle in enumerate(cycles):
        for bank, block in cycle.reads.items():
            accesses[number, bank] = 2 * (block // banks)
        if cycle.written is not None:
            accesses[number, cycle.written % banks] = 2 * (cycle.written // banks) + 1
    return Trace(
        name,
        play.commands,
        play.fills,
        responses,
        known,
        np.concatenate([_reset_inputs(), inputs]),
        np.concatenate(
            [np.zeros(RESET_CYCLES, np.uint32), (outputs << np.arange(5)).sum(axis=1)]
        ).astype(np.uint32),
        np.concatenate(
            [np.full(RESET_CYCLES, NOTHING), _shown(prediction.answered, outputs[:, 2], resets)]
        ).astype(np.uint32),
        np.concatenate([np.full((RESET_CYCLES, banks), NOTHING, np.uint32), accesses]),
    )


def _reset_inputs() -> NDArray[np.uint32]:
    """Cycles with rst high, of which only the first edge's effect is checked, by those that follow."""
    return np.tile(np.array([1, NOTHING, NOTHING, 0], np.uint32), (RESET_CYCLES, 1))


def _offers(gaps: NDArray[np.uint32], transfers: NDArray[np.int64], count: int) -> NDArray:
    """The number of the transfer that is offered in each cycle."""
    offers = np.full(count, NOTHING, np.uint32)
    starts = offered_cycles(gaps, transfers)
    for number, (start, end) in enumerate(zip(starts, transfers.tolist(), strict=False)):
        offers[start : end + 1] = number
    return offers


def _shown(
    answered: NDArray[np.int64], valid: NDArray[np.uint32], resets: NDArray[np.bool_]
) -> NDArray[np.uint32]:
    """The number of the response that is on the port in each cycle."""
    shown = np.full(len(valid), NOTHING, np.uint32)
    numbers = {cycle: number for number, cycle in enumerate(answered.tolist()) if cycle >= 0}
    current = NOTHING
    for cycle in range(len(valid) - 1, -1, -1):
        if cycle in numbers:
            current = numbers[cycle]
        elif not valid[cycle] or resets[cycle]:
            current = NOTHING
        shown[cycle] = current
    return shown


def _in_words(parameters: Mapping[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in parameters.items())
