"""A real Flux instance with fake nodes, for tests and for what they play again.

``python -m tests.live.instance`` records anew what is played where there is no Flux. The flux
command is the one that FLUXTUI_FLUX names, or that of the search path.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from fluxtui.bridge.live import job
from fluxtui.bridge.live.connection import FLUX, Connection, connect
from fluxtui.bridge.live.watch import Picture
from tests.each import the
from tests.live.conversation import RECORDINGS, stand_in

#: Plays a guest, as flux-core's own tests do.
GUEST = {"FLUX_HANDLE_USERID": "4242", "FLUX_HANDLE_ROLEMASK": "0x2"}

SCHEDULERS = {"simple": "sched-simple", "fluxion": "sched-fluxion-qmanager"}

_CONFIG = """\
[fake-resources]
nnodes = 40
cores-per-node = 8
gpus-per-node = 2
host-prefix = "node"
amend-r = "amend.py"
[modules.alternatives]
sched = "{scheduler}"
[resource]
noverify = true
exclude = "node1"
[queues.batch]
requires = ["batch"]
[queues.debug]
requires = ["debug"]
policy.limits.duration = "30m"
policy.limits.job-size.max.nnodes = 4
[policy.jobspec.defaults.system]
duration = "1h"
queue = "batch"
[access]
allow-guest-user = true
allow-root-owner = true
"""

#: What is cleaned up after a job of a real broker, here without an end.
HOUSEKEEPING = """\
[job-manager.housekeeping]
command = ["sleep", "3000"]
"""

_AMEND = """\
def amend(R, hwloc_xml=None):
    R["execution"]["properties"] = {"batch": "0-29", "debug": "30-39", "ssd": "0,10,20,30"}
    return R
