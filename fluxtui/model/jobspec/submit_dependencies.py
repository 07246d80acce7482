"""What flux-core asks of the dependencies of a job (RFC 26) as it takes it in."""

import re
from collections.abc import Mapping
from typing import Any

from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec.submit_notes import LAST, Notes
from fluxtui.notation import dependency, duration
from fluxtui.notation.problem import at, nearest, printable

#: The schemes that flux-core knows by itself; a site may add others.
SCHEMES = tuple(name for name, scheme in dependency.SCHEMES.items() if scheme.in_flux)

# A later time has no place in flux-core's memory.
_LATEST = 1e112

_BLANK = " \t\n\v\f\r"
_F58 = re.compile(r"[\u0192f][1-9A-HJ-NP-Za-km-z]{1,12}")
_DOTTED = re.compile(r"[0-9a-fA-F]{1,4}(\.[0-9a-fA-F]{1,4}){3}")
_WORDS = re.compile(r"[A-Za-z]+(-+[A-Za-z]+){5,}")
_NUMBER = re.compile(rf"(\+?[0-9]+|0x[0-9a-fA-F]+)[{_BLANK}]*")


def check(notes: Notes, system: Mapping[str, Any], path: str) -> None:
    """Note what flux-core refuses in the dependencies of these system attributes.

    path is that of the attributes. Whether a job that is waited for is there is not asked.
    """
    entries = system["dependencies"]
    path = at(path, "dependencies")
    if not isinstance(entries, list | tuple):
        notes.add(f"dependencies is a list; found {shown(entries)}", path, "a list")
        return
    for number, entry in enumerate(entries):
        here = at(path, number)
        if not isinstance(entry, Mapping):
            notes.add(f"a dependency is a dictionary; found {shown(entry)}", here, "a dictionary")
            continue
        missing = [key for key in ("scheme", "value") if not isinstance(entry.get(key), str)]
        for key in missing:
            found = shown(entry[key]) if key in entry else "nothing"
            message = f"a dependency has a {key}, which is a string; found {found}"
            notes.add(message, at(here, key), "a string")
        if not missing:
            _entry(notes, system, entry, here)


def _entry(notes: Notes, system: Mapping[str, Any], entry: Mapping[str, Any], path: str) -> None:
    """What the job manager makes of one dependency, by its scheme."""
    scheme, value = entry["scheme"], entry["value"]
    shown_value = printable(value[:40])
    if scheme not in SCHEMES:
        near = nearest(scheme, SCHEMES)
        hint = f"; did you mean {near}?" if near else ""
        message = f"flux-core itself knows no dependency scheme '{printable(scheme[:40])}'{hint}"
        notes.add(message, at(path, "scheme"), *([near] if near else SCHEMES), turn=LAST)
    elif scheme.startswith("after") and not is_job_id(value):
        message = f"{scheme} takes the id of a job; '{shown_value}' is none"
        notes.add(message, at(path, "value"), "a job id", turn=LAST)
    elif scheme == "begin-time" and not _is_moment(value):
        message = f"begin-time takes seconds since the epoch; found '{shown_value}'"
        notes.add(message, at(path, "value"), "seconds since 1970", turn=LAST)
    elif scheme == "singleton":
        job = system.get("job", {})
        if not isinstance(job, Mapping) or not isinstance(job.get("name"), str):
            message = "a singleton waits for jobs of its own name, and this job has no name"
            notes.add(message, path, "attributes.system.job.name", turn=LAST)


def is_job_id(text: str) -> bool:
    """Whether flux-core reads the text as the id of a job (RFC 19).

    Of ids in words or emoji only the form is looked at.
    """
    text = text.lstrip(_BLANK).removeprefix("job.").lstrip(_BLANK)
    if not text:
        return False
    if "." in text:
        return bool(_DOTTED.fullmatch(text))
    if "-" in text:
        return bool(_WORDS.fullmatch(text))
    if text[:1] in ("f", "\u0192"):
        return bool(_F58.fullmatch(text))
    if not text.isascii():
        return not any(char.isascii() or char.isalpha() for char in text)
    found = _NUMBER.fullmatch(text)
    if found is None:
        return False
    digits = found[1].removeprefix("+").removeprefix("0x").lstrip("0")
    # The largest number of 64 bits stands for no job.
    return len(digits) <= 20 and int(digits or "0", 16 if "x" in text else 10) < 2**64 - 1


def _is_moment(text: str) -> bool:
    """Whether C reads all of the text as a number of seconds; nothing counts as 0."""
    if not text:
        return True
    if text[-1] in "smhd" and not text.lower().lstrip(_BLANK).startswith("0x"):
        return False
    found = duration.parse(text)
    return found.ok and found.value is not None and found.value <= _LATEST
