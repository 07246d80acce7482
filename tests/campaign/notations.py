"""The kinds of the written notations: read, written, read back; and completion in each of them."""

import json
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from fluxtui.answers import matching
from fluxtui.answers.explain import edit as query_edit
from fluxtui.answers.explain import names as name_hints
from fluxtui.answers.explain import target
from fluxtui.answers.explain.explanation import explain
from fluxtui.answers.listing.filtering import Filter
from fluxtui.model.constraint import completion, requires, tree
from fluxtui.model.form.field import MISSING, Context
from fluxtui.model.form.fields import FIELDS
from fluxtui.notation import (
    count,
    dependency,
    duration,
    environment,
    json_text,
    settings,
    shellwords,
)
from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import Completion
from fluxtui.notation.query import format as query_format
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.sets import host_index, hostlist, idset
from fluxtui.notation.shape import edit
from fluxtui.notation.shape.completion import Known
from fluxtui.notation.shape.completion import completions as shape_completions
from fluxtui.notation.shape.format import format_shape, revise
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import Path, Shape, from_resources, to_resources, walk
from tests.campaign import seeds
from tests.campaign.laws import Kind, offers, sound
from tests.campaign.mutation import Source
from tests.model import jobspecs
from tests.notation.shape.trees import bare
from tests.opened import demo

OWN = {"A": "x", "AB": "", "HOME": "/h", "LD_A": "2", "X_1": "a b"}


def _idset(text: str) -> object:
    found = idset.parse(text)
    if found.ok:
        assert idset.parse(idset.format(found.value)).value == found.value, "written otherwise"
    return sound(found.problems, text), str(found.value)


def _hostlist(text: str) -> object:
    found = hostlist.parse(text)
    if found.ok:
        again = hostlist.parse(hostlist.format(found.value))
        assert again.ok, "what is written is not read"
        assert again.value == found.value, "written otherwise"
    return sound(found.problems, text), hostlist.format(found.value, 50)


def _count(text: str) -> object:
    found = count.parse(text)
    said: object = None
    if found.value is not None:
        said = count.format(found.value), count.describe(found.value), count.to_json(found.value)
        count.least(found.value), count.greatest(found.value, 1 << 40)
    if found.ok:
        assert count.parse(count.format(found.value)).value == found.value, "written otherwise"
        again = count.from_json(count.to_json(found.value)).value
        assert again == found.value, "its JSON says otherwise"
    return sound(found.problems, text), said


def _count_object(text: str) -> object:
    value = json_text.parse(text).value
    found = count.from_json(value)
    if found.ok and found.value is not None:
        assert count.from_json(count.to_json(found.value)).value == found.value, "written otherwise"
    return sound(found.problems)


def _duration(text: str) -> object:
    found = duration.parse(text)
    if found.value is not None:
        duration.describe(found.value)
        assert duration.parse(duration.format(found.value)).value == found.value, (
            "written otherwise"
        )
        if found.value < 1e6 * 86400:
            assert len(duration.brief(found.value)) <= 7, "a span of time takes many columns"
    return sound(found.problems, text), found.value


def _dependency(text: str) -> object:
    found = dependency.parse(text)
    assert (found.value is None) == (not found.ok), "there is a value or an error"
    if found.value is not None:
        dependency.describe(found.value)
        again = dependency.parse(dependency.format(found.value)).value
        assert again == found.value, "written otherwise"
    return sound(found.problems, text), str(found.value)


def _environment(text: str) -> object:
    found = environment.parse(text, OWN)
    try:
        written = environment.format(found.variables)
    except ValueError:  # as is documented of what has no word
        written = None
    if found.ok and written is not None:
        assert environment.parse(written, {}).variables == found.variables, "written otherwise"
    return sound(found.problems, text), dict(found.variables)


def _shellwords(text: str) -> object:
    found = shellwords.split(text)
    words = [word.text for word in found.value]
    if found.ok and "\0" not in text:
        again = [word.text for word in shellwords.split(shellwords.join(words)).value]
        assert again == words, "written otherwise"
    return sound(found.problems, text), words


def _settings(text: str) -> object:
    found = settings.parse(text)
    if found.ok and isinstance(found.value, dict):
        again = settings.parse(settings.format(found.value)).value
        assert identical(again, found.value, ordered=False), "written otherwise"
    return sound(found.problems, text), repr(found.value)


def _json(text: str) -> object:
    found = json_text.parse(text)
    if found.ok:
        assert identical(json.loads(text), found.value), "Python reads it otherwise"
    return sound(found.problems, text), repr(found.value)


