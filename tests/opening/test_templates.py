"""Templates of a person's configuration, as examples to begin with."""

from pathlib import Path

from fluxtui.bridge.settings import Template
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from fluxtui.opening.templates import examples_of

SHAPE = "node=2/slot/core=8"


def test_a_shape_a_constraint_and_fields_make_a_whole_jobspec() -> None:
    form = {"duration": "1h", "queue": "batch", "command": "lmp -in a", "tasks": "many"}
    (found,) = examples_of([Template("Pair", "", SHAPE, "gpu&-debug", form)])
    assert (found.title, found.text, found.shape) == ("Pair", "A job of your site.", SHAPE)
    document = found.document
    assert document is not None
    assert document["resources"] == to_resources(parse_shape(SHAPE))
    (task,) = document["tasks"]
    assert (task["command"], task["count"]) == (["lmp", "-in", "a"], {"per_slot": 1})
    assert jobspec.system(document) == {
        "duration": 3600.0,
        "queue": "batch",
        "constraints": {"and": [{"properties": ["gpu"]}, {"not": [{"properties": ["debug"]}]}]},
    } or jobspec.system(document)["constraints"] == {"properties": ["gpu", "^debug"]}
    assert found.constraint == jobspec.system(document)["constraints"]


def test_a_file_is_read_and_one_that_is_no_jobspec_is_left_out(tmp_path: Path) -> None:
    job = jobspec.build(to_resources(parse_shape(SHAPE)), ["a"], queue="batch")
    (tmp_path / "job.yaml").write_text(dump(job))
    (tmp_path / "other.yaml").write_text("- no job\n")
    names = ("job.yaml", "other.yaml", "missing.yaml")
    found = examples_of([Template(name, jobspec=str(tmp_path / name)) for name in names])
    assert [(one.title, one.document) for one in found] == [("job.yaml", job)]
