"""Exporting nodes of a cluster: as an R document, a table, a hostlist or an idset."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Literal, TypeVar

from fluxtui.bridge import files
from fluxtui.model.cancellation import Stop, never_stop, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import hostlist as hostlists
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import from_mask

T = TypeVar("T")

#: R is RFC 20; csv is RFC 4180, matrix is csv with a column for each property; hosts is RFC 29,
#: ranks is RFC 22.
Form = Literal["R", "csv", "matrix", "hosts", "ranks"]

# How many levels of a document are written in pieces, down to the lists of a resource graph.
_DEEP = 4

# How many elements of a list are written together.
_BLOCK = 64


def _nothing() -> tuple[Problem, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Exported:
    """Nodes as the pieces of a text, and a slow function for warnings about what is left out."""

    pieces: Iterator[str]
    notes: Callable[[], tuple[Problem, ...]] = _nothing


def export(resources: Resources, mask: int, form: Form, stop: Stop) -> Exported:
    """Return the nodes of a mask as a text that ends with a newline. Not for the event loop.

    stop is called now and then; when it returns True, this or the iteration of the pieces raises
    `Stopped`.
    """
    from fluxtui.answers.export import csv_lines, notes, subset

    match form:
        case "R":
            document = subset(resources, mask, stop=stop)
            missing = partial(notes, resources, mask, document)
            return Exported(chain(json_pieces(document), "\n"), missing)
        case "hosts":
            return Exported(chain(_until(stop, _hosts(resources, mask)), "\n"))
        case "ranks":
            return Exported(iter((str(resources.ranks_of(mask)), "\n")))
    return Exported(csv_lines(resources, mask, matrix=form == "matrix", stop=stop))


def save_nodes(
    resources: Resources, mask: int, form: Form, path: str, stop: Stop
) -> tuple[bool, tuple[Problem, ...]]:
    """Write nodes to a file atomically; return whether it was written, and problems or warnings.

    If stopped, the file is unchanged and `Stopped` is raised.
    """
    exported = export(resources, mask, form, stop)
    problems = files.write_pieces(path, exported.pieces)
    return not problems, problems or exported.notes()


def text_of(
    resources: Resources, mask: int, form: Form, most: int, stop: Stop = never_stop
) -> str | None:
    """Return nodes as one text; None if it has more than ``most`` characters.

    Tables end with a newline, one-line forms do not. No more than ``most`` characters are made, and
    none if a lower bound from runs of ranks and hosts exceeds it already. stop is as in `export`.
    """
    room = most
    for length in _until(stop, _parts(resources, mask, form)):
        room -= length
        if room < 0:
            return None
    pieces: list[str] = []
    # The newline that is removed at the end is not counted.
    room = most if form in ("csv", "matrix") else most + 1
    for piece in export(resources, mask, form, stop).pieces:
        pieces.append(piece)
        room -= len(piece)
        if room < 0:
            return None
    text = "".join(pieces)
    return text if form in ("csv", "matrix") else text.removesuffix("\n")


def _parts(resources: Resources, mask: int, form: Form) -> Iterator[int]:
    """Yield lower bounds for the lengths of parts of a form, the cheapest first.

    Only the hostlist is built for it.
    """
    mask &= resources.everything
    if form == "ranks":
        yield _least(mask)
    elif form == "R":
        by_property = (mask & one for one in resources.properties.values())
        kinds = (mask & kind.mask for kind in resources.kinds)
        yield from map(_least, chain(by_property, kinds))
        yield from map(len, _hosts(resources, mask))


def _least(mask: int) -> int:
    """Return a lower bound for the length of an idset: a digit for each run, and commas."""
    return max(2 * less(mask, mask << 1).bit_count() - 1, 0)


def _hosts(resources: Resources, mask: int) -> Iterator[str]:
    """Yield the hostlist of some nodes in pieces."""
    chosen = from_mask(mask & resources.everything)
    hosts = resources.hosts.pick(zip(chosen.starts, chosen.ends, strict=True))
    yield from hostlists.pieces(hosts)


def _until(stop: Stop, found: Iterable[T]) -> Iterator[T]:
    """Yield the items until stop returns True, which raises `Stopped`."""
    for one in found:
        stop_if(stop)
        yield one


def json_pieces(value: object, levels: int = _DEEP) -> Iterator[str]:
    """Yield the text that ``json.dumps`` makes of a document, in pieces.

    ``json.dumps`` holds the GIL, and a whole document may take long.
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
