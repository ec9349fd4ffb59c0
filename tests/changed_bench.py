"""A bench of a design in which one text is another: for tests of what finds the difference."""

from dataclasses import dataclass, fields
from pathlib import Path

from flow.benches import Bench


@dataclass(frozen=True)
class ChangedBench(Bench):
    """A bench whose design lies in `folder`."""

    folder: Path = Path()

    def sources(self) -> list[Path]:
        return sorted(self.folder.glob("*.v"))


def changed(bench: Bench, folder: Path, file: str, old: str, new: str) -> ChangedBench:
    """The bench with one text of one source replaced, which must be there."""
    for source in bench.sources():
        text = source.read_text(encoding="utf-8")
        if source.name == file:
            assert old in text
            text = text.replace(old, new)
        (folder / source.name).write_text(text, encoding="utf-8")
    return ChangedBench(*(getattr(bench, field.name) for field in fields(bench)), folder=folder)
