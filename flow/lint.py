"""Lint: every module alone as top, in three tools, and the Python sources. Any output fails."""

import re
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from flow import tools, yosys
from flow.errors import UserError
from flow.places import ROOT, VENV

LIMIT_SECONDS = 600
_TOP = "ub_load_unit"
# The corners of the top module's parameters: one bank, two rows, many banks, odd windows.
_TOP_PARAMETERS = (
    {"UB_BYTES": 64, "BANKS": 1, "WINDOW": 1, "STRIDE_W": 1},
    {"UB_BYTES": 128, "BANKS": 2, "WINDOW": 3, "STRIDE_W": 16},
    {"UB_BYTES": 4096, "BANKS": 64, "WINDOW": 64, "STRIDE_W": 32},
    {"UB_BYTES": 1 << 20, "BANKS": 8, "WINDOW": 5, "STRIDE_W": 7},
)


@dataclass(frozen=True)
class Check:
    """A module as top, with the parameters that differ from their defaults."""

    module: str
    parameters: Mapping[str, int] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The module and what was changed of it."""
        return " ".join([self.module, *(f"{n}={v}" for n, v in self.parameters.items())])


def lint() -> int:
    """Check everything, print a line for each thing checked; the result is the exit status.

    Raises:
        UserError: there is nothing to check, or no tool to check with.
    """
    paths = [path for folder in ("rtl", "synth") for path in sorted((ROOT / folder).glob("*.v"))]
    sources = [str(path.relative_to(ROOT)) for path in paths]
    modules = [name for source in sources for name in _modules(source)]
    if not any(_modules(source) for source in sources if source.startswith("rtl/")):
        raise UserError(f"there is no Verilog module in {ROOT / 'rtl'}")
    found = tools.available()
    checks = [Check(name) for name in modules]
    if _TOP in modules:
        checks += [Check(_TOP, parameters) for parameters in _TOP_PARAMETERS]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda check: _check(check, sources, found), checks))
    failed = 0
    for check, complaints in zip(checks, answers, strict=True):
        failed += _print(check.title, complaints)
    for arguments in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *arguments, "--quiet", "."]
        failed += _print(f"ruff {' '.join(arguments)}", {"ruff": _output(command)})
    for tool in found.values():
        if isinstance(tool, tools.Missing):
            print(f"note: {tool.advice}")
    print(f"lint: {len(checks)} module checks, {failed} failed")
    return 1 if failed else 0


def _modules(source: str) -> list[str]:
    text = (ROOT / source).read_text(encoding="utf-8")
    return re.findall(r"^\s*module\s+(\w+)", text, re.MULTILINE)


def _check(
    check: Check,
    sources: list[str],
    found: Mapping[str, tools.Simulator | tools.Missing],
) -> dict[str, str]:
    """What each tool says about `check`; nothing is what it should say."""
    changes = check.parameters.items()
    commands: dict[str, list[str]] = {}
    if isinstance(tool := found["verilator"], tools.Simulator):
        given = [f"-G{name}={value}" for name, value in changes]
        options = ["--lint-only", "-Wall", "--quiet-stats", "--top-module", check.module, *given]
        commands["verilator"] = [str(tool.path), *options, *sources]
    if isinstance(tool := found["icarus"], tools.Simulator):
        given = [f"-P{check.module}.{name}={value}" for name, value in changes]
        options = ["-Wall", "-g2005", "-o", "/dev/null", "-s", check.module, *given]
        commands["icarus"] = [str(tool.path), *options, *sources]
    passes = [*yosys.elaboration(check.module, check.parameters, sources), "proc", "check -assert"]
    commands["yosys"] = yosys.command_line(passes)
    answers = {name: _output(command) for name, command in commands.items()}
    # Yosys reports all that it does, so only its complaints count, and a failure without one.
    complaints = re.findall(r"^.*\b(?:Warning|ERROR): .*$", answers["yosys"], re.MULTILINE)
    if complaints or not answers["yosys"].startswith("exit status"):
        answers["yosys"] = "\n".join(complaints)
    return answers


def _output(command: list[str]) -> str:
    """All that `command` prints; if it fails, its exit status first."""
    environment = tools.environment(PYTHONPATH=str(ROOT))
    environment["PATH"] += f":{VENV / 'bin'}"
    try:
        ended = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"exit status: none, killed after {LIMIT_SECONDS} s"
    if ended.returncode == 0:
        return ended.stdout.strip()
    last = "\n".join(ended.stdout.strip().splitlines()[-20:])
    return f"exit status {ended.returncode}\n{last}"


def _print(title: str, complaints: Mapping[str, str]) -> int:
    """Print the line of one check; 1 if it failed, else 0."""
    bad = {tool: said for tool, said in complaints.items() if said}
    print(f"{'FAIL' if bad else 'ok':4} {title}", flush=True)
    for tool, said in bad.items():
        print("\n".join(f"     {tool}: {line}" for line in said.splitlines()))
    return 1 if bad else 0
