"""The resources that ``qsub -l`` asks for."""

import re
from collections.abc import Sequence

from fluxtui.answers.commands import foreign
from fluxtui.answers.commands.foreign import Layout
from fluxtui.answers.commands.options import Found, Line
from fluxtui.notation.problem import is_digits, printable


class _Chunk:
    """What ``nodes=`` or ``select=`` asks for so many times."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.nodes = False
        self.exclusive = False
        self.cpus = 1
        self.gpus = 0
        self.memory = 0
        self.tasks: int | None = None
        self.properties: list[str] = []
        self.hosts: list[str] = []


_SILENT = ("walltime", "place")


def read(line: Line, items: Sequence[Found], job: foreign.Job) -> Layout:
    """The layout of the parts of all ``-l`` lists; properties and hosts go to the job."""
    chunk = _Chunk()
    values = {item.text.partition("=")[0]: item for item in items}
    for item in items:
        name, _, value = item.text.partition("=")
        if name == "nodes":
            chunk.nodes = True
            _nodes(line, item, value, chunk)
        elif name == "select":
            _select(line, item, value, chunk)
        elif name not in _SILENT:
            _single(line, item, name, value, chunk)
    if (place := values.get("place")) is not None:
        _place(line, place, chunk)
    _cray(line, values, chunk)
    if chunk.properties:
        job.constraints.append({"properties": chunk.properties})
    if chunk.hosts:
        job.constraints.append({"hostlist": [",".join(chunk.hosts)]})
    return _layout(chunk)


def _layout(chunk: _Chunk) -> Layout:
    """Nodes with a slot for each task, or a slot for each chunk."""
    number = chunk.number or 1
    tasks = chunk.tasks or 1
    if not chunk.nodes:
        inside = foreign.core(chunk.cpus, chunk.gpus)
        if chunk.memory:
            inside.append(foreign.memory(chunk.memory))
        return Layout(foreign.slots(None, number, inside), {"per_slot": 1}, number == 1)
    if chunk.cpus % tasks or chunk.gpus % tasks or chunk.memory % tasks:
        tasks = 1
    inside = foreign.core(chunk.cpus // tasks, chunk.gpus // tasks)
    if chunk.memory:
        inside.append(foreign.memory(chunk.memory // tasks))
    resources = foreign.slots(number, tasks, inside, exclusive=chunk.exclusive)
    return Layout(resources, {"per_slot": 1}, tasks == 1)


def _nodes(line: Line, item: Found, value: str, chunk: _Chunk) -> None:
    """``nodes=4:ppn=8:gpus=1:property``, or the names of nodes joined by ``+``."""
    first, *others = value.split("+")
    head, *parts = first.split(":")
    if is_digits(head):
        chunk.number = line.number(item, head)
        if others:
            line.remark(item, "only the first kind of nodes is read; a task runs in one kind")
    else:
        names = [part.split(":")[0] for part in (first, *others)]
        if not all(re.fullmatch(r"[A-Za-z][\w.-]*", name) for name in names):
            message = f"'{printable(value[:40])}' asks for no nodes"
            line.problem(item, message, "nodes=4", "nodes=4:ppn=8")
            return
        chunk.hosts += names
        chunk.number = len(names)
    for part in parts:
        name, equals, number = part.partition("=")
        if name == "ppn":
            chunk.cpus = line.number(item, number) or 1
            chunk.tasks = chunk.cpus
        elif name in ("gpus", "ngpus"):
            chunk.gpus = line.number(item, number, 0) or 0
        elif equals:
            line.remark(item, f"'{printable(name)}' of a node is left out")
        elif part:
            chunk.properties.append(part)


def _select(line: Line, item: Found, value: str, chunk: _Chunk) -> None:
    """``select=4:ncpus=8:ngpus=1:mpiprocs=4:mem=16gb``."""
    first, *others = value.split("+")
    if others:
        line.remark(item, "only the first kind of chunk is read; a task runs in one kind")
    head, *parts = first.split(":")
    if is_digits(head):
        chunk.number = line.number(item, head)
    else:
        parts, chunk.number = [head, *parts], 1
    for part in parts:
        name, equals, given = part.partition("=")
        if not equals:
            message = f"'{printable(part[:40])}' of a chunk has no value"
            line.problem(item, message, "ncpus=8", "ngpus=1", "mem=4gb")
        elif name == "mpiprocs":
            chunk.tasks = line.number(item, given)
        elif name == "ompthreads":
            continue
        elif name in ("host", "vnode"):
            chunk.hosts.append(given)
        else:
            _single(line, item, name, given, chunk)


def _single(line: Line, item: Found, name: str, value: str, chunk: _Chunk) -> None:
    """One resource of a chunk, or of the job where there are no chunks."""
    if name == "ncpus":
        chunk.cpus = line.number(item, value) or 1
    elif name in ("ngpus", "gpus"):
        chunk.gpus = line.number(item, value, 0) or 0
    elif name == "procs":
        chunk.number = line.number(item, value)
    elif name == "mem":
        amount = foreign.megabytes(value)
        if amount is None:
            line.problem(item, f"'{printable(value[:40])}' is no amount of memory", "4gb")
        elif chunk.number not in (None, 1) and item.text.startswith("mem="):
            line.remark(item, "the memory of all the job together is left out")
        else:
            chunk.memory = amount
    elif not name.startswith("mpp"):
        line.remark(item, f"the resource '{printable(name)}' is left out")


def _place(line: Line, item: Found, chunk: _Chunk) -> None:
    """``place=scatter:excl``: chunks on nodes of their own, and nodes given whole."""
    for part in item.text.partition("=")[2].split(":"):
        if part == "scatter":
            chunk.nodes = True
        elif part in ("excl", "exclhost"):
            chunk.exclusive = True
        elif part not in ("free", "shared"):
            line.remark(item, f"'{printable(part)}' has no counterpart in a jobspec")
    if chunk.exclusive and not chunk.nodes:
        line.remark(item, "nodes are given whole only where each chunk has one (scatter)")


def _cray(line: Line, values: dict[str, Found], chunk: _Chunk) -> None:
    """``mppwidth`` tasks, ``mppnppn`` on a node, each with ``mppdepth`` cores."""
    numbers = {
        name: line.number(values[name], values[name].text.partition("=")[2])
        for name in ("mppwidth", "mppnppn", "mppdepth")
        if name in values
    }
    if not numbers:
        return
    width, each, depth = (numbers.get(name) for name in ("mppwidth", "mppnppn", "mppdepth"))
    chunk.tasks = each or chunk.tasks or 1
    chunk.cpus = chunk.tasks * (depth or 1)
    if width is not None:
        chunk.nodes = each is not None or chunk.nodes
        chunk.number = -(-width // chunk.tasks)
