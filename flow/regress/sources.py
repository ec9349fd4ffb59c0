"""The sources that a job depends on: a change of one of them makes its verdict stale."""

import ast
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from flow import tools
from flow.benches import BENCHES
from flow.places import ROOT
from flow.regress.job import SUITE, Job

_CARRIED_OUT_BY = ("flow.regress.worker", "flow.cocotb_job")
_PACKAGES = ("flow", "model", "tb")
_READ_BY_TESTS = ("docs", "formal", "synth", "tests/faults", "tests/corpus")
_MODULE = re.compile(r"^\s*(\w+)\s*(?:#\s*\(|\w+\s*\()", re.MULTILINE)


def fingerprint(job: Job) -> str:
    """A digest of every source of a job, and of the versions of the tools that carry it out.

    Raises:
        UserError: its simulator is not here.
    """
    digest = hashlib.sha256()
    for path in sorted(job_sources(job)):
        digest.update(f"{path.relative_to(ROOT)}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    digest.update(sys.version.encode())
    if job.bench != SUITE:
        digest.update(tools.require(job.simulator).title.encode())
    return digest.hexdigest()[:16]


def job_sources(job: Job) -> set[Path]:
    """The files of the project that a job reads, runs or simulates."""
    pins = {ROOT / "requirements.txt"}
    if job.bench == SUITE:
        test = ROOT / "tests" / f"{job.theme}.py"
        # A test may read any of the design, the documents, the harnesses and the planted faults.
        files = {*(ROOT / "rtl").glob("*.v"), *_files_in(ROOT / "tests" / "vectors")}
        files |= {path for name in _READ_BY_TESTS for path in _files_in(ROOT / name)}
        return pins | files | _python(["flow.cocotb_job"], [test, ROOT / "tests" / "conftest.py"])
    bench = BENCHES[job.bench]
    hdl = {ROOT / "tb" / "hdl" / name for name in bench.hdl}
    verilog = hdl | verilog_files([bench.toplevel, *instances(hdl)], bench.rtl)
    return (
        pins
        | verilog
        | _python([*_CARRIED_OUT_BY, bench.module], [])
        | set(_files_in(ROOT / "tests" / "vectors"))
    )


def verilog_files(modules: Iterable[str], folder: Path) -> set[Path]:
    """The files of these modules and of all that they instantiate, one module in each."""
    found: set[Path] = set()
    waiting = list(modules)
    while waiting:
        path = folder / f"{waiting.pop()}.v"
        if path not in found and path.exists():
            found.add(path)
            waiting += instances([path])
    return found


def instances(paths: Iterable[Path]) -> list[str]:
    """What might be a module's name there; a keyword is no file."""
    return [name for path in paths for name in _MODULE.findall(path.read_text(encoding="utf-8"))]


def _python(modules: Iterable[str], files: Iterable[Path]) -> set[Path]:
    """The files of these modules, and of all of this project that they import."""
    found: set[Path] = set()
    waiting = [path for module in modules for path in _files_of(module)] + list(files)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += [file for name in _imports(path) for file in _files_of(name)]
    return found


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _files_of(module: str) -> list[Path]:
    """The file of a module, and those of the packages that it is in; none of other projects."""
    names = module.split(".")
    if names[0] not in _PACKAGES:
        beside = ROOT / "tests" / f"{module}.py"
        return [beside] if beside.exists() else []
    files = []
    for count in range(1, len(names) + 1):
        path = ROOT.joinpath(*names[:count])
        files += [file for file in (path / "__init__.py", path.with_suffix(".py")) if file.exists()]
    return files


def _files_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())
