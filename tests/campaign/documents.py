"""The kinds of documents: read whatever they hold, written anew, and what is made of them."""

import json
import os
import tempfile
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import get_args

import yaml

from fluxtui import opening, workbench
from fluxtui.answers import compare, export
from fluxtui.answers.admission import Person, admit_everywhere, changes
from fluxtui.answers.commands import conversion, jobs
from fluxtui.answers.commands.translation import PROGRAMS, from_command, to_command
from fluxtui.answers.explain import relaxations
from fluxtui.answers.explain.explanation import explain
from fluxtui.answers.explain.names import unknown
from fluxtui.answers.feasibility import pending
from fluxtui.answers.fixes.finder import FixFinder
from fluxtui.answers.listing import jobs as job_listing
from fluxtui.answers.listing.lister import Key, Lister, Wanted
from fluxtui.answers.matching import match
from fluxtui.bridge import draft_json, drafts, settings, themes
from fluxtui.bridge.chosen import Chosen
from fluxtui.bridge.draft_json import Draft
from fluxtui.bridge.files import Source as File
from fluxtui.bridge.live.record import Record
from fluxtui.bridge.typed import Typed
from fluxtui.cli.config import EXAMPLE
from fluxtui.model import queues, stage, verdict
from fluxtui.model.constraint import requires, tree
from fluxtui.model.documents import document, rewrite
from fluxtui.model.jobspec import jobspec, verdicts
from fluxtui.model.jobspec.request import parse as request_of
from fluxtui.model.live import snapshot as snapshots
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_table import read_table
from fluxtui.notation import json_text
from fluxtui.notation.json_value import same
from fluxtui.opening import nodes
from fluxtui.opening.drafts import restoring
from fluxtui.opening.saving import saved_text
from tests.campaign import seeds
from tests.campaign.laws import Kind, lines, sound
from tests.campaign.mutation import Source
from tests.messages import THEME
from tests.model.rewrite_texts import changed
from tests.opened import demo

SOME = 12  # nodes, jobs and fixes that are looked at one by one
LISTED = 100_000  # nodes; of more, which a short text may have, a list takes the time of its rows


def _resources(text: str) -> object:
    found = resources.read_text(text)
    said = sound(found.problems)
    found.prepare()
    count = found.node_count
    assert found.totals(found.everything).nodes == count, "the nodes are not as many as there are"
    assert count or not found.ok, "there are nodes or an error"
    if count:
        mask = sum(1 << index for index in range(0, min(count, 2000), 2))
        cut = export.subset(found, mask)
        again = resources.read(cut)
        export.notes(found, mask, cut)
        assert again.ranks == found.ranks_of(mask), "what is exported has other ranks"
        for index in range(min(SOME, again.node_count)):
            one = again.node(index)
            other = found.node(found.ranks.index(one.rank) or 0)
            assert (one.cores, one.gpus) == (other.cores, other.gpus), "what is exported differs"
            assert set(one.properties) == set(other.properties), "what is exported differs"
        for form in ("csv", "matrix", "hosts", "ranks"):
            nodes.text_of(found, mask & 0xFFFF, form, 100_000)
        if count <= LISTED:
            Lister(found).find(Wanted(Key.of("host"), folded=True), 0)
    return said, count, str(found.ranks)[:200]


def _jobspec(text: str) -> object:
    found = document.read(text)
    said = [sound(found.problems, text)]
    if not found.readable:
        return said
    value = found.value
    request = request_of(value.get("resources")) if isinstance(value, dict) else None
    whole, judged = verdict.judge(value), jobspec.check(value, request)
    json.dumps(whole.to_json())
    problems = (*judged.problems, *judged.v1_problems)
    said += [sound(whole.problems), sound(found.located(problems[:50]), text)]
    sound(verdicts.check_submission(value, request)[:100])
    if isinstance(value, dict) and problems:
        lines(json.dumps(fix.label) for fix in FixFinder(value).fixes(problems[0]))
    return said


def _admission(job: str, table: str) -> object:
    """Whether the queues of a configuration take a job, and what they make of it."""
    value, config = document.read(job).value, queues.read_config(document.read(table).value)
    said = [sound(config.problems)]
    named, answers = admit_everywhere(value, config, Person("a"))
    for answer in (named, *answers[:SOME]):
        refused = bool(answer.refusals)
        assert (answer.stored is None) == (answer.admitted is False) == refused, (
            "yes and no at once"
        )
        if answer.stored is not None and isinstance(value, dict):
            changes(value, answer.stored)
        said.append(tuple(refusal.problem.message for refusal in answer.refusals))
    return said


