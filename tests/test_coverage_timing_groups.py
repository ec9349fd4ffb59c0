"""Coverage of cycles: what is in flight, stalls, latencies and resets."""

from dataclasses import replace

from coverage_examples import DESIGN, FAULTY, GOOD, GROUPS, gather, hits, load, observe


def test_occupancy_counts_what_is_in_flight_up_to_the_cycle_of_its_response() -> None:
    accepted = [1, 2, 3, 4, 9, 10, 20, 31]
    answered = [6, 7, 8, 9, 14, -1, -1, 36]
    observed = observe([GOOD] * 8, accepted, answered, low=[2, 10], rst=[15, 16, 25])
    assert hits("occupancy", observed) == {
        "none in flight x rsp_ready high": 3,  # in 1, 20 and 31, as two resets drop two commands
        "1 in flight x rsp_ready low": 2,  # in 2 and 10
        "up to the window x rsp_ready high": 1,  # in 3
        "more than the window x rsp_ready high": 1,  # in 4
        "1 in flight x rsp_ready high": 1,  # in 9, that which is answered in 9
    }
    lone = replace(DESIGN, window=1)
    assert len(GROUPS["occupancy"].bins(lone)) == len(GROUPS["occupancy"].bins(DESIGN)) - 2


def test_stalls_are_counted_from_when_a_response_is_due() -> None:
    commands = [GOOD, GOOD, load(0, 0, 1, stride=4), GOOD, GOOD]
    accepted = [1, 2, 20, 40, 60]
    answered = [13, 14, 28, -1, 65]
    low = [*range(3, 13), *range(22, 28), *range(59, 65)]
    observed = observe(commands, accepted, answered, low=low, rst=[42])
    assert hits("stalls", observed) == {
        "2 to 7 cycles": 2,  # the first is due in 6 and taken in 13, the third is due in 26
    }
    # The second response of these waits for the first one too, which is no stall of its own.
    both = observe([GOOD, GOOD], [1, 2], [10, 12], low=[*range(6, 10), 11])
    assert hits("stalls", both) == {"2 to 7 cycles": 1, "1 cycle": 1}
    behind = observe([GOOD, GOOD], [1, 2], [14, 15], low=range(6, 14))
    assert hits("stalls", behind) == {"8 cycles or more": 1}
    assert hits("stalls", observe([GOOD], [1], [7], low=[6])) == {"1 cycle": 1}
    assert hits("stalls", observe([GOOD], [1], [14], low=range(6, 14))) == {"8 cycles or more": 1}
    assert hits("stalls", observe([GOOD], [1], [14], low=[6, 7])) == {}


def test_latencies_are_counted_beyond_that_of_an_idle_unit() -> None:
    two = load(0, 0, 1, stride=4)
    commands = [GOOD, two, two, FAULTY, gather(), gather(), GOOD]
    accepted = [1, 10, 20, 30, 40, 50, 60]
    answered = [6, 16, 27, 38, 49, 58, -1]
    observed = observe(commands, accepted, answered, rst=[62])
    assert hits("latencies", observed) == {
        "D = 1 x as in an idle unit": 1,
        "D from 2 on x as in an idle unit": 1,
        "D from 2 on x 1 to 3 cycles more": 1,
        "fault x 1 to 3 cycles more": 1,
        "D = 0 x 4 cycles more or longer": 1,
        "D = 0 x 1 to 3 cycles more": 1,
    }


def test_resets_are_counted_by_what_they_find() -> None:
    accepted = [1, 18, 19, 20, 39, 50]
    answered = [6, -1, -1, -1, -1, 55]
    fills = [(16, 0), (35, 0), (58, 0)]
    observed = observe([GOOD] * 6, accepted, answered, fills, rst=[10, 21, 22, 40, 60])
    assert hits("resets", observed) == {
        "none in flight x no fill just before": 1,
        "more than the window x no fill just before": 1,  # the fill was 5 cycles before
        "1 in flight x no fill just before": 1,
        "none in flight x a fill in the 4 cycles before": 1,
    }
    observed = observe([GOOD] * 2, [1, 2], [-1, -1], [(1, 0)], rst=[5])
    assert hits("resets", observed) == {"up to the window x a fill in the 4 cycles before": 1}


def test_the_first_command_behind_a_reset_is_counted_by_when_it_comes() -> None:
    accepted = [1, 19, 24, 25, 44, 53]
    answered = [6, -1, -1, -1, 49, 58]
    # Behind the resets of 10, 20 to 22, 30, 42 and 50: in 19, in 24, none, in 44, in 53.
    observed = observe([GOOD] * 6, accepted, answered, rst=[10, 20, 21, 22, 30, 42, 50, 90])
    assert hits("resumes", observed) == {
        "nothing was in flight x later": 2,
        "commands were dropped x first cycle possible": 1,
        "nothing was in flight x first cycle possible": 1,
    }
