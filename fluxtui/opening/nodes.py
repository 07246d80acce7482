"""Nodes of a cluster into a file or a text: as an R document, a table, a hostlist or an idset."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Literal, TypeVar

from fluxtui.bridge import files
from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import hostlist as hostlists
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import from_mask

T = TypeVar("T")

#: R is RFC 20, csv RFC 4180, matrix the same with a column for each property, hosts RFC 29, ranks
#: RFC 22.
Form = Literal["R", "csv", "matrix", "hosts", "ranks"]

# Levels of a document that are written piece by piece, down to the lists of a resource graph.
_DEEP = 4

# Elements of a list that are written together.
_BLOCK = 64


def _nothing() -> tuple[Problem, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Taken:
    """Nodes as a text in pieces, and what finds warnings of what is not in it: that takes long."""

    pieces: Iterator[str]
    notes: Callable[[], tuple[Problem, ...]] = _nothing


def take(resources: Resources, mask: int, form: Form, stop: Stop) -> Taken:
    """The nodes of a mask in a form, ending in a line end. Not for the event loop.

    stop is asked now and then whether it is not wanted any more; then it, or going through the
    pieces, raises `Stopped`.
    """
    from fluxtui.answers.export import csv_lines, notes, subset

    match form:
        case "R":
            document = subset(resources, mask, stop=stop)
            missing = partial(notes, resources, mask, document)
            return Taken(chain(json_pieces(document), "\n"), missing)
        case "hosts":
            return Taken(chain(_until(stop, _hosts(resources, mask)), "\n"))
        case "ranks":
            return Taken(iter((str(resources.ranks_of(mask)), "\n")))
    return Taken(csv_lines(resources, mask, matrix=form == "matrix", stop=stop))


def save_nodes(
    resources: Resources, mask: int, form: Form, path: str, stop: Stop
) -> tuple[bool, tuple[Problem, ...]]:
    """Write nodes to a file, as ``files.write_atomic`` does; whether it was, and what to tell.

    Where it is stopped, nothing is changed, and `Stopped` is raised.
    """
    taken = take(resources, mask, form, stop)
    problems = files.write_pieces(path, taken.pieces)
    return not problems, problems or taken.notes()


def text_of(
    resources: Resources, mask: int, form: Form, most: int, stop: Stop = going_on
) -> str | None:
    """Nodes as one text, None where it has more than ``most`` characters.

    A table ends in a line end, what is one line does not.
    No more of it is made than that, and nothing where its runs of ranks and its hosts alone are
    more. stop is as in `take`.
    """
    room = most
    for length in _until(stop, _parts(resources, mask, form)):
        room -= length
        if room < 0:
            return None
    pieces: list[str] = []
    # A line end that is left out is not counted.
    room = most if form in ("csv", "matrix") else most + 1
    for piece in take(resources, mask, form, stop).pieces:
        pieces.append(piece)
        room -= len(piece)
        if room < 0:
            return None
    text = "".join(pieces)
    return text if form in ("csv", "matrix") else text.removesuffix("\n")


def _parts(resources: Resources, mask: int, form: Form) -> Iterator[int]:
    """How many characters some parts of a form have at least, those that are found soonest first.

    None of them is made but the hosts.
    """
    mask &= resources.everything
    if form == "ranks":
        yield _least(mask)
    elif form == "R":
        having = (mask & one for one in resources.properties.values())
        kinds = (mask & kind.mask for kind in resources.kinds)
        yield from map(_least, chain(having, kinds))
        yield from map(len, _hosts(resources, mask))


def _least(mask: int) -> int:
    """Fewer characters than the ranks of some nodes take: a digit for each run, and commas."""
    return max(2 * less(mask, mask << 1).bit_count() - 1, 0)


def _hosts(resources: Resources, mask: int) -> Iterator[str]:
    """The hostlist of some nodes in pieces."""
    chosen = from_mask(mask & resources.everything)
    hosts = resources.hosts.pick(zip(chosen.starts, chosen.ends, strict=True))
    yield from hostlists.pieces(hosts)


def _until(stop: Stop, found: Iterable[T]) -> Iterator[T]:
    """What is found, for as long as it is wanted."""
    for one in found:
        stop_if(stop)
        yield one


def json_pieces(value: object, levels: int = _DEEP) -> Iterator[str]:
    """The text that ``json.dumps`` makes of a document, in pieces.

    While one of them is made nothing else goes on, and a whole document may take long.
    """
    if levels and isinstance(value, dict) and value:
        lead = "{"
        for key, inner in value.items():
            yield f"{lead}{json.dumps(key)}: "
            yield from json_pieces(inner, levels - 1)
            lead = ", "
        yield "}"
    elif levels and isinstance(value, list) and value:
        lead = "["
        for start in range(0, len(value), _BLOCK):
            yield lead + json.dumps(value[start : start + _BLOCK])[1:-1]
            lead = ", "
        yield "]"
    else:
        yield json.dumps(value)
