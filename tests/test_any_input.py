"""No input of any kind raises anything, and what is written is read back."""

import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import fluxtui
from fluxtui.answers.admission import Person, admit_everywhere, changes
from fluxtui.answers.commands.translation import from_command
from fluxtui.answers.listing import orders
from fluxtui.answers.matching import find
from fluxtui.model import queues, stage
from fluxtui.model.constraint import requires
from fluxtui.model.constraint import tree as constraint
from fluxtui.model.documents import document
from fluxtui.model.documents.document import dump
from fluxtui.model.form.fields import FIELDS
from fluxtui.model.jobspec import jobspec, verdicts
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_table import read_table
from fluxtui.notation import (
    count,
    dependency,
    duration,
    environment,
    json_text,
    settings,
    shellwords,
)
from fluxtui.notation.problem import MAX_PROBLEMS, Problem, render
from fluxtui.notation.query.completion import completions as query_completions
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.shape.completion import completions as shape_completions
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import Vertex, from_resources, to_resources
from fluxtui.workbench import History, TypeField, TypeShape, start
from tests.model.clusters import cluster
from tests.notation.shape.trees import bare, trees

# Every character there is: control characters, NUL and lone surrogates too.
CHARACTERS = st.characters(exclude_categories=[])
ODD = "²②٣３Ⅷ𝟙"  # digits and numbers of other scripts
SIGNS = st.sampled_from(list("[]{}()/;:=,|&-+^*\"'\\ \t\n0129axnode.\x00\ud800"))
TEXTS = (
    st.text(CHARACTERS, max_size=40)
    | st.text(SIGNS, max_size=60)
    | st.builds(
        lambda unit, times, end: unit * times + end,
        st.text(SIGNS, min_size=1, max_size=5),
        st.sampled_from([50, 700]),
        st.text(SIGNS, max_size=3),
    )
)

STRINGS = st.text(CHARACTERS, max_size=6) | st.sampled_from(
    ["0-3", "n[0-3]", "1h", "slot", "core", "default", "+x", "n[", "3-0", "9" * 400]
)
KEYS = STRINGS | st.sampled_from(
    ["version", "execution", "R_lite", "rank", "children", "core", "gpu", "nodelist", "properties",
     "starttime", "expiration", "scheduling", "graph", "nodes", "edges", "metadata", "resources",
     "tasks", "attributes", "system", "duration", "constraints", "type", "count", "with", "label",
     "command", "slot", "per_slot", "per_resource", "total", "min", "max", "operator", "operand",
     "queues", "policy", "limits", "job-size", "requires", "hosts", "parent", "and", "or", "not",
     "hostlist", "ranks", "jobspec", "defaults", "access", "allow-user", "enable",
     "start", "blocked", "name", "stop_reason", "steps", "title", "constraint", "note",
     "cores", "gpus", "shell", "options", "environment", "dependencies", "files", "script", "data",
     "output", "stdout", "path", "rlimit", "job"]
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | STRINGS
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=30,
)

#: What reads a text, and the signs that mean something to it.
TEXT_READERS: dict[str, tuple[Callable[[str], Any], str]] = {
    "idset": (idset.parse, "0129-,[] "),
    "hostlist": (hostlist.parse, "n019-,[] "),
    "count": (count.parse, "019-+:*^,[]"),
    "duration": (duration.parse, "019.-smhdinfa "),
    "dependency": (dependency.parse, "afterok:?=&;%+1 \x00"),
    "environment": (lambda text: environment.parse(text, {"A": "x", "AB": ""}),
                    "AB=$-*^[]!?{}\"'\\ /_"),
    "settings": (settings.parse, "ab=.\"' {}[],:1\\\n\x00"),
    "shellwords": (shellwords.split, "ab=- \t\n\\'\"$`!#é"),
    "shape": (parse_shape, "slot[]{}/;:=,\"'+-x12 \\"),
    "query": (parse_query, "abnot,&|-() :'\""),
    "requires": (requires.read, "abnot,&|-() :'\"{}[]"),
    "json_text": (json_text.parse, '{}[]:,"\\0-1.eE tru\n'),
    "document": (document.read, "ab:-[]{},&*!|'\"# \n\t=.1"),
    "R": (resources.read_text, '{}[]:,"0-1 '),
}  # fmt: skip


def sound(problems: Sequence[Problem], text: str | None = None) -> None:
    """Every problem says what and by which rule, lies in the text, and can be printed."""
    assert len(problems) <= MAX_PROBLEMS + 1
    for problem in problems:
        assert problem.message
        assert problem.rule
        assert not problem.message.endswith(".")
        if text is not None and problem.span is not None:
            assert 0 <= problem.span.start <= problem.span.end <= len(text)
        render(problem, text).encode()
        json.dumps(problem.to_json())


@pytest.mark.parametrize("kind", TEXT_READERS)
@given(data=st.data())
def test_any_text(kind: str, data: st.DataObject) -> None:
    read, signs = TEXT_READERS[kind]
    text = data.draw(TEXTS | st.text(st.sampled_from(signs + ODD), max_size=20))
    found = read(text)
    sound(found.problems, text)
    if kind in ("dependency", "duration"):
        assert (found.value is None) == (not found.ok)
    if kind == "settings":
        assert (found.value is None) == (not text.strip())
    if kind == "query":
        assert found.tree is not None or not found.ok
        assert not found.ok or to_constraint(found.tree, {})
    place = 0  # what has tokens has each sign in one of them at most
    for token in getattr(found, "tokens", ()):
        assert place <= token.span.start < token.span.end <= len(text)
        place = token.span.end