def _commands(text: str) -> object:
    """A jobspec as every command line, each of which reads back."""
    value = document.read(text).value
    if not isinstance(value, dict):
        return None
    found = to_command(value)
    assert [one.name for one in found] == list(PROGRAMS), "a program is missing"
    for one in found:
        assert one.exact or one.notes, "what is lost is not said"
        if one.text is not None:
            read = from_command(one.text)
            assert read.document is not None, f"{one.name}: what is written is not read"
            is_well = not read.problems or not one.exact  # of numbers beyond what is read
            assert is_well, f"{one.name}: what is exact has problems"
            if one.exact and "script.sh" not in one.text:
                differs = jobs.differences(value, read.document)
                assert not differs, f"{one.name}: what is written says otherwise"
    return [one.text for one in found]


def _rewrite(text: str, seed: str) -> object:
    """A text after some changes to its value: it says the new one."""
    found = document.read(text)
    if found.form == "toml" or not found.readable or found.problems:
        return None
    chance, new = Random(repr(seed)), found.value
    if document.not_json(new) is not None:
        return None
    for _ in range(3):
        new = changed(chance, new)
    written = rewrite.read(found)
    assert rewrite.rewritten(written, found.value).text == text, "no change changes the text"
    done = rewrite.verified(written, new)
    reader = document.read_json if written.form == "json" else document.read_yaml
    again = reader(done.text)
    assert again.readable, "what is written is not read"
    assert same(again.value, new), "what is written says otherwise"
    return done.text


def _dump(text: str) -> object:
    """A value written as YAML and JSON, which every reader of these reads."""
    found = document.read(text)
    if not found.readable or document.not_json(found.value) is not None:
        return None
    as_yaml, as_json = (document.dump(found.value, form) for form in ("yaml", "json"))
    assert same(json.loads(as_json), found.value), "JSON says otherwise"
    again = document.read_yaml(as_yaml)
    is_deep = not again.readable and "nested" in again.problems[0].message
    assert is_deep or same(again.value, found.value), "YAML says otherwise"
    return as_yaml


def _plain_yaml(text: str) -> object:
    """YAML as other readers have it, where both read it without a word."""
    found = document.read_yaml(text)
    if found.readable and not found.problems and len(text) < 2000:
        try:
            other = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError):
            other = None
        if isinstance(other, dict) and all(isinstance(key, str) for key in other):
            assert list(found.value) == list(other), "another reader has other keys"
    return sound(found.problems, text), repr(found.value)[:2000]


def _constraint(text: str) -> object:
    value = json_text.parse(text).value
    found = tree.read(value)
    if found.value is not None and found.ok:
        again = tree.read(tree.to_json(found.value))
        assert again.value == found.value, "written otherwise"
        match(found.value, demo().resources)
    return sound(found.problems)


def _explained(text: str) -> object:
    """Why an object matches what it matches, and what to change about it."""
    reading, on = requires.read_object(text), demo().resources
    found = explain(reading, on)
    if found is None or reading.constraint is None:
        return None
    changes = relaxations.relaxations(found, unknown(reading.constraint, on))
    lines(change.sentence for change in changes)
    return [change.count for change in changes]


def _configuration(text: str) -> object:
    found = document.read(text, "x.toml")
    said = [sound(found.problems, text)]
    if found.readable:
        config = queues.read_config(found.value)
        said += [sound(found.located(config.problems), text)]
        listed = read_table(found.value)
        said += [sound(listed.problems)]
        sound(verdict.judge(found.value, "config").problems)
        sound(queues.membership(config, demo().resources)[1])
        made, problems = opening.open_text(text, "pasted", None, demo())
        sound(problems)
        if isinstance(made, opening.OpenedConfig):
            pairs = compare.changes(demo().resources, made.cluster.resources)
            compare.report(pairs, tuple(compare.rows(pairs)), "a", "b")
    return said


def _status(text: str) -> object:
    found = queues.read_status(json_text.parse(text).value)
    queues.effective(demo().config or queues.Config(), found.value)
    return sound(found.problems)


