"""A slice of the storms that ``python -m tests.campaign.hands`` sends."""

from tests.campaign.hands import keys
from tests.campaign.hands.keys import Burst
from tests.campaign.hands.storms import Tally, attempt, fewer

BURSTS = 5


def test_a_storm() -> None:
    start, size, bursts = keys.bursts(3, BURSTS, large=False)
    tally = Tally()
    assert attempt(start, size, bursts, tally, 0, drawn=True) == ""
    assert (tally.bursts, tally.looks) >= (BURSTS, BURSTS)


def test_what_a_fault_comes_after_is_found_among_many_bursts() -> None:
    bursts: list[Burst] = [[["send", str(number)]] for number in range(60)]

    def fails(some: list[Burst]) -> bool:
        return bursts[41] in some and bursts[57] in some

    assert fewer(bursts, fails) == [bursts[41], bursts[57]]
