"""The job changes by an edit of the job, and by nothing else that is done in the workbench.

What is opened, read again, gone to, closed, compared, looked at or supposed leaves it as it was
written; undo brings back exactly the job before; what is saved right after it was opened is what
was read, to the byte.

With ``--hypothesis-profile=thorough`` it tries 50,000 steps, which takes some minutes.
"""

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fluxtui import opening, workbench
from fluxtui.answers.compare import changes
from fluxtui.bridge import draft_json
from fluxtui.notation.json_value import identical
from fluxtui.notation.shape.tree import from_resources, to_resources
from fluxtui.opening import drafts, saving
from fluxtui.workbench import History, State
from tests.each import the
from tests.model.clusters import alike, document
from tests.model.jobspecs import job
from tests.opened import demo
from tests.workbench.written import JOB, Written

#: R documents, two of them without a queue of the others; and configurations with and without.
CLUSTERS = {
    "four.json": alike(4, properties={"gpu": "0-1", "debug": "3"}),
    "many.json": alike(40, properties={"batch": "0-29", "gpu": "10-19"}),
    "none.json": document(nodelist=[]),
}
CONFIGS = {
    "site.toml": '[queues.batch]\nrequires = ["batch"]\n[queues.gpu]\n'
    '[policy.jobspec.defaults.system]\nqueue = "batch"\nduration = "1h"\n',
    "other.toml": "[queues.debug]\n[queues.gpu.policy.limits]\nduration = '10m'\n",
    "bare.toml": "[resource]\nnoverify = true\n",
    "nodes.toml": "[resource]\n[[resource.config]]\nhosts = 'c[0-3]'\ncores = '0-3'\n"
    "properties = ['debug']\n[queues.debug]\nrequires = ['debug']\n",
}


def _json(indent: int | str | None = None, **system: Any) -> bytes:
    return json.dumps(job("slot{task}/core", **system), indent=indent).encode()


JOBS: Mapping[str, bytes] = {
    "own.yaml": JOB.encode(),
    "crlf.yaml": JOB.replace("\n", "\r\n").encode(),
    "mark.yaml": b"\xef\xbb\xbf" + JOB.encode(),
    "end.yaml": b"---\n" + JOB.encode() + b"...\n",
    "open.yaml": JOB.rstrip("\n").encode(),
    "anchor.yaml": JOB.replace("{per_slot: 1}", "&n {per_slot: 1}").encode(),
    "line.json": _json(queue="nowhere"),
    "mark.json": b"\xef\xbb\xbf" + _json(4, queue="nowhere") + b"\r\n",
    "batch.json": _json(1, queue="batch") + b"\n\n",
    "odd-queue.json": _json(queue=["gpu"]).replace(b" ", b""),
    "no-queue.json": _json("\t", queue=""),
    "constraint.json": _json(constraints={"or": [{"properties": ["a b"]}]}),
    "faulty.yaml": JOB.replace("version: 1", "version: 7").encode(),
    "no-tasks.yaml": b"version: 1\nresources: []\nattributes: {}\n",
    "broken.yaml": JOB.replace("count: 2", "count: [2").encode(),
}

SHAPES = (
    *("slot=2/core", "node=4/slot/[core=8;gpu]", "node=4/slot/", "", "core{-x}", "²"),
    *("[node{k:1};core{x};slot{task}/core]", "[node{k:true};core{x:1};slot{task}/core]"),
    *("[node{k:1.0,-x};gpu;slot{task}/core=2]", "[slot{a}/core{unit:GB};slot{b}/node{label:c}]"),
)
#: What is typed into the YAML, and by what it is replaced.
LINES = (
    *(("count: 2", "count: 5"), ("count: 1", "count: 1.0"), ("count: 4", "count: 4\n    k: true")),
    *(("count: 2", "count: {max: 9, min: 2}"), ("count: 4", "count: '2-4'")),
    *(("gpu", "x"), ("task", "5"), ("3600", "x"), ("k: 1", "k: true"), ("k: true", "k: 1.0")),
    *(("exclusive: true", "exclusive: 1"), ("exclusive: 1", "exclusive: false"), ("core", "gpu")),
)
REQUIRES = ("gpu", "gpu&-debug", "gpu&(", "", "host:n[0-2]", '{"and": [{"ranks": ["0"]}]}')
QUEUES = (None, "batch", "gpu", "debug", "nowhere")
FIELDS = {
    "queue": ("gpu", "", "debug", "a b"),
    "duration": ("1h", "2 hours", "", "60"),
    "command": ("hostname", "sh -c 'x", ""),
    "constraints": ("", '{"properties": ["gpu"]}', "{"),
    "job-name": ("mine", ""),
}
EDITS: tuple[workbench.Edit, ...] = (
    *map(workbench.TypeShape, SHAPES),
    *map(workbench.TypeRequires, REQUIRES),
    *map(workbench.ChooseQueue, QUEUES),
    *(workbench.TypeField(name, text) for name, texts in FIELDS.items() for text in texts),
    *[workbench.SwapConstraints()] * 2,
)
#: What is no edit of the job.
OTHERS: tuple[workbench.Edit, ...] = (
    *map(workbench.GoToDocument, range(5)),
    *map(workbench.CloseDocument, range(3)),
    *map(workbench.KeepConstraint, (True, True, False)),
    *map(workbench.LookAtQueue, QUEUES),
    *map(workbench.MoveCursor, (0, 3, 50)),
    *map(workbench.Select, (0, 0b101, 1 << 11)),
    *map(workbench.LeaveField, FIELDS),
)


