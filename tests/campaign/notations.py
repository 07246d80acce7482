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
from fluxtui.answers.fixes.texts import corrected_query, corrected_shape
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
from fluxtui.notation.shape.tree import from_resources, to_resources, walk
from tests.campaign import seeds
from tests.campaign.laws import Kind, offers, sound
from tests.campaign.mutation import Source
from tests.model import jobspecs
from tests.notation.shape.trees import bare
from tests.opened import demo

OWN = {"A": "x", "AB": "", "HOME": "/h", "LD_A": "2", "X_1": "a b"}


def _notation(
    parse: Callable[[str], Any],
    write: Callable[[Any], str],
    *looks: Callable[[Any], object],
    of: Callable[[Any], Any] = lambda value: value,
) -> Callable[[str], object]:
    """What a notation reads is written, and says the same again.

    looks are other things that are done with a value; of is the part of it that says something.
    """

    def run(text: str) -> object:
        found = parse(text)
        said: list[object] = [sound(found.problems, text), str(found.value)[:2000]]
        if found.value is not None:
            said += [look(found.value) for look in looks]
            if found.ok and "\0" not in text:  # which no word of a shell can have
                again = parse(write(found.value))
                assert again.ok, "what is written is not read"
                assert identical(of(again.value), of(found.value), ordered=False), (
                    "written otherwise"
                )
        return said

    return run


def _of_count(value: count.Count) -> object:
    count.least(value), count.greatest(value, 1 << 40)
    return count.describe(value), count.to_json(value)


def _count_json(value: object) -> object:
    found = count.from_json(value)
    if found.ok and found.value is not None:
        assert count.from_json(count.to_json(found.value)).value == found.value, "written otherwise"
    return sound(found.problems)


def _count(text: str) -> object:
    found = count.parse(text)
    if found.ok:
        again = count.from_json(count.to_json(found.value)).value
        assert again == found.value, "its JSON says otherwise"
    return _notation(count.parse, count.format, _of_count)(text)


def _of_duration(seconds: float) -> object:
    brief = duration.brief(seconds) if seconds < 1e6 * 86400 else ""
    assert len(brief) <= 7, "a span of time takes many columns"
    return duration.describe(seconds)


def _dependency(text: str) -> Any:
    found = dependency.parse(text)
    assert (found.value is None) == (not found.ok), "there is a value or an error"
    return found


def _environment(text: str) -> object:
    found = environment.parse(text, OWN)
    try:
        written = environment.format(found.variables)
    except ValueError:  # as is documented of what has no word
        written = None
    if found.ok and written is not None:
        assert environment.parse(written, {}).variables == found.variables, "written otherwise"
    return sound(found.problems, text), dict(found.variables)


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
    else:
        meant = corrected_shape(text)
        assert meant is None or parse_shape(meant).ok, "what is corrected is not read"
    return sound(found.problems, text), written, json.dumps(listed)


_ADDED = [{"type": "memory", "count": 2, "unit": "GB"}]

#: What is done to a vertex of a shape, with what beside it; ... is the whole text.
_EDITS: tuple[tuple[Callable[..., edit.Edited], *tuple[object, ...]], ...] = (
    (edit.add_child, "gpu=2"), (edit.wrap, "slot"), (edit.add_sibling, ...), (edit.delete,),
    (edit.lift,), (edit.duplicate,), (edit.move, 1), (edit.indent,), (edit.step_count, 1),
    (edit.set_label, "b"), (edit.toggle_exclusive,), (edit.set_pair, ...),
    (lambda shape, at: edit.edit_vertex(shape, at, edit.line_of(shape, at)),),
)  # fmt: skip


def _shape_edits(text: str) -> object:
    """Some edits of the first vertices, and the text after its resources."""
    found = parse_shape(text)
    listed = to_resources(found)
    made = [revise(found, [*listed, *_ADDED]).text, revise(found, listed[1:]).text]
    for depth, _ in zip(range(1, 4), walk(found.vertices), strict=False):
        change, *more = _EDITS[(len(text) + depth) % len(_EDITS)]
        done = change(found, (0,) * depth, *(text if one is ... else one for one in more))
        sound([done.problem] if done.problem is not None else [])
        made.append(done.text)
    return made


#: Characters of a query up to which it is written and read again, which takes four times as long.
WRITTEN = 4_000


