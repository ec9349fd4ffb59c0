"""How a harness of the proofs reaches inside the unit, and how its assertions are asked for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from clone import ROOT

from flow.places import VENV

# Eleven lanes, so that a wrong order of their numbers shows, and a memory.
UNIT = """\
module unit (input wire clk, input wire write, input wire [1:0] row, input wire [3:0] data);
    reg [3:0] word [0:3];
    always @(posedge clk) if (write) word[row] <= data;

    genvar i;
    generate
        for (i = 0; i < 11; i = i + 1) begin : lane
            wire [3:0] number = i;
        end
    endgenerate
endmodule
"""
HARNESS = """\
module harness (input wire clk, input wire write, input wire [1:0] row, input wire [3:0] data);
    unit unit (.clk(clk), .write(write), .row(row), .data(data));
    {body}
endmodule
"""
NUMBERS = '(* inner = "unit.lane[*].number" *) wire [43:0] numbers;'
HELD = """\
    (* anyconst *) wire [1:0] its_row;
    (* memory = "unit.word", address = "its_row" *) wire [3:0] held;
    reg       known = 1'b0;
    reg [3:0] kept;
    always @(posedge clk) if (write && row == its_row) begin
        known <= 1'b1;
        kept  <= data;
    end
"""


def run(folder: Path, *command: str) -> subprocess.CompletedProcess:
    """The end of a program of flow/formal, run in `folder`."""
    path = f"{os.environ['PATH']}:{VENV / 'bin'}"
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def elaborate(folder: Path, body: str) -> subprocess.CompletedProcess:
    """Write model.smt2 of a harness with this body around the unit."""
    (folder / "harness.v").write_text(UNIT + HARNESS.format(body=body))
    passes = {
        "flatten": ["read_verilog -formal harness.v", "hierarchy -top harness", "proc", "flatten"],
        "write": ["prep -nordff", "async2sync", "dffunmap", "write_smt2 -wires model.smt2"],
    }
    return run(folder, "flow.formal.elaborate", json.dumps(passes))


def asked(folder: Path, body: str, *labels: str) -> list[str]:
    """What the log says of the induction of a harness with this body."""
    ended = elaborate(folder, body)
    assert ended.returncode == 0, ended.stderr
    log = run(folder, "flow.formal.induction", "model.smt2", "trace.vcd", *labels)
    return (log.stdout + log.stderr).splitlines()


@pytest.mark.proves("RN-44")
def test_a_star_stands_for_every_index_in_the_order_of_the_numbers(tmp_path: Path) -> None:
    body = f"{NUMBERS} always @* in_order: assert (numbers == 44'ha9876543210);"
    assert asked(tmp_path, body, "in_order") == ["Status: PASSED"]


@pytest.mark.proves("RN-44")
def test_a_word_of_a_memory_is_read_at_the_address_of_a_wire(tmp_path: Path) -> None:
    body = f"{HELD} always @* if (known) holds: assert (held == kept);"
    assert asked(tmp_path, body, "holds") == ["Status: PASSED"]


@pytest.mark.proves("RN-44")
@pytest.mark.parametrize(
    ("tie", "message"),
    [
        (
            '(* inner = "unit.lane[*].numbers" *) wire w;',
            "w has 1 bits, unit.lane[*].numbers has 0",
        ),
        (
            '(* inner = "unit.lane[*].number" *) wire [3:0] w;',
            "w has 4 bits, unit.lane[*].number has 44",
        ),
        ('(* memory = "unit.words", address = "row" *) wire w;', "w has 1 bits, unit.words has 0"),
    ],
)
def test_a_wire_that_cannot_be_tied_is_refused(tie: str, message: str, tmp_path: Path) -> None:
    ended = elaborate(tmp_path, f"{tie} always @* x: assert (w);")
    assert ended.returncode == 1
    assert ended.stderr == f"error: {message}\n"


@pytest.mark.proves("RN-44")
def test_an_assertion_that_no_induction_proves_is_named_and_has_a_trace(tmp_path: Path) -> None:
    body = f"""{HELD} always @* begin
        if (known) holds: assert (held == kept);
        if (known) never: assert (held != 4'd9);
        fits: assert (row < 4);
    end"""
    log = asked(tmp_path, body, "holds", "never", "fits")
    assert log == ["Assert failed in model: never", "Status: FAILED"]
    assert "$enddefinitions" in (tmp_path / "trace.vcd").read_text()


@pytest.mark.proves("RN-44")
def test_an_assertion_that_is_not_asked_for_is_an_error(tmp_path: Path) -> None:
    body = f"{HELD} always @* begin if (known) holds: assert (held == kept); assert (row < 4); end"
    [error] = asked(tmp_path, body, "holds")
    assert error.startswith("error: an assertion without a label in its harness: ")
