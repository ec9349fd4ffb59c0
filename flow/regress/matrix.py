"""What a regression is made of: benches x simulators x parameter sets x seeds, as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flow.places import ROOT
from flow.regress.job import PYTHON, SUITE, Job, job_parameters

ParameterSet = Mapping[str, int]

DEFAULTS = {"UB_BYTES": 262144, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32}
LOCK_STEP = {"UB_BYTES": 16384, "BANKS": 8, "WINDOW": 1, "STRIDE_W": 32}
SMALL = {"UB_BYTES": 16384, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32}
SMALLEST = {"UB_BYTES": 64, "BANKS": 1, "WINDOW": 1, "STRIDE_W": 1}
MANY_BANKS = {"UB_BYTES": 4096, "BANKS": 64, "WINDOW": 3, "STRIDE_W": 16}
WIDE_WINDOW = {"UB_BYTES": 1024, "BANKS": 2, "WINDOW": 64, "STRIDE_W": 5}
WIDE_BANKS = {"UB_BYTES": 65536, "BANKS": 32, "WINDOW": 2, "STRIDE_W": 32}
FEW_BANKS = {"UB_BYTES": 2048, "BANKS": 4, "WINDOW": 2, "STRIDE_W": 8}

# Verilator takes minutes to build for many banks: few sets, Icarus has the others too.
UNIT_SETS = {
    "icarus": (LOCK_STEP, SMALL, SMALLEST, MANY_BANKS, WIDE_WINDOW, WIDE_BANKS),
    "verilator": (LOCK_STEP, SMALL, SMALLEST),
}
PLAYER_SETS = {"icarus": (SMALL,), "verilator": (LOCK_STEP, DEFAULTS)}
CROSSBAR_SETS = {
    "icarus": (
        {"UB_BYTES": 64, "BANKS": 1, "WINDOW": 1},
        {"UB_BYTES": 1024, "BANKS": 1, "WINDOW": 4},
        {"UB_BYTES": 4096, "BANKS": 2, "WINDOW": 3},
        {"UB_BYTES": 16384, "BANKS": 8, "WINDOW": 1},
        {"UB_BYTES": 16384, "BANKS": 16, "WINDOW": 4},
        {"UB_BYTES": 16384, "BANKS": 16, "WINDOW": 10},
        {"UB_BYTES": 4096, "BANKS": 64, "WINDOW": 3},
    ),
    "verilator": (
        {"UB_BYTES": 16384, "BANKS": 8, "WINDOW": 1},
        {"UB_BYTES": 16384, "BANKS": 16, "WINDOW": 4},
    ),
}
STRIDE_SETS = {
    "icarus": ({"STRIDE_W": 1}, {"STRIDE_W": 16}, {"STRIDE_W": 32}),
    "verilator": ({"STRIDE_W": 1}, {"STRIDE_W": 32}),
}
SIZE_SETS = {
    "icarus": ({"UB_BYTES": 64}, {"UB_BYTES": 262144}, {"UB_BYTES": 1 << 30}),
    "verilator": ({"UB_BYTES": 262144},),
}
NO_PARAMETERS = {"icarus": ({},), "verilator": ({},)}

# (percent idle, percent backpressure), by turns over the seeds.
PAUSES = ((0, 0), (40, 0), (0, 60), (30, 30))


@dataclass(frozen=True)
class Row:
    """Tests of a bench that run together, `ops` commands each; all of the bench where none is named.

    Those of a row with `seeds` 0 run with every seed, the others with the first so many alone:
    directed tests draw little.
    """

    theme: str
    bench: str
    sets: Mapping[str, Sequence[ParameterSet]]
    ops: int
    tests: tuple[str, ...] = ()
    seeds: int = 0
    paused: bool = False
    netlist: bool = False


MATRIX = (
    Row(
        "random",
        "ub_load_unit",
        {**UNIT_SETS, "verilator": (*UNIT_SETS["verilator"], DEFAULTS)},
        ops=400,
        tests=(
            "random_commands",
            "fills_and_reads_of_the_same_few_blocks",
            "reset_in_flight",
            "stalled_responses_wait_unchanged",
        ),
        paused=True,
    ),
    Row(
        "cycles",
        "ub_load_unit",
        {"icarus": (LOCK_STEP, SMALL), "verilator": (SMALLEST, DEFAULTS)},
        ops=1500,
        tests=(
            "fills_cost_their_own_bank_cycles_alone",
            "one_command_per_cycle_without_conflicts",
            "lock_step_is_the_upper_bound",
            "neither_side_starves",
            "rates",
        ),
    ),
    Row(
        "directed",
        "ub_load_unit",
        UNIT_SETS,
        ops=300,
        tests=(
            "unwritten_blocks_stay_in_their_own_lane",
            "latency_in_an_idle_unit",
            "every_fault_in_every_lane",
            "every_kind_of_command",
            "ports_have_the_widths_of_the_specification",
            "no_output_follows_an_input_within_a_cycle",
            "a_lone_command_behind_each_pause",
            "a_fill_at_every_distance_from_a_read",
            "a_fill_holds_turns_in_every_place",
            "fills_one_per_cycle_while_no_command_is_in_flight",
            "reset_at_every_distance_from_a_command",
            "reset_in_every_state",
        ),
        seeds=1,
    ),
    Row(
        "programs",
        "ub_load_unit",
        {"icarus": (SMALL,), "verilator": (DEFAULTS,)},
        ops=400,
        tests=("vectors", "reference_programs", "workloads"),
        seeds=1,
    ),
    Row(
        "netlist",
        "ub_load_unit",
        {
            "icarus": (
                FEW_BANKS,
                {"UB_BYTES": 1024, "BANKS": 8, "WINDOW": 1, "STRIDE_W": 8},
            )
        },
        ops=100,
        tests=(
            "random_commands",
            "every_fault_in_every_lane",
            "a_lone_command_behind_each_pause",
            "reset_at_every_distance_from_a_command",
            "unwritten_blocks_stay_in_their_own_lane",
        ),
        seeds=1,
        netlist=True,
    ),
    Row("soak", "player", PLAYER_SETS, ops=10_000),
    Row("all", "block_xbar", CROSSBAR_SETS, ops=400),
    Row("all", "loadalign_agu", STRIDE_SETS, ops=2000),
    Row("all", "gatherb_agu", NO_PARAMETERS, ops=2000),
    Row("all", "address_check", SIZE_SETS, ops=2000),
)

# The tests of the model, of the parameters and of synthesis, which no seed changes.
_SUITES = ("test_model_*.py", "test_parameters.py", "test_synthesis.py")


def jobs(seeds: int, bench: str = "", simulator: str = "") -> list[Job]:
    """All jobs of a regression of seeds 1 to `seeds`, or those of one bench or simulator.

    Those of a smaller number of seeds are among them. The order is that in which they start: one
    seed after another, so that the first minutes have seen everything.
    """
    planned = [
        _job(row, name, values, seed)
        for seed in range(1, seeds + 1)
        for row, name, values in _points()
        if not row.seeds or seed <= row.seeds
    ]
    planned[0:0] = [] if simulator else _suites()
    return [job for job in planned if bench in ("", job.bench) and simulator in ("", job.simulator)]


def _points() -> list[tuple[Row, str, ParameterSet]]:
    return [
        (row, simulator, values)
        for row in MATRIX
        for simulator, sets in row.sets.items()
        for values in sets
    ]


def _job(row: Row, simulator: str, values: ParameterSet, seed: int) -> Job:
    idle, backpressure = PAUSES[(seed - 1) % len(PAUSES)] if row.paused else (0, 0)
    return Job(
        bench=row.bench,
        theme=row.theme,
        simulator=simulator,
        parameters=job_parameters(row.bench, values),
        seed=seed,
        ops=row.ops,
        idle=idle,
        backpressure=backpressure,
        tests=row.tests,
        netlist=row.netlist,
    )


def _suites() -> list[Job]:
    files = sorted(path for pattern in _SUITES for path in (ROOT / "tests").glob(pattern))
    return [Job(bench=SUITE, theme=path.stem, simulator=PYTHON) for path in files]
