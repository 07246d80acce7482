"""One job: what its logs say, how it ended, and the commands that change it."""

import json

import pytest

from fluxtui.bridge.live.job import Order, ending, events_of, raise_order, urgency_order


def entry(name: str, **context: object) -> str:
    return json.dumps({"timestamp": 1.5, "name": name, "context": context}) + "\n"


@pytest.mark.parametrize(
    ("log", "printed"),
    [
        (entry("data", stream="stderr", rank="0", data="oh\n"), [("stderr", "oh\n")]),
        (entry("data", stream="stdout", data="aGkK", encoding="base64"), [("stdout", "hi\n")]),
        (entry("data", stream="stdout", data="!", encoding="base64"), [None]),
        (entry("data", stream="stdout", eof=True), [None]),
        (entry("header", data="x") + "{broken\n[]\n", [None]),
    ],
)
def test_what_tasks_print(log: str, printed: list[tuple[str, str] | None]) -> None:
    assert [event.printed for event in events_of({"event": log})] == printed


def test_a_whole_log_is_read_as_its_parts_are() -> None:
    log = entry("submit") + entry("finish", status=256)
    assert [event.status for event in events_of({"eventlog": log})] == [None, 256]
    assert events_of({"event": log}) == events_of({"eventlog": log})
    assert events_of(None) == events_of({"event": 3}) == []
    assert (ending(0), ending(256), ending(9)) == ("exit 0", "exit 1", "signal 9")


@pytest.mark.parametrize(
    ("order", "command", "payload"),
    [
        (raise_order(7, "ƒ8", 0), "flux cancel ƒ8", {"id": 7, "type": "cancel", "severity": 0}),
        (
            raise_order(7, "ƒ8", 2, "odd", "why"),
            "flux job raise --severity=2 --type=odd ƒ8 why",
            {"id": 7, "type": "odd", "severity": 2, "note": "why"},
        ),
        (urgency_order(7, "ƒ8", "hold"), "flux job urgency ƒ8 hold", {"id": 7, "urgency": 0}),
        (urgency_order(7, "ƒ8", "31"), "flux job urgency ƒ8 31", {"id": 7, "urgency": 31}),
    ],
)
def test_orders_are_flux_commands(order: Order, command: str, payload: dict[str, object]) -> None:
    assert (" ".join(order.command), order.payload) == (command, payload)


@pytest.mark.parametrize("text", ["", "32", "-1", "soon", "١"])
def test_an_urgency_is_0_to_31(text: str) -> None:
    assert urgency_order(7, "ƒ8", text) is None
