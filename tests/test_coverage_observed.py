"""What coverage is sampled from refuses an array of a wrong shape or type."""

from dataclasses import replace

import numpy as np
import pytest
from coverage_examples import FAULTY, GOOD, observe


def test_a_wrong_shape_or_type_names_its_field() -> None:
    observed = observe([GOOD, FAULTY], fills=[(1, 0)])
    wrong = {
        "accepted": np.zeros(3, np.int64),
        "answered": np.zeros(2, np.int32),
        "fill_address": np.zeros(1, np.int64),
        "filled": np.zeros(2, np.int64),
        "ready": np.zeros(100, np.uint8),
        "resets": np.zeros(99, bool),
    }
    for field, array in wrong.items():
        with pytest.raises(ValueError, match=f"{field} is "):
            replace(observed, **{field: array})
