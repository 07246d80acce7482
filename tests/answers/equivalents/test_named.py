"""Only the programs that are named are asked what they would take."""

import pytest

from fluxtui.answers import equivalents
from fluxtui.model import jobspec
from fluxtui.notation import shape


@pytest.mark.parametrize("names", [("qsub",), ("flux alloc", "srun"), ("flux run",), ()])
def test_only_what_is_named_is_said(names: tuple[str, ...]) -> None:
    document = jobspec.build(shape.to_resources(shape.parse("node=4/slot/core=8")))
    said = {saying.name: saying for saying in equivalents.say(document)}
    assert tuple(said) == equivalents.PROGRAMS
    for asked in (document, {"version": "none"}):
        found = equivalents.say(asked, names)
        assert tuple(saying.name for saying in found) == names
    assert equivalents.say(document, names) == tuple(said[name] for name in names)
