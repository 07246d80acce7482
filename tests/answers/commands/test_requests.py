"""Requests written for each program, and those lines read again (``requests.toml``)."""

import json
import tomllib
from pathlib import Path
from typing import Any

from fluxtui.answers.commands import differences
from fluxtui.answers.commands.jobs import Rendering
from fluxtui.answers.commands.translation import PROGRAMS, from_command, to_command
from fluxtui.model.jobspec import jobspec
from fluxtui.notation import shellwords
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from tests.each import for_each

Request = dict[str, Any]

REQUESTS: list[Request] = tomllib.loads(
    Path(__file__).with_name("requests.toml").read_text(encoding="utf-8")
)["request"]


def document(request: Request) -> dict[str, Any]:
    """The jobspec of a request."""
    tree = parse_shape(request["shape"])
    assert tree.ok
    command = [word.text for word in shellwords.split(request["command"]).value]
    out = jobspec.build(to_resources(tree), command)
    out["tasks"][0]["count"] = request.get("tasks", {"per_slot": 1})
    out["attributes"]["system"].update(json.loads(request.get("attributes", "{}")))
    return out


def _program(line: str) -> str:
    return next(name for name in PROGRAMS if line == name or line.startswith(f"{name} "))


def _renderings(request: Request) -> dict[str, Rendering]:
    return {found.name: found for found in to_command(document(request))}


def _what(request: Request) -> object:
    return request["what"]


def test_there_are_enough_requests() -> None:
    assert len(REQUESTS) >= 40
    whats = "".join(request["what"] for request in REQUESTS)
    for case in ("1.1", "2.1", "2.2", "2.3", "2.4"):
        assert f"RFC 25, use case {case}" in whats
    # Of those of RFC 14, these run more than one task.
    several = ("1.5", "2.4", "2.7")
    for case in [f"1.{n}" for n in range(1, 9)] + [f"2.{n}" for n in range(1, 10)]:
        assert (f"RFC 14 and RFC 46, use case {case}" in whats) == (case not in several)


@for_each("each", REQUESTS, _what)
def test_requests_are_written_and_read_again(each: Request) -> None:
    found = _renderings(each)
    for row in each.get("approximate", ()):
        approximate = found[_program(row["line"])]
        assert (approximate.text or approximate.name) == row["line"]
        assert not approximate.exact
        assert list(approximate.notes) == row["why"]
        if approximate.text is not None:
            read = from_command(row["line"])
            assert (read.problems, read.document is None) == ((), False)
    for line in each.get("exact", ()):
        exact = found[_program(line)]
        assert (exact.text, exact.exact, exact.notes) == (line, True, ())
        read, arguments = from_command(line), ""
        if exact.script is not None:
            script = document(each)["attributes"]["system"]["files"]["script"]["data"]
            command, arguments = line.split(" script.sh")
            read = from_command(f"{command} <<EOF\n{script}EOF\n")
        assert read.problems == ()
        assert read.document is not None
        read.document["tasks"][0]["command"] += arguments.split()
        assert differences.between(document(each), read.document) == ()


@for_each("each", REQUESTS, _what)
def test_a_script_asks_for_the_same_resources(each: Request) -> None:
    for found in _renderings(each).values():
        if found.text is None or found.script is None or "script.sh" in found.text:
            continue
        line, script = from_command(found.text).document, from_command(found.script).document
        assert line is not None
        assert script is not None
        assert script["resources"] == line["resources"]
        one, other = (dict(read["attributes"]["system"]) for read in (line, script))
        for key in ("job", "files", "shell"):
            one.pop(key, None)
            other.pop(key, None)
        assert one == other


def test_a_jobspec_of_several_tasks_has_no_line() -> None:
    two = document(REQUESTS[0])
    two["tasks"] *= 2
    why = ("a command line runs one task; this jobspec has 2",)
    assert [(s.name, s.text, s.exact, s.notes) for s in to_command(two)] == [
        (name, None, False, why) for name in PROGRAMS
    ]


def test_another_version_is_no_loss() -> None:
    found = to_command({**document(REQUESTS[2]), "version": 999})[0]
    assert found.exact
    assert found.notes == ("Flux writes version 1, and this has 999",)
