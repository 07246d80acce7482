"""Any file or text into the workbench: its content tells what it is, and what is wrong its line."""

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fluxtui import opening, workbench
from fluxtui.bridge.settings import Template
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues import Status
from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import MAX_DEPTH
from fluxtui.opening import drafts, saving
from fluxtui.opening.scripts import KEYS
from fluxtui.opening.templates import examples_of
from fluxtui.workbench import Cluster
from tests.each import for_each, the
from tests.json_values import SCALARS, values
from tests.model.clusters import alike
from tests.model.jobspecs import job, resources_of
from tests.opened import after, demo, opened_state
from tests.recorded import Agree, rerun

R = json.dumps(alike(4, "0-7", properties={"gpu": "0-1", "+mine": "2"}))
JOB = job("node=2/slot/core=4", queue="batch")
NODES = '[[resource.config]]\nhosts = "c[0-9],g[0-3]"\ncores = "0-15"\n'
GPUS = '[[resource.config]]\nhosts = "g[0-3]"\ngpus = "0-3"\nproperties = ["gpu"]\n'
QUEUES = (
    '[policy]\njobspec.defaults.system.queue = "all"\n[queues.all]\n[queues.g]\nhosts = "g[0-3]"\n'
)


TEXTS = {
    "{R}": R, "{NODES}": NODES, "{GPUS}": GPUS, "{QUEUES}": QUEUES, "{JOB}": json.dumps(JOB),
    "{YAML}": "# mine\n" + dump(JOB), "{RESOURCES}": dump(JOB["resources"]),
    "{EMPTY}": "", "{HALF}": "\ud800", "{NUL}": "\0", "{DEEP}": "[" * 5000, "{MARK}": "\ufeff",
    "{CONSTRAINT}": json.dumps({**JOB, "attributes": {"system": {"constraints": {"or": []}}}}),
    "{OUTSIDE}": json.dumps({**json.loads(R), "attributes": {"resource": {"config": []}}}),
}  # fmt: skip

#: What is opened, and what becomes of it.
RECORDED = Path(__file__).with_name("openings.txt")


def write(path: str, text: str) -> str:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def opened(
    where: str, beside: str | None = None, on: Cluster | None = None
) -> tuple[opening.Opened | None, tuple[Problem, ...]]:
    """What a path leads to, or there is a reason; a job is saved as it was opened."""
    found, problems = opening.open_any(where, beside, on or demo())
    assert found is not None or problems
    if isinstance(found, opening.OpenedJob) and found.jobspec.file is not None:
        state = after(workbench.start(demo()), found.jobspec.edit)
        file = found.jobspec.file
        assert not saving.differs(state, file)
        text = Path(where).read_bytes().decode("utf-8", "surrogatepass").removeprefix("\ufeff")
        assert (saving.saved_text(state, file.form)[0], file.text.removeprefix("\ufeff")) == (
            text,
        ) * 2
    return found, problems


def answers(line: str) -> Iterator[str]:
    """What becomes of files that are written, and of one that is opened then.

    A file is ``NAME = TEXT`` or ``NAME = TEXT ~ OLD -> NEW``, whose lines have bars between, and
    which may have some of `TEXTS`. Then comes how one is opened and its name, with ``beside`` and
    that of a configuration, or ``on`` and that of the cluster that is open. What is opened as
    ``file`` is of the same kind whatever it is called, and where it is pasted.
    """
    *files, asked = line.split(" ;; ")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for file in files:
            name, _, text = file.partition(" = ")
            text, _, change = text.partition(" ~ ")
            for key, value in TEXTS.items():
                text = text.replace(key, value)
            text = text.replace(" | ", "\n")
            write(name, text.replace(*change.split(" -> ")) if change else text)
        verb, name, *more = asked.split()
        options = dict(zip(more[::2], more[1::2], strict=True))
        found: opening.Opened | opening.OpenedJobspec | Cluster | None
        if verb in ("cluster", "strictly"):
            strict, beside = verb == "strictly", options.get("beside")
            found, problems = opening.open_cluster(name, beside, strict=strict)
        elif verb == "job":
            found, problems = opening.open_jobspec(name)
        elif verb == "paste":
            found, problems = opening.open_text(Path(name).read_text(), "pasted", None, demo())
        else:
            on = the(opening.open_cluster(options["on"], None)[0]) if "on" in options else None
            found, problems = opened(name, options.get("beside"), on)
            _is_the_same_by_another_way(name, options.get("beside"), found)
        yield from (one.replace(f"{folder}/", "") for one in _described(found))
        for problem in problems:
            yield f"{problem.severity} {problem.path or ''}: {problem.message}"


