"""A bench of a design in which one text is another: for tests of what finds the difference."""

import shutil
from dataclasses import replace
from pathlib import Path

from flow.benches import Bench


def changed(bench: Bench, folder: Path, file: str, old: str, new: str) -> Bench:
    """The bench with one text of one source of the design replaced, which must be there."""
    rtl = folder / "rtl"
    shutil.copytree(bench.rtl, rtl)
    text = (rtl / file).read_text(encoding="utf-8")
    assert old in text
    (rtl / file).write_text(text.replace(old, new), encoding="utf-8")
    return replace(bench, rtl=rtl)
