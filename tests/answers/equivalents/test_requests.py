"""Requests in the words of each program, and those words heard again (``requests.toml``)."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fluxtui.answers.commands import PROGRAMS, Saying, hear, same, say
from fluxtui.model.jobspec import jobspec
from fluxtui.notation import shellwords
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources

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


def _said(request: Request) -> dict[str, Saying]:
    return {saying.name: saying for saying in say(document(request))}


def test_there_are_enough_requests() -> None:
    assert len(REQUESTS) >= 40
    whats = "".join(request["what"] for request in REQUESTS)
    for case in ("1.1", "2.1", "2.2", "2.3", "2.4"):
        assert f"RFC 25, use case {case}" in whats
    # Of those of RFC 14, these run more than one task.
    several = ("1.5", "2.4", "2.7")
    for case in [f"1.{n}" for n in range(1, 9)] + [f"2.{n}" for n in range(1, 10)]:
        assert (f"RFC 14 and RFC 46, use case {case}" in whats) == (case not in several)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request["what"])
def test_what_is_said(request_: Request) -> None:
    said = _said(request_)
    for line in request_.get("exact", ()):
        saying = said[_program(line)]
        assert (saying.text, saying.exact, saying.notes) == (line, True, ())
    for row in request_.get("approximate", ()):
        saying = said[_program(row["line"])]
        assert (saying.text or saying.name) == row["line"]
        assert not saying.exact
        assert list(saying.notes) == row["why"]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request["what"])
def test_what_is_said_is_heard(request_: Request) -> None:
    said = _said(request_)
    for line in request_.get("exact", ()):
        saying = said[_program(line)]
        heard = hear(line)
        if saying.script is not None:
            script = document(request_)["attributes"]["system"]["files"]["script"]["data"]
            command, arguments = line.split(" script.sh")
            heard = hear(f"{command} <<EOF\n{script}EOF\n")
            assert heard.document is not None
            heard.document["tasks"][0]["command"] += arguments.split()
        assert heard.problems == ()
        assert heard.document is not None
        assert same.differences(document(request_), heard.document) == ()
    for row in request_.get("approximate", ()):
        heard = hear(row["line"])
        if " " in row["line"]:
            assert heard.problems == ()
            assert heard.document is not None


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request["what"])
def test_a_script_asks_for_the_same_resources(request_: Request) -> None:
    for saying in say(document(request_)):
        if saying.text is None or saying.script is None or "script.sh" in saying.text:
            continue
        line, script = hear(saying.text).document, hear(saying.script).document
        assert line is not None
        assert script is not None
        assert script["resources"] == line["resources"]
        one, other = (dict(found["attributes"]["system"]) for found in (line, script))
        for key in ("job", "files", "shell"):
            one.pop(key, None)
            other.pop(key, None)
        assert one == other


def test_a_jobspec_of_several_tasks_is_not_said() -> None:
    two = document(REQUESTS[0])
    two["tasks"] *= 2
    why = ("a command line runs one task; this jobspec has 2",)
    assert [(s.name, s.text, s.exact, s.notes) for s in say(two)] == [
        (name, None, False, why) for name in PROGRAMS
    ]


def test_another_version_is_no_loss() -> None:
    old = {**document(REQUESTS[2]), "version": 999}
    saying = say(old)[0]
    assert saying.exact
    assert saying.notes == ("Flux writes version 1, where this says 999",)
