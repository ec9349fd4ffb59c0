"""`make doctor` and `make list`."""

import pytest
from clone import ROOT

from flow import cli, doctor, tools
from flow.benches import BENCHES
from flow.run import test_names as names_of


@pytest.mark.proves("RN-35")
def test_the_doctor_has_a_line_for_each_tool(capsys: pytest.CaptureFixture[str]) -> None:
    one_is_here = any(isinstance(tools.find(name), tools.Simulator) for name in tools.SIMULATORS)
    assert cli.main(["doctor"]) == (0 if one_is_here else 1)
    lines = capsys.readouterr().out.splitlines()
    pins = (ROOT / "requirements.txt").read_text().count("==")
    assert len(lines) == 1 + 1 + 2 + 3 + pins + 4
    assert all(len(line) < 140 for line in lines)


@pytest.mark.proves("RN-35")
@pytest.mark.parametrize("missing, status", [(("icarus",), 0), (("icarus", "verilator"), 1)])
def test_the_doctor_finds_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    missing: tuple[str, ...],
    status: int,
) -> None:
    found = {
        name: tools.Missing(name, f"install {name}")
        if name in missing
        else tools.Simulator(name, "99.0", ROOT)
        for name in tools.SIMULATORS
    }
    monkeypatch.setattr(tools, "available", lambda: found)
    assert cli.main(["doctor"]) == status
    said = capsys.readouterr().out
    assert all(f"install {name}" in said for name in missing)
    assert said.count("MISSING") == (len(missing) if status else 0)


@pytest.mark.proves("RN-35")
def test_an_outdated_package_is_one_line_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.importlib.metadata, "version", lambda name: "0.0.1")
    packages = [finding for finding in doctor.findings() if finding.version == "0.0.1"]
    assert packages and all("make distclean" in finding.line for finding in packages)


@pytest.mark.proves("RN-35")
def test_the_list_names_every_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list"]) == 0
    said = capsys.readouterr().out
    for bench in BENCHES.values():
        assert f"BENCH={bench.name}\n" in said
        assert all(f"  {parameter.name}=" in said for parameter in bench.parameters)
        assert all(f"  TEST={name}" in said for name in names_of(bench))