def _stage(text: str) -> object:
    found = document.read(text)
    steps, problems = stage.read(found)
    assert steps is None or steps.steps, "a list is empty"
    return sound(problems, text)


def _snapshot(text: str) -> object:
    found = snapshots.from_text(text)
    if found is None:
        return None
    said = sound(found.problems)
    taken = found.value
    if taken is not None:
        listed = job_listing.listed(taken, job_listing.Wanted(everybody=True))
        for job in listed.jobs[:SOME]:
            for reason in pending.why(job, taken):
                assert reason.message, "there is no reason"
            job_listing.where(job, taken.resources, taken.taken)
            job_listing.lasts(job, taken.taken)
        json.dumps(snapshots.redacted(taken))
        sound(snapshots.read(taken.document, taken).problems)
    return said


@cache
def _folder() -> Path:
    """A folder of this process for what is read from files."""
    path = Path(tempfile.gettempdir()) / f"fluxtui-campaign-{os.getpid()}"
    path.mkdir(exist_ok=True)
    return path


def _file(name: str, text: str) -> Path:
    path = _folder() / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


_SITE = "site-0123456789abcdef.json.gz"


def _record(picture: str, site: str) -> object:
    """A record of one picture, whose files hold anything."""
    for name, text in (("20261125T091700Z.json.gz", picture), (_SITE, site)):
        packer = zlib.compressobj(1, wbits=31)
        data = text.encode("utf-8", "surrogatepass")
        path = _file(f"record/{name}", "")
        path.write_bytes(
            packer.compress(data) + packer.flush() if not text.startswith("\x00") else data
        )
    read = Record(_folder() / "record").read(0)
    if read.value is not None:
        return sound(snapshots.read(read.value).problems)
    return len(sound(read.problems))


def _recorded() -> tuple[list[str], list[str]]:
    """Pictures of a record, and what is kept once beside them."""
    pictures, sites = [], []
    for whole in map(json.loads, seeds.snapshots()):
        kept = {name: whole.pop(name, None) for name in ("hello", "config", "scheduler")}
        sites.append(json.dumps({**kept, "R": whole["status"].pop("R")}))
        pictures.append(json.dumps({**whole, "site": _SITE}))
    return pictures, sites


def _theme(text: str) -> object:
    found = themes.parse_theme(text)
    assert (found.value is None) == (not found.ok), "there is a theme or an error"
    return sound(found.problems)


def _own_configuration(text: str) -> object:
    found = settings.parse(File(text, "config.toml"), Path("/nowhere"))
    return sound(found.problems), sound(found.check_templates())


DRAFT = Draft(
    "node=4/slot", "gpu&", "batch", {"version": 1, "x": [1.5, None]}, {"duration": "1 hour"},
    {"yaml": "# mine\nversion: 1\n"}, ("resources: [\n", "yaml"), True, "/home/x/job.yaml",
)  # fmt: skip


def _draft(text: str) -> object:
    found, problem = drafts._read(_file("draft-0.json", text))
    if found is None:
        assert problem is not None, "neither a draft nor a word"
        return problem.message
    assert draft_json.from_json(json.loads(json.dumps(found.draft.to_json()))) == found.draft
    state = workbench.step(workbench.start(demo()), restoring(found.draft))
    return state.build.text


def _draft_texts() -> list[str]:
    head = {"time": 1.0, "host": "h", "process": [1, "x"]}
    head |= {"kind": draft_json.KIND, "version": draft_json.VERSION}
    return [json.dumps({**head, "draft": one.to_json()}) for one in (DRAFT, Draft("core", ""))]


def _history(text: str) -> object:
    """The files of what was typed and chosen, and the same after one more entry."""
    _file("history/shape", text)
    store = Typed(_folder() / "history")
    sound(store.load())
    entries = store.entries("shape")
    lines(entries)
    store.add("shape", "node=4")
    assert store.save() == (), "it is not saved"
    again = Typed(_folder() / "history")
    again.load()
    assert again.entries("shape")[-1] == "node=4", "what was added is gone"
    chosen = Chosen(_file("chosen.json", text))
    found = chosen.load("columns")
    assert chosen.save("columns", (*found, "x")), "it is not kept"
    assert chosen.load("columns")[-1] == "x", "what was chosen is gone"
    return entries, found