"""

#: The same with two numa domains in each node (RFC 49), which make TreePool the pool.
TREE = _AMEND.replace(
    "    return R",
    """\
    numa = [{"cores": "0-3", "gpus": "0"}, {"cores": "4-7", "gpus": "1"}]
    children = [{"ranks": "0-39", "topo": {"numa": numa}}]
    R["scheduling"] = {"writer": "TreePool", "children": children}
    return R""",
)

_RUNS = "--setattr=exec.test.run_duration=3000s"


def flux() -> str | None:
    """The flux command; None where there is none that starts an instance."""
    found = shutil.which(os.environ.get(FLUX) or "flux")
    if found is None:
        return None
    helps = subprocess.run([found, "start", "--help"], capture_output=True, check=False)
    return found if helps.returncode == 0 else None


class Instance:
    """An instance that runs until `stop`, in a folder of its own."""

    def __init__(
        self,
        scheduler: str,
        folder: Path,
        more: str = "",
        *,
        lasting: bool = False,
        amend: str = _AMEND,
    ) -> None:
        """Start one; more is added to its configuration, amend says what its nodes are.

        One that is lasting has the same address and state when it is started again, and one broker.
        """
        self.scheduler, self.folder, self.uri = scheduler, folder, ""
        self.command = the(flux())
        config = _CONFIG.format(scheduler=SCHEDULERS[scheduler]) + more
        self._options = ["-s2"]
        if lasting or amend == TREE:
            # A node that has a broker; and TreePool of flux-core 0.88 loads with no excluded one.
            config = config.replace('exclude = "node1"', "")
        if lasting:
            (folder / "state").mkdir()
            address = f"-Slocal-uri=local://{folder}/local"
            self._options = ["-s1", address, f"-Sstatedir={folder}/state"]
        (folder / "flux.toml").write_text(config, encoding="utf-8")
        (folder / "amend.py").write_text(amend, encoding="utf-8")
        self.start()

    def start(self) -> None:
        """Start it; one that is lasting may have been killed before."""
        folder, options = self.folder, [*self._options, "--config-path=flux.toml"]
        (folder / "uri").unlink(missing_ok=True)
        told = "flux getattr local-uri > new && mv new uri && while [ -e uri ]; do sleep .1; done"
        self._process = subprocess.Popen(
            [self.command, "start", *options, "--", "sh", "-c", told],
            cwd=folder,
            env={**os.environ, "TMPDIR": "/tmp"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(folder / "log").open("wb"),
            start_new_session=True,
        )
        for _ in range(600):
            if (folder / "uri").exists():
                break
            assert self._process.poll() is None, (folder / "log").read_text()
            time.sleep(0.1)
        self.uri = (folder / "uri").read_text().strip()
        self.pid = int(self.flux("getattr", "broker.pid"))

    def signal(self, number: signal.Signals) -> None:
        """Send its broker a signal; one that kills it is waited for."""
        os.kill(self.pid, number)
        if number == signal.SIGKILL:
            self._process.wait()

    def environ(self, *, guest: bool = False) -> dict[str, str]:
        """The environment in which fluxtui finds it."""
        return {**os.environ, FLUX: self.command, "FLUX_URI": self.uri, **(GUEST if guest else {})}

    def flux(self, *arguments: str) -> str:
        """What a flux command prints."""
        found = subprocess.run(
            [self.command, *arguments],
            env=self.environ(),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return found.stdout.strip()

    def rpc(self, topic: str, payload: Mapping[str, object]) -> None:
        """Ask for something that has no command."""
        connection = the(connect(environ=self.environ()).value)
        assert not connection.ask(topic, payload).problems
        connection.close()

    def stop(self) -> None:
        """End it; an instance that is gone already is fine."""
        (self.folder / "uri").unlink(missing_ok=True)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, 9)
            self._process.wait()


def scene(instance: Instance, *, offline: bool = True) -> dict[str, str]:
    """Nodes in every state and jobs that wait for every reason; the jobs by what they wait for.

    Where housekeeping is configured, the node of the first job stays in it.
    Fluxion often ends when nodes go offline, so a test that needs it to schedule leaves that out.
    """
    instance.flux("queue", "start", "--all")
    instance.flux("submit", "--wait-event=clean", "--setattr=exec.test.run_duration=0.1s", "true")
    instance.flux("resource", "drain", "2", "fan broken")
    if offline:
        instance.rpc("resource.monitor-force-down", {"ranks": "5,6"})
    else:
        instance.flux("resource", "drain", "5,6", "no network")
    jobs = {"run": instance.flux("submit", "-N20", _RUNS, "true")}
    instance.flux("submit", "-n3", _RUNS, "true")
    instance.flux("resource", "drain", "12", "swap")
    jobs["held"] = instance.flux("submit", "-N1", "--urgency=0", _RUNS, "true")
    jobs["dependency"] = instance.flux("submit", f"--dependency=afterok:{jobs['run']}", "true")
    jobs["begin"] = instance.flux("submit", "--begin-time=+2h", "true")
    jobs["queue"] = instance.flux("submit", "-qdebug", "-t1m", "-N2", _RUNS, "true")
    instance.flux("queue", "stop", "debug", "--message=noon")
    jobs["queue"] = instance.flux("submit", "-qdebug", "-t1m", "-N2", _RUNS, "true")
    jobs["busy"] = instance.flux("submit", "-N20", _RUNS, "true")
    jobs["ahead"] = instance.flux("submit", "-N1", _RUNS, "true")
    jobs["down"] = instance.flux("submit", "-N26", _RUNS, "true")
    time.sleep(1.5)  # until the last of them waits, and the scheduler has looked at it
    return jobs


def _record(instance: Instance, name: str, *, guest: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        where = RECORDINGS / f"{name}.jsonl"
        stand = stand_in(Path(folder), "record", where, instance.command)
        connection = the(connect(environ={**instance.environ(guest=guest), FLUX: stand}).value)
        document = the(Picture(connection).whole().value)
        for job in document["jobs"]:
            lookup = {"id": job["id"], "keys": ["jobspec"], "flags": 2}
            connection.ask("job-info.lookup", lookup)
        _record_orders(connection, document["jobs"])
        connection.follow("job-list.job-stats", {}, lambda said: None)
        instance.flux("submit", "-N1", "-qbatch", "--urgency=0", "true")
        time.sleep(2)
        Picture(connection).whole()
        connection.close()
        time.sleep(1)


def _record_orders(connection: Connection, jobs: list[dict[str, int]]) -> None:
    """A job that is held: released, held again, and given an exception; and how it is then."""
    held = next(one["id"] for one in jobs if one["urgency"] == 0)
    orders = [job.urgency_order(held, "", urgency) for urgency in ("default", "hold")]
    for order in (*orders, job.raise_order(held, "", 2, "timeout", "slow")):
        connection.ask(the(order).topic, the(order).payload)
    job.how(connection, held)
    heard = threading.Event()
    job.follow(connection, held, job.EVENTS, lambda told: heard.set())
    heard.wait(10)


#: A job that prints and fails, as a text.
JOBSPEC = json.dumps({
    "version": 1,
    "resources": [{"type": "slot", "count": 1, "label": "task",
                   "with": [{"type": "core", "count": 1}]}],
    "tasks": [{"command": ["/bin/sh", "-c", "echo [b]hi; echo oh >&2; exit 3"],
               "slot": "task", "count": {"per_slot": 1}}],
    "attributes": {"system": {"duration": 60, "cwd": "/", "environment": {"PATH": "/bin"}}},
})  # fmt: skip
#: The same for a queue, once that is disabled.
REFUSED = JOBSPEC.replace('"duration": 60,', '"duration": 60, "queue": "debug",')
#: What a queue is disabled with.
DISABLED = {"enable": False, "all": False, "name": "debug", "reason": "noon"}


def _record_job(instance: Instance) -> None:
    """A job that is submitted and followed, and one that a queue refuses as it is disabled."""
    instance.flux("queue", "start", "--all")
    with tempfile.TemporaryDirectory() as folder:
        where = RECORDINGS / "submit-owner.jsonl"
        stand = stand_in(Path(folder), "record", where, instance.command)
        connection = the(connect(environ={**instance.environ(), FLUX: stand}).value)
        Picture(connection).whole()
        id_ = connection.submit(JOBSPEC).value
        for log in (job.EVENTS, job.OUTPUT):
            ended = threading.Event()
            job.follow(connection, id_, log, lambda told, e=ended: told or e.set())
            ended.wait(10)
        connection.ask("job-info.lookup", {"id": id_, "keys": ["R"], "flags": 0})
        connection.ask("job-manager.queue-enable", DISABLED)
        connection.submit(REFUSED)
        Picture(connection).whole()
        connection.close()
        time.sleep(1)


def main() -> None:
    """Record what is played where there is no Flux: an owner and a guest, each scheduler once."""
    RECORDINGS.mkdir(exist_ok=True)
    for scheduler, who, more in (
        ("simple", "job", ""),
        ("simple", "owner", HOUSEKEEPING),
        ("fluxion", "guest", ""),
    ):
        with tempfile.TemporaryDirectory() as folder:
            instance = Instance(scheduler, Path(folder), more)
            try:
                if who == "job":
                    _record_job(instance)
                else:
                    scene(instance, offline=scheduler == "simple")
                    _record(instance, f"{scheduler}-{who}", guest=who == "guest")
            finally:
                instance.stop()


if __name__ == "__main__":
    if flux() is None:
        sys.exit(f"there is no flux command; ${FLUX} may name one")
    main()
