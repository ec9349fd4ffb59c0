"""What a run is: its settings as a value, and the line that repeats it."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from flow.benches import DEFAULT_BENCH, Bench

DEFAULT_OPS = 2000
DEFAULT_SEED = 1


@dataclass(frozen=True)
class Settings:
    """One run. `idle` and `backpressure` are percentages, `limit` is in seconds of wall time.

    `parameters` holds all of the bench's parameters. `tests` are names, `test_filter` a regular
    expression on names; both empty run every test. `netlist` runs what synthesis makes of the
    design, `coverage` counts which of its code is executed (Verilator alone).
    `initial`, 0 or 1, picks one of two random sets of values that Verilator's registers start with.
    `cases` are the folders that a test of cases plays, `failed_case` what a failed test has left to
    be made smaller. `keep_driven` leaves what each test of the unit has driven as a case, DRIVEN and its
    name, in the folder of the run.
    """

    bench: Bench
    simulator: str
    parameters: Mapping[str, int]
    seed: int = DEFAULT_SEED
    ops: int = DEFAULT_OPS
    idle: int = 0
    backpressure: int = 0
    tests: tuple[str, ...] = ()
    test_filter: str = ""
    waves: bool = False
    limit: float = field(default=0.0)
    netlist: bool = False
    coverage: bool = False
    initial: int = 0
    cases: tuple[Path, ...] = ()
    failed_case: Mapping[str, object] = field(default_factory=dict)
    keep_driven: bool = False

    def wall_limit(self) -> float:
        """The given limit, or one that only a hanging run reaches."""
        return self.limit or 300 + 0.2 * self.ops

    def command(self, tests: tuple[str, ...] = ()) -> str:
        """The line that repeats this run, or only its `tests`, from a clean clone."""
        if self.cases:
            # Several cases have been named by the folder that they are in.
            named = self.cases[0] if len(self.cases) == 1 else self.cases[0].parent
            sim = self.bench.name == DEFAULT_BENCH
            start = ["sim", f"VECTORS={named}"] if sim else ["replay", f"CASE={named}"]
            return shlex.join(["make", *start, f"SIM={self.simulator}"])
        words = ["make", "sim", f"SIM={self.simulator}", f"SEED={self.seed}", f"OPS={self.ops}"]
        if self.bench.name != DEFAULT_BENCH:
            words.append(f"BENCH={self.bench.name}")
        if tests or self.tests:
            words.append(f"TEST={','.join(tests or self.tests)}")
        elif self.test_filter:
            words.append(f"COCOTB_TEST_FILTER={self.test_filter}")
        if self.idle:
            words.append(f"IDLE={self.idle}")
        if self.backpressure:
            words.append(f"BACKPRESSURE={self.backpressure}")
        if self.netlist:
            words.append("NETLIST=1")
        if self.initial:
            words.append(f"INITIAL={self.initial}")
        for parameter in self.bench.parameters:
            if self.parameters[parameter.name] != parameter.default:
                words.append(f"{parameter.name}={self.parameters[parameter.name]}")
        return shlex.join(words)