@given(DOCUMENTS)
def test_any_document(value: Any) -> None:
    found = resources.read(value)
    sound(found.problems)
    found.prepare()
    assert found.totals(found.everything).nodes == found.node_count
    assert found.node_count or not found.ok
    sound(constraint.read(value).problems)
    sound(queues.read_config(value).problems)
    sound(count.from_json(value).problems)
    for candidate in (value, {"attributes": {"system": value}, "resources": value}):
        named, answers = admit_everywhere(candidate, queues.read_config(value), Person("a"))
        for answer in (named, *answers):
            assert (answer.stored is None) == (answer.admitted is False) == bool(answer.refusals)
            if answer.stored is not None:
                changes(candidate, answer.stored)
    status = queues.read_status(value)
    sound(status.problems)
    queues.effective(queues.Config(), status.value)
    table = read_table({"resource": {"config": value}})
    sound(table.problems)
    assert not all(p.severity == "warning" for p in table.problems) or table.resources
    steps, problems = stage.read(document.read(json.dumps(value)))
    sound(problems[:MAX_PROBLEMS])
    assert problems if steps is None else steps.steps
    whole = {"version": 1, "tasks": [], "attributes": {}}
    for job in (value, {**whole, **value} if isinstance(value, dict) else value):
        verdict = jobspec.check(job)
        sound((*verdict.problems, *verdict.v1_problems)[:MAX_PROBLEMS])
        sound(verdicts.check_submission(job)[:MAX_PROBLEMS])


# Numbers are written with the digits 0 to 9; those of other scripts are letters like others.


def type_everywhere(text: str) -> None:
    """Read a text as all that a person may type, and type it into the shape and every field."""
    for read, _ in TEXT_READERS.values():
        read(text)
    for end in (len(text) // 2, len(text)):
        shape_completions(text[:end], end)
        query_completions(text[:end], end, {})
    state = History(start(None, "slot=4/core"))
    for field in FIELDS:
        state = state.do(TypeField(field.name, text))
    state.do(TypeShape(text))


@given(st.text(st.sampled_from(f"{ODD}0123456789-,+:=/[]{{}}n"), max_size=8))
def test_no_digit_of_another_script_ends_a_reader(text: str) -> None:
    for typed in (text, f"slot={text}", f"core=[{text}", f"node{{x:{text}}}", f"rank:{text}"):
        type_everywhere(typed)
    for words in ("srun -N{} x", "flux run -N{} x", "qsub -l select={} x", "srun --gres=gpu:{} x"):
        from_command(words.replace("{}", text), {})
    if set(text) & set(ODD):
        assert not any(read(text).ok for read in (count.parse, idset.parse, duration.parse))


#: More digits than `int` reads.
LONG = "9" * 5000


def test_no_very_long_number_ends_anything() -> None:
    for lead in ("", "slot=", "core=[", "core=1-", "node{x:", "rank:", "rank:1,", "host:n["):
        type_everywhere(lead + LONG)
    assert not verdicts.is_job_id(LONG)
    assert verdicts.is_job_id(f"+{'0' * 5000}7")
    hosts = (f"a[0-{LONG}]", f"a[{LONG}-{LONG}]", f"a[{'0' * 5000}1-{'0' * 5000}2]")
    assert list(map(verdicts.reads_hosts, hosts)) == [False, True, True]
    some = cluster("0-2", [f"a{LONG}-b1", f"a1{LONG}-b1", "a7-b1"])
    assert list(orders.by_host(some).indices(0, 3)) == [2, 0, 1]
    assert find(some, f"a{LONG}b", 5) == []
    assert find(some, f"a{LONG}-b1", 5) == [0]


def test_no_module_asks_for_the_digits_of_other_scripts() -> None:
    found = []
    for path in Path(fluxtui.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name != "problem.py" and re.search(r"\.is(digit|decimal|numeric)\(", text):
            found.append(f"{path.name}: fluxtui.notation.problem.is_digits is meant")
        if re.search(r"(?<!\\)\\d", text):
            found.append(f"{path.name}: [0-9] is meant")
    assert found == []


@given(TEXTS)
def test_what_is_good_is_written_and_read_back(text: str) -> None:
    ids = idset.parse(text)
    if ids.ok:
        assert idset.parse(idset.format(ids.value)).value == ids.value
    hosts = hostlist.parse(text)
    if hosts.ok:
        assert hostlist.parse(format_hosts(hosts.value)).value == hosts.value
    number = count.parse(text)
    if number.ok and number.value is not None:
        assert count.parse(count.format(number.value)).value == number.value
    span = duration.parse(text)
    if span.ok and span.value is not None and not math.isinf(span.value):
        assert duration.parse(duration.format(span.value)).value == span.value


@given(trees(), st.sampled_from(["json", "yaml"]))
def test_a_jobspec_gives_its_shape_back(tree: tuple[Vertex, ...], form: Any) -> None:
    text = dump(jobspec.build(to_resources(tree)), form)
    value = json.loads(text) if form == "json" else yaml.safe_load(text)
    back = from_resources(value["resources"])
    assert back.ok
    assert bare(back.value) == bare(tree)
    assert format_shape(back.value) == format_shape(tree)
