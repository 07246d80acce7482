"""What tests of several folders run."""

import pytest
from hypothesis import settings

from fluxtui import cli

# Tests judge answers and not the clock: a machine that is busy is slow, and nothing is wrong.
settings.register_profile("unhurried", parent=settings(), deadline=None)
settings.load_profile("unhurried")


@pytest.fixture
def match_demo(capsys):
    """Run the verb match on the demo cluster: exit code, standard output, standard error."""

    def call(*arguments):
        code = cli.run(["match", "-r", "demo", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call
