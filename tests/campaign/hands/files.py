"""Files of all kinds that the workbench opens, and what becomes of a file while it is open."""

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

from fluxtui.bridge.live.record import Recorder
from fluxtui.model.documents.document import dump
from tests.answers.feasibility import graphs
from tests.campaign import seeds
from tests.model.clusters import alike
from tests.model.jobspecs import job
from tests.model.topologies import xeon
from tests.workbench.written import JOB

CONFIG = """\
[queues.batch]
requires = ["batch"]
[queues.batch.policy.limits]
duration = "1h"
[queues.debug]
[policy.jobspec.defaults.system]
queue = "batch"
duration = "10m"
"""

TALK = """\
title: Which nodes will do?
steps:
- title: GPUs, not for debugging
  constraint: gpu&-debug
- title: As an object
  constraint: {properties: [bigmem]}
- title: It cannot be read
  constraint: gpu &&& (
"""

#: What the workbench is started with, by name: arguments, of which those with a dot are files.
STARTS: dict[str, tuple[str, ...]] = {
    "nothing": (),
    "R": ("R.json",),
    "graph": ("graph.json",),
    "TreePool": ("tree.json",),
    "jobspec": ("job.yaml",),
    "jobspec as JSON": ("R.json", "job.json"),
    "a broken jobspec": ("broken.yaml",),
    "configuration": ("flux.toml",),
    "R and configuration": ("R.json", "flux.toml"),
    "configured nodes": ("nodes.toml",),
    "stage": ("--stage", "talk.yaml"),
    "snapshot": ("snapshot.json",),
    "record": ("record.d",),
    "two": ("R.json", "other.json", "job.yaml"),
    "texts": ("-s", "node=4/slot/[core=8;gpu]", "-q", "gpu&-debug"),
}


def write_all(folder: Path) -> None:
    """Write a file of each kind into a folder."""
    root = graphs.vertex("cluster", graphs.nodes(4, graphs.sockets(2, 4)))
    r = alike(40, gpu="0-1", properties={"batch": "0-29", "gpu": "10-19", "debug": "30-39"})
    graph = {**alike(4, core="0-7"), "scheduling": graphs.jgf(root)}
    documents: dict[str, Any] = {
        "R.json": r,
        "other.json": alike(7, properties={"gpu": "0"}),
        "graph.json": graph,
        "tree.json": xeon("0-3"),
        "job.json": job("slot=2{task}/core", queue="nowhere"),
        "snapshot.json": seeds.picture(),
    }
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document))
    for name, text in {
        "job.yaml": JOB,
        "broken.yaml": JOB.replace("count: 2", "count: [2"),
        "flux.toml": CONFIG,
        "nodes.toml": "[resource]\n[[resource.config]]\nhosts = 'c[0-3]'\ncores = '0-3'\n"
        "properties = ['debug']\n[queues.debug]\nrequires = ['debug']\n",
        "talk.yaml": TALK,
        "other.yaml": dump(job("node=3/slot/core", queue="batch")),
        "run.sh": "#!/bin/sh\n#FLUX: -N4 -n8\nhostname\n",
    }.items():
        (folder / name).write_text(text)
    recorder = Recorder(folder / "record.d")
    for seconds in (0, 60, 120):
        picture = seeds.picture()
        asked = dict.fromkeys(picture["asked"], 1_795_608_000.0 + seconds)
        drain = {"drain": {"1": {"reason": f"smoke {seconds}"}}} if seconds else {}
        recorder.keep({**picture, "asked": asked, "status": {**picture["status"], **drain}})
    recorder.close()


# What happens to a file


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.chmod(0o700)
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _fresh(path: Path, chance: random.Random) -> bytes:
    if path.name == "R.json":
        count = chance.choice((0, 1, 7, 41, 500))
        document = alike(count, properties={"gpu": "0"}) if count else {"version": 1}
        return json.dumps(document).encode()
    if path.suffix == ".yaml":
        return JOB.replace("count: 2", f"count: {chance.randrange(9)}").encode()
    if path.suffix == ".toml":
        return CONFIG.replace("batch", chance.choice(("batch", "b\u202eatch", "x" * 300))).encode()
    return chance.choice((b"{}", b"null", b"[]", b"\xff\xfe\x00", json.dumps(alike(3)).encode()))


#: What may happen to a file, by name.
HAPPENINGS = (
    "rewrite", "truncate", "grow", "directory", "fifo", "link", "forbid", "allow", "gone", "touch",
)  # fmt: skip
_TARGETS = ("nowhere", None, "/dev/null", "/dev/zero", "/dev/full", "other.json")


def happen(what: str, path: Path, chance: random.Random) -> None:
    """Have one of `HAPPENINGS` happen to a file; OSError where it cannot."""
    there = path.exists() and not path.is_symlink()
    is_file = there and path.is_file()
    match what:
        case "rewrite":  # another document of the same kind, in place or by a rename
            fresh = _fresh(path, chance)
            if chance.random() < 0.5 and is_file:
                path.write_bytes(fresh)
                return
            beside = path.with_name(f"{path.name}.new")
            beside.write_bytes(fresh)
            if path.is_dir():
                _remove(path)
            os.replace(beside, path)
        case "truncate" if is_file:
            os.truncate(path, chance.randrange(path.stat().st_size + 1))
        case "grow" if is_file:
            with path.open("ab") as file:
                file.write(chance.choice((b"\n", b"}", b"\0" * 5000, b"# more\n")))
        case "forbid" if there:
            path.chmod(chance.choice((0o000, 0o200, 0o400)))
        case "allow" if there:
            path.chmod(0o700)
        case "touch" if path.exists():
            os.utime(path, (chance.choice((0, 1 << 31, 1 << 33)),) * 2)
        case "gone":
            _remove(path)
        case "directory":
            _remove(path)
            path.mkdir()
        case "fifo":
            _remove(path)
            os.mkfifo(path)
        case "link":
            _remove(path)
            path.symlink_to(chance.choice(_TARGETS) or path.name)
