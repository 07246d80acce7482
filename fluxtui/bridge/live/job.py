"""One job of a running Flux: its events and output as they come, and requests that change it."""

import base64
import binascii
import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fluxtui.bridge.live.connection import ANSWER, LATE, NO_FLUX, REFUSED, Connection, command
from fluxtui.model.cancellation import Stop, never_stop
from fluxtui.model.live.jobs import parse_id
from fluxtui.model.live.jobs import read as read_job
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Parsed, Problem, is_digits, printable

#: The logs of a job's events and of the output of its tasks (RFC 21, RFC 24).
EVENTS, OUTPUT = "eventlog", "guest.output"

#: How a job ended (FLUX_JOB_RESULT).
_RESULTS = {1: "completed", 2: "failed", 4: "cancelled", 8: "timed out"}

#: The flag to wait for a log that does not exist yet (FLUX_JOB_EVENT_WATCH_WAITCREATE).
_WAIT = 1


@dataclass(frozen=True, slots=True)
class Order:
    """A change to an instance: the flux command for it, and the equivalent RPC.

    timeout is that of the answer, in seconds.
    """

    command: tuple[str, ...]
    topic: str
    payload: Mapping[str, Any] | None = None
    timeout: float = ANSWER

    @property
    def name(self) -> str:
        """The command as a user would type it."""
        return shellwords.join(self.command)

    def give(self, connection: Connection, stop: Stop = never_stop) -> Parsed[Any]:
        """Send the RPC and wait for its answer; a refusal names the command."""
        return connection.ask(self.topic, self.payload, self.timeout, stop, self.name)


@dataclass(frozen=True, slots=True)
class Event:
    """An entry of a log (RFC 18); time is in seconds since the epoch."""

    time: float
    name: str
    context: Mapping[str, Any]

    @property
    def printed(self) -> tuple[str, str] | None:
        """The stream and the text of task output; None for any other event (RFC 24)."""
        data = self.context.get("data")
        if self.name != "data" or not isinstance(data, str):
            return None
        if self.context.get("encoding") == "base64":
            try:
                data = base64.b64decode(data, validate=True).decode("utf-8", "replace")
            except (binascii.Error, ValueError):
                return None
        return str(self.context.get("stream") or "stdout"), data

    @property
    def status(self) -> int | None:
        """The wait status of a finish event; None for any other event."""
        status = self.context.get("status")
        return status if self.name == "finish" and isinstance(status, int) else None


def events_of(answer: object) -> list[Event]:
    """Return the events in an answer with a log or a part of it; invalid lines are skipped."""
    text = answer.get("event") or answer.get(EVENTS) if isinstance(answer, Mapping) else None
    found = []
    for line in text.splitlines() if isinstance(text, str) else ():
        try:
            entry = json.loads(line)
            context = entry.get("context")
            context = context if isinstance(context, dict) else {}
            found.append(Event(float(entry["timestamp"]), str(entry["name"]), context))
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return found


def follow(
    connection: Connection, id_: int, log: str, on_events: Callable[[list[Event] | None], object]
) -> Callable[[], object]:
    """Follow a log of a job, and return a function that ends it.

    on_events is called in another thread: with new events, and with None at the end of the log,
    which comes at once if Flux refuses it: guests may only read the logs of their own jobs. It is
    not called any more once the returned function was.
    """
    # The eventlog of a known job exists from the start; waiting for that of another never ends.
    request = {"id": id_, "path": log, "flags": 0 if log == EVENTS else _WAIT}
    return connection.follow(
        "job-info.eventlog-watch",
        request,
        lambda answer: on_events(None if answer is None else events_of(answer)),
    )


def look_up(
    connection: Connection, id_: int, key: str, flags: int = 0
) -> Parsed[dict[str, Any] | None]:
    """Return what Flux stores for a job under a key such as ``R``; refused for others' jobs."""
    request = {"id": id_, "keys": [key], "flags": flags}
    answer, problems = connection.ask("job-info.lookup", request)
    if answer is None:
        return Parsed(None, problems)
    try:
        found = json.loads(answer[key])
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, dict):
        return Parsed(None, (Problem(f"Flux gives no {key} of this job"),))
    return Parsed(found)


