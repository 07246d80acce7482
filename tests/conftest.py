"""What tests of several folders run."""

import pytest

from fluxtui import cli


@pytest.fixture
def match_demo(capsys):
    """Run the verb match on the demo cluster: exit code, standard output, standard error."""

    def call(*arguments):
        code = cli.run(["match", "-r", "demo", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call