def parted(state: State) -> object:
    """What the shape and the document say that is not the same, where both can be read."""
    document, build = state.job.document, state.build
    if document is None or state.job.raw is not None or build.stale or not build.shape.ok:
        return None
    listed, made = document["resources"], list(build.resources)
    if not isinstance(listed, list) or identical(listed, made):
        return None
    said = from_resources(listed)
    if not said.ok or identical(to_resources(said.value), made):
        return None  # no shape can express it, or the shape means the same in other words
    return build.text, listed, made


class JobLaw(RuleBasedStateMachine):
    """The workbench under edits of the job, and under all that is none."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="fluxtui-"))
        for name, cluster in CLUSTERS.items():
            (self.folder / name).write_text(json.dumps(cluster))
        for name, text in CONFIGS.items():
            (self.folder / name).write_text(text)
        for name, data in JOBS.items():
            (self.folder / name).write_bytes(data)
        self.history = History(workbench.start())
        self.config: str | None = None
        self.expected = Written.of(self.history.state)
        self.past: list[Written] = []
        self.future: list[Written] = []

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def state(self) -> State:
        return self.history.state

    def author(self, edit: workbench.Edit) -> None:
        """An edit of the job: what is written is what it made, and undo knows what was before."""
        before, steps = Written.of(self.state), len(self.history.past)
        same = self.history
        self.history = self.history.do(edit)
        self.expected = Written.of(self.state)
        if self.history is not same and isinstance(edit, _STEPS):
            self.future.clear()
        if len(self.history.past) > steps:
            self.past.append(before)

    def do(self, edit: workbench.Edit) -> None:
        """An edit that is none of the job."""
        self.history = self.history.do(edit)

    @initialize(name=st.sampled_from(["", *JOBS]), cluster=st.sampled_from(["demo", *CLUSTERS]))
    def begin(self, name: str, cluster: str) -> None:
        """Start the program with a cluster and a job."""
        found, problems = opening.open_any(self.path(cluster), None, demo())
        assert isinstance(found, opening.OpenedCluster), problems
        if name:
            jobspec, problems = opening.open_jobspec(self.path(name))
            assert jobspec is not None, problems
            submission = workbench.Submission(jobspec.queue, "me", ())
            state = workbench.start(
                found.cluster, jobspec.shape, jobspec.requires, jobspec.job, submission
            )
            assert state.job.document is jobspec.job.document
        else:
            state = workbench.start(found.cluster)
        self.history = History(state)
        self.expected = Written.of(state)

    def path(self, name: str) -> str:
        return name if name == "demo" else str(self.folder / name)

    # Edits of the job

    @rule(edit=st.sampled_from(EDITS))
    def edit(self, edit: workbench.Edit) -> None:
        self.author(edit)

    @rule(line=st.sampled_from(LINES))
    def type_yaml(self, line: tuple[str, str]) -> None:
        text = workbench.job_text(self.state, "yaml").replace(*line, 1) + "# c\n"
        self.author(workbench.TypeJobspec(text, "yaml"))

    @rule(name=st.sampled_from(sorted(JOBS)))
    def open_job(self, name: str) -> None:
        """Open a job, and save it at once."""
        path = self.path(name)
        found, problems = opening.open_any(path, self.config, self.state.cluster)
        assert isinstance(found, opening.OpenedJob), problems
        self.author(found.jobspec.edit)
        file = the(found.jobspec.file)
        assert not saving.differs(self.state, file)
        saved, odd = saving.save_job(self.state, path, file.form)
        assert not odd
        assert saved is not None
        assert Path(path).read_bytes() == JOBS[name]
        assert saved.document == file.document

    @rule(path=st.sampled_from(["saved.yaml", "saved.json"]))
    def save(self, path: str) -> None:
        form: Any = path.rpartition(".")[2]
        raw = self.state.job.raw
        if raw is not None and raw.form != form:
            return
        file, _ = saving.save_job(self.state, self.path(path), form)
        self.do(workbench.SaveJob(the(file).path, self.state.job))

    @rule()
    def restore(self) -> None:
        """A draft of it all, in a file, takes the place of it all."""
        draft = drafts.draft_of(self.state, None)
        again = the(draft_json.from_json(json.loads(json.dumps(draft.to_json()))))
        before = self.expected
        self.author(drafts.restoring(again))
        assert self.expected == before

    # What is no edit of the job

    @rule(name=st.sampled_from(["demo", *CLUSTERS, "nodes.toml"]), behind=st.booleans())
    def open_cluster(self, name: str, behind: bool) -> None:
        found, problems = opening.open_any(self.path(name), self.config, self.state.cluster)
        assert isinstance(found, opening.OpenedCluster), problems
        self.do(workbench.OpenCluster(found.cluster, behind))

    @rule(name=st.sampled_from(["site.toml", "other.toml", "bare.toml"]))
    def open_config(self, name: str) -> None:
        found, _ = opening.open_any(self.path(name), None, self.state.cluster)
        if isinstance(found, opening.OpenedConfig):
            self.config = found.where
            self.do(workbench.OpenCluster(found.cluster))

    @rule(nodes=st.integers(1, 6), config=st.sampled_from([None, *CONFIGS]))
    def reload(self, nodes: int, config: str | None) -> None:
        """The document in force is read again: it has other nodes now, and other queues."""
        before = self.state.cluster
        path = self.folder / "again.json"
        path.write_text(json.dumps(alike(nodes, properties={"gpu": "0"})))
        beside = str(self.folder / config) if config is not None else None
        cluster, _ = opening.open_cluster(str(path), beside)
        assert cluster is not None
        found = the(changes(before.resources, cluster.resources))
        self.do(workbench.ReloadCluster(before, cluster, found))
        assert self.state.cluster is cluster

    @rule(edit=st.sampled_from(OTHERS))
    def other_edit(self, edit: workbench.Edit) -> None:
        self.do(edit)

    @precondition(lambda self: len(self.state.documents) > 1)
    @rule(number=st.integers(0, 5))
    def compare_documents(self, number: int) -> None:
        here = self.state.cluster
        other = self.state.documents[number % len(self.state.documents)].cluster
        found = the(changes(here.resources, other.resources))
        self.do(workbench.CompareDocuments(workbench.Compared(here, other, found, ())))

    @rule(
        queue=st.sampled_from(["batch", "gpu", "debug"]),
        what=st.sampled_from(["enabled", "started"]),
    )
    def what_if(self, queue: str, what: Any) -> None:
        """What is supposed of a queue is a step that can be taken back, and no edit of the job."""
        before = self.expected
        self.author(workbench.TurnQueue(queue, what))
        assert self.expected == before

    @rule()
    def find_room(self) -> None:
        found = workbench.find_outlook(self.state)
        self.do(workbench.FindRoom(self.state.outlook, found))

    # Undo and redo

    @rule()
    def undo(self) -> None:
        here, self.history = Written.of(self.state), self.history.undo()
        if self.past:
            self.future.append(here)
            self.expected = self.past.pop()

    @rule()
    def redo(self) -> None:
        here, self.history = Written.of(self.state), self.history.redo()
        if self.future:
            self.past.append(here)
            self.expected = self.future.pop()

    @invariant()
    def the_job_is_as_it_was_written(self) -> None:
        assert Written.of(self.state) == self.expected

    @invariant()
    def the_shape_and_the_document_do_not_part(self) -> None:
        """They say the same, down to the kind of each value."""
        assert parted(self.state) is None


#: Edits of which each is a step of its own, after which nothing is done again.
_STEPS = (
    *(workbench.TypeShape, workbench.TypeRequires, workbench.TypeField, workbench.TypeJobspec),
    *(workbench.ChooseQueue, workbench.SwapConstraints, workbench.OpenJob, workbench.TurnQueue),
)

TestJobLaw = JobLaw.TestCase
TestJobLaw.settings = settings(stateful_step_count=50)


def test_a_draft_holds_what_an_unfinished_constraint_asked_before() -> None:
    law = JobLaw()
    law.begin("", "demo")
    law.edit(workbench.TypeRequires("gpu"))
    law.edit(workbench.TypeRequires("gpu&("))
    law.restore()
    asked = law.state.jobspec()["attributes"]["system"]["constraints"]
    assert asked == {"properties": ["gpu"]}
    law.teardown()