def how(connection: Connection, id_: int) -> Parsed[tuple[str, bool] | None]:
    """Return the status of a job in words, for use without its events, and whether it is over."""
    attrs = ["state", "urgency", "result", "waitstatus", "exception_type", "exception_note"]
    answer, problems = connection.ask("job-list.list-id", {"id": id_, "attrs": attrs})
    entry = answer.get("job") if isinstance(answer, Mapping) else None
    found = read_job({**entry, "id": id_}) if isinstance(entry, Mapping) else None
    if found is None:
        gone = Problem("Flux does not know this job any more", code=REFUSED)
        return Parsed(None, (gone,) if not problems or problems[0].code == REFUSED else problems)
    if found.state != "INACTIVE":
        return Parsed((found.status, False))
    assert entry is not None
    result, status = entry.get("result"), entry.get("waitstatus")
    words = [_RESULTS.get(result, "ended") if isinstance(result, int) else "ended"]
    if isinstance(status, int):
        words.append(ending(status))
    exception = (entry.get("exception_type"), entry.get("exception_note"))
    if text := ": ".join(str(part) for part in exception if part):
        words.append(text)
    return Parsed((", ".join(words), True))


def submit_script(connection: Connection, script: str, timeout: float = 30.0) -> Parsed[int | None]:
    """Submit a batch script with its directives (RFC 36), and return the job id.

    Runs ``flux batch``, since there is no RPC for it, and waits: not for the event loop.
    """
    flux = command()
    if flux is None:
        return Parsed(None, (Problem("there is no flux command here", code=NO_FLUX),))
    uri = connection.hello.uri
    environ = {**os.environ, **({"FLUX_URI": uri} if uri else {})}
    try:
        completed = subprocess.run(
            [flux[0], "batch"], input=script.encode("utf-8", "surrogateescape"), env=environ,
            capture_output=True, timeout=timeout, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        late = Problem(f"flux batch has not ended within {timeout:g} seconds", code=LATE)
        return Parsed(None, (late,))
    except OSError as error:
        return Parsed(None, (Problem(f"flux batch: {printable(str(error))}", code=REFUSED),))
    found = parse_id(completed.stdout.decode("utf-8", "replace").strip())
    if found is not None:
        return Parsed(found)
    lines = completed.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
    return Parsed(
        None, (Problem(f"Flux refuses this script: {printable(lines[-1])}", code=REFUSED),)
    )


def ending(status: int) -> str:
    """Describe a wait status: ``exit 1``, ``signal 9``."""
    signal = status & 0x7F
    return f"signal {signal}" if signal else f"exit {status >> 8}"


def raise_order(id_: int, name: str, severity: int, kind: str = "cancel", note: str = "") -> Order:
    """The order that raises an exception on a job; name is its id as Flux prints it."""
    payload = {"id": id_, "type": kind, "severity": severity, **({"note": note} if note else {})}
    command = ("flux", "cancel", *((f"--message={note}",) if note else ()), name)
    if kind != "cancel" or severity:
        options = (f"--severity={severity}", f"--type={kind}")
        command = ("flux", "job", "raise", *options, name, *((note,) if note else ()))
    return Order(command, "job-manager.raise", payload)


def urgency_order(id_: int, name: str, text: str) -> Order | None:
    """The order that changes the urgency of a job; None if text is not an urgency (RFC 30).

    An urgency is a number from 0 to 31, ``hold``, ``default`` or ``expedite``.
    """
    named = {"hold": 0, "default": 16, "expedite": 31}
    number = named.get(text, int(text) if is_digits(text) and len(text) < 3 else -1)
    if not 0 <= number <= 31:
        return None
    payload = {"id": id_, "urgency": number}
    return Order(("flux", "job", "urgency", name, text), "job-manager.urgency", payload)
