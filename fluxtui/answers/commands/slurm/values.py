"""Values of Slurm's options: times, features, dependencies, exports and file names."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fluxtui.answers.commands.options import Found, Line
from fluxtui.notation.problem import Span, printable

_TIME = re.compile(r"(?:([0-9]{1,6})-)?([0-9]{1,9})(?::([0-9]{1,6}))?(?::([0-9]{1,6}))?")


def seconds(text: str) -> float | None:
    """The seconds of a Slurm time; 0 for one without end, None for no time.

    The forms are minutes, minutes:seconds, hours:minutes:seconds, days-hours,
    days-hours:minutes and days-hours:minutes:seconds.
    """
    if text.lower() in ("infinite", "unlimited", "-1"):
        return 0.0
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    days, *parts = (None if part is None else int(part) for part in found.groups())
    first, second, third = parts
    if days is not None:
        return float(days * 86400 + (first or 0) * 3600 + (second or 0) * 60 + (third or 0))
    if third is not None:
        return float((first or 0) * 3600 + (second or 0) * 60 + third)
    return float((first or 0) * 60 + (second or 0))


def time_text(duration: float) -> tuple[str, bool]:
    """A duration as ``[days-]hours:minutes:seconds``, and whether it is exactly that long."""
    whole = math.ceil(duration)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    lead = f"{days}-{hour:02}" if days else f"{hour}"
    return f"{lead}:{minute:02}:{second:02}", whole == duration


# No request names more features and signs.
_MOST_FEATURES = 500

_FEATURE = r"[^\s&|,()\[\]*:]+"


def features(line: Line, found: Found) -> dict[str, Any] | None:
    """The RFC 31 object of ``-C``: features joined by ``&`` or ``,`` and ``|``, left to right."""
    text = found.text
    plain = text.replace("[", "(").replace("]", ")")
    if plain != text:
        line.remark(found, "the features in brackets may differ from node to node in Flux")
    counted = re.sub(r"\*[0-9]+", "", plain)
    if counted != plain:
        line.remark(found, "Flux does not count the nodes that have a feature")
    tokens = re.findall(rf"{_FEATURE}|[&|,()]|\S", counted)
    reader = _Features(tokens)
    tree = reader.any() if len(tokens) <= _MOST_FEATURES else None
    if tree is None or reader.place != len(tokens):
        message = f"'{printable(text[:60])}' is no list of node features"
        line.problem(found, message, "a feature such as gpu", "gpu&ib", "a|b")
        return None
    return tree


class _Features:
    """Reads features: terms joined left to right, as Slurm evaluates them."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens
        self.place = 0

    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def any(self, depth: int = 0) -> dict[str, Any] | None:
        tree = self.term(depth)
        while tree is not None and (sign := self.next()) in ("&", ",", "|") and sign:
            self.place += 1
            further = self.term(depth)
            tree = (
                None if further is None else _joined("or" if sign == "|" else "and", tree, further)
            )
        return tree

    def term(self, depth: int) -> dict[str, Any] | None:
        token = self.next()
        self.place += 1
        if token == "(" and depth < 20:
            tree = self.any(depth + 1)
            closed = self.next() == ")"
            self.place += 1
            return tree if closed else None
        return {"properties": [token]} if re.fullmatch(_FEATURE, token) else None


