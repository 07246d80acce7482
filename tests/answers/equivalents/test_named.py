"""Only the programs that are named are asked what they would take."""

import pytest

from fluxtui.answers import commands
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources


@pytest.mark.parametrize("names", [("qsub",), ("flux alloc", "srun"), ("flux run",), ()])
def test_only_what_is_named_is_said(names: tuple[str, ...]) -> None:
    document = jobspec.build(to_resources(parse_shape("node=4/slot/core=8")))
    said = {saying.name: saying for saying in commands.say(document)}
    assert tuple(said) == commands.PROGRAMS
    for asked in (document, {"version": "none"}):
        found = commands.say(asked, names)
        assert tuple(saying.name for saying in found) == names
    assert commands.say(document, names) == tuple(said[name] for name in names)


@pytest.mark.parametrize(
    ("environment", "srun", "qsub", "left"),
    [
        ({"A": "1", "B": "x y"}, "--export='A=1,B=x y'", "-v 'A=1,B=x y'", []),
        ({"A": "1", "B": None, "C": "x,y"}, "--export=A=1", "-v A=1", ["B", "C"]),
        ({"B": None}, None, None, ["B"]),
        ({}, "--export=NONE", None, [""]),
    ],
)
def test_a_variable_that_cannot_be_said_is_named_and_takes_no_other_with_it(
    environment: dict[str, str | None], srun: str | None, qsub: str | None, left: list[str]
) -> None:
    document = jobspec.build(to_resources(parse_shape("slot/core")))
    document["attributes"]["system"]["environment"] = environment
    for name, words in (("srun", srun), ("qsub", qsub)):
        (saying,) = commands.say(document, (name,))
        text = f"{saying.text}\n{saying.script or ''}"
        assert words is None or words in text
        assert words is not None or ("--export" not in text and "-v " not in text)
        notes = [note for note in saying.notes if "attributes.system.environment" in note]
        ends = [note.rpartition("environment")[2].removeprefix(".") for note in notes]
        assert ends == ([] if words and left == [""] else left)


def test_of_many_variables_that_cannot_be_said_the_first_are_named() -> None:
    document = jobspec.build(to_resources(parse_shape("slot/core")))
    many = {f"V{number}": None for number in range(1_000)}
    document["attributes"]["system"]["environment"] = {"A": "1", **many}
    (saying,) = commands.say(document, ("srun",))
    assert "Slurm has no counterpart of attributes.system.environment.V4" in saying.notes
    assert "Slurm has no counterpart of 995 more variables of the environment" in saying.notes
    assert "--export=A=1" in saying.text
