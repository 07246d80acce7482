"""Nodes of a cluster into a file or a text: as an R document, a table, a hostlist or an idset."""

import json
from collections.abc import Iterator
from itertools import chain
from typing import Literal, NamedTuple

from fluxtui.answers.stopping import Stop, going_on
from fluxtui.bridge import files
from fluxtui.model.resource_set import Resources
from fluxtui.notation.source import Problem

#: R is RFC 20, csv RFC 4180, matrix the same with a column for each property, hosts RFC 29, ranks
#: RFC 22.
Form = Literal["R", "csv", "matrix", "hosts", "ranks"]

# Levels of a document that are written piece by piece, down to the lists of a resource graph.
_DEEP = 4

# Elements of a list that are written together.
_BLOCK = 64


class Taken(NamedTuple):
    """Nodes as a text in pieces, and warnings of what is not in it."""

    pieces: Iterator[str]
    notes: tuple[Problem, ...] = ()


def take(resources: Resources, mask: int, form: Form, stop: Stop) -> Taken:
    """The nodes of a mask in a form, ending in a line end. Not for the event loop.

    stop is asked now and then whether it is not wanted any more; then it, or going through the
    pieces, raises ``answers.taking.Stopped``.
    """
    from fluxtui.answers import taking

    match form:
        case "R":
            document = taking.subset(resources, mask, stop=stop)
            notes = taking.notes(resources, mask, document)
            return Taken(chain(json_pieces(document), "\n"), notes)
        case "hosts":
            return Taken(iter((resources.hosts_of(mask), "\n")))
        case "ranks":
            return Taken(iter((str(resources.ranks_of(mask)), "\n")))
    return Taken(taking.csv_lines(resources, mask, matrix=form == "matrix", stop=stop))


def save_nodes(
    resources: Resources, mask: int, form: Form, path: str, stop: Stop
) -> tuple[bool, tuple[Problem, ...]]:
    """Write nodes to a file, as ``files.write_atomic`` does; whether it was, and what to tell.

    Where it is stopped, nothing is changed, and ``answers.taking.Stopped`` is raised.
    """
    taken = take(resources, mask, form, stop)
    problems = files.write_pieces(path, taken.pieces)
    return not problems, problems or taken.notes


def text_of(resources: Resources, mask: int, form: Form, most: int) -> str | None:
    """Nodes as one text without the last line end; None where it has more than ``most`` characters.

    No more of a table is made than that.
    """
    pieces: list[str] = []
    room = most
    for piece in take(resources, mask, form, going_on).pieces:
        pieces.append(piece)
        room -= len(piece)
        if room < 0:
            return None
    text = "".join(pieces)
    return text if form in ("csv", "matrix") else text.removesuffix("\n")


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