def _is_the_same_by_another_way(
    name: str, beside: str | None, found: opening.Opened | None
) -> None:
    if name == "file":
        text = Path(name).read_bytes()
        for other in ("file.json", "file.yaml", "-x y"):
            Path(other).write_bytes(text)
            assert type(opened(other)[0]) is type(found)
        pasted, problems = opening.open_text(
            text.decode("utf-8", "surrogatepass"), "pasted", None, demo()
        )
        assert type(pasted) is type(found)
        assert found is not None or problems
    if isinstance(found, opening.OpenedJob):
        assert opening.open_jobspec(name)[0] == found.jobspec
    if isinstance(found, opening.OpenedCluster) and found.cluster.resources.ok:
        other, _ = opening.open_cluster(name, beside)
        again, _ = opening.open_any(name, beside, demo(), own_queues=False)
        assert isinstance(again, opening.OpenedCluster)
        assert the(other).resources.hosts == again.cluster.resources.hosts
        assert the(other).resources.hosts == found.cluster.resources.hosts


def _described(found: opening.Opened | opening.OpenedJobspec | Cluster | None) -> Iterator[str]:
    if isinstance(found, opening.OpenedCluster):
        seen = [Path(one.path).name for one in found.files.files if one.stamp is not None]
        yield f"a cluster, read from {[*seen, *found.files.folders]}{' once' * found.files.unread}"
        yield from _of_cluster(found.cluster)
    elif isinstance(found, opening.OpenedConfig):
        yield f"a configuration at {found.where!r}"
        yield from _of_cluster(found.cluster)
    elif isinstance(found, opening.OpenedJob | opening.OpenedJobspec):
        job = found if isinstance(found, opening.OpenedJobspec) else found.jobspec
        file = job.file
        kind = "of no file" if file is None else f"of a file of {file.form}"
        if file is not None:
            assert (job.job.path, file.path) == (str(Path(file.path).absolute()),) * 2
            assert (file.document is None) == (job.job.raw is not None)
            assert file.stamp.size == Path(file.path).stat().st_size
        more = ", to be mended" if job.job.raw is not None else f", {job.what or 'a document'}"
        yield f"a job {kind}{more}"
        yield f"shape {job.shape!r}, requires {job.requires!r}, queue {job.queue}"
        ask = workbench.start(None, "", job.requires).ask
        assert not any(problem.severity == "error" for problem in ask.problems)
    elif isinstance(found, Cluster):
        yield "a cluster"
        yield from _of_cluster(found)
    else:
        yield "nothing"


def _of_cluster(found: Cluster) -> Iterator[str]:
    nodes, source = found.resources, found.source
    if source.builtin:
        yield "on the demo"
        return
    hosts = nodes.hosts_of(nodes.everything)
    yield f"{source.name} at {source.path}: {nodes.node_count} nodes {hosts}".rstrip()
    yield f"{nodes.whole.cores} cores, {nodes.whole.gpus} gpus, {[*nodes.domain_names]} inside"
    if found.graph is not None:
        yield f"graph of {len(found.graph.types)} vertices by {nodes.writer}"
    for name, mask in nodes.properties.items():
        yield f"property {name} of {nodes.ranks_text(mask)}"
    for queue in found.config.queues if found.config is not None else ():
        yield f"queue {queue.name} of {nodes.ranks_text(found.covered(queue.name)) or 'none'}"
    for problem in (*nodes.problems, *(found.config.problems if found.config is not None else ())):
        yield f"its {problem.severity}: {problem.message} [{problem.rule}]"


def test_openings_are_as_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answers))


STRINGS = st.sampled_from(["0-3", "slot", "core", "+x", "\ud800", "9" * 400])
DOCUMENTS = values(SCALARS | st.floats() | STRINGS, st.text(max_size=6) | STRINGS, leaves=30)
VERTICES = st.lists(st.dictionaries(st.sampled_from(["type", "count", "with", "label"]), DOCUMENTS))


@given(st.dictionaries(st.sampled_from([*KEYS, "version", "x"]), DOCUMENTS, max_size=4), VERTICES)
def test_any_jobspec_and_any_resources(found: dict[str, Any], vertices: list[Any]) -> None:
    whole = {"resources": vertices, "tasks": []}
    with tempfile.TemporaryDirectory() as folder:
        for text in (json.dumps(found), dump(found), json.dumps(vertices), json.dumps(whole)):
            opened(write(f"{folder}/any", text))


