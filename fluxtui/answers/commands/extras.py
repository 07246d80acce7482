"""Requests in command lines that a jobspec cannot hold, carried from one system to another.

Examples are an array of jobs, mail and a begin time. If both systems support such a request, it
is written as an option of the other system.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from fluxtui.answers.commands.options import Line


@dataclass(frozen=True, slots=True)
class Extra:
    """One request that a jobspec cannot hold; value is in a form common to all systems.

    kind   such as ``array``, whose value is ``1-10:2%4``, as Slurm writes it
    kinds  `options.Note.extra` of the notes that become obsolete when it is written
    """

    kind: str
    value: str
    kinds: tuple[str, ...]


def read(system: str, line: Line) -> list[Extra]:
    """The requests in a line of a system that a jobspec cannot hold, as far as they make sense."""
    out = [
        Extra(kind, text, (kind,))
        for kind in ("array", "reservation", "hold", "interactive")
        if (found := line.get(kind)) is not None
        for text in [found.text]
    ]
    if line.text("urgency") in ("hold", "0"):
        out.append(Extra("hold", "", ("urgency",)))
    letters = _letters(system, line)
    user = line.text("mail-user")
    if letters or user:
        kinds = ("mail-user", "mail-type", "mail-begin", "mail-end")
        out.append(Extra("mail", f"{letters or 'ef'}:{user or ''}", kinds))
    if (found := line.get("begin")) is not None:
        if moment := _moment(system, found.text):
            out.append(Extra("begin", moment, ("begin",)))
        elif later := _later(found.text):
            out.append(Extra("later", later, ("begin",)))
    for kind in ("requeue", "no-requeue"):
        if (found := line.get(kind)) is None:
            continue
        value = "no" if kind == "no-requeue" or found.text[:1] == "n" else "yes"
        out.append(Extra("requeue", value, (kind,)))
    return out


def _letters(system: str, line: Line) -> str:
    """The events for mail: ``b`` for the beginning, ``e`` for the end, ``f`` for a failure."""
    text = line.text("mail-type") or ""
    if system == "slurm":
        names = {"BEGIN": "b", "END": "e", "FAIL": "f", "ALL": "bef"}
        wanted = "".join(names.get(part.strip().upper(), "") for part in text.split(","))
    elif system == "pbs":
        wanted = text.replace("a", "f")
    else:
        wanted = ("b" if line.get("mail-begin") else "") + ("ef" if line.get("mail-end") else "")
    return "".join(letter for letter in "bef" if letter in wanted)


def _moment(system: str, text: str) -> str | None:
    """A point in time as ``YYYY-MM-DDTHH:MM`` or ``HH:MM``; None if it is in another form."""
    if system in ("slurm", "flux"):
        found = re.fullmatch(
            r"(?:([0-9]{4})-([0-9]{2})-([0-9]{2})[T ])?([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?", text
        )
    elif system == "pbs":
        found = re.fullmatch(
            r"(?:([0-9]{4})([0-9]{2})([0-9]{2}))?([0-9]{2})([0-9]{2})(?:\.[0-9]{2})?", text
        )
    else:
        found = re.fullmatch(
            r"(?:([0-9]{4}):([0-9]{1,2}):([0-9]{1,2}):)?([0-9]{1,2}):([0-9]{2})", text
        )
    if found is None:
        return None
    year, month, day, hour, minute = found.groups()
    lead = f"{year}-{int(month):02}-{int(day):02}T" if year else ""
    return f"{lead}{int(hour):02}:{minute}"


_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def _later(text: str) -> str | None:
    """A time from now, ``now+1hour`` in Slurm or ``+1h`` in Flux, as ``1h``; None if neither."""
    found = re.fullmatch(r"(?:now)?\+([0-9]{1,9})([a-z]*)", text.strip().lower())
    if found is None:
        return None
    unit = found[2][:1] or "s"
    is_known = unit in _UNITS and (found[2] in ("", unit) or _UNITS[unit].startswith(found[2]))
    return f"{found[1]}{unit}" if is_known else None


Words = Callable[[str], list[str] | None]


def _slurm_mail(value: str) -> list[str]:
    letters, _, user = value.partition(":")
    names = ",".join({"b": "BEGIN", "e": "END", "f": "FAIL"}[letter] for letter in letters)
    return [f"--mail-type={names}", *([f"--mail-user={user}"] if user else [])]


def _pbs_mail(value: str) -> list[str]:
    letters, _, user = value.partition(":")
    return ["-m", letters.replace("f", "a"), *(["-M", user] if user else [])]


def _lsf_mail(value: str) -> list[str]:
    letters, _, user = value.partition(":")
    words = [*(["-B"] if "b" in letters else []), *(["-N"] if set(letters) & set("ef") else [])]
    return [*words, *(["-u", user] if user else [])]


def _pbs_array(value: str) -> list[str] | None:
    return ["-J", value] if re.fullmatch(r"[0-9]+-[0-9]+(?::[0-9]+)?(?:%[0-9]+)?", value) else None


def _pbs_moment(value: str) -> list[str]:
    return ["-a", re.sub(r"[-T:]", "", value)]


def _lsf_moment(value: str) -> list[str]:
    return ["-b", re.sub(r"[-T]", ":", value)]


_WRITERS: Mapping[str, Mapping[str, Words]] = {
    "flux": {
        "begin": lambda value: [f"--begin-time={value.replace('T', ' ')}"],
        "later": lambda value: [f"--begin-time=+{value}"],
        "hold": lambda value: ["--urgency=hold"],
        "interactive": lambda value: [],
        "label": lambda value: ["--label-io"],
    },
    "slurm": {
        "array": lambda value: [f"--array={value}"],
        "mail": _slurm_mail,
        "begin": lambda value: [f"--begin={value}"],
        "later": lambda value: [f"--begin=now+{value[:-1]}{_UNITS[value[-1]]}"],
        "hold": lambda value: ["--hold"],
        "requeue": lambda value: ["--requeue" if value == "yes" else "--no-requeue"],
        "reservation": lambda value: [f"--reservation={value}"],
        "interactive": lambda value: [],
        "label": lambda value: ["-l"],
    },
    "pbs": {
        "array": _pbs_array,
        "mail": _pbs_mail,
        "begin": _pbs_moment,
        "hold": lambda value: ["-h"],
        "requeue": lambda value: ["-r", value[:1]],
        "interactive": lambda value: ["-I"],
    },
    "lsf": {
        "array": lambda value: [],  # part of the name, see lsf_name
        "mail": _lsf_mail,
        "begin": _lsf_moment,
        "hold": lambda value: ["-H"],
        "requeue": lambda value: ["-r" if value == "yes" else "-rn"],
        "reservation": lambda value: ["-U", value],
        "interactive": lambda value: ["-Is"],
    },
}


def write(target: str, extras: Iterable[Extra]) -> tuple[list[str], set[str]]:
    """The options for the extras that a system supports, and the kinds of notes now obsolete."""
    words: list[str] = []
    obsolete: set[str] = set()
    for extra in extras:
        writer = _WRITERS[target].get(extra.kind)
        written = None if writer is None else writer(extra.value)
        if written is not None:
            words += written
            obsolete.update(extra.kinds)
    return words, obsolete


def lsf_name(name: str, array: str) -> str:
    """The name of an array of jobs in LSF, such as ``name[1-10]%4``."""
    numbers, percent, most = array.partition("%")
    return f"{name}[{numbers}]{percent}{most}"
