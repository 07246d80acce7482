"""What is done to the real program, in a pseudo-terminal: random hands, and an end at any moment.

Each is a command of its own too, with more options: ``python -m tests.campaign.hands`` and
``python -m tests.campaign.hands.moments``.
"""

import time

from tests.campaign.cases import FOLDER
from tests.campaign.watch import Fault, Tally

#: Their names, as those of the kinds of input.
NAMES = ("hands", "moments")


def run(name: str, seed: int, count: int | None, seconds: float | None) -> Tally:
    """Do one of them for so many keys or moments, or for so long; what came of it.

    The slowest is the longest time until all that a burst sent was answered and judged, or until
    the program had ended.
    """
    from tests.campaign.hands import moments, storms

    begun = time.monotonic()
    until = begun + (seconds if seconds is not None else 1e9)
    most = count if count is not None else 1 << 60
    if name == "hands":
        storm = storms.campaign(seed, most, until, FOLDER)
        done, words = Tally(name, storm.keys, slowest=storm.slowest), storm.faults
        done.largest = storm.largest * 1024
    else:
        ends = moments.campaign(seed, most, until)
        done, words = Tally(name, ends.count, slowest=ends.slowest), ends.faults
    done.seconds = time.monotonic() - begun
    done.faults = [Fault(name, each, "") for each in words]
    return done