def _tokens(tokens: Sequence[Any], text: str) -> None:
    place = 0
    for token in tokens:
        assert not text[place : token.span.start].strip(), "a sign is in no token"
        inside = place <= token.span.start < token.span.end <= len(text)
        assert inside, "a sign is in two tokens, or in none that the text has"
        place = token.span.end
    assert not text[place:].strip(), "a sign is in no token"


def _shape(text: str) -> object:
    found = parse_shape(text)
    _tokens(found.tokens, text)
    listed = to_resources(found)
    written = format_shape(found)
    if found.ok:
        again = parse_shape(written)
        assert again.ok, "what is written is not read"
        assert bare(again.vertices) == bare(found.vertices), "written otherwise"
        for style in ("dict", "string"):
            back = from_resources(to_resources(found, counts=style))
            assert back.ok, "its resources are not read"
            said = format_shape(back.value)
            same = said == written or to_resources(parse_shape(said)) == listed
            assert same, "its resources say otherwise"
    return sound(found.problems, text), written, json.dumps(listed)


_ADDED = [{"type": "memory", "count": 2, "unit": "GB"}]


_EDITS: tuple[Callable[[Shape, Path, str], edit.Edited], ...] = (
    lambda shape, at, text: edit.add_child(shape, at, "gpu=2"),
    lambda shape, at, text: edit.wrap(shape, at, "slot"),
    edit.add_sibling,
    lambda shape, at, text: edit.delete(shape, at),
    lambda shape, at, text: edit.lift(shape, at),
    lambda shape, at, text: edit.duplicate(shape, at),
    lambda shape, at, text: edit.move(shape, at, 1),
    lambda shape, at, text: edit.indent(shape, at),
    lambda shape, at, text: edit.step_count(shape, at, 1),
    lambda shape, at, text: edit.set_label(shape, at, "b"),
    lambda shape, at, text: edit.toggle_exclusive(shape, at),
    edit.set_pair,
    lambda shape, at, text: edit.edit_vertex(shape, at, edit.line_of(shape, at)),
)


def _shape_edits(text: str) -> object:
    """Some edits of the first vertices, and the text after its resources."""
    found = parse_shape(text)
    listed = to_resources(found)
    made = [revise(found, [*listed, *_ADDED]).text, revise(found, listed[1:]).text]
    for depth, _ in zip(range(1, 4), walk(found.vertices), strict=False):
        done = _EDITS[(len(text) + depth) % len(_EDITS)](found, (0,) * depth, text)
        sound([done.problem] if done.problem is not None else [])
        made.append(done.text)
    return made


def _query(text: str) -> object:
    found = parse_query(text)
    _tokens(found.tokens, text)
    assert found.tree is not None or not found.ok, "there is a tree or an error"
    obj = None
    if found.ok and found.tree is not None:
        obj = to_constraint(found.tree, {})
        again = parse_query(query_format.format(found.tree))
        assert again.ok, "what is written is not read"
        assert again.tree is not None, "what is written is blank"
        assert to_constraint(again.tree) == obj, "written otherwise"
        words = query_format.from_constraint(obj)
        if words is not None:
            other = parse_query(words).tree
            assert other is not None, "its object is not written"
    return sound(found.problems, text), repr(obj)


def _requires(text: str) -> object:
    """What a person types: a query or an object; what it matches, and what is odd about it."""
    found = requires.read(text)
    said = [sound(found.problems, text)]
    if found.constraint is not None:
        obj = tree.to_json(found.constraint)
        again = tree.read(obj)
        assert again.value == found.constraint, "its object says otherwise"
        explained = explain(found, demo().resources)
        assert explained is not None, "it is not explained"
        said.append(
            sound(found.located(name_hints.hints(found.constraint, demo().resources)), text)
        )
        said.append((str(explained.mask),))
        requires.object_text(found.constraint, 40)
    return said


def _constraint_edits(text: str, other: str) -> object:
    """Every edit of the parts of a constraint: what comes out is read."""
    found = explain(requires.read(text), demo().resources)
    made = []
    for part in islice(found.root.walk(), 2) if found is not None else ():
        assert found is not None
        for done in (
            query_edit.negate(found, part),
            query_edit.swap(found, part),
            query_edit.delete(found, part),
            query_edit.join(found, part, "or", other),
        ):
            made.append(done.text)
            if done.problem is None and done.text:
                assert requires.read(done.text).ok, "an edit breaks the constraint"
    return made


