"""Jobspecs written for the programs that are named."""

from typing import Any

from fluxtui.answers.commands.translation import PROGRAMS, to_command
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from tests.each import for_each


def document(text: str, **system: Any) -> dict[str, Any]:
    out = jobspec.build(to_resources(parse_shape(text)))
    out["attributes"]["system"].update(system)
    return out


@for_each("names", [("qsub",), ("flux alloc", "srun"), ("flux run",), ()])
def test_only_what_is_named_is_written(names: tuple[str, ...]) -> None:
    job = document("node=4/slot/core=8")
    every = {found.name: found for found in to_command(job)}
    assert tuple(every) == PROGRAMS
    assert to_command(job, names) == tuple(every[name] for name in names)
    assert tuple(found.name for found in to_command({"version": "none"}, names)) == names


@for_each("row", [
    ({"A": "1", "B": "x y"}, "--export='A=1,B=x y'", "-v 'A=1,B=x y'", []),
    ({"A": "1", "B": None, "C": "x,y"}, "--export=A=1", "-v A=1", ["B", "C"]),
    ({"B": None}, None, None, ["B"]),
    ({}, "--export=NONE", None, [""]),
])  # fmt: skip
def test_a_variable_without_words_is_named_and_takes_no_other_with_it(
    row: tuple[dict[str, str | None], str | None, str | None, list[str]],
) -> None:
    environment, srun, qsub, left = row
    for name, words in (("srun", srun), ("qsub", qsub)):
        (found,) = to_command(document("slot/core", environment=environment), (name,))
        text = f"{found.text}\n{found.script or ''}"
        assert words is None or words in text
        assert words is not None or ("--export" not in text and "-v " not in text)
        notes = [note for note in found.notes if "attributes.system.environment" in note]
        ends = [note.rpartition("environment")[2].removeprefix(".") for note in notes]
        assert ends == ([] if words and left == [""] else left)


def test_of_many_variables_without_words_the_first_are_named() -> None:
    many = {f"V{number}": None for number in range(1_000)}
    (found,) = to_command(document("slot/core", environment={"A": "1", **many}), ("srun",))
    assert "Slurm has no counterpart of attributes.system.environment.V4" in found.notes
    assert "Slurm has no counterpart of 995 more variables of the environment" in found.notes
    assert "--export=A=1" in str(found.text)


@for_each("row", [
    ("node=2/slot{db}/core", "other", "none has the label 'other'"),
    ("[slot{a}/core;slot{b}/gpu]", "other", "none has the label 'other'"),
    ("[slot{a}/core;slot{b}/gpu]", 4, "its slot is not a string"),
    ("node=4/core", "task", "the resources hold none"),
])  # fmt: skip
def test_a_task_whose_slot_does_not_exist(row: tuple[str, object, str]) -> None:
    text, slot, note = row
    job = document(text)
    job["tasks"][0]["slot"] = slot
    for found in to_command(job):
        assert f"the task has no slot to run in: {note}" in found.notes
        assert "\0" not in "".join(found.notes)
        assert found.text is None or found.name.startswith("flux ")


def test_the_first_thing_that_no_shape_can_express_is_told() -> None:
    job = document("slot/core")
    job["resources"][0] |= {"count": 0, "with": [{"type": "node", "count": {"min": 1, "max": 4}}]}
    (found,) = to_command(job, ["flux submit"])
    assert found.notes == ("a count is 1 or more; found 0",)


def test_a_broker_that_has_a_node_gets_the_memory_of_all_its_slots() -> None:
    job = document("node=2/slot=4/[core=2;memory=8{unit:GB}]")
    job["tasks"][0]["command"] = ["flux", "broker"]
    (found,) = to_command(job, ["srun"])
    assert found.text == "srun -N2 -c 8 --mem-per-cpu=4096 flux start"


def test_a_signal_that_comes_at_no_time_is_left_out() -> None:
    signal = {"options": {"signal": {"signum": 10, "timeleft": float("inf")}}}
    (found,) = to_command(document("slot/core", shell=signal), ["srun"])
    assert found.notes == ("Slurm has no counterpart of attributes.system.shell.options.signal",)
