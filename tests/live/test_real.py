"""A running Flux, where there is one: what is said of it agrees with what it then does."""

import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial, reduce
from operator import or_
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeAlias

import pytest

from fluxtui import opening
from fluxtui.answers import compare
from fluxtui.answers.feasibility.pending import why
from fluxtui.bridge.live import job, watch
from fluxtui.bridge.live.connection import FLUX, Connection, connect
from fluxtui.model.config_keys import refusals
from fluxtui.model.live.jobs import Job, parse_id
from fluxtui.model.live.snapshot import Snapshot
from fluxtui.model.queues import read_config
from fluxtui.notation.sets import idset
from fluxtui.opening import live
from fluxtui.opening.configured import edited
from fluxtui.workbench import Cluster, Source, Submission, prospect, rehearsal
from tests.each import the
from tests.live.instance import (
    GUEST,
    HOUSEKEEPING,
    JOBSPEC,
    SCHEDULERS,
    TREE,
    Instance,
    flux,
    scene,
)
from tests.ui.helpers import workbench_at
from tests.ui.seen import messages, plain

pytestmark = pytest.mark.skipif(
    flux() is None, reason=f"no flux command starts an instance; ${FLUX} may name one"
)

#: States that `flux resource status` has by the same names.
AS_FLUX = ("drained", "draining", "torpid", "housekeeping")

#: Random jobs that are looked at before they are submitted.
JOBS = 25
#: Match policies of Fluxion under which it is looked where they start.
POLICIES = ("default", "low", "hinode")
#: Of so many of them Flux may do something else, as the picture may be older than what it does.
WRONG = 0.02


