"""Job dependencies on one line: ``SCHEME:VALUE[?KEY=VAL[&KEY=VAL...]]`` (RFC 26).

The schemes are those of RFC 26 and of flux-core. In the keys and values after the ``?``, ``%`` with
two hexadecimal digits is a byte (RFC 3986) and ``+`` is a blank; the text of a number becomes a
number. The VALUE itself is taken literally.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fluxtui.notation.problem import (
    Parsed,
    Problem,
    Span,
    capped,
    did_you_mean,
    nearest,
    printable,
    shortened,
    unreadable,
)

if TYPE_CHECKING:
    from datetime import datetime

RULE = "RFC 26"


@dataclass(frozen=True, slots=True)
class Scheme:
    """Until when the job waits, what its value is ("" if it has none), whether flux-core has it."""

    meaning: str
    value: str
    in_flux: bool = True


_JOB = "the id of a job"

SCHEMES = {
    "afterok": Scheme("until a job has succeeded", _JOB),
    "afterany": Scheme("until a job has ended, successfully or not", _JOB),
    "afternotok": Scheme("until a job has failed", _JOB),
    "afterstart": Scheme("until a job has started", _JOB),
    "afterexcept": Scheme("until a job has ended with an exception", _JOB),
    "after": Scheme("until a job has started; flux-core now calls it afterstart", _JOB),
    "begin-time": Scheme("until a given time", "seconds since the start of 1970"),
    "singleton": Scheme("until no other job of yours has its name", ""),
    "string": Scheme("for jobs that share a name of your choice", "a name", in_flux=False),
    "fluid": Scheme("for a job that may not be yours", _JOB, in_flux=False),
}

_NEWER = {"after": "afterstart"}  # the name in flux-core of a scheme of RFC 26

#: The keys required by the schemes of `WITH_KEYS`, with their possible values.
KEYS = {
    "type": {"in": "waits for others", "out": "others wait for it", "inout": "both of these"},
    "scope": {"user": "among your own jobs", "global": "among the jobs of everyone"},
}
WITH_KEYS = ("string", "fluid")

_URI = re.compile(r"([^\s:?]+)(?::([^?]*))?(?:\?(.*))?", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]+)?")
_SAFE_QUERY = re.compile(r"[A-Za-z0-9_.~:/@!$'()*,-]")

# The encodings of RFC 19: decimal, hexadecimal, dotted, F58, words.
_BLANK = " \t\n\v\f\r"
_F58 = re.compile(r"[\u0192f][1-9A-HJ-NP-Za-km-z]{1,12}")
_DOTTED = re.compile(r"[0-9a-fA-F]{1,4}(\.[0-9a-fA-F]{1,4}){3}")
_WORDS = re.compile(r"[A-Za-z]+(-+[A-Za-z]+){5,}")
_WHOLE = re.compile(rf"(\+?[0-9]+|0x[0-9a-fA-F]+)[{_BLANK}]*")


def parse(text: str) -> Parsed[dict[str, Any] | None]:
    """Read one dependency as an RFC 26 object; None if the text is not a dependency.

    What flux-core would refuse, and what RFC 26 requires of single schemes, are warnings.
    """
    refusal = unreadable("dependency", text, RULE)
    if refusal is not None:
        return Parsed(None, (refusal,))
    span = Span(0, len(text))

    def refused(message: str, *expected: str) -> Parsed[dict[str, Any] | None]:
        return Parsed(None, (Problem(message, span, None, expected, RULE),))

    found = _URI.fullmatch(text)
    if found is None:
        expected = "SCHEME:VALUE, such as afterok:ƒ2oLkTLb"
        return refused(f"'{shortened(text)}' is not a dependency", expected)
    scheme, value, query = found.groups()
    known = SCHEMES.get(scheme)
    if value is None and known is None:
        near = nearest(scheme, SCHEMES)
        hint = did_you_mean(near)
        message = f"'{shortened(scheme)}' is not a dependency, which is SCHEME:VALUE{hint}"
        return refused(message, f"{near}:" if near else "SCHEME:VALUE, such as afterok:ƒ2oLkTLb")
    if value is None and known is not None and known.value:
        examples = {_JOB: "ƒ2oLkTLb", "a name": "foo"}
        message = f"{scheme} needs {known.value} after a ':'"
        return refused(message, f"{scheme}:{examples.get(known.value, '1767225600')}")
    entry: dict[str, Any] = {"scheme": scheme, "value": value or ""}
    problems = [] if query is None else _query(query, found.start(3), entry)
    if any(problem.severity == "error" for problem in problems):
        return Parsed(None, capped(problems))
    return Parsed(entry, capped([*problems, *check(entry, span)]))


def _query(query: str, start: int, entry: dict[str, Any]) -> list[Problem]:
    """KEY=VAL ('&' KEY=VAL)*, added to the entry."""
    problems = []
    for piece in re.finditer(r"[^&;]*", query):
        if not piece[0]:
            continue
        key, equals, value = piece[0].partition("=")
        name, expected = _decoded(key), "another key"
        if not equals or not name:
            message, expected = f"'{shortened(piece[0])}' is not KEY=VALUE", "KEY=VALUE"
        elif name in ("scheme", "value"):
            message = f"the {name} goes before the '?', not after it"
        elif name in entry:
            message = f"duplicate key '{shortened(name)}'"
        else:
            text = _decoded(value)
            number = _NUMBER.fullmatch(text)
            entry[name] = text if number is None else float(text) if number[1] else int(text)
            continue
        span = Span(start + piece.start(), start + piece.end())
        problems.append(Problem(message, span, None, (expected,), RULE))
    return problems


def _decoded(text: str) -> str:
    from urllib.parse import unquote_plus  # needed only after a '?'

    return unquote_plus(text) if "%" in text or "+" in text else text


def check(entry: Mapping[str, Any], span: Span | None = None) -> list[Problem]:
    """Warnings about the scheme, id, time and keys of a dependency."""
    scheme, value = str(entry.get("scheme")), str(entry.get("value"))
    known = SCHEMES.get(scheme)

    def warn(message: str, *expected: str, rule: str = RULE) -> Problem:
        return Problem(message, span, None, expected, rule, "warning")

    if known is None:
        near = nearest(scheme.lower(), SCHEMES)
        hint = did_you_mean(near)
        message = f"flux-core knows no dependency scheme '{shortened(scheme)}'{hint}"
        return [warn(message, *((f"{near}:",) if near else tuple(SCHEMES)), rule="flux-core")]
    found = []
    if not known.in_flux:
        message = f"flux-core does not support the dependency scheme {scheme} yet"
        found.append(warn(message, "afterok:", rule="flux-core"))
    newer = _NEWER.get(scheme, scheme)
    if known.value == _JOB and not is_job_id(value):
        several = _several(newer, value)
        advice = "; separate dependencies by blanks" if several else ""
        message = f"'{shortened(value)}' is not the id of a job{advice}"
        found.append(warn(message, several or f"{newer}:ƒ2oLkTLb"))
    if newer != scheme:
        message = f"flux-core uses {newer} instead of {scheme}"
        found.append(warn(message, f"{newer}:", rule="flux-core"))
    if scheme == "begin-time" and moment(value) is None:
        message = f"begin-time is in seconds since 1970; found '{shortened(value)}'"
        found.append(warn(message, "1767225600"))
    for key, values in KEYS.items() if scheme in WITH_KEYS else ():
        if entry.get(key) not in values:
            message = f"the scheme {scheme} needs its {key}, one of {', '.join(values)}"
            found.append(warn(message, *(f"{key}={name}" for name in values)))
    return found


def is_job_id(text: str) -> bool:
    """Whether flux-core reads the text as a job id (RFC 19); words are only checked for form."""
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
    match = _WHOLE.fullmatch(text)
    if match is None:
        return False
    digits = match[1].removeprefix("+").removeprefix("0x").lstrip("0")
    # The largest 64-bit number is not a valid job id.
    return len(digits) <= 20 and int(digits or "0", 16 if "x" in text else 10) < 2**64 - 1


def _several(scheme: str, value: str) -> str:
    """The text of several dependencies meant by ``1,2`` or ``1,after:2``; "" if it means none."""
    pieces = [piece.rpartition(":") for piece in value.split(",")]
    if len(pieces) < 2 or not all(is_job_id(job) for _, _, job in pieces):
        return ""
    return " ".join(f"{_NEWER.get(prefix, prefix or scheme)}:{job}" for prefix, _, job in pieces)


def moment(value: str) -> "datetime | None":
    """The time of a ``begin-time`` value; None if it is not a number or out of range."""
    from datetime import UTC, datetime

    try:
        return datetime.fromtimestamp(float(value), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def format(entry: Mapping[str, Any]) -> str:
    """The line that `parse` reads as the same object; ValueError if there is none."""
    scheme, value = entry.get("scheme"), entry.get("value")
    if not isinstance(scheme, str) or not isinstance(value, str):
        raise ValueError("a dependency has a scheme and a value, both strings")
    bare = not value and not SCHEMES.get(scheme, SCHEMES["string"]).value
    text = scheme if bare else f"{scheme}:{value}"
    pairs = [(key, val) for key, val in entry.items() if key not in ("scheme", "value")]
    if pairs:
        text += "?" + "&".join(f"{_encoded(key)}={_encoded(val)}" for key, val in pairs)
    read = parse(text).value
    if read != entry or any(type(read[key]) is not type(entry[key]) for key in read):
        raise ValueError("this dependency cannot be written on one line")
    return text


def _encoded(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("a key or value is neither a string nor a number")
    text = str(value)
    return "".join(
        c if _SAFE_QUERY.match(c) else "".join(f"%{byte:02X}" for byte in c.encode()) for c in text
    )


def describe(entry: Mapping[str, Any]) -> str:
    """What the job waits for, in words."""
    scheme, value = str(entry.get("scheme")), str(entry.get("value"))
    known = SCHEMES.get(scheme)
    if scheme == "begin-time" and (when := moment(value)) is not None:
        return f"waits until {when:%Y-%m-%d %H:%M} UTC"
    if known is None:
        return f"waits for {printable(scheme)} {printable(value)}".rstrip()
    meaning = known.meaning.split(";")[0]
    if known.value == _JOB and is_job_id(value):
        meaning = meaning.replace("a job", f"job {printable(value)}")
    return f"waits {meaning}"
