"""What the campaign begins with: the texts of the tests, recorded answers, generated documents."""

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fluxtui.answers.commands.translation import to_command
from fluxtui.bridge.live.connection import FLUX
from fluxtui.opening import live
from tests import big
from tests.answers import clusters as exported
from tests.answers.commands import test_laws as commands
from tests.conformance import cases
from tests.live.conversation import RECORDINGS, stand_in
from tests.model import clusters, jobspecs, rewrite_texts, topologies
from tests.reference import texts

TESTS = Path(__file__).parents[1]
DATA = cases.FOLDER.parent / "data"

_ASKED = re.compile(r"^(\w+)? ?(\[.*)$", re.MULTILINE)


@cache
def _messages() -> dict[str, list[list[Any]]]:
    with (TESTS / "messages.toml").open("rb") as file:
        found: dict[str, list[list[Any]]] = tomllib.load(file)
    return found


def messages(*kinds: str) -> list[str]:
    """The inputs of the table of messages of some kinds."""
    return [row[0] for kind in kinds for row in _messages().get(kind, ())]


@cache
def _asked() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in ("notation/answers.txt", "model/constraints.txt", "answers/commands/readings.txt"):
        for kind, asked in _ASKED.findall((TESTS / name).read_text(encoding="utf-8")):
            try:
                words = json.loads(asked)
            except ValueError:
                continue
            found.setdefault(kind, []).extend(word for word in words if isinstance(word, str))
    return found


def asked(*kinds: str) -> list[str]:
    """The texts of recorded answers of some kinds."""
    return [text for kind in kinds for text in _asked().get(kind, ())]


def recorded(name: str, of: Callable[[dict[str, Any]], Any]) -> list[str]:
    """A text of each row of a corpus; none where the corpora are not there."""
    if cases.missing():
        return []
    found = (of(row) for row in cases.rows(name))
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
    return listed + recorded("shape", lambda row: row["in"]) + generated(texts.shapes())


@cache
def queries() -> list[str]:
    """Queries (RFC 35), and constraint objects (RFC 31)."""
    listed = asked("query", "read", "complete") + messages("query") + messages("names")
    found = recorded("query", lambda row: row["in"]) + recorded(
        "match", lambda row: row["constraint"]
    )
    return listed + found + generated(texts.queries())


@cache
def constraints() -> list[str]:
    """Constraint objects (RFC 31)."""
    listed = [text for text in messages("constraint") if text.startswith("{")]
    found = recorded("match", lambda row: row["constraint"])
    return [*listed, *found, *dumped(generated(commands.CONSTRAINTS)), "{}"]


@cache
def jobs() -> tuple[str, ...]:
    """Jobspecs (RFC 14, RFC 25) as JSON."""
    known = dumped(
        [*jobspecs.RFC25.values(), *jobspecs.RFC14.values(), *generated(commands.documents())]
    )
    return (*known, *recorded("jobspec_v1", lambda row: row["jobspec"]))


_ALIASES = (
    "a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nd: [*c, *c, *c]\n",
    "resources: &r [{type: slot, count: 1, with: *r}]\ntasks: [*r]\n",
    "a: &a {b: 1}\nc:\n  <<: [*a, *a]\n  d: &d !!str 1\n",
)


def yaml_jobs() -> list[str]:
    """Jobspecs as YAML, with comments and in many styles."""
    from fluxtui.model.documents.document import dump

    known = [*jobspecs.RFC25.values(), *jobspecs.RFC14.values()]
    return [*rewrite_texts.SAMPLES.values(), *map(dump, known), *messages("document"), *_ALIASES]


@cache
def _lite() -> tuple[str, ...]:
    small = (make(12) for name, make in big.DOCUMENTS.items() if name != "properties")
    bad = recorded("badr", lambda row: row.get("text", row.get("R")))
    return (*dumped([*small, *generated(exported.documents(), 60)]), *bad)


def resources() -> list[str]:
    """R documents (RFC 20) in today's form."""
    return [*_lite(), *files("conformance/rsets", "conformance/rsets/fit", "data/r")]


def old_resources() -> list[str]:
    """R documents in the form of before: a graph in ``scheduling``, its attributes beside it."""
    system = {"scheduler": {"name": "fluxion"}, "queue": "batch"}
    made = []
    for graph in map(json.loads, graph_texts()[:6]):
        whole = clusters.alike(2, "0-3", "0", starttime=0, expiration=0)
        made += [{"version": 1, "scheduling": graph}]
        made += [{**whole, "scheduling": graph, "attributes": {"system": system}}]
    return [*dumped(made), *files("data/r")]


def entries() -> list[str]:
    """R documents with much in ``R_lite``."""
    made = [
        make(n)
        for make in (big.grouped, big.alternating, big.groups, big.prefixes)
        for n in (1, 40)
    ]
    return [*dumped(made), *_lite()[:40]]


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
    made = [
        topologies.tree(("0-1", topo, "0-119", "0-7"))
        for topo in (topologies.XEON, topologies.APU, topologies.UNEVEN)
    ]
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
    lines = (TESTS / "model" / "queues.txt").read_text(encoding="utf-8").splitlines()
    tables = [line.replace(" | ", "\n") for line in lines if line.startswith("[")]
    found = recorded("queue", lambda row: row["toml"])
    return [*tables, *found, _CONFIGURATION, *messages("queues")]


def statuses() -> list[str]:
    """The state of queues as JSON."""
    return messages("status")


def stages() -> list[str]:
    """Lists of constraints to show."""
    lines = (TESTS / "model" / "stages.txt").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.startswith('"')]


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
    rows = (
        (TESTS / "answers" / "commands" / "flux_lines.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    every = [*asked(""), *messages("command"), *(json.loads(row)["line"] for row in rows)]
    every += [line for job in jobs()[:60] for line in _lines(json.loads(job))]
    mine = [text for text in every if any(word in text for word in programs)]
    return mine or every


def _lines(job: Any) -> Iterator[str]:
    for found in to_command(job) if isinstance(job, dict) else ():
        if found.text is not None:
            yield found.text


def fields() -> list[str]:
    """What is typed into the fields of the form."""
    lines = (TESTS / "model" / "form" / "fields.txt").read_text(encoding="utf-8").splitlines()
    said = (line.partition(" | ")[2] for line in lines if line[:1].strip())
    return [json.JSONDecoder().raw_decode(text)[0] for text in said if text.startswith('"')]


def example() -> str:
    """A configuration of one's own with all that it may say."""
    from fluxtui.cli.config import EXAMPLE

    return EXAMPLE
