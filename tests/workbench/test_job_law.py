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

SHAPES = ("slot=2/core", "node=4/slot/[core=8;gpu]", "node=4/slot/", "", "core{-x}", "²")
REQUIRES = ("gpu", "gpu&-debug", "gpu&(", "", "host:n[0-2]", '{"and": [{"ranks": ["0"]}]}')
QUEUES = (None, "batch", "gpu", "debug", "nowhere")
FIELDS = {
    "queue": ("gpu", "", "debug", "a b"),
    "duration": ("1h", "2 hours", "", "60"),
    "command": ("hostname", "sh -c 'x", ""),
    "constraints": ("", '{"properties": ["gpu"]}', "{"),
    "job-name": ("mine", ""),
}


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

    @rule(text=st.sampled_from(SHAPES))
    def type_shape(self, text: str) -> None:
        self.author(workbench.TypeShape(text))

    @rule(text=st.sampled_from(REQUIRES))
    def type_requires(self, text: str) -> None:
        self.author(workbench.TypeRequires(text))

    @rule(field=st.sampled_from(sorted(FIELDS)), number=st.integers(0, 9))
    def type_field(self, field: str, number: int) -> None:
        texts = FIELDS[field]
        self.author(workbench.TypeField(field, texts[number % len(texts)]))

    @rule(queue=st.sampled_from(QUEUES))
    def choose_queue(self, queue: str | None) -> None:
        self.author(workbench.ChooseQueue(queue))

    @rule(old=st.sampled_from(["count: 2", "gpu", "task", "3600"]), new=st.sampled_from(["5", "x"]))
    def type_yaml(self, old: str, new: str) -> None:
        text = workbench.job_text(self.state, "yaml").replace(old, new, 1) + "# c\n"
        self.author(workbench.TypeJobspec(text, "yaml"))

    @rule()
    def swap_constraints(self) -> None:
        self.author(workbench.SwapConstraints())

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

    @rule(number=st.integers(0, 5))
    def go_to_document(self, number: int) -> None:
        self.do(workbench.GoToDocument(number))

    @rule(number=st.integers(0, 5))
    def close_document(self, number: int) -> None:
        self.do(workbench.CloseDocument(number))

    @precondition(lambda self: len(self.state.documents) > 1)
    @rule(number=st.integers(0, 5))
    def compare_documents(self, number: int) -> None:
        here = self.state.cluster
        other = self.state.documents[number % len(self.state.documents)].cluster
        found = the(changes(here.resources, other.resources))
        self.do(workbench.CompareDocuments(workbench.Compared(here, other, found, ())))

    @rule(on=st.booleans())
    def keep_constraint(self, on: bool) -> None:
        self.do(workbench.KeepConstraint(on))

    @rule(
        queue=st.sampled_from(["batch", "gpu", "debug"]),
        what=st.sampled_from(["enabled", "started"]),
    )
    def what_if(self, queue: str, what: Any) -> None:
        """What is supposed of a queue is a step that can be taken back, and no edit of the job."""
        before = self.expected
        self.author(workbench.TurnQueue(queue, what))
        assert self.expected == before

    @rule(queue=st.sampled_from(QUEUES))
    def look_at_queue(self, queue: str | None) -> None:
        self.do(workbench.LookAtQueue(queue))

    @rule(node=st.integers(0, 50), mask=st.integers(0, 1 << 12))
    def look_at_nodes(self, node: int, mask: int) -> None:
        self.do(workbench.MoveCursor(node))
        self.do(workbench.Select(mask))

    @rule()
    def find_room(self) -> None:
        found = workbench.find_outlook(self.state)
        self.do(workbench.FindRoom(self.state.outlook, found))

    @rule(field=st.sampled_from(sorted(FIELDS)))
    def leave_field(self, field: str) -> None:
        self.do(workbench.LeaveField(field))

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


_STEPS = (
    workbench.TypeShape,
    workbench.TypeRequires,
    workbench.TypeField,
    workbench.TypeJobspec,
    workbench.ChooseQueue,
    workbench.SwapConstraints,
    workbench.OpenJob,
    workbench.TurnQueue,
)

TestJobLaw = JobLaw.TestCase
TestJobLaw.settings = settings(stateful_step_count=50)


def test_a_draft_holds_what_an_unfinished_constraint_asked_before() -> None:
    law = JobLaw()
    law.begin("", "demo")
    law.type_requires("gpu")
    law.type_requires("gpu&(")
    law.restore()
    asked = law.state.jobspec()["attributes"]["system"]["constraints"]
    assert asked == {"properties": ["gpu"]}
    law.teardown()