def _filter(text: str) -> object:
    """What finds nodes: the filter of the table, the target of why, what is searched."""
    on = demo().resources
    left = Filter(on).nodes(text)
    found = target.find(text, on)
    problems = [] if left.problem is None else [left.problem]
    said = sound(problems, text), sound(found.problems, text)
    assert left.problem is None or not left.mask, "a problem leaves nodes"
    assert found.ok == bool(found.value.mask), "there are nodes or an error"
    return said, left.mask, found.value.mask, matching.find(on, text, 9)


NAMES = completion.Names.of(demo().resources)
_CONTEXT = Context(OWN, "/h", ("batch", "debug"), jobspecs.BASE, NAMES)

#: What completes a text, each at a place in it.
COMPLETERS: dict[str, Callable[[str, int], list[Completion]]] = {
    "shape": lambda text, at: shape_completions(text, at, Known(domains={"socket": "a socket"})),
    "constraint": lambda text, at: completion.completions(text, at, NAMES),
    "idset": lambda text, at: idset.completions(text, at, demo().resources.ranks),
    "hostlist": lambda text, at: host_index.completions(text, at, demo().resources.host_index),
    "count": count.completions,
    "duration": duration.completions,
}


def _complete(name: str) -> Callable[[str], object]:
    complete = COMPLETERS[name]

    def run(text: str) -> object:
        places = range(len(text) + 1)
        if len(text) > 60:
            places = range(0, len(text) + 1, max(1, len(text) // 20))
        found = []
        for cursor in places:
            here = complete(text, cursor)
            offers(here, text, cursor)
            found.append([one.text for one in here])
        return found

    return run


def _fields(text: str) -> object:
    """A text in every field of the form: read, written back, in words, completed."""
    said: list[object] = []
    for field in FIELDS:
        found = field.read(text, _CONTEXT)
        said.append(sound(found.problems, text))
        if found.value is not MISSING and found.ok:
            field.describe(found.value, _CONTEXT)
            again = field.read(field.write(found.value), _CONTEXT)
            assert again.value is not MISSING, f"{field.name}: what is written is not read"
            assert field.place.same(again.value, found.value), f"{field.name}: written otherwise"
        for cursor in {0, len(text) // 2, len(text)}:
            offers(field.complete(text, cursor, _CONTEXT), text, cursor)
    return said


def _source(*kinds: str, recorded: str = "", more: Sequence[str] = ()) -> tuple[Source, ...]:
    def texts() -> list[str]:
        found = [*seeds.asked(*kinds), *more]
        found += [
            text for kind in kinds if kind in seeds._messages() for text in seeds.messages(kind)
        ]
        return found + (seeds.recorded(recorded, lambda row: row["in"]) if recorded else [])

    return (Source(texts),)


SHAPES, QUERIES = (Source(seeds.shapes),), (Source(seeds.queries),)
_COUNTS = ('{"min": 2, "max": 30, "operator": "+", "operand": 1}', '"2-4"', "3", '{"min": 1}')

KINDS = (
    Kind("idset", _idset, _source("idset", recorded="idset")),
    Kind("hostlist", _hostlist, _source("hostlist", recorded="hostlist")),
    Kind("count", _count, _source("count", more=("2-64:2:*", "1+", "[4]", "1,3-5"))),
    Kind("count object", _count_object, (Source(lambda: _COUNTS, "json"),)),
    Kind("duration", _duration, _source("duration", recorded="fsd")),
    Kind("dependency", _dependency, _source("dependency")),
    Kind("environment", _environment, _source("environment", "variable")),
    Kind("shellwords", _shellwords, _source("words")),
    Kind("settings", _settings, _source("settings")),
    Kind("JSON", _json, (Source(lambda: [*seeds.asked("json"), *seeds.constraints()], "json"),)),
    Kind("shape", _shape, SHAPES),
    Kind("shape edits", _shape_edits, SHAPES),
    Kind("query", _query, QUERIES),
    Kind("requires", _requires, QUERIES),
    Kind("constraint edits", _constraint_edits, (*QUERIES, *QUERIES)),
    Kind("filter", _filter, _source("filter", "target")),
    Kind("form fields", _fields, (Source(seeds.fields),)),
    *(
        Kind(f"{name} completion", _complete(name), sources)
        for name, sources in (
            ("shape", SHAPES), ("constraint", QUERIES), ("idset", _source("idset")),
            ("hostlist", _source("hostlist")), ("count", _source("count")),
            ("duration", _source("duration")),
        )
    ),
)  # fmt: skip
