"""What the campaign begins with: the texts of the tests, recorded answers, generated documents."""

import contextlib
import json
import os
import re
import tempfile
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fluxtui.answers.commands.translation import to_command
from fluxtui.bridge.live.connection import FLUX
from fluxtui.model.documents.document import dump
from fluxtui.opening import live
from tests import big
from tests.answers.commands import test_laws as commands
from tests.conformance import cases
from tests.live.conversation import RECORDINGS, stand_in
from tests.model import clusters, jobspecs, rewrite_texts, topologies
from tests.reference import texts

TESTS = Path(__file__).parents[1]
DATA = cases.FOLDER.parent / "data"

_ASKED = re.compile(r"(\w+)? ?(\[.*)$")


def _lines(path: str, start: str = "") -> list[str]:
    """The lines of a file of the tests that begin so."""
    lines = (TESTS / path).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith(start)]


@cache
def _messages() -> dict[str, list[list[Any]]]:
    return tomllib.loads((TESTS / "messages.toml").read_text(encoding="utf-8"))


def messages(*kinds: str) -> list[str]:
    """The inputs of the table of messages of some kinds."""
    return [row[0] for kind in kinds for row in _messages().get(kind, ())]


@cache
def _asked() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in ("notation/answers.txt", "model/constraints.txt", "answers/commands/readings.txt"):
        for match in filter(None, map(_ASKED.match, _lines(name))):
            kind, asked = match.groups("")
            with contextlib.suppress(ValueError):
                words = json.loads(asked)
                found.setdefault(kind, []).extend(one for one in words if isinstance(one, str))
    return found


def asked(*kinds: str) -> list[str]:
    """The texts of recorded answers of some kinds."""
    return [text for kind in kinds for text in _asked().get(kind, ())]


def recorded(name: str, *keys: str) -> list[str]:
    """What each row of a corpus has under the first of some keys; none where there is no corpus."""
    rows = cases.rows(name) if not cases.missing() else []
    found = (next((row[key] for key in keys if key in row), None) for row in rows)
    return [one if isinstance(one, str) else json.dumps(one) for one in found if one is not None]


def files(*folders: str, most: int = 30_000) -> list[str]:
    """The JSON documents of folders beside the corpora, but for large ones."""
    paths = [path for folder in folders for path in (cases.FOLDER.parent / folder).glob("*.json")]
    return [path.read_text() for path in sorted(paths) if path.stat().st_size < most]


