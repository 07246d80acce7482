"""The connection to a running Flux: find it, send RPCs, read the answers, and close it.

A helper process under Flux's own Python (`fluxtui.bridge.live.helper`) holds the handle: an RPC
through it takes a fraction of a millisecond, a ``flux`` command a hundred milliseconds. Only
`Connection.close` may be called on the event loop.
"""

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from fluxtui.model.cancellation import Stop, never_stop, stop_if
from fluxtui.notation.problem import Parsed, Problem, is_digits, printable, shortened

#: The environment variable that names the flux command if it is not on the search path.
FLUX = "FLUXTUI_FLUX"

#: Timeout of the helper's greeting in seconds: ``ssh://`` takes a while.
GREETING = 15.0
#: Timeout of an RPC in seconds.
ANSWER = 10.0
#: Seconds between two checks for cancellation while waiting for an answer.
LOOK = 0.2

_HELPER = Path(__file__).with_name("helper.py")
_NOT_THERE = (errno.ENOENT, errno.ECONNREFUSED)
_DENIED = (errno.EPERM, errno.EACCES)
_NO_REASON = ("Operation not permitted", "Permission denied", "Request requires owner credentials")
_GONE = (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN)

#: The instance is gone or cannot be reached any more.
LOST = "live-lost"
#: This user is not allowed to send the request.
DENIED = "live-denied"
#: Flux is too old to know the request.
OLD = "live-old"
#: There is no flux command.
NO_FLUX = "live-no-flux"
#: No instance answers at that address.
NOT_FOUND = "live-not-found"
#: No answer came within the timeout.
LATE = "live-late"
#: Flux refused the request for some other reason.
REFUSED = "live-refused"


#: The name of a submission in the message about its refusal.
SUBMIT = "to submit this job"

#: A part of Flux's message about a refused job -> the RFC with the rule that the job breaks.
_RULES = (
    ("policy limit", "RFC 33"),
    ("queue", "RFC 33"),
    ("job submission", "RFC 33"),
    ("dependency", "RFC 26"),
    ("begin-time", "RFC 26"),
    ("urgency", "RFC 30"),
    ("jobspec", "RFC 25"),
    ("duration", "RFC 25"),
)


def _refused_job(number: object, words: str) -> Problem:
    """The problem of a refused job. Flux reports EPERM also for a job that breaks a rule."""
    if "signer=" in words or "only instance owner" in words:
        message = f"Flux takes jobs here only from the owner of the instance ({words})"
        return Problem(message, code=DENIED)
    if number in _DENIED and words in _NO_REASON:
        return Problem("Flux does not let you submit jobs to this instance", code=DENIED)
    rule = next((rule for part, rule in _RULES if part in words.lower()), "")
    return Problem(f"Flux refuses {SUBMIT}: {words}", rule=rule, code=REFUSED)


@dataclass(frozen=True, slots=True)
class Hello:
    """The instance that answered, and the user who asks.

    version is that of Flux; owner and userid are numeric user ids; level is 0 for a system
    instance; start is in seconds since the epoch. What an old Flux does not report is empty or
    None.
    """

    version: str = ""
    uri: str = ""
    host: str = ""
    userid: int | None = None
    owner: int | None = None
    size: int | None = None
    level: int | None = None
    start: float | None = None

    @property
    def is_owner(self) -> bool:
        """Whether the user owns the instance."""
        return self.owner is not None and self.owner == self.userid

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object, for a snapshot."""
        return {name: getattr(self, name) for name in self.__slots__}


def command(uri: str = "", environ: Mapping[str, str] = os.environ) -> list[str] | None:
    """Return the command that starts the helper; None if there is no flux command.

    uri is empty for the instance that FLUX_URI names, or the system instance; otherwise a
    ``local://`` or ``ssh://`` URI, a path such as ``..``, or the id of a job that is an instance.
    """
    flux = shutil.which(environ.get(FLUX) or "flux", path=environ.get("PATH"))
    return None if flux is None else [flux, "python", str(_HELPER), *([uri] if uri else [])]


def problem_of(error: Mapping[str, Any], topic: str = "") -> Problem:
    """Return the problem of a refused request; error is the helper's ``errno`` and ``message``."""
    number, words = error.get("errno"), printable(str(error.get("message") or "no reason given"))
    if topic == SUBMIT and number not in _GONE:
        return _refused_job(number, words)
    if number in _DENIED and words in _NO_REASON:
        message = f"Flux refuses {topic}: only the owner of the instance may do that"
        return Problem(message, code=DENIED)
    if number in _DENIED:
        return Problem(f"Flux refuses {topic}: {words}", code=DENIED)
    if number == errno.ENOSYS:
        return Problem(f"this version of Flux has no {topic}", code=OLD)
    if number in _GONE:
        return Problem("the Flux instance has ended or cannot be reached", code=LOST)
    return Problem(f"Flux refuses {topic or 'this'}: {words}", code=REFUSED)


