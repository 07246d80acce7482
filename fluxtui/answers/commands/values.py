"""Values of options that the commands of several systems read.

Durations, signals and environments are read as flux-core 0.88 reads them; dependencies, exported
variables and node features as Slurm does, whose forms PBS shares.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from string import Template
from typing import Any

from fluxtui.answers.commands.options import Found, Line
from fluxtui.model.form.settings import signal_number
from fluxtui.notation.environment import matching
from fluxtui.notation.problem import Span, printable

# The units of a duration that Flux rounds to whole microseconds.
_ROUNDED = {"ms": "milliseconds", "m": "minutes", "h": "hours", "d": "days"}


def seconds(text: str) -> float | None:
    """The seconds Flux reads in a duration, with or without a unit (RFC 23), or None."""
    found = re.fullmatch(r"(.*?)(ms|[smhd])?", text, re.DOTALL)
    try:
        number = float(found[1]) if found and len(text) <= 100 else float("nan")
        unit = found[2] if found else None
        if unit in _ROUNDED:
            number = timedelta(**{_ROUNDED[unit]: number}).total_seconds()
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number < float("inf") else None


def signal(line: Line, found: Found) -> dict[str, Any] | None:
    """The shell option that ``--signal=[SIG][@TIME]`` makes: its number, and seconds before end."""
    name, _, time = found.text.partition("@")
    number = signal_number(name)
    if number is None:
        line.problem(found, f"'{printable(name[:40])}' is not a signal", "SIGUSR1", "USR1", "10")
        return None
    left = seconds(time) if time else 60.0
    if left is None:
        message = f"'{printable(time[:40])}' is not a time before the end of a job"
        line.problem(found, message, "60s", "5m")
        return None
    return {"signum": number, "timeleft": left}


def environment(
    line: Line, rules: Sequence[Found], environ: Mapping[str, str], *, further: bool = False
) -> tuple[dict[str, Any] | None, dict[str, str]]:
    """What ``--env`` rules make of an environment, and the templates the job shell fills in.

    None where they leave the environment to the submission: there are no rules, or they only
    take away from an environment that is not known here (``environ`` is empty). further says
    that single variables are set later on.
    """
    made = _Environment(line, environ)
    for rule in rules:
        made.apply(rule)
    known = bool(environ) or made.cleared
    if not known and rules:
        span = Span(rules[0].span.start, rules[-1].span.end)
        line.note(span, "the environment of the submission comes on top, as it is then")
    keep = (bool(rules) or further) and (known or bool(made.variables))
    return (made.variables if keep else None), made.templates


class _Environment:
    """An environment on which rules are applied one after the other."""

    def __init__(self, line: Line, environ: Mapping[str, str]) -> None:
        self.line = line
        self.environ = environ
        self.variables: dict[str, Any] = dict(environ)
        self.templates: dict[str, str] = {}
        self.cleared = False

    def apply(self, rule: Found) -> None:
        text = rule.text
        name, equals, value = text.partition("=")
        if text.startswith("^"):
            self.line.note(rule, f"{rule.name} names a file, which is not read here")
        elif text.startswith("-"):
            gone = self.matching(rule, text[1:], self.variables)
            self.cleared = self.cleared or text[1:] == "*"
            self.variables = {k: v for k, v in self.variables.items() if k not in gone}
        elif not equals:
            for key in self.matching(rule, name, self.environ):
                self.variables.setdefault(key, self.environ[key])
            if not self.environ:
                self.line.note(rule, f"{printable(name)} is taken over when the job is submitted")
        elif "{{" in value:
            self.templates[name] = value
        else:
            self.variables[name] = self.filled(rule, value)

    def matching(self, rule: Found, pattern: str, names: Mapping[str, Any]) -> set[str]:
        """The names that a shell pattern, or a regular expression after ``/``, fits."""
        if not pattern.startswith("/"):
            return set(matching(names, pattern))
        expression = pattern[1:].rstrip("/")
        # Nested repeats may take for ever; without groups there are none.
        if "(" in expression or len(expression) > 100:
            self.line.note(rule, "a regular expression with groups is not applied here")
            return set()
        try:
            return {name for name in names if re.match(expression, name)}
        except re.error as error:
            self.line.problem(rule, f"the regular expression is wrong: {error}")
            return set()

    def filled(self, rule: Found, value: str) -> str:
        """The value with ``$NAME`` and ``${NAME}`` replaced by what is known."""
        known = {**self.environ, **self.variables}
        try:
            if self.environ:
                return Template(value).substitute(known)
            filled = Template(value).safe_substitute(known)
        except (ValueError, KeyError) as error:
            what = "a $ with no name behind it" if isinstance(error, ValueError) else str(error)
            self.line.problem(rule, f"the value cannot be filled in: {what}", "$$ for a $")
            return value
        if filled.count("$") and "$$" not in value:
            self.line.note(rule, "variables that are not known here stay as they are written")
        return filled


_KINDS = ("after", "afterany", "afterok", "afternotok")


def dependencies(line: Line, found: Found, system: str) -> list[dict[str, Any]]:
    """The RFC 26 objects of ``afterok:1:2,afterany:3``; system names whose job ids these are."""
    out: list[dict[str, Any]] = []
    if "?" in found.text:
        line.note(found, "Flux waits for all dependencies, not for any of them")
    for part in re.split(r"[,?]", found.text):
        kind, *jobs = part.split(":")
        if kind not in _KINDS or not jobs:
            if kind in ("singleton", "aftercorr", "afterburstbuffer"):
                line.note(found, f"Flux has no dependency '{kind}'")
            else:
                message = f"'{printable(part[:60])}' is not a dependency"
                line.problem(found, message, *(f"{name}:JOBID" for name in _KINDS))
            continue
        for job in jobs:
            plain = job.partition("+")[0].removesuffix("()")
            if "+" in job:
                line.note(found, "Flux does not wait for some time after a job has begun")
            out.append({"scheme": kind, "value": plain})
    if out:
        text = f"the job ids are those of {system}; Flux knows jobs by ids of its own"
        line.note(found, text)
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


def exported(
    line: Line, found: Found | None, environ: Mapping[str, str], assigned: Sequence[Found]
) -> dict[str, Any] | None:
    """The environment of ``--export=NAME,NAME=VALUE`` and of variables assigned before a command.

    None where it is that of the submission.
    """
    listed = None if found is None else _exported(line, found, environ)
    if not assigned:
        return listed
    known, _ = environment(line, assigned, environ)
    return {**(known or {}), **(listed or {})}


def _exported(line: Line, found: Found, environ: Mapping[str, str]) -> dict[str, Any] | None:
    parts = list(_comma_parts(found.text))
    if not parts or parts in (["ALL"], ["NIL"]):
        return None
    out: dict[str, Any] = {}
    for part in parts:
        name, equals, value = part.partition("=")
        if part == "ALL":
            out = {**environ, **out}
            if not environ:
                line.note(found, "the environment of the submission comes on top, as it is then")
        elif part == "NONE":
            out = {}
        elif equals:
            out[name] = value
        elif name in environ:
            out[name] = environ[name]
        else:
            line.note(found, f"{printable(name[:60])} is taken over when the job is submitted")
    return out


def _comma_parts(text: str) -> Iterator[str]:
    """The parts between commas; commas within quotes belong to a part."""
    for part in re.findall(r"""(?:'[^']*'|"[^"]*"|[^,])+""", text):
        yield re.sub(r"""(['"])(.*?)\1""", r"\2", part)