def generated(strategy: st.SearchStrategy[Any], most: int = 50) -> list[Any]:
    """Some examples of a strategy, always the same."""
    found: list[Any] = []

    @settings(
        max_examples=most, derandomize=True, database=None, phases=[Phase.generate], deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


def dumped(values: Iterable[Any]) -> list[str]:
    """Values as JSON."""
    return [json.dumps(value) for value in values]


@cache
def shapes() -> list[str]:
    """Shapes (RFC 46)."""
    listed = asked("shape", "complete", "edit", "revise") + messages("shape")
    return listed + recorded("shape", "in") + generated(texts.shapes())


@cache
def queries() -> list[str]:
    """Queries (RFC 35), and constraint objects (RFC 31)."""
    listed = asked("query", "read", "complete") + messages("query", "names")
    found = recorded("query", "in") + recorded("match", "constraint")
    return listed + found + generated(texts.queries())


def constraints() -> list[str]:
    """Constraint objects (RFC 31)."""
    listed = [text for text in messages("constraint") if text.startswith("{")]
    made = dumped(generated(commands.CONSTRAINTS))
    return [*listed, *recorded("match", "constraint"), *made, "{}"]


_KNOWN = (*jobspecs.RFC25.values(), *jobspecs.RFC14.values())


@cache
def jobs() -> list[str]:
    """Jobspecs (RFC 14, RFC 25) as JSON."""
    made = generated(commands.documents())
    return dumped([*_KNOWN, *made]) + recorded("jobspec_v1", "jobspec")


_ALIASES = (
    "a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nd: [*c, *c, *c]\n",
    "resources: &r [{type: slot, count: 1, with: *r}]\ntasks: [*r]\n",
    "a: &a {b: 1}\nc:\n  <<: [*a, *a]\n  d: &d !!str 1\n",
)


def yaml_jobs() -> list[str]:
    """Jobspecs as YAML, with comments and in many styles."""
    return [*rewrite_texts.SAMPLES.values(), *map(dump, _KNOWN), *messages("document"), *_ALIASES]


@cache
def _lite() -> list[str]:
    small = [make(12) for name, make in big.DOCUMENTS.items() if name != "properties"]
    made = generated(clusters.documents(), 60)
    return dumped(small + made) + recorded("badr", "text", "R")


def resources() -> list[str]:
    """R documents (RFC 20) in today's form."""
    return [*_lite(), *files("conformance/rsets", "conformance/rsets/fit", "data/r")]


def old_resources() -> list[str]:
    """R documents in the form of before: a graph in ``scheduling``, its attributes beside it."""
    system = {"scheduler": {"name": "fluxion"}, "queue": "batch"}
    whole = clusters.alike(2, "0-3", "0", starttime=0, expiration=0)
    made = []
    for graph in map(json.loads, graph_texts()[:6]):
        made += [{"version": 1, "scheduling": graph}]
        made += [{**whole, "scheduling": graph, "attributes": {"system": system}}]
    return [*dumped(made), *files("data/r")]


def entries() -> list[str]:
    """R documents with much in ``R_lite``."""
    makers = (big.grouped, big.alternating, big.groups, big.prefixes)
    return [*dumped(make(n) for make in makers for n in (1, 40)), *_lite()[:40]]


_PATHS = (
    "/c /c/node0 /c/node0/socket0 /c/node0/socket0/core0 /c/node0/gpu0 /c/node1 /c/node1/memory0"
)


def graph_texts() -> list[str]:
    """Resource graphs (JGF)."""
    vertices, edges = [], []
    for path in _PATHS.split():
        above, _, name = path.rpartition("/")
        more = {"id": 0, "rank": 0, "size": 4, "unit": "GB", "properties": {"p": ""}}
        kind = name.rstrip("01") if above else "cluster"
        vertices.append(clusters.vertex(path, kind, name, paths={"containment": path}, **more))
        edges += [clusters.edge(above, path, subsystem="containment")] if above else []
    tiny = {"graph": {"nodes": vertices, "edges": edges}}
    small = "".join(big.graph_text(4000, 2, 2))
    return [json.dumps(tiny), f'{{"graph":{small}}}', *files("conformance/graphs", "data/jgf")]


def topology_texts() -> list[str]:
    """R documents of nodes whose inside is known (RFC 49)."""
    inside = (topologies.XEON, topologies.APU, topologies.UNEVEN)
    made = [topologies.tree(("0-1", topo, "0-119", "0-7")) for topo in inside]
    return dumped([*made, topologies.xeon("0-3"), topologies.apu("0-3")])


_CONFIGURATION = """\
[[resource.config]]
hosts = "n[0-9]"
cores = "0-7"
gpus = "0"
properties = ["a"]
[resource]
exclude = "0-1"
[bootstrap]
hosts = [{host = "n[0-9]"}]
[queues.a]
requires = ["a"]
hosts = "n[1-2]"
[queues.b]
parent = "a"
[ingest.frobnicator]
plugins = ["defaults", "constraints"]
[policy.limits]
duration = 60
job-size.max.nnodes = 2
[policy.access]
allow-user = ["a"]
"""


def configurations() -> list[str]:
    """Flux configurations: queues, policies, nodes."""
    tables = [line.replace(" | ", "\n") for line in _lines("model/queues.txt", "[")]
    return [*tables, *recorded("queue", "toml"), _CONFIGURATION, *messages("queues")]


def stages() -> list[str]:
    """Lists of constraints to show."""
    return [json.loads(line) for line in _lines("model/stages.txt", '"')]


@cache
def _picture(recording: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        command = stand_in(Path(folder), "play", recording)
        with mock.patch.dict(os.environ, {FLUX: command}):
            found, problems = live.take()
    assert found is not None, problems
    return json.dumps(found.document)


def picture() -> dict[str, Any]:
    """A snapshot of a running instance, as it was recorded."""
    found: dict[str, Any] = json.loads(_picture(RECORDINGS / "simple-owner.jsonl"))
    return found


def snapshots() -> list[str]:
    """Snapshots of running instances, as they were recorded."""
    return [_picture(recording) for recording in sorted(RECORDINGS.glob("*-*.jsonl"))[:2]]


def scripts(*programs: str) -> list[str]:
    """Command lines and scripts of some programs."""
    every = [*asked(""), *messages("command")]
    every += [json.loads(row)["line"] for row in _lines("answers/commands/flux_lines.jsonl")]
    for job in map(json.loads, jobs()[:60]):
        written = to_command(job) if isinstance(job, dict) else ()
        every += [one.text for one in written if one.text is not None]
    return [text for text in every if any(word in text for word in programs)] or every


def fields() -> list[str]:
    """What is typed into the fields of the form."""
    lines = (line for line in _lines("model/form/fields.txt") if line[:1].strip())
    said = (line.partition(" | ")[2] for line in lines)
    return [json.JSONDecoder().raw_decode(text)[0] for text in said if text.startswith('"')]
