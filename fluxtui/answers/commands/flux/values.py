"""Values of the options of Flux commands: times, environment rules, limits, URIs, attributes.

What each makes of a text is what flux-core 0.88 makes of it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlparse

from fluxtui.answers.commands.options import Found, Line
from fluxtui.model.form.shell_options import signal_number
from fluxtui.notation import duration
from fluxtui.notation.environment import matching
from fluxtui.notation.problem import Span, printable

#: Microseconds of the units that Flux rounds to whole microseconds.
_MICROSECONDS = {"ms": 1e3, "m": 60e6, "h": 3600e6, "d": 86400e6}


def seconds(text: str) -> float | None:
    """The seconds Flux makes of a duration, with or without a unit (RFC 23); None for none."""
    from datetime import timedelta

    found = re.fullmatch(r"(.*?)(ms|[smhd])?", text, re.DOTALL)
    try:
        number = float(found[1]) if found and len(text) <= 100 else float("nan")
        unit = found[2] if found else None
        if unit in _MICROSECONDS:
            names = {"ms": "milliseconds", "m": "minutes", "h": "hours", "d": "days"}
            number = timedelta(**{names[unit]: number}).total_seconds()
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number < float("inf") else None


def time_limit(line: Line) -> float | None:
    """The seconds of ``-t``: minutes where there is no unit; None where not given or wrong."""
    found = line.values.get("time")
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


def signal(line: Line, found: Found) -> dict[str, Any] | None:
    """The shell option that ``--signal=[SIG][@TIME]`` makes: its number, and seconds before end."""
    name, _, time = found.text.partition("@")
    number = signal_number(name)
    if number is None:
        line.problem(found, f"'{printable(name[:40])}' is no signal", "SIGUSR1", "USR1", "10")
        return None
    left = seconds(time) if time else 60.0
    if left is None:
        message = f"'{printable(time[:40])}' is no time before the end of a job"
        line.problem(found, message, "60s", "5m")
        return None
    return {"signum": number, "timeleft": left}


def uri(text: str) -> dict[str, Any] | None:
    """The RFC 26 object of ``scheme:value?key=value``; None where it is no such URI.

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
    """What the value of ``-o`` and ``--setattr`` says: JSON, or else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def assign(tree: dict[str, Any], line: Line, found: Found, lead: str, *, rooted: bool) -> None:
    """Put what ``-o KEY=VALUE`` or ``--setattr=KEY=VALUE`` says into the attributes.

    lead is what the key starts with where it is not ``rooted`` by itself. A key alone is 1.
    """
    key, equals, text = found.text.partition("=")
    if key.startswith("^"):
        line.remark(found, f"{found.name} names a file, which is not read here")
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
        line.remark(span, "the environment of the submission comes on top, as it is then")
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
            self.line.remark(rule, f"{rule.name} names a file, which is not read here")
        elif text.startswith("-"):
            gone = self.matching(rule, text[1:], self.variables)
            self.cleared = self.cleared or text[1:] == "*"
            self.variables = {k: v for k, v in self.variables.items() if k not in gone}
        elif not equals:
            for key in self.matching(rule, name, self.environ):
                self.variables.setdefault(key, self.environ[key])
            if not self.environ:
                self.line.remark(rule, f"{printable(name)} is taken over when the job is submitted")
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
            self.line.remark(rule, "a regular expression with groups is not applied here")
            return set()
        try:
            return {name for name in names if re.match(expression, name)}
        except re.error as error:
            self.line.problem(rule, f"the regular expression is wrong: {error}")
            return set()

    def filled(self, rule: Found, value: str) -> str:
        """The value with ``$NAME`` and ``${NAME}`` replaced by what is known."""
        from string import Template

        known = {**self.environ, **self.variables}
        try:
            if self.environ:
                return Template(value).substitute(known)
            filled = Template(value).safe_substitute(known)
        except (ValueError, KeyError) as error:
            what = "a $ that stands alone" if isinstance(error, ValueError) else str(error)
            self.line.problem(rule, f"the value cannot be filled in: {what}", "$$ for a $")
            return value
        if filled.count("$") and "$$" not in value:
            self.line.remark(rule, "variables that are not known here stay as they are written")
        return filled


_LIMITS = (
    "as", "core", "cpu", "data", "fsize", "memlock", "msgqueue", "nice", "nofile", "nproc",
    "ofile", "rss", "rtprio", "rttime", "sigpending", "stack",
)  # fmt: skip


def is_limit(name: object, value: object) -> bool:
    """Whether ``--rlimit=name=value`` says this limit; -1 is none."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return name in _LIMITS and whole and isinstance(value, int) and value >= -1


def limits(line: Line, rules: Sequence[Found]) -> dict[str, int]:
    """The resource limits that ``--rlimit`` sets; -1 is none.

    Limits of the submitting shell come on top unless ``-*`` stands first.
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
                line.remark(rule, f"the limit {printable(name)} is that of the submitting shell")
            elif name not in _LIMITS:
                line.problem(rule, f"'{printable(name[:40])}' is no resource limit", *_LIMITS)
            elif value in ("unlimited", "infinity", "inf"):
                out[name] = -1
            elif (limit := line.number(rule, value, 0)) is not None:
                out[name] = limit
    if rules and not cleared:
        line.remark(rules[0], "the other limits of the submitting shell come on top")
    return out