# No request names more features and signs.
_MOST_FEATURES = 500

_FEATURE = r"[^\s&|,()\[\]*:]+"


def features(line: Line, found: Found) -> dict[str, Any] | None:
    """The RFC 31 object of ``-C``: features joined by ``&`` or ``,`` and ``|``, left to right."""
    text = found.text
    plain = text.replace("[", "(").replace("]", ")")
    if plain != text:
        line.note(found, "the features in brackets may differ from node to node in Flux")
    counted = re.sub(r"\*[0-9]+", "", plain)
    if counted != plain:
        line.note(found, "Flux does not count the nodes that have a feature")
    tokens = re.findall(rf"{_FEATURE}|[&|,()]|\S", counted)
    reader = _Features(tokens)
    tree = reader.any() if len(tokens) <= _MOST_FEATURES else None
    if tree is None or reader.place < len(tokens):
        message = f"'{printable(text[:60])}' is not a list of node features"
        line.problem(found, message, "a feature such as gpu", "gpu&ib", "a|b")
        return None
    return tree


class _Features:
    """Reads features: terms joined left to right, as Slurm evaluates them."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = [*tokens, ""]
        self.place = 0

    def any(self, depth: int = 0) -> dict[str, Any] | None:
        """term (('&' | ',' | '|') term)*; None where there is none"""
        tree = self.term(depth)
        while tree is not None and (sign := self.tokens[self.place]) in ("&", ",", "|"):
            self.place += 1
            further = self.term(depth)
            operator = "or" if sign == "|" else "and"
            tree = None if further is None else _joined(operator, tree, further)
        return tree

    def term(self, depth: int) -> dict[str, Any] | None:
        """feature | '(' any ')'"""
        token = self.tokens[self.place]
        if token == "(" and depth < 20:
            self.place += 1
            tree = self.any(depth + 1)
            if self.tokens[self.place] != ")":
                return None
        elif re.fullmatch(_FEATURE, token):
            tree = {"properties": [token]}
        else:
            return None
        self.place += 1
        return tree


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