def test_the_demo_comes_with_its_queues() -> None:
    found, problems = opening.open_cluster("demo", None)
    config = the(the(found).config)
    assert problems == config.problems == ()
    assert [queue.name for queue in config.queues] == ["batch", "debug", "gpu", "bigmem", "long"]
    assert all(the(found).coverage.values())


@for_each("queue", [5, None, ["batch"]])
def test_a_queue_that_is_no_name_stays_and_is_refused(queue: object, tmp_path: Path) -> None:
    spec = job("node/slot/core", queue=queue)
    found, (problem,) = opening.open_jobspec(write(f"{tmp_path}/job.json", json.dumps(spec)))
    found = the(found)
    assert found.queue is None
    assert problem.message.startswith("job.json, line 1, column ")
    assert "queue is a string; found" in problem.message
    assert problem.path == "attributes.system.queue"
    state = workbench.start(demo(), found.shape, "", found.job)
    assert state.jobspec()["attributes"]["system"]["queue"] == queue
    own = the(workbench.prospect(spec, demo(), workbench.Submission()).own)
    assert own.admitted is False
    assert [r.problem for r in the(state.outlook.own).refusals] == [r.problem for r in own.refusals]
    state = after(state, workbench.ChooseQueue("debug"))
    assert state.jobspec()["attributes"]["system"]["queue"] == "debug"


# Jobs that are opened and saved


@pytest.fixture
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program runs in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def opened_job(path: str, text: str) -> opening.OpenedJobspec:
    """The jobspec of a file that is written first."""
    found, _ = opened(write(path, text))
    assert isinstance(found, opening.OpenedJob)
    return found.jobspec


@pytest.mark.usefixtures("_here")
def test_to_resources_alone_the_rest_is_added() -> None:
    slot = "  - {type: slot, count: 2, label: a, with: [{type: core, count: 1}]}\n"
    text = f"# mine\nresources:\n{slot}"
    found = opened_job("job.yaml", text)
    assert found.file is found.job.path is None  # saving does not write into this file unasked
    assert found.document["tasks"][0]["slot"] == "a"
    assert jobspec.check(found.document).v1
    saved, _ = saving.saved_text(opened_state("job.yaml"), "yaml")
    assert saved.startswith(text.replace("mine\n", "mine\nversion: 1\n"))
    assert yaml.safe_load(saved) == found.document


@pytest.mark.usefixtures("_here")
def test_a_text_that_cannot_be_read_is_opened_to_be_mended() -> None:
    text = TEXTS["{YAML}"].replace("count: 4", "count: [4")
    file = the(opened_job("job", text).file)
    state = opened_state("job")
    assert not saving.differs(state, file)
    assert saving.save_job(state, "job", "yaml")[0] is not None
    assert Path("job").read_text() == text
    mended = after(state, workbench.TypeJobspec(TEXTS["{YAML}"], "yaml"))
    assert mended.jobspec() == JOB
    assert saving.differs(mended, file)


@pytest.mark.usefixtures("_here")
def test_numbers_of_another_type_are_another_document() -> None:
    state = opened_state(write("job.yaml", TEXTS["{YAML}"].replace("version: 1", "version: true")))
    file = the(saving.save_job(state, "job.yaml", "yaml")[0])
    assert not saving.differs(state, file)
    assert saving.differs(after(state, workbench.ReplaceJob(JOB)), file)


FORMS: tuple[Any, Any] = ("yaml", "json")


@pytest.mark.usefixtures("_here")
@for_each("form", FORMS)
def test_another_text_of_the_same_jobspec_is_a_change(form: Any) -> None:
    text = TEXTS["{YAML}" if form == "yaml" else "{JOB}"]
    file = the(opened_job("job", text).file)
    state = opened_state("job")
    assert not saving.differs(state, file)
    more = after(state, workbench.TypeJobspec(f"{text}\n", form))
    assert more.jobspec() == state.jobspec()
    assert saving.differs(more, file)
    assert not saving.differs(after(more, workbench.TypeJobspec(text, form)), file)