def _joined(operator: str, first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Two constraints as one, flat where they can be."""
    if operator == "and" and "properties" in first and "properties" in second:
        return {"properties": [*first["properties"], *second["properties"]]}
    return {operator: [*first.get(operator, [first]), second]}


def features_text(constraint: object) -> str | None:
    """The ``-C`` text of a constraint that holds properties, and, and or only; else None."""
    found = _feature_parts(constraint)
    return None if found is None else found[0]


def _feature_parts(constraint: object) -> tuple[str, str] | None:
    """The text, and the sign that joins its outermost parts."""
    if not isinstance(constraint, Mapping) or len(constraint) != 1:
        return None
    ((operator, values),) = constraint.items()
    if not isinstance(values, list | tuple) or not values:
        return None
    if operator == "properties":
        names = all(
            isinstance(v, str) and re.fullmatch(_FEATURE, v) and v[0] != "^" for v in values
        )
        return ("&".join(values), "&" if len(values) > 1 else "") if names else None
    sign = {"and": "&", "or": "|"}.get(str(operator))
    if sign is None:
        return None
    texts = []
    for part in map(_feature_parts, values):
        if part is None:
            return None
        texts.append(part[0] if part[1] in ("", sign) else f"({part[0]})")
    return sign.join(texts), sign if len(texts) > 1 else ""


_KINDS = ("after", "afterany", "afterok", "afternotok")


def dependencies(line: Line, found: Found) -> list[dict[str, Any]]:
    """The RFC 26 objects of ``-d afterok:1:2,afterany:3``."""
    out: list[dict[str, Any]] = []
    if "?" in found.text:
        line.remark(found, "Flux waits for all dependencies, not for any of them")
    for part in re.split(r"[,?]", found.text):
        kind, *jobs = part.split(":")
        if kind not in _KINDS or not jobs:
            if kind in ("singleton", "aftercorr", "afterburstbuffer"):
                line.remark(found, f"Flux has no dependency '{kind}'")
            else:
                message = f"'{printable(part[:60])}' is no dependency"
                line.problem(found, message, *(f"{name}:JOBID" for name in _KINDS))
            continue
        for job in jobs:
            plain = job.partition("+")[0].removesuffix("()")
            if "+" in job:
                line.remark(found, "Flux does not wait for some time after a job has begun")
            out.append({"scheme": kind, "value": plain})
    return out


def dependency_text(entries: object) -> str | None:
    """The text of ``-d``, or None where Slurm has no such dependency."""
    if not isinstance(entries, list | tuple) or not entries:
        return None
    texts = []
    for entry in entries:
        if not isinstance(entry, Mapping) or set(entry) != {"scheme", "value"}:
            return None
        scheme, value = entry["scheme"], entry["value"]
        if scheme == "afterstart":
            scheme = "after"
        if scheme not in _KINDS or not re.fullmatch(r"[^\s,:?+()]+", str(value)):
            return None
        texts.append(f"{scheme}:{value}")
    return ",".join(texts)


def exported(line: Line, found: Found, environ: Mapping[str, str]) -> dict[str, Any] | None:
    """The environment that ``--export`` makes; None where it is that of the submission."""
    parts = list(_comma_parts(found.text))
    if not parts or parts in (["ALL"], ["NIL"]):
        return None
    out: dict[str, Any] = {}
    for part in parts:
        name, equals, value = part.partition("=")
        if part == "ALL":
            out = {**environ, **out}
            if not environ:
                line.remark(found, "the environment of the submission comes on top, as it is then")
        elif part == "NONE":
            out = {}
        elif equals:
            out[name] = value
        elif name in environ:
            out[name] = environ[name]
        else:
            line.remark(found, f"{printable(name[:60])} is taken over when the job is submitted")
    return out


def _comma_parts(text: str) -> Iterator[str]:
    """The parts between commas; commas within quotes belong to a part."""
    for part in re.findall(r"""(?:'[^']*'|"[^"]*"|[^,])+""", text):
        yield re.sub(r"""(['"])(.*?)\1""", r"\2", part)


# What stands in a file name for the job, its name, and the task.
_PATTERNS = {"%j": "{{id}}", "%A": "{{id}}", "%J": "{{id}}", "%x": "{{name}}", "%t": "{{taskid}}"}


def path(line: Line, found: Found) -> str:
    """A file name with Slurm's patterns as the templates of the Flux job shell."""
    text = found.text
    for pattern, template in _PATTERNS.items():
        text = text.replace(pattern, template)
    if re.search(r"%[0-9]*[a-zA-Z]", text):
        line.remark(found, "Flux has no counterpart for a pattern of this file name")
    return text


def path_text(text: str) -> str | None:
    """A file name with Slurm's patterns, or None where it holds other templates."""
    for pattern, template in (("%j", "{{id}}"), ("%x", "{{name}}"), ("%t", "{{taskid}}")):
        text = text.replace(template, pattern)
    return None if "{{" in text else text


def hosts(line: Line, found: Found) -> list[str] | None:
    """The values of an RFC 31 ``hostlist`` for ``-w`` or ``-x``; None for a file or a mistake."""
    from fluxtui.notation.sets import hostlist

    if "/" in found.text:
        line.remark(found, f"{found.name} names a file, which is not read here")
        return None
    parsed = hostlist.parse(found.text, found.value_span.start)
    errors = [problem for problem in parsed.problems if problem.severity == "error"]
    for problem in errors:
        end = found.value_span.end
        span = problem.span or found.value_span
        line.problems.append(problem._replace(span=Span(min(span.start, end), min(span.end, end))))
    return None if errors else [found.text]


def host_count(text: str) -> int:
    """How many hosts a hostlist names."""
    from fluxtui.notation.sets import hostlist

    return len(hostlist.parse(text).value)
