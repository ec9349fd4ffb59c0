"""The proofs that are quick enough for every test run, and what all proofs have to keep to."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from clone import ROOT

from flow.errors import UserError
from flow.faults import planted
from flow.formal.engine import carry_out, read_log
from flow.formal.proof import HARNESSES, Proof, fault_patch, labels
from flow.formal.properties import PROOFS
from flow.formal.run import TABLE, chosen, prove
from flow.testplan import read_plan

QUICK = [
    pytest.param(proof, id=proof.name, marks=pytest.mark.proves(*proof.rules))
    for proof in PROOFS
    if proof.quick
]


def said(lines: list[str]) -> str:
    """What the user would see."""
    return "\n".join(lines)


@pytest.mark.proves("RN-39")
@pytest.mark.parametrize("proof", QUICK)
def test_a_quick_proof_holds_and_could_have_failed(proof: Proof) -> None:
    """No assertion fails, every cover statement is reached, and every planted fault is found."""
    lines: list[str] = []
    [outcome] = prove([proof], lines.append)
    assert outcome.is_good, said(lines)
    assert [answer.part for answer in outcome.answers] == list(proof.parts)
    if not proof.structural:
        covers = {answer.part: answer.reached for answer in outcome.answers}["cover"]
        assert covers, f"{proof.name} has no cover statement"


@pytest.mark.proves("RN-39")
@pytest.mark.parametrize(
    ("part", "way"), [("base", "FAILS in cycle 1, from reset"), ("step", "FAILS, by no induction")]
)
def test_a_failure_names_the_property_the_assertion_its_cycle_and_a_trace(
    part: str, way: str, tmp_path: Path
) -> None:
    [proof] = chosen("gatherb_agu")
    rtl = planted(fault_patch("gather_carry"), tmp_path / "planted")
    answer = carry_out(proof, part, lambda line: None, rtl)
    assert not answer.is_good
    text = said(answer.in_words())
    assert f"gatherb_agu: {part}: {way}" in text
    assert proof.says in text
    [(name, line)] = re.findall(r"assertion: \w+ \(formal/(\w+\.v):(\d+)\)", text)
    assert "assert (" in (HARNESSES / name).read_text().splitlines()[int(line) - 1]
    trace = Path(re.search(r"trace: (.*\.vcd)$", text, re.MULTILINE)[1])
    assert "$enddefinitions" in trace.read_text()


@pytest.mark.proves("RN-39")
def test_a_fault_that_no_assertion_finds_and_a_state_not_reached_fail_the_proof() -> None:
    [proof] = chosen("gatherb_agu")
    # A fault of another module cannot be found here; without a cycle no state is reached.
    for changes, part in (
        ({"faults": ("lane_six",)}, "fault lane_six"),
        ({"cover_depth": 1}, "cover"),
    ):
        changed = Proof(**{**vars(proof), **changes})
        answer = carry_out(changed, part, lambda line: None)
        assert not answer.is_good
        assert re.search("NOT (FOUND|REACHED) within", said(answer.in_words()))


@pytest.mark.proves("RN-39")
def test_a_solver_that_ends_early_has_said_nothing() -> None:
    assert "holds" not in read_log("##   0:00:00  Checking assertions in step 1..\n")
    assert read_log("##   0:00:00  Status: PASSED\n")["holds"] is True
    assert read_log("##   0:00:00  Assert failed in h: x\n##   0:00:01  Status: FAILED\n")[
        "failed"
    ] == ["x"]


@pytest.mark.proves("RN-40")
def test_make_formal_exits_by_what_it_proved_and_makes_each_proof_once() -> None:
    command = [sys.executable, "-m", "flow", "formal", "PROOF=gatherb_agu"]
    texts = []
    for _ in range(2):
        ended = subprocess.run(
            command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert ended.stdout.endswith("PASS: 1 of 1 proofs hold\n")
        texts.append(sorted(re.findall(r" ok +(.*)$", ended.stdout, re.MULTILINE)))
    # The seconds are those of the time when the solver was asked.
    assert texts[0] == texts[1]


@pytest.mark.proves("RN-40")
def test_an_unknown_proof_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(UserError, match=r"PROOF=gather is unknown: possible: gatherb_agu, "):
        chosen("gather")


def test_the_table_has_every_proof_as_it_is_now() -> None:
    rows = {
        found[1]: found[0]
        for found in re.finditer(r"^\| \[(\w+)\]\(.*$", TABLE.read_text("utf-8"), re.MULTILINE)
    }
    assert list(rows) == [proof.name for proof in PROOFS]
    for proof in PROOFS:
        assert proof.says in rows[proof.name]
        assert f"| {', '.join(proof.rules)} |" in rows[proof.name]
        assert proof.size in rows[proof.name]
        assert all(f"{fault}: " in rows[proof.name] for fault in proof.faults)


def test_every_proof_has_faults_that_fail_it_and_rules_of_the_plan() -> None:
    plan = read_plan(ROOT / "docs" / "testplan.md")
    for proof in PROOFS:
        assert proof.faults
        assert set(proof.rules) <= set(plan)
    used = {fault_patch(fault) for proof in PROOFS for fault in proof.faults}
    own = set((HARNESSES / "faults").glob("*.patch"))
    assert own <= used
    assert all(patch.read_text(encoding="utf-8").startswith("kind: ") for patch in own)


def test_no_two_statements_of_a_harness_have_one_label() -> None:
    for path in HARNESSES.glob("*.v*"):
        counts = Counter(label for label, _, _ in labels({path.name: path.read_bytes()}))
        assert set(counts.values()) <= {1}
        text = path.read_text("utf-8")
        assert len(re.findall(r"\b(?:assert|cover) \(", text)) == counts.total(), path