#: Starts an instance that fluxtui finds by itself; the arguments are those of `Instance`.
Start: TypeAlias = Callable[..., Instance]


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts an instance, which ends with the test."""
    found: list[Instance] = []

    def start(scheduler: str, more: str = "", **how: Any) -> Instance:
        found.append(Instance(scheduler, tmp_path, more, **how))
        for name, value in found[0].environ().items():
            monkeypatch.setenv(name, value)
        return found[0]

    yield start
    for one in found:
        one.stop()


@pytest.fixture(params=SCHEDULERS)
def instance(request: pytest.FixtureRequest, started: Start) -> Instance:
    """An instance whose queues are started."""
    found = started(request.param)
    found.flux("queue", "start", "--all")
    return found


@pytest.fixture
def connection(instance: Instance) -> Iterator[Connection]:
    """A connection to it."""
    found = opened()
    yield found
    found.close()


@pytest.fixture
def lasting(started: Start) -> Instance:
    """An instance that may be killed and started again."""
    return started("simple", lasting=True)


def opened() -> Connection:
    connection, problems = connect()
    assert connection is not None, problems
    return connection


def now(connection: Connection) -> Snapshot:
    found, problems = live.snapshot_of(connection)
    assert found is not None, problems
    return found


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_owner_and_guest_see_the_same(
    started: Start, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With housekeeping that does not end.
    instance, is_simple = started(scheduler, HOUSEKEEPING), scheduler == "simple"
    jobs = scene(instance, offline=is_simple)
    connection = opened()
    owner = now(connection)

    def ranks(*states: str, among: int = -1) -> str:
        nodes = reduce(or_, map(owner.nodes.mask, states))
        return owner.resources.ranks_text(nodes & among, limit=1000)

    def said(command: str, state: str, *more: str, what: str = "ranks") -> list[str]:
        found = instance.flux("resource", command, "-s", state, *more, "-no", f"{{{what}}}")
        return found.split()

    def listed(state: str, *more: str) -> str:
        return str(idset.parse(",".join(said("list", state, *more))).value)

    # The states are those of Flux, by the same words.
    for name, word in (("excluded", "exclude"), *((name, name) for name in AS_FLUX)):
        assert ranks(name) == ",".join(said("status", word)), name
    assert ranks("offline") == ("5-6" if is_simple else "")
    assert ranks("free", "partly", "housekeeping") == listed("free")
    assert ranks("allocated", "partly", "housekeeping", "draining") == listed("allocated")
    for queue in ("batch", "debug"):  # so are the counts of a constraint
        nodes = owner.resources.properties[queue]
        room = ("free", "partly", "housekeeping")
        assert ranks(*room, among=nodes) == listed("free", "-q", queue)
    free = sum(map(int, said("list", "free", what="ncores")))
    assert owner.nodes.unused.totals(owner.nodes.up).cores == free
    used = owner.resources.whole.cores - owner.nodes.unused.whole.cores
    assert used == sum(map(int, said("list", "allocated", what="ncores")))
    for name, text in jobs.items():
        job = (owner.jobs or {})[parse_id(text) or 0]
        jobspec = the(live.jobspec_of(connection, job.id).value)
        expected = "done" if name == "run" else name
        assert why(job, owner, jobspec)[0].kind == why(job, owner)[0].kind == expected
    connection.close()
    for key, value in GUEST.items():
        monkeypatch.setenv(key, value)
    connection = opened()
    guest = now(connection)
    assert (guest.is_owner, guest.userid) == (False, 4242)
    assert live.jobspec_of(connection, next(iter(guest.jobs or {}))).value is None
    connection.close()
    assert guest.nodes.by_state == owner.nodes.by_state
    assert guest.statuses == owner.statuses
    assert set(guest.jobs or {}) == set(owner.jobs or {})


#: What makes a job wait for each reason in a scene, as options of flux submit.
WAITING = {
    "held": ("-N1", "--urgency=0"),
    "begin": ("--begin-time=+2h",),
    "queue": ("-qdebug", "-t1m", "-N2"),
    "busy": ("-N20",),
    "ahead": ("-N1",),
    "down": ("-N26",),
}


def test_of_a_hundred_jobs_it_is_said_why_they_wait(
    instance: Instance, connection: Connection
) -> None:
    first = scene(instance, offline=False)
    waiting = {**WAITING, "dependency": (f"--dependency=afterok:{first['run']}",)}
    jobs = {
        text: kind
        for kind, options in waiting.items()
        for text in instance.flux("submit", "--cc=1-15", *options, "true").split()
    }
    time.sleep(1.5)  # until the scheduler has looked at the last of them
    found = now(connection)
    said = {text: why(the(found.jobs)[parse_id(text) or 0], found)[0].kind for text in jobs}
    assert len(jobs) == 105
    assert said == jobs


def test_a_change_is_heard_within_seconds(instance: Instance) -> None:
    told: list[watch.Heard] = []
    changed = threading.Condition()

    def hear(one: watch.Heard) -> None:
        with changed:
            told.append(one)
            changed.notify()

    def wait(seconds: float, until: object) -> float:
        began = time.monotonic()
        with changed:
            assert changed.wait_for(lambda: bool(told) and until(told[-1]), seconds)  # type: ignore[operator]
        return time.monotonic() - began

    watching = watch.Watch(hear)
    watching.start()
    wait(10, lambda one: "allocated" in one.document)
    # Of a node without a broker Flux does not say by itself that it is drained.
    instance.flux("resource", "drain", "0", "smoke")
    assert wait(6, lambda one: "0" in one.document["status"]["drain"]) < 2
    instance.flux("submit", "-N3", "--setattr=exec.test.run_duration=500s", "true")
    assert wait(8, lambda one: any(job["state"] == 16 for job in one.document["jobs"])) < 5
    wait(8, lambda one: one.document["allocated"]["R"]["execution"]["R_lite"])
    assert all(one.problem is None for one in told)
    instance.signal(signal.SIGKILL)
    wait(8, lambda one: one.problem is not None and one.document is not None)
    watching.close()


def random_job(chance: random.Random) -> dict[str, object]:
    """A jobspec of some nodes or cores, in one of the queues, perhaps with a constraint."""
    core = {"type": "core", "count": chance.choice([1, 2, 4, 8, 9])}
    inside = [core]
    if chance.random() < 0.3:
        inside.append({"type": "gpu", "count": chance.choice([1, 2, 3])})
    slot = {"type": "slot", "count": chance.randint(1, 2), "label": "task", "with": inside}
    resources = [slot]
    if chance.random() < 0.7:
        count = chance.choice([1, 2, 3, 5, 8, 13, 20, 28, 30])
        node = {"type": "node", "count": count, "with": [{**slot, "count": 1}]}
        resources = [node | ({"exclusive": True} if chance.random() < 0.5 else {})]
    system: dict[str, object] = {"duration": 600.0, "queue": "batch"}
    if chance.random() < 0.3:
        system["constraints"] = {"properties": [chance.choice(["ssd", "^ssd"])]}
    system["exec"] = {"test": {"run_duration": "3000s"}}
    task = {"command": ["true"], "slot": "task", "count": {"per_slot": 1}}
    return {"version": 1, "resources": resources, "tasks": [task], "attributes": {"system": system}}


def settled(connection: Connection, number: int) -> Job | None:
    """A job once Flux has decided about it; None where it has ended."""
    for _ in range(40):
        time.sleep(0.05)
        listed = connection.ask(
            "job-list.list-id", {"id": number, "attrs": ["state", "annotations", "t_submit"]}
        )
        state = (listed.value or {}).get("job", {}).get("state")
        if state in (16, 32):
            break
        if state == 64:
            return None
    return (now(connection).jobs or {}).get(number)


@pytest.mark.parametrize("policy", ["", "TreePool", *POLICIES])
def test_what_is_said_of_a_job_is_what_flux_does(started: Start, policy: str) -> None:
    scheduler = "fluxion" if policy in POLICIES else "simple"
    more = f'[sched-fluxion-resource]\nmatch-policy = "{policy}"\n' * (policy in POLICIES[1:])
    how = {"amend": TREE} if policy == "TreePool" else {}
    instance, placed = started(scheduler, more, **how), 0
    scene(instance, offline=False)
    instance.flux("cancel", "--all")
    instance.flux("queue", "start", "--all")
    drained = instance.flux("resource", "status", "-s", "drain", "-no", "{ranks}")
    instance.flux("resource", "undrain", drained)  # of fake nodes the scheduler does not hear it
    connection, chance = opened(), random.Random(7)
    wrong = []
    submission = Submission(user=None)
    for _ in range(JOBS):
        found, job = now(connection), random_job(chance)
        cluster = Cluster.of(Source("here"), found.resources, found.config, found)
        outlook = prospect(job, cluster, submission)
        said = the(outlook.now)
        number, problems = connection.submit(json.dumps(job))
        assert number is not None, problems
        does = settled(connection, number)
        did = "never" if does is None else "runs" if not does.is_pending else "waits"
        expected = "runs" if said.starts else "waits" if said.ever.feasible else "never"
        if expected == "never" and said.ahead:  # it waits until the scheduler comes to it
            expected = "waits"
        # Fluxion may start a job before those ahead of it.
        backfilled = did == "runs" and said.free.feasible and instance.scheduler != "simple"
        if did != expected and not backfilled:
            wrong.append((did, expected, job["resources"], said.words))
        if did == "runs" and outlook.placement is not None and does is not None:
            placed += 1
            where = found.resources.ranks_text(outlook.placement.mask)
            assert found.resources.ranks_text(does.mask(found.resources)) == where, job
        if chance.random() < (0.8 if did == "waits" else 0.25):
            instance.flux("cancel", str(number))
            time.sleep(0.3)
        if chance.random() < 0.1:
            instance.flux("cancel", "--all")
            time.sleep(0.3)
    connection.close()
    assert len(wrong) <= JOBS * WRONG, wrong
    assert placed or found.match_policy == "first"


def test_a_batch_script_runs_and_says_where_its_output_is(
    instance: Instance, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(instance.folder)  # where its output goes
    # Fluxion begins with the last nodes, where no broker is.
    script = "#!/bin/sh\n#flux: -n1 -t1m --requires=rank:0\necho hi\n"
    id_, problems = job.submit_script(connection, script)
    assert id_ is not None, problems
    heard: list[job.Event] = []
    ends = {log: threading.Event() for log in (job.EVENTS, job.OUTPUT)}
    for log, end in ends.items():
        job.follow(
            connection,
            id_,
            log,
            lambda told, end=end: heard.extend(told or ()) or told or end.set(),
        )
    assert all(end.wait(60) for end in ends.values())
    assert [event.status for event in heard if event.status is not None] == [0]
    assert any(event.name == "redirect" for event in heard)
    assert job.submit_script(connection, "#flux: --none-such\n").value is None


def test_a_log_that_nobody_follows_any_more_is_not_sent(
    instance: Instance, connection: Connection
) -> None:
    runs = "--setattr=exec.test.run_duration=50s"
    submitted = instance.flux("submit", "-qbatch", "-n1", "-t1m", runs, "true")
    number, heard = the(parse_id(submitted)), threading.Event()
    leave = job.follow(connection, number, job.EVENTS, lambda told: heard.set())

    def watchers() -> int:
        return int(instance.flux("module", "stats", "--parse=watchers", "job-info"))

    assert heard.wait(10)
    assert watchers() == 1
    leave()
    leave()
    assert connection.ask("job-info.lookup", {"id": number, "keys": ["jobspec"], "flags": 0}).value
    assert watchers() == 0


async def test_the_workbench_outlives_its_instance(lasting: Instance) -> None:
    cluster = the(live.open_live("live")[0])
    async with workbench_at(on=cluster, notifications=True) as (app, pilot):

        async def shows(word: str) -> None:
            await pilot.until(lambda: word in plain(app, "#title"))
            assert app.state.cluster.resources.node_count == 40

        async def is_lost_and_found(lose: Callable[[], object], find: Callable[[], object]):
            app.messages.clear()
            lose()
            await shows("as of ")
            await pilot.until(lambda: bool(messages(app)))
            (told,) = messages(app)
            find()
            await shows("● live")
            assert set(messages(app)) <= {told}  # which may be gone by now

        await shows("● live")
        await is_lost_and_found(app.live.connection._process.kill, lambda: None)
        await is_lost_and_found(
            lambda: lasting.signal(signal.SIGSTOP), lambda: lasting.signal(signal.SIGCONT)
        )
        await is_lost_and_found(lambda: lasting.signal(signal.SIGKILL), lasting.start)
        lasting.flux("resource", "drain", "3", "after the restart")
        await pilot.until(lambda: app.state.cluster.snapshot.nodes.drain == 1 << 3)


#: Plays ssh on this machine, and writes down its process; of other hosts it says what ssh would.
_SSH = """\
#!/bin/sh
[ "$1" = here ] || { echo "ssh: Could not resolve hostname $1" >&2; exit 255; }
shift
echo $$ > {folder}/ssh.pid
exec "$@"
"""


def test_an_instance_on_another_host_is_reached_by_ssh(
    lasting: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = lasting.folder
    (folder / "ssh").write_text(_SSH.replace("{folder}", str(folder)))
    (folder / "ssh").chmod(0o755)
    monkeypatch.setenv("FLUX_SSH", str(folder / "ssh"))
    monkeypatch.delenv("FLUX_URI")
    told: SimpleQueue[watch.Heard] = SimpleQueue()
    watching = watch.Watch(told.put, f"ssh://here{folder}/local")
    watching.start()

    def hear(until: Callable[[watch.Heard], bool]) -> watch.Heard:
        return next(one for one in iter(partial(told.get, timeout=30), None) if until(one))

    assert hear(lambda one: one.problem is None).document
    os.kill(int((folder / "ssh.pid").read_text()), signal.SIGKILL)
    lost = hear(lambda one: one.problem is not None)
    assert lost.document is not None
    assert the(lost.problem).message == "the Flux instance has ended or cannot be reached"
    hear(lambda one: one.problem is None)
    watching.close()
    for uri, why_not in (
        ("ssh://nowhere/local", "ssh: Could not resolve hostname nowhere"),
        (f"ssh://here{folder}/none", f"local://{folder}/none: No such file or directory"),
    ):
        found, problems = connect(uri)
        assert found is None
        assert problems[0].message.startswith("Flux cannot be reached at ssh://")
        assert problems[0].message.endswith(why_not)
    monkeypatch.setenv("FLUX_SSH", "/nowhere/ssh")
    _, problems = connect("ssh://here/local")
    assert problems[0].message == "ssh, or what $FLUX_SSH names, cannot be started"


def test_a_job_that_is_an_instance_is_reached_by_its_id(lasting: Instance) -> None:
    lasting.flux("queue", "start", "--all")
    id_ = lasting.flux("batch", "-n1", "-t2m", "--requires=rank:0", "--wrap", "sleep", "60")
    for _ in range(100):
        inner, problems = connect(id_)
        if inner is not None:  # its address is known once it runs
            break
    assert inner is not None, problems
    assert inner.hello.level == 1
    inner.close()
    lasting.flux("cancel", id_)
    other = lasting.flux("submit", "-n1", "--urgency=0", "true")
    for name, word in ((other, "is not running"), ("ƒzzzz", "not found")):
        found, problems = connect(name)
        assert found is None
        assert word in problems[0].message


def loaded(connection: Connection, table: object) -> str:
    """Load a configuration as ``flux config load`` does; why Flux refuses it, empty where not."""
    assert isinstance(table, dict)
    return "; ".join(p.message for p in connection.ask("config.load", table).problems)


def test_what_is_rehearsed_is_what_happens(instance: Instance, connection: Connection) -> None:
    runs, asks = "--setattr=exec.test.run_duration=3000s", ("-qdebug", "-t5m", "true")
    running = [instance.flux("submit", "-N4", "--exclusive", runs, *asks) for _ in range(2)]
    waits = instance.flux("submit", "-N4", "--exclusive", runs, *asks)
    held = instance.flux("submit", "-N1", "--urgency=0", runs, *asks)
    large = instance.flux("submit", "-N3", "--urgency=0", "true")
    time.sleep(1)
    text = (instance.folder / "flux.toml").read_text("utf-8")
    text = text.replace("[queues.debug]", "[queues.test]").replace('"node1"', '"node[1-2]"')
    text = text.replace('["batch"]', '["ssd"]\npolicy.limits.job-size.max.nnodes = 2')
    (instance.folder / "edited.toml").write_text(text, "utf-8")
    before = the(live.open_live("live")[0])
    after = the(edited(str(instance.folder / "edited.toml"), before)[0])
    changes = the(compare.changes(before.resources, after.resources))
    specs = live.pending_jobspecs("live", the(before.snapshot), connection)
    found = the(rehearsal.rehearse(changes, before, after, specs))
    told = {one.job.f58: one.kind for one in found.jobs}
    assert told == {waits: "queue", held: "queue", large: "refused"}
    # So it is.
    assert not loaded(connection, dict(the(after.config).table))
    names = connection.ask("job-manager.queue-list").value["queues"]
    states = {queue.name: queue.state for queue in found.queues}
    assert states == {"batch": "kept", "debug": "gone", "test": "new"}
    assert sorted(names) == ["batch", "test"]
    assert not connection.ask("job-manager.queue-status", {"name": "test"}).value["start"]
    node = {"type": "node", "count": 3, "with": json.loads(JOBSPEC)["resources"]}
    spec = {**json.loads(JOBSPEC), "resources": [node]}
    assert "exceeds policy limit of 2" in connection.submit(json.dumps(spec)).problems[0].message
    gone = {**spec["attributes"]["system"], "queue": "debug"}
    spec["attributes"] = {"system": gone}
    refused = connection.submit(json.dumps(spec)).problems[0]
    assert (refused.rule, "Invalid queue 'debug'" in refused.message) == ("RFC 33", True)
    stored = instance.flux("submit", "-N1", "--urgency=0", "true")
    kept = the(live.jobspec_of(connection, parse_id(stored) or 0).value)
    assert kept["attributes"]["system"]["constraints"] == {"properties": ["ssd"]}
    # A job that the scheduler had starts, one that was held waits for ever.
    for job_id in running:
        instance.flux("cancel", job_id)
    instance.flux("job", "urgency", held, "default")
    assert the(settled(connection, parse_id(waits) or 0)).state == "RUN"
    time.sleep(0.5)
    if instance.scheduler == "simple":
        assert found.needs == ("reload", "resource")
        assert instance.flux("jobs", "-no", "{state}", held) == "SCHED"
    else:  # Fluxion has the queues that it was loaded with
        assert found.needs == ("reload", "scheduler", "resource")
        instance.flux("queue", "start", "test")
        ends = instance.flux("submit", "-N1", "-qtest", "-t1m", "true")
        assert settled(connection, parse_id(ends) or 0) is None
    # What is excluded is not taken over by a reload.
    assert connection.ask("resource.status").value["exclude"] == "1"


def test_what_is_refused_of_a_configuration_flux_refuses(started: Start) -> None:
    started("simple")
    connection = opened()
    base, differ = connection.ask("config.get").value, []
    for path in SETTINGS.split():
        for value in (True, -7, 0, "zzz", "9s", ["zzz"], {"zzz": 1}):
            table = json.loads(json.dumps(base))
            *lead, last = path.split(".")
            reduce(lambda at, key: at.setdefault(key, {}), lead, table)[last] = value
            ours = [one.message for one in refusals(read_config(table))]
            theirs = loaded(connection, table)
            if bool(ours) != bool(theirs):
                differ.append((path, value, ours, theirs))
            assert not loaded(connection, base)
    connection.close()
    assert not differ, "\n".join(map(str, differ))


SETTINGS = """
access.allow-guest-user access.private-mode access.nonsense exec.imp exec.kill-timeout
exec.max-kill-count exec.nonsense ingest.batch-count ingest.frobnicator ingest.validator.disable
ingest.validator.nonsense job-manager.inactive-age-limit job-manager.inactive-num-limit
job-manager.stop-queues-on-restart job-manager.housekeeping job-manager.nonsense
kvs.checkpoint-period kvs.nonsense heartbeat.period heartbeat.nonsense tbon.torpid_max tbon.topo
bootstrap.hosts resource.noverify resource.journal-max resource.history resource.nonsense
heartbeat.warn_thresh modules.nonsense sched-simple.x nonsense.x queues.batch.nonsense
queues.batch.hosts
queues.batch.requires policy.nonsense policy.access policy.limits.duration
policy.jobspec.defaults.system.queue policy.limits.job-size.max.nnodes
"""


def test_a_job_is_held_released_and_raised_and_its_jobspec_runs_again(
    instance: Instance, connection: Connection
) -> None:
    ask = ["submit", "-N1", "-qbatch", "--urgency=0", "--job-name=again", "--env=X=1"]
    f58 = instance.flux(*ask, "--setattr=exec.test.run_duration=3000s", "true")
    id_ = parse_id(f58) or 0

    def order(one: job.Order | None) -> None:
        answer = connection.ask(the(one).topic, the(one).payload)
        assert not answer.problems, answer.problems

    def state() -> str:
        return (job.how(connection, id_).value or ("", True))[0]

    def until(wanted: str) -> None:
        assert any(state().startswith(wanted) or time.sleep(0.05) for _ in range(200)), state()

    until("held")
    order(job.raise_order(id_, f58, 3, "odd", "just so"))
    until("held")  # as the severity is not 0
    edit = opening.edit_of(the(live.jobspec_of(connection, id_).value))
    assert (edit.shape, edit.queue) == ("node{x}/slot{task}/core", "batch")
    order(job.urgency_order(id_, f58, "expedite"))
    until("run")
    refused = connection.ask("job-manager.urgency", {"id": id_, "urgency": 0}).problems
    assert "once resources are allocated" in refused[0].message
    again, problems = connection.submit(json.dumps(edit.job.document))
    assert again is not None, problems
    assert live.jobspec_of(connection, again).value is not None
    order(job.raise_order(id_, f58, 0, note="enough"))
    until("cancelled")
    assert state().endswith("cancel: enough")
    assert job.how(connection, 1234).value is None  # which Flux has never seen