@dataclass(slots=True)
class _Request:
    """A pending request; on_answer is called with each answer of a stream, and None at its end."""

    topic: str
    answers: "SimpleQueue[Parsed[Any]]" = field(default_factory=SimpleQueue)
    on_answer: Callable[[Any], object] | None = None

    def end(self, why: Problem) -> None:
        """End the request with a problem instead of an answer."""
        self.answers.put(Parsed(None, (why,)))
        if self.on_answer is not None:
            self.on_answer(None)


# How many bytes at the end of standard error are searched for why a helper ended.
_ERRORS = 1 << 16


class Connection:
    """A helper process and the pipes to it; may be used by several threads.

    hello describes the instance. lost is why the connection ended, None while it is open.
    """

    def __init__(self, arguments: Sequence[str], environ: Mapping[str, str]) -> None:
        """Start a helper; OSError if that fails. `connect` also waits for its greeting."""
        self.hello = Hello()
        self.lost: Problem | None = None
        self._greeted: SimpleQueue[Problem | None] = SimpleQueue()
        self._pending: dict[int, _Request] = {}
        self._last = 0
        self._lock = threading.Lock()
        self._uri = arguments[3] if len(arguments) > 3 else environ.get("FLUX_URI", "")
        # A file: errors are read only at the end, and a full pipe would block the helper.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed after it is read
        # In its own session: Ctrl-C is for fluxtui, and the helper ends with its standard input.
        self._process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=dict(environ),
            start_new_session=True,
        )
        threading.Thread(target=self._receive, name="flux", daemon=True).start()

    def ask(
        self,
        topic: str,
        payload: Mapping[str, Any] | None = None,
        timeout: float = ANSWER,
        stop: Stop = never_stop,
        name: str = "",
    ) -> Parsed[Any]:
        """Send an RPC to rank 0 and return its answer; None with a problem if none comes in time.

        The problem calls the RPC by name, or else by its topic. Raises Stopped if stop says so. A
        later answer is dropped.
        """
        message, name = {"topic": topic, "payload": payload}, name or topic
        return self._wait(self._send(message, _Request(name)), name, timeout, stop)

    def submit(self, jobspec: str, urgency: int = 16, timeout: float = 30.0) -> Parsed[Any]:
        """Submit a jobspec, given as JSON, and return the job id, or None with Flux's reason."""
        request = _Request(SUBMIT)
        return self._wait(
            self._send({"submit": jobspec, "urgency": urgency}, request), request.topic, timeout
        )

    def follow(
        self, topic: str, payload: Mapping[str, Any], on_answer: Callable[[Any], object]
    ) -> Callable[[], object]:
        """Open a stream, and return a function that closes it.

        on_answer is called in another thread: with each answer, and with None when Flux ends the
        stream. It is not called any more after the stream was closed, even if Flux cannot end it.
        """
        message = {"topic": topic, "payload": payload, "stream": True}
        number, _ = self._send(message, _Request(topic, on_answer=on_answer))

        def leave() -> None:
            if self._pending.pop(number, None) is not None:
                self._send({"cancel": number}, _Request(topic))

        return leave

    def close(self) -> None:
        """End the helper without waiting for it, so the event loop may call this, also twice."""
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._end(self.lost or Problem("the connection to Flux is closed", code=LOST))
        threading.Thread(target=self._reap, daemon=True).start()

    def greeting(self, timeout: float) -> Problem | None:
        """Wait for the greeting; return None if it came, otherwise the problem."""
        try:
            return self._greeted.get(timeout=timeout)
        except Empty:
            return Problem(f"Flux has not answered within {timeout:g} seconds", code=LATE)

    def _send(self, message: dict[str, Any], request: _Request) -> tuple[int, _Request]:
        with self._lock:
            self._last += 1
            number, lost = self._last, self.lost
            if lost is None:
                self._pending[number] = request
                line = json.dumps({"id": number, **message}).encode("ascii") + b"\n"
                with contextlib.suppress(OSError, ValueError):  # the reader ends the request then
                    assert self._process.stdin is not None
                    self._process.stdin.write(line)
                    self._process.stdin.flush()
        if lost is not None:
            request.end(lost)
        return number, request

    def _wait(
        self, sent: tuple[int, _Request], topic: str, timeout: float, stop: Stop = never_stop
    ) -> Parsed[Any]:
        number, request = sent
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0 and not stop():
            with contextlib.suppress(Empty):
                return request.answers.get(timeout=min(left, LOOK))
        self._pending.pop(number, None)  # drops a later answer
        stop_if(stop)
        message = f"Flux has not answered {topic} within {timeout:g} seconds"
        return Parsed(None, (Problem(message, code=LATE),))

    def _receive(self) -> None:
        """Pass the helper's answers to their requests until it ends, then end the connection."""
        assert self._process.stdout is not None
        with self._process.stdout as lines, self._errors as errors:
            why = self._read(lines)
            errors.seek(max(errors.seek(0, os.SEEK_END) - _ERRORS, 0))
            self._end(why or self._why_ended(errors.read()))

    def _read(self, lines: IO[bytes]) -> Problem | None:
        """Handle the helper's messages until they end; return why, if the helper said so."""
        why: Problem | None = None
        for line in lines:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if not isinstance(message, dict):  # printed by a wrapper around flux
                continue
            if "hello" in message:
                self.hello = _hello(message)
                self._greeted.put(None)
            elif "fatal" in message:
                why = self._not_opened(message["fatal"])
            elif "lost" in message:
                why = problem_of({**message["lost"], "errno": errno.ECONNRESET})
            else:
                self._answered(message)
        return why

    def _answered(self, message: Mapping[str, Any]) -> None:
        number: Any = message.get("id")
        more = bool(message.get("more"))
        request = self._pending.get(number) if more else self._pending.pop(number, None)
        if request is None:
            return
        if "error" in message:
            request.end(problem_of(message["error"], request.topic))
        elif request.on_answer is None:
            request.answers.put(Parsed(message.get("result")))
        else:
            request.on_answer(message.get("result") if more else None)

    def _end(self, why: Problem) -> None:
        """Mark the connection as lost, and end all pending requests with the reason."""
        with self._lock:
            self.lost = self.lost or why
            pending, self._pending = self._pending, {}
        self._greeted.put(self.lost)
        for request in pending.values():
            request.end(self.lost)

    def _not_opened(self, error: Mapping[str, Any]) -> Problem:
        """Why the helper could not open the instance."""
        number, words = error.get("errno"), str(error.get("message") or "")
        where = f" at {shortened(self._uri)}" if self._uri else ""
        if number in _DENIED:
            return Problem(f"the Flux instance{where} is not open to you", code=DENIED)
        # ENOENT means the ssh command: ssh itself reports a missing socket on the other host.
        if number == errno.ENOENT and self._uri.startswith("ssh:"):
            return Problem("ssh, or what $FLUX_SSH names, cannot be started", code=NOT_FOUND)
        if number in _NOT_THERE:
            other = "" if self._uri else "; --uri names another one"
            return Problem(f"no Flux instance answers{where or ' here'}{other}", code=NOT_FOUND)
        words = words.removeprefix("Unable to connect to Flux: ")
        return Problem(f"Flux cannot be reached{where}: {printable(words)}", code=NOT_FOUND)

    def _why_ended(self, errors: bytes) -> Problem:
        """Why a helper ended without a message, from what it wrote to standard error."""
        text = errors.decode("utf-8", "replace").strip()
        if self.hello.host:
            return problem_of({"errno": errno.ECONNRESET})
        last = printable(text.splitlines()[-1]) if text else "it ended at once"
        return Problem(f"flux could not run the helper of fluxtui: {last}", code=OLD)

    def _reap(self) -> None:
        """Wait for the helper to end; kill it, and the ssh it waits for, if it does not."""
        try:
            self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def _hello(message: Mapping[str, Any]) -> Hello:
    """Read the helper's greeting."""
    known: Mapping[str, str] = message.get("attributes") or {}

    def number(name: str) -> int | None:
        text = known.get(name, "")
        return int(text) if is_digits(text) else None

    try:
        start = float(known["broker.starttime"])
    except (KeyError, ValueError):
        start = None
    return Hello(
        known.get("version", ""),
        message.get("uri") or "",
        message.get("host") or "",
        message.get("userid"),
        number("security.owner"),
        number("size"),
        number("instance-level"),
        start,
    )


def connect(
    uri: str = "",
    environ: Mapping[str, str] = os.environ,
    arguments: Sequence[str] | None = None,
    timeout: float = GREETING,
) -> Parsed[Connection | None]:
    """Open a connection to an instance; the value is None if there is a problem.

    For uri see `command`; arguments, if given, are the command that starts the helper instead.
    """
    found = arguments if arguments is not None else command(uri, environ)
    if found is None:
        named = environ.get(FLUX)
        message = "there is no flux command here"
        if named:
            message = f"${FLUX} names no flux command: '{printable(named)}'"
        expected = ("flux in PATH", f"its path in {FLUX}")
        return Parsed(None, (Problem(message, expected=expected, code=NO_FLUX),))
    try:
        connection = Connection(found, environ)
    except OSError as error:
        words = (error.strerror or str(error)).lower()
        return Parsed(None, (Problem(f"flux cannot be started: {words}", code=NO_FLUX),))
    problem = connection.greeting(timeout)
    if problem is None:
        return Parsed(connection)
    connection.close()
    return Parsed(None, (problem,))