def _query(text: str) -> object:
    found = parse_query(text)
    _tokens(found.tokens, text)
    assert found.tree is not None or not found.ok, "there is a tree or an error"
    obj = None
    if found.ok and found.tree is not None and len(text) <= WRITTEN:
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
    said: list[object] = [sound(found.problems, text)]
    if found.constraint is not None:
        again = tree.read(tree.to_json(found.constraint))
        assert again.value == found.constraint, "its object says otherwise"
        explained = explain(found, demo().resources)
        assert explained is not None, "it is not explained"
        hints = name_hints.hints(found.constraint, demo().resources)
        said += [sound(found.located(hints), text), str(explained.mask)]
        requires.object_text(found.constraint, 40)
    elif not found.blank:
        meant = corrected_query(text)
        assert meant is None or requires.read(meant).ok, "what is corrected is not read"
    return said


def _constraint_edits(text: str, other: str) -> object:
    """Every edit of the parts of a constraint: what comes out is read."""
    found = explain(requires.read(text), demo().resources)
    made = []
    for part in islice(found.root.walk(), 2) if found is not None else ():
        edits = (query_edit.negate, query_edit.swap, query_edit.delete)
        joined = query_edit.join(found, part, "or", other)
        for done in (*(change(found, part) for change in edits), joined):
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
_INDEX = demo().resources.host_index
_KNOWN = Known(domains={"socket": "a socket"})
_CONTEXT = Context(OWN, "/h", ("batch", "debug"), jobspecs.BASE, NAMES)


def _completion(
    name: str, complete: Callable[[str, int], list[Completion]], sources: tuple[Source, ...] = ()
) -> Kind:
    """The kind of what completes a text, at each place in it; at a few of a long one."""

    def run(text: str) -> object:
        every = max(1, len(text) // (20 if len(text) < WRITTEN else 5)) if len(text) > 60 else 1
        found = []
        for cursor in range(0, len(text) + 1, every):
            here = complete(text, cursor)
            offers(here, text, cursor)
            found.append([one.text for one in here])
        return found

    return Kind(f"{name} completion", run, sources or _source(name))


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
    """What the tests have of some kinds of answers and messages, and of a corpus."""

    def texts() -> list[str]:
        corpus = seeds.recorded(recorded, "in") if recorded else []
        return [*seeds.asked(*kinds), *more, *seeds.messages(*kinds), *corpus]

    return (Source(texts),)


_HOSTS = _notation(hostlist.parse, hostlist.format, lambda value: hostlist.format(value, 50))
_DURATION = _notation(duration.parse, duration.format, _of_duration)
_DEPENDENCY = _notation(_dependency, dependency.format, dependency.describe)
_WORDS = _notation(
    shellwords.split,
    lambda words: shellwords.join(word.text for word in words),
    of=lambda words: [word.text for word in words],
)
_SETTINGS = _notation(settings.parse, settings.format)
SHAPES, QUERIES = (Source(seeds.shapes),), (Source(seeds.queries),)
_COUNTS = (
    Source(lambda: ('{"min": 2, "max": 30, "operator": "+", "operand": 1}', '"2-4"', "3"), "json"),
)

KINDS = (
    Kind("idset", _notation(idset.parse, idset.format), _source("idset", recorded="idset")),
    Kind("hostlist", _HOSTS, _source("hostlist", recorded="hostlist")),
    Kind("count", _count, _source("count", more=("2-64:2:*", "1+", "[4]", "1,3-5"))),
    Kind("count object", lambda text: _count_json(json_text.parse(text).value), _COUNTS),
    Kind("duration", _DURATION, _source("duration", recorded="fsd")),
    Kind("dependency", _DEPENDENCY, _source("dependency")),
    Kind("environment", _environment, _source("environment", "variable")),
    Kind("shellwords", _WORDS, _source("words")),
    Kind("settings", _SETTINGS, _source("settings")),
    Kind("JSON", _json, (Source(lambda: [*seeds.asked("json"), *seeds.constraints()], "json"),)),
    Kind("shape", _shape, SHAPES),
    Kind("shape edits", _shape_edits, SHAPES),
    Kind("query", _query, QUERIES),
    Kind("requires", _requires, QUERIES),
    Kind("constraint edits", _constraint_edits, (*QUERIES, *QUERIES)),
    Kind("filter", _filter, _source("filter", "target")),
    Kind("form fields", _fields, (Source(seeds.fields),)),
    _completion("shape", lambda text, at: shape_completions(text, at, _KNOWN), SHAPES),
    _completion("constraint", lambda text, at: completion.completions(text, at, NAMES), QUERIES),
    _completion("idset", lambda text, at: idset.completions(text, at, demo().resources.ranks)),
    _completion("hostlist", lambda text, at: host_index.completions(text, at, _INDEX)),
    _completion("count", count.completions),
    _completion("duration", duration.completions),
)  # fmt: skip
