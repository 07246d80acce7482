"""Run storms; see `tests.campaign.hands.storms`."""

import sys

from tests.campaign.hands.storms import main

sys.exit(main(sys.argv[1:]))
