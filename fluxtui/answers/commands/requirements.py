"""Reads and writes the resource requirements of LSF (``bsub -R`` and ``-gpu``).

A requirement has sections such as ``select[gpu] rusage[mem=4GB] span[ptile=4] affinity[core(2)]``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fluxtui.answers.commands import reading
from fluxtui.answers.commands.options import Line, OptionUse
from fluxtui.notation.problem import is_digits, shortened


@dataclass(slots=True)
class Requirements:
    """The requests of ``-R`` and ``-gpu``.

    each        slots per host (``ptile``)
    gpus_per    ``host`` or ``task``
    memory      in MB; memory_per is ``host``, ``task`` or ``job``
    hosts       the number N of the CSM string ``N*{select[CN]...}``
    """

    each: int | None = None
    one_host: bool = False
    cores: int = 1
    gpus: int = 0
    gpus_per: str = "host"
    memory: int = 0
    memory_per: str = "host"
    memory_from: OptionUse | None = None
    gpus_from: OptionUse | None = None
    hosts: int | None = None
    constraints: list[dict[str, Any]] = field(default_factory=list)


_SECTION = re.compile(r"(select|order|rusage|span|same|cu|affinity)\s*\[")


def _sections(text: str) -> Iterator[tuple[str, str, int]]:
    """The name, the text and the start of the text of each section of a requirement.

    Text without brackets before the first section is a selection.
    """
    place, first = 0, True
    while (found := _SECTION.search(text, place)) is not None:
        lead = text[place : found.start()]
        if first and lead.strip():
            yield "select", lead, place
        first = False
        depth, end = 1, found.end()
        while end < len(text) and depth:
            depth += {"[": 1, "]": -1}.get(text[end], 0)
            end += 1
        yield found[1], text[found.end() : end - (depth == 0)], found.end()
        place = end
    if first and text.strip():
        yield "select", text, 0


_COMPOUND = re.compile(r"([0-9]+)\s*\*\s*\{([^{}]*)\}")


def read(line: Line) -> Requirements:
    """Read all ``-R`` and ``-gpu`` options of a line."""
    request = Requirements()
    for found in line.all("requirements"):
        compound = _COMPOUND.findall(found.text)
        if not compound:
            _read_requirement(line, found, found.text, request)
            continue
        # With CSM the launch node and the compute nodes are separate parts.
        parts = [part for part in compound if not re.search(r"\bLN\b", part[1])]
        for number, text in parts[:1]:
            is_csm = re.search(r"\bCN\b", text) is not None
            if is_csm:
                request.hosts = int(number)
            _read_requirement(line, found, re.sub(r"\b(CN|type==any)\b", "", text), request)
        if len(parts) > 1:
            line.note(found, "only the first kind of hosts is read; a task runs in one kind")
        rest = _COMPOUND.sub("", found.text).strip(" +")
        if rest:
            _read_requirement(line, found, rest, request)
    if (gpu := line.get("gpu")) is not None:
        _read_gpu(line, gpu, request)
    return request


def _read_requirement(line: Line, found: OptionUse, text: str, request: Requirements) -> None:
    for name, inner, _ in _sections(text):
        match name:
            case "select":
                _read_select(line, found, inner, request)
            case "rusage":
                _read_usage(line, found, inner, request)
            case "span":
                _read_span(line, found, inner, request)
            case "affinity":
                _read_affinity(line, found, inner, request)
            case "order":
                line.lost(found, "order[] sorts hosts by their load; Flux has no such choice")
            case _:
                line.lost(
                    found,
                    f"{name}[] asks for hosts that are alike or near, which a jobspec cannot",
                    "name a property that such nodes have (--requires)",
                )


def _read_span(line: Line, found: OptionUse, text: str, request: Requirements) -> None:
    for part in re.split(r"[,\s]+", text.strip()):
        key, _, value = part.partition("=")
        value = value.strip("'\"")
        if key == "ptile" and is_digits(value):
            request.each = int(value) or None
        elif key == "hosts" and value == "1":
            request.one_host = True
        elif key == "hosts" and value == "-1":
            continue
        elif key in ("ptile", "block", "stripe", "hosts"):
            line.lost(found, f"span[{shortened(part)}] has no counterpart in a jobspec")
        elif part:
            message = f"LSF has no span '{shortened(part)}'"
            line.unknown(found.value_span, message, "span[ptile=4]", "span[hosts=1]")


def _read_affinity(line: Line, found: OptionUse, text: str, request: Requirements) -> None:
    cores = re.search(r"\b(core|pcore)(?:\s*\(\s*([0-9]+))?", text)
    threads = re.search(r"\bthread(?:\s*\(\s*([0-9]+))?", text)
    if cores is not None:
        request.cores = max(1, int(cores[2] or 1))
    elif threads is not None:
        request.cores = max(1, int(threads[1] or 1))
        line.note(found, "threads are asked for as cores")
    else:
        line.lost(found, "affinity[] asks for sockets or NUMA nodes, which -N and -n cannot")
    if re.search(r"cpubind|membind|same|exclusive|distribute", text):
        line.note(
            found,
            "the binding of affinity[] is that of LSF",
            "approximate",
            "Flux binds tasks to their own cores; see -o cpu-affinity",
        )


_USAGE = re.compile(r"[,:]?\s*([\w.]+)\s*=\s*([^,:|\s]+)")
_GPU_NAMES = ("ngpus_physical", "ngpus_excl_p", "ngpus_excl_t", "ngpus_shared", "ngpus", "gpu")


def _read_usage(line: Line, found: OptionUse, text: str, request: Requirements) -> None:
    first, bars, _ = text.partition("||")
    if bars:
        line.note(found, "only the first of several choices of rusage[] is read")
    for name, written in _USAGE.findall(first):
        value, _, per = written.strip("'\"").partition("/")
        if name == "mem":
            amount = reading.megabytes(value)
            if amount is None:
                message = f"'{shortened(value)}' is not an amount of memory"
                line.problem(found, message, "rusage[mem=4GB]")
                continue
            if reading.is_without_memory(line, found):
                continue
            request.memory, request.memory_per = amount, per or "host"
            request.memory_from = found
            if is_digits(value):
                note = (
                    "MB are taken for memory without a unit; LSF_UNIT_FOR_LIMITS may say otherwise"
                )
                line.note(found, note, "approximate", "write the unit, as in rusage[mem=4GB]")
        elif name in _GPU_NAMES and is_digits(value):
            request.gpus, request.gpus_per, request.gpus_from = int(value), per or "host", found
        elif name in ("duration", "decay"):
            note = f"{name} makes a reservation smaller over time; Flux keeps resources to the end"
            line.note(found, note)
        elif name in ("gmodel", "mode", "j_exclusive", "gmem", "gtile", "glink", "mps", "nvlink"):
            _note_gpu(line, found, name, value)
        else:
            line.lost(
                found,
                f"the resource '{shortened(name)}' is left out; a jobspec names its own types",
            )


def _note_gpu(line: Line, found: OptionUse, name: str, value: str) -> None:
    shown = shortened(f"{name}={value}")
    # In Flux a gpu belongs to one job, whose tasks may share it.
    if shown in ("mode=exclusive_process", "j_exclusive=yes", "mode=shared", "mps=no"):
        return
    if name in ("gmodel", "gvendor"):
        line.lost(found, f"{shown} is left out", "a property can name the kind of gpu (--requires)")
    else:
        line.lost(found, f"{shown} sets up the gpus in a way that a jobspec cannot express")


def _read_gpu(line: Line, found: OptionUse, request: Requirements) -> None:
    """Read ``-gpu num=2/task:mode=shared:gmodel=...``."""
    request.gpus_from = found
    request.gpus = 1
    if found.text.strip() == "-":
        return
    for part in re.split(r"[:\s]+", found.text.strip()):
        name, equals, value = part.partition("=")
        if name == "num":
            number, _, per = value.partition("/")
            request.gpus = line.number(found, number, 0) or 0
            request.gpus_per = per or "host"
        elif equals:
            _note_gpu(line, found, name, value)
        elif part:
            line.unknown(found.value_span, f"-gpu has no part '{shortened(part)}'", "num=1")


_TOKEN = re.compile(
    r"""\s*(?:(?P<sign>&&|\|\||[()]|!(?!=))
    |(?P<term>defined\s*\([^()]*\)|(?:[\w.@%+*/-]+|"[^"]*"|'[^']*')
      (?:\s*(?:==|!=|>=|<=|=~|>|<|=)\s*(?:[\w.@%+*/-]+|"[^"]*"|'[^']*'))?))""",
    re.VERBOSE,
)


def _read_select(line: Line, found: OptionUse, text: str, request: Requirements) -> None:
    """Read a selection of hosts such as ``gpu && (hname==a || hname==b) && mem>1000``."""
    tokens, place = [], 0
    while (token := _TOKEN.match(text, place)) is not None and token.end() > place:
        tokens.append(token["sign"] or token["term"])
        place = token.end()
    if text[place:].strip() or len(tokens) > 300:
        line.lost(found, f"the selection '{shortened(text.strip())}' is not understood")
        return
    rest = [*reversed(tokens)]
    tree = _either(line, found, rest)
    if rest:
        line.lost(found, f"the selection '{shortened(text.strip())}' is not understood")
    elif tree:
        request.constraints.append(tree)


def _either(line: Line, found: OptionUse, rest: list[str], depth: int = 0) -> dict[str, Any] | None:
    """all ('||' all)*; None if no constraint is left of it."""
    parts = [_all(line, found, rest, depth)]
    while rest and rest[-1] == "||":
        rest.pop()
        parts.append(_all(line, found, rest, depth))
    if None in parts:
        return None
    return parts[0] if len(parts) == 1 else {"or": parts}


def _all(line: Line, found: OptionUse, rest: list[str], depth: int) -> dict[str, Any] | None:
    """term ('&&' term)*"""
    parts = [_term(line, found, rest, depth)]
    while rest and rest[-1] == "&&":
        rest.pop()
        parts.append(_term(line, found, rest, depth))
    kept = [part for part in parts if part is not None]
    if len(kept) > 1 and all(set(part) == {"properties"} for part in kept):
        return {"properties": [name for part in kept for name in part["properties"]]}
    return {"and": kept} if len(kept) > 1 else kept[0] if kept else None


def _term(line: Line, found: OptionUse, rest: list[str], depth: int) -> dict[str, Any] | None:
    """'!' term | '(' either ')' | comparison | name"""
    token = rest.pop() if rest else ""
    if token == "!" and depth < 20:
        inner = _term(line, found, rest, depth + 1)
        return None if inner is None else {"not": [inner]}
    if token == "(" and depth < 20:
        tree = _either(line, found, rest, depth + 1)
        if rest and rest[-1] == ")":
            rest.pop()
        return tree
    defined = re.fullmatch(r"defined\s*\(\s*([\w.-]+)\s*\)", token)
    compared = re.fullmatch(r"(.+?)\s*(==|!=|>=|<=|=~|>|<|=)\s*(.+)", token)
    if compared is None:
        name = defined[1] if defined else token
        return {"properties": [name]} if re.fullmatch(r"[\w.-]+", name) else None
    name, sign, value = compared[1], compared[2], compared[3].strip("'\"")
    if name in ("hname", "hostname") and sign in ("==", "=", "!="):
        hosts: dict[str, Any] = {"hostlist": [value]}
        return {"not": [hosts]} if sign == "!=" else hosts
    if name == "type":
        return None  # any or the same kind: a job of Flux may run on all of its nodes
    if name in ("ngpus", "ngpus_physical") and value in ("0", "1"):
        return None
    shown = shortened(token)
    line.lost(
        found,
        f"{shown} compares what LSF measures; Flux has properties of nodes alone",
        "name a property that such nodes have (--requires)",
    )
    return None


# Writing

_RESOURCE = re.compile(r"[A-Za-z_][\w.-]*")


def select_text(constraint: object, within: str = "") -> str | None:
    """The selection for a constraint of properties, hosts, and, or and not; None if none exists."""
    if not isinstance(constraint, Mapping) or len(constraint) != 1:
        return None
    ((operator, values),) = constraint.items()
    if not isinstance(values, list | tuple) or not values:
        return None
    if operator == "hostlist":
        host = values[0] if len(values) == 1 else None
        is_host = isinstance(host, str) and re.fullmatch(r"[\w.-]+", host) is not None
        return f"hname{'!=' if within == '!' else '=='}{host}" if is_host else None
    if operator == "not" and set(values[0] if isinstance(values[0], Mapping) else ()) == {
        "hostlist"
    }:
        return select_text(values[0], "!") if len(values) == 1 else None
    if operator == "not":
        inner = select_text(values[0], "!") if len(values) == 1 else None
        return None if inner is None else f"!{inner}"
    sign = {"and": "&&", "or": "||", "properties": "&&"}.get(str(operator))
    if sign is None:
        return None
    texts = []
    for part in values:
        if operator != "properties":
            text = select_text(part, sign)
        else:
            is_name = isinstance(part, str) and _RESOURCE.fullmatch(part) is not None
            text = part if is_name and part != "defined" else None
        if text is None:
            return None
        texts.append(text)
    is_bare = len(texts) == 1 or within in ("", sign)
    joined = f" {sign} ".join(texts)
    return joined if is_bare else f"({joined})"
