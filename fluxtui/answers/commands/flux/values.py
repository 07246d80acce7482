"""Values that only the options of Flux commands take: time limits, URIs, attributes, limits.

All are read as flux-core 0.88 reads them.
"""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlparse

from fluxtui.answers.commands.options import Found, Line
from fluxtui.answers.commands.values import seconds
from fluxtui.notation import duration
from fluxtui.notation.environment import matching
from fluxtui.notation.problem import printable


def time_limit(line: Line) -> float | None:
    """The seconds of ``-t``: minutes where there is no unit; None where not given or wrong."""
    found = line.values.get("time-limit")
    if found is None:
        return None
    try:
        minutes = float(found.text)
    except ValueError:
        value = seconds(found.text)
    else:
        value = minutes * 60 if 0 <= minutes * 60 < float("inf") else None
    if value is None:
        offset = found.value_span.start
        problems = duration.parse(found.text, offset).problems
        line.problems.extend(problem._replace(span=found.value_span) for problem in problems)
        if not problems:
            line.problem(found, "a job has a time limit that ends", "a number of minutes", "1h")
    return value


def uri(text: str) -> dict[str, Any] | None:
    """The RFC 26 object of ``scheme:value?key=value``, or None for any other text.

    Flux reads it as any URI, so that it differs from `fluxtui.notation.dependency` in odd cases:
    the scheme loses its capitals, a ``#`` ends it, and a key that comes twice has two values.
    """
    try:
        # A path of digits alone would be taken for a port, hence the letters before it.
        parsed = urlparse((text if ":" in text else f"{text}:").replace(":", ":FXX", 1))
    except ValueError:
        return None
    if not parsed.scheme or not parsed.path:
        return None
    entry: dict[str, Any] = {
        "scheme": parsed.scheme,
        "value": parsed.path.replace("FXX", "", 1),
    }
    try:
        queries = parse_qs(parsed.query) if parsed.query else {}
    except ValueError:
        return None
    for key, values in queries.items():
        numbers = [_number(value) for value in values]
        entry[key] = numbers[0] if len(numbers) == 1 else numbers
    return entry


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


# Attributes that are nested deeper mean nothing to anyone.
_DEEPEST = 100


def json_value(text: str) -> Any:
    """The value of ``-o`` and ``--setattr``: JSON, or else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def assign(tree: dict[str, Any], line: Line, found: Found, lead: str, *, rooted: bool) -> None:
    """Set the attribute of ``-o KEY=VALUE`` or ``--setattr=KEY=VALUE`` in a tree of them.

    lead is what the key starts with where it is not ``rooted`` by itself. A key alone is 1.
    """
    key, equals, text = found.text.partition("=")
    if key.startswith("^"):
        line.note(found, f"{found.name} names a file, which is not read here")
        return
    value = json_value(text) if equals else 1
    if rooted and key.startswith("."):
        key = key[1:]
    elif rooted and key.startswith("attributes."):
        key = key[len("attributes.") :]
    elif not (rooted and key.startswith(("user.", "system."))):
        key = lead + key
    *path, last = key.split(".")
    if len(path) > _DEEPEST:
        line.problem(found, f"an attribute is at most {_DEEPEST} levels deep")
        return
    for number, step in enumerate(path):
        inner = tree.setdefault(step, {})
        if not isinstance(inner, dict):
            below = ".".join(path[: number + 1])
            line.problem(found, f"{printable(below)} has a value already and holds no other keys")
            return
        tree = inner
    tree[last] = value


_LIMITS = (
    "as", "core", "cpu", "data", "fsize", "memlock", "msgqueue", "nice", "nofile", "nproc",
    "ofile", "rss", "rtprio", "rttime", "sigpending", "stack",
)  # fmt: skip


def is_limit(name: object, value: object) -> bool:
    """Whether ``--rlimit=name=value`` can set this limit; -1 is unlimited."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return name in _LIMITS and whole and isinstance(value, int) and value >= -1


def limits(line: Line, rules: Sequence[Found]) -> dict[str, int]:
    """The resource limits that ``--rlimit`` sets; -1 is unlimited.

    Limits of the submitting shell come on top unless ``-*`` comes first.
    """
    out: dict[str, int] = {}
    cleared = False
    for rule in rules:
        for text in rule.text.split(","):
            name, equals, value = text.partition("=")
            name = name.lower()
            if text.startswith("-"):
                cleared = cleared or text == "-*"
                gone = matching(out, name[1:])
                out = {key: limit for key, limit in out.items() if key not in gone}
            elif not equals:
                line.note(rule, f"the limit {printable(name)} is that of the submitting shell")
            elif name not in _LIMITS:
                line.problem(rule, f"'{printable(name[:40])}' is not a resource limit", *_LIMITS)
            elif value in ("unlimited", "infinity", "inf"):
                out[name] = -1
            elif (limit := line.number(rule, value, 0)) is not None:
                out[name] = limit
    if rules and not cleared:
        line.note(rules[0], "the other limits of the submitting shell come on top")
    return out
