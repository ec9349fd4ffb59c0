"""Asks of each assertion on its own whether induction proves it: `... MODEL TRACE LABEL ...`.

What smtbmc would ask of all assertions at once, that one of them fails in a cycle after one in which
none has, is asked of one after the other, in the order of the labels; each may rest on those before
it in its own cycle too. A solver is many times as fast with that, and an answer says which
assertion it is of. The log is like that of smtbmc, which writes the trace of what fails.
"""

import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from flow import process
from flow.errors import UserError

_ASKED, _ANSWERS, _QUESTION = "step.smt2", "answers.txt", "question.smt2"


def questions(model: Path, order: Sequence[str]) -> dict[str, str]:
    """What to ask of each assertion of a model, by its label; "unsat" says that it cannot fail.

    Files are written into the current folder.

    Raises:
        UserError: smtbmc did not write a question for each, or one has no label in `order`.
    """
    # It gets its answers from a file: that the induction holds, but for no smaller depth.
    Path(_ANSWERS).write_text("sat\nunsat\n", encoding="utf-8")
    _induction(model, "-s", "dummy", "--dummy", _ANSWERS, "--dump-smt2", _ASKED)
    text = Path(_ASKED).read_text(encoding="utf-8")
    labels = re.findall(
        r"^; yosys-smt2-assert \d+ (\S+)", model.read_text(encoding="utf-8"), re.MULTILINE
    )
    whole = re.search(r"^\(assert \(not \(and \|(UNROLL#\d+)\| true\)\)\)$", text, re.MULTILINE)
    defined = whole and re.search(rf"^\(define-fun \|{whole[1]}\| .*$", text, re.MULTILINE)
    terms = re.findall(r"\|(UNROLL#\d+)\|", defined[0])[1:] if defined else []
    if not labels or len(terms) != len(labels):
        raise UserError(f"{_ASKED} asks {len(terms)} questions for {len(labels)} assertions")
    if forgotten := set(labels) - set(order):
        raise UserError(f"an assertion without a label in its harness: {', '.join(forgotten)}")
    term = dict(zip(labels, terms, strict=True))
    # Not all are there: an assertion may stand in an arm of the harness that the parameters leave out.
    order = [label for label in order if label in term]
    text = re.sub(r"^\((check-sat|exit|set-info|set-option).*\)$", "", text, flags=re.MULTILINE)
    return {
        label: text.replace(
            whole[0],
            "\n".join(f"(assert |{term[known]}|)" for known in order[:number])
            + f"\n(assert (not |{term[label]}|))",
        )
        + "(check-sat)\n"
        for number, label in enumerate(order)
    }


def _induction(model: Path, *options: str) -> None:
    """Run smtbmc on all assertions at once."""
    command = [sys.executable, "-s", "-m", "flow.formal.solver", "--unroll", "--noprogress"]
    command += ["-i", "-t", "1", *options, str(model)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def _main(model: Path, trace: str, order: Sequence[str]) -> bool:
    asked = questions(model, order)
    holds = True
    shown = time.monotonic()
    for number, (label, question) in enumerate(asked.items(), start=1):
        Path(_QUESTION).write_text(question, encoding="utf-8")
        answer = subprocess.run(
            ["yices-smt2", _QUESTION],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        ).stdout.strip()
        if answer == "sat":
            print(f"Assert failed in {model.stem}: {label}", flush=True)
        elif answer != "unsat":
            raise UserError(f"{label}: the solver said {answer or 'nothing'}")
        holds &= answer == "unsat"
        if time.monotonic() > shown + process.SIGN_OF_LIFE_SECONDS:
            shown = time.monotonic()
            print(f"{process.PROGRESS}{number} of {len(asked)} assertions", flush=True)
    if not holds:
        _induction(model, "-s", "yices", "--dump-vcd", trace)
    print(f"Status: {'PASSED' if holds else 'FAILED'}")
    return holds


if __name__ == "__main__":
    process.end_with_parent()
    try:
        sys.exit(not _main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
    except UserError as error:
        sys.exit(f"error: {error}")
