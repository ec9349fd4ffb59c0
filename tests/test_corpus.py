"""The smallest cases of past failures: played first in every full run."""

from pathlib import Path

import pytest
from clone import ROOT
from conftest import on_icarus

from flow.cases import case_folders
from flow.replay import replays
from flow.report import report
from flow.run import run
from model import read_case

CORPUS = ROOT / "tests" / "corpus"


# First of all, and in seconds: Verilator would build for these parameters alone.
@pytest.mark.proves("RN-26")
@on_icarus
def test_the_unit_passes_every_case_of_the_corpus(simulator: str) -> None:
    folders = case_folders("CASE", str(CORPUS))
    played = 0
    for settings in replays(folders, simulator, {}):
        finished = run(settings)
        assert finished.verdict.passed, report(finished)
        played += len(settings.cases)
    assert played == len(folders) > 0


@pytest.mark.proves("RN-26")
@pytest.mark.parametrize("folder", sorted(CORPUS.iterdir()), ids=lambda folder: folder.name)
def test_the_expected_data_of_the_corpus_are_those_of_the_model(folder: Path) -> None:
    case = read_case(folder)
    assert case.completed(case.parameters) == case