@pytest.mark.usefixtures("_here")
@for_each("form", FORMS)
def test_saved_is_what_is_shown_and_opened_again(form: Any) -> None:
    first = opened_state(write("job", TEXTS["{YAML}"]))
    deepest = "/".join(["node"] * (MAX_DEPTH - 1) + ["slot", "core"])
    for state in (
        *(first, workbench.start(demo(), "node"), workbench.start(demo(), deepest)),
        after(first, workbench.TypeJobspec("tasks: [", "yaml")),
        after(first, workbench.EditShape("node=3/slot/core=4")),
    ):
        text, problems = saving.saved_text(state, form)
        assert (text, problems, saving.lost(state, form)) == (
            *(workbench.job_text(state, form), (), ()),
        )
        if state.job.raw is None:
            assert opened_state(write("job", text)).jobspec() == state.jobspec()
    (problem,) = parse_shape(f"rack/{deepest}").problems
    assert problem.message == f"more than {MAX_DEPTH} levels are nested here"


def test_an_example_and_a_command_line_are_opened_without_a_file(tmp_path: Path) -> None:
    state = after(workbench.start(demo()), opening.edit_of(JOB))
    assert (state.jobspec(), state.job.path, state.submission.queue) == (JOB, None, "batch")
    path = write(f"{tmp_path}/job", "flux submit --env=MINE=1 app\n")
    found, problems = opening.open_any(path, None, demo())
    assert isinstance(found, opening.OpenedJob)
    assert jobspec.system(found.jobspec.document)["environment"] == {"MINE": "1"}
    (told,) = problems
    assert "a jobspec holds a whole environment, and this one has only MINE" in told.message


def test_a_text_that_is_no_job_yet_comes_back_with_its_draft() -> None:
    for text in ("resources: [", "version: 1\nesources:\n- type: node\n", "resources: 3\n"):
        state = after(
            workbench.start(demo(), "node=2/slot/core"), workbench.TypeJobspec(text, "yaml")
        )
        assert the(state.job.raw).text == text
        back = after(workbench.start(demo()), drafts.restoring(drafts.draft_of(state, None)))
        assert (back.job.raw, back.build.text) == (state.job.raw, "node=2/slot/core")


# Who submits


def test_the_groups_of_an_unknown_user_are_not_known() -> None:
    submission, (problem,) = opening.open_submission("no-such-user", None, "debug")
    assert submission == workbench.Submission("debug", "no-such-user", None)
    assert problem.severity == "warning"
    submission, problems = opening.open_submission(None, None)
    assert problems == ()
    assert the(submission).groups is not None


def test_statuses_of_queues_that_cannot_be_read_or_are_not_there(tmp_path: Path) -> None:
    for text, says in [("{", "line 1"), ('{"a": 5}', "the status of a queue is an object")]:
        submission, problems = opening.open_submission(None, write(f"{tmp_path}/status.json", text))
        assert submission is None
        assert says in problems[0].message
    statuses = {name: Status() for name in ("batch", "batsh", "")}
    found = opening.unknown_queues(workbench.Submission(statuses=statuses), demo())
    assert [problem.message for problem in found] == [
        "the status is that of queue 'batsh', which is not configured; did you mean batch?",
        "the status is that of the queue without a name, which is not configured",
    ]


# Templates of a person's configuration, as examples to begin with


def test_a_shape_a_constraint_and_fields_make_a_whole_jobspec() -> None:
    shape = "node=2/slot/core=8"
    form = {"duration": "1h", "queue": "batch", "command": "lmp -in a", "tasks": "many"}
    (found,) = examples_of([Template("Pair", "", shape, "gpu&-debug", form)])
    assert (found.title, found.text, found.shape) == ("Pair", "A job of your site.", shape)
    document = the(found.document)
    assert document["resources"] == resources_of(shape)
    (task,) = document["tasks"]
    assert (task["command"], task["count"]) == (["lmp", "-in", "a"], {"per_slot": 1})
    debug = {"not": [{"properties": ["debug"]}]}
    constraint = {"and": [{"properties": ["gpu"]}, debug]}
    system = {"duration": 3600.0, "queue": "batch", "constraints": constraint}
    assert jobspec.system(document) == system
    assert found.constraint == constraint


def test_a_file_is_read_and_one_that_is_no_jobspec_is_left_out(tmp_path: Path) -> None:
    write(f"{tmp_path}/job.yaml", dump(JOB))
    write(f"{tmp_path}/other.yaml", "- no job\n")
    names = ("job.yaml", "other.yaml", "missing.yaml")
    found = examples_of([Template(name, jobspec=str(tmp_path / name)) for name in names])
    assert [(one.title, one.document) for one in found] == [("job.yaml", JOB)]