def _any(text: str) -> object:
    """A pasted text of any kind, opened in the workbench."""
    found, problems = opening.open_text(text, "pasted", None, demo())
    said = sound(problems)
    if isinstance(found, opening.OpenedJob):
        state = workbench.step(workbench.start(demo()), found.jobspec.edit)
        for form in ("yaml", "json"):
            saved_text(state, form)
    return said, type(found).__name__


def _command(text: str) -> object:
    """A command line or a script: the job that it starts, and the same for other programs."""
    read = from_command(text, {"A": "1"})
    assert read.document is not None or read.problems, "neither a job nor a problem"
    if read.document is not None:
        json.dumps(read.document)
        assert len(to_command(read.document)) == len(PROGRAMS), "a program is missing"
    converted = [conversion.convert(text, target) for target in get_args(conversion.Target)]
    for one in (read, *converted):
        for span in (*(note.span for note in one.notes), *(bad.span for bad in one.problems)):
            inside = span is not None and 0 <= span.start <= span.end <= len(text)
            assert inside, "a note lies outside of its text"
    json.dumps([[one.document, one.command, one.script] for one in converted])
    return sound(read.problems, text), [note.text for note in read.notes]


def _everything() -> list[str]:
    """Some texts of every kind of document."""
    every: tuple[Callable[[], Sequence[str]], ...] = (
        *(seeds.resources, seeds.jobs, seeds.yaml_jobs, seeds.configurations, seeds.stages),
        *(seeds.constraints, seeds.graph_texts, seeds.scripts),
    )
    return [text for make in every for text in make()[:25]]


JOBS, TABLES = Source(seeds.jobs, "json"), Source(seeds.configurations, "toml")
OBJECTS = Source(seeds.constraints, "json")
_THEMES = (json.dumps(THEME), yaml.safe_dump(THEME))
_SETTINGS = Source(lambda: [*seeds.messages("configuration"), EXAMPLE], "toml")

KINDS = (
    Kind("R", _resources, (Source(seeds.resources, "json"),)),
    Kind("R, old form", _resources, (Source(seeds.old_resources, "json"),)),
    Kind("R_lite", _resources, (Source(seeds.entries, "json"),)),
    Kind("JGF", _resources, (Source(seeds.graph_texts, "json"),)),
    Kind("topology", _resources, (Source(seeds.topology_texts, "json"),)),
    Kind("jobspec JSON", _jobspec, (JOBS,)),
    Kind("jobspec YAML", _jobspec, (Source(seeds.yaml_jobs, "yaml"),)),
    Kind("YAML", _plain_yaml, (Source(seeds.yaml_jobs, "text"),)),
    Kind("RFC 31 object", _constraint, (OBJECTS,)),
    Kind("explained object", _explained, (OBJECTS,)),
    Kind("configuration", _configuration, (TABLES,)),
    Kind("queue status", _status, (Source(lambda: seeds.messages("status"), "json"),)),
    Kind("stage list", _stage, (Source(seeds.stages, "yaml"),)),
    Kind("snapshot", _snapshot, (Source(seeds.snapshots, "json"),)),
    Kind("record", _record, tuple(Source(lambda at=at: _recorded()[at], "json") for at in (0, 1))),
    Kind("theme", _theme, (Source(lambda: _THEMES, "yaml"),)),
    Kind("config.toml", _own_configuration, (_SETTINGS,)),
    Kind("draft", _draft, (Source(_draft_texts, "json"),)),
    Kind("history", _history, (Source(lambda: ["node=4\ncore\n", '{"columns": ["a", "b"]}']),)),
    Kind("any text", _any, (Source(_everything, "json"),)),
    Kind("admission", _admission, (JOBS, TABLES)),
    Kind("to command", _commands, (JOBS,)),
    Kind("from flux", _command, (Source(lambda: seeds.scripts("flux")),)),
    Kind("from Slurm", _command, (Source(lambda: seeds.scripts("srun", "SBATCH", "salloc")),)),
    Kind("from PBS", _command, (Source(lambda: seeds.scripts("qsub", "PBS")),)),
    Kind("from LSF", _command, (Source(lambda: seeds.scripts("bsub", "jsrun", "BSUB")),)),
    Kind("rewrite", _rewrite, (Source(seeds.yaml_jobs, "yaml"), Source(lambda: [*"01234567"]))),
    Kind("dump", _dump, (Source(seeds.yaml_jobs, "yaml"),)),
)  # fmt: skip
