"""The flow on other machines: odd paths, other environments, missing and old simulators."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import pywellen
from clone import ROOT, Clone, make_clone

from flow import bootstrap, tools
from flow.errors import UserError
from flow.waves import Scope, read_scopes


@pytest.fixture
def odd_clone(tmp_path: Path) -> Clone:
    """A clone whose path no makefile can take, with a .venv of its own."""
    assert (ROOT / ".venv" / "complete.json").exists(), "make test sets up .venv"
    clone = make_clone(tmp_path / "a clone: für $HOME & 'co'")
    clone.environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    find = "from flow.places import ensure_folder; print(ensure_folder('.venv'))"
    (clone.path / ".venv").unlink()
    folder = subprocess.run(
        [sys.executable, "-c", find],
        cwd=clone.path,
        env=clone.environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    shutil.copytree(
        (ROOT / ".venv").resolve(),
        folder,
        symlinks=True,
        dirs_exist_ok=True,
        copy_function=_link_or_copy,
    )
    return clone


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


@pytest.mark.proves("RN-11", "RN-12", "RN-14", "RN-7")
def test_a_clone_anywhere_runs_on_each_simulator_with_waves(
    odd_clone: Clone, simulator: str
) -> None:
    variables = {"PYTHONPATH": "/nowhere", "PYTHONHOME": "/nowhere", "VIRTUAL_ENV": "/nowhere"}
    result = odd_clone.make("sim", f"SIM={simulator}", "OPS=10", "WAVES=1", **variables)
    assert result.returncode == 0, result.stdout + result.stderr
    (folder,) = odd_clone.runs()
    assert str(folder / "dump.vcd") in result.stdout
    _check_view(folder)
    record = json.loads((folder / "record.json").read_text())
    assert record["tests"]["random_commands"]["trace_digest"] == _digest_of_the_seed()
    assert odd_clone.make("clean").returncode == 0
    assert not (odd_clone.path / "build").exists()
    assert (odd_clone.path / ".venv").exists()


def _digest_of_the_seed() -> str:
    """What the stand-in's test draws from seed 1, on whatever simulator."""
    draw = random.Random(1)
    words = (draw.randrange(1 << 32).to_bytes(4, "little") for _ in range(10))
    return hashlib.sha256(b"".join(words)).hexdigest()


def _check_view(folder: Path) -> None:
    """Every signal of the view is in the dump, and the ports are in their groups."""
    view = (folder / "dump.gtkw").read_text(encoding="utf-8").splitlines()
    shown = [line for line in view if line[:1] not in "[@-*"]
    scopes = read_scopes(folder / "dump.vcd")
    known = _names(scopes)
    assert shown and set(shown) <= known
    assert {"-clock and reset", "-command", "-response"} <= set(view)
    dumped = {
        variable.full_name for variable in pywellen.Waveform(str(folder / "dump.vcd")).all_vars()
    }
    assert {name.partition("[")[0] for name in shown} <= dumped


def _names(scope: Scope) -> set[str]:
    own = {f"{scope.path}.{name}" for name in scope.signals}
    return own.union(*map(_names, scope.scopes))


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH, with what Verilator needs, and no .venv."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("perl", "g++", "make"):
        (folder / name).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(tools, "VENV", tmp_path / "no-venv")
    return folder


def _fake(path: Path, says: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)


@pytest.mark.proves("RN-9")
@pytest.mark.parametrize("name", tools.SIMULATORS)
def test_a_missing_simulator_is_one_line_with_the_way_to_get_it(bare: Path, name: str) -> None:
    with pytest.raises(UserError, match=f"SIM={name} is not possible here: no .* install"):
        tools.require(name)


@pytest.mark.proves("RN-9")
def test_an_old_simulator_is_one_line_with_both_versions(bare: Path) -> None:
    _fake(bare / "verilator", "Verilator 5.006 2023-01-22 rev (Debian 5.006-3)")
    with pytest.raises(UserError, match=r"is version 5\.006; install Verilator 5\.036 or newer"):
        tools.require("verilator")


@pytest.mark.proves("RN-9")
def test_an_old_system_verilator_does_not_hide_the_one_in_venv(bare: Path) -> None:
    _fake(bare / "verilator", "Verilator 5.006 2023-01-22 rev (Debian 5.006-3)")
    _fake(tools.VENV / "bin" / "verilator", "Verilator 5.052 2026-09-05 rev v5.052")
    assert tools.require("verilator").path == tools.VENV.resolve() / "bin" / "verilator"


@pytest.mark.proves("RN-9")
def test_verilator_without_a_compiler_is_one_line(bare: Path) -> None:
    _fake(bare / "verilator", "Verilator 5.052 2026-09-05 rev v5.052")
    (bare / "g++").unlink()
    with pytest.raises(UserError, match=r"it needs g\+\+: install"):
        tools.require("verilator")


@pytest.mark.proves("RN-9")
def test_a_missing_simulator_is_left_out_but_not_in_ci(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = [tools.Missing("icarus", "no iverilog was found")]
    monkeypatch.setattr(bootstrap, "_missing_simulators", lambda: missing)
    monkeypatch.setattr(bootstrap, "_apt_install", lambda missing: None)
    monkeypatch.delenv("CI", raising=False)
    bootstrap.ensure_simulators()
    assert "note: Icarus Verilog is left out: no iverilog was found" in capsys.readouterr().err
    monkeypatch.setenv("CI", "true")
    with pytest.raises(UserError, match="with CI set"):
        bootstrap.ensure_simulators()


@pytest.mark.proves("RN-15")
def test_an_incomplete_or_outdated_venv_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins, venv = tmp_path / "requirements.txt", tmp_path / "venv"
    pins.write_text("one==1\n")
    monkeypatch.setattr(bootstrap, "VENV", venv)
    monkeypatch.setattr(bootstrap, "_STAMP", venv / "complete.json")
    monkeypatch.setattr(bootstrap, "_REQUIREMENTS", pins)
    assert not bootstrap._venv_is_complete()
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(sys.executable)
    assert not bootstrap._venv_is_complete()
    (venv / "complete.json").write_text(json.dumps(bootstrap._expected_stamp()))
    assert bootstrap._venv_is_complete()
    pins.write_text("one==2\n")
    assert not bootstrap._venv_is_complete()


@pytest.mark.proves("RN-14")
def test_waves_without_a_display_says_where_the_dump_is(odd_clone: Clone) -> None:
    folder = odd_clone.path / "build" / "runs" / "a-run"
    folder.mkdir(parents=True)
    (folder / "dump.vcd").write_text("")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        odd_clone.environment.pop(name, None)
    result = odd_clone.flow("waves")
    assert result.returncode == 0
    assert str(folder / "dump.vcd") in result.stdout
