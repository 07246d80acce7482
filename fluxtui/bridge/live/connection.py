"""The connection to a running Flux: find it, ask it, read its answers, and close it.

A helper process under Flux's own Python (`fluxtui.bridge.live.helper`) holds the handle; an RPC on
it costs a fraction of a millisecond, where a ``flux`` command takes a hundred. Nothing here is for
the event loop, but for `Connection.close`.
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

#: The environment variable that names the flux command where it is not on the search path.
FLUX = "FLUXTUI_FLUX"

#: Seconds until a helper has greeted: over ``ssh://`` it takes some.
GREETING = 15.0
#: Seconds until an RPC is answered.
ANSWER = 10.0
#: Seconds after which one who waits for an answer is asked whether to stop.
LOOK = 0.2

_HELPER = Path(__file__).with_name("helper.py")
_NOT_THERE = (errno.ENOENT, errno.ECONNREFUSED)
_DENIED = (errno.EPERM, errno.EACCES)
_NO_REASON = ("Operation not permitted", "Permission denied", "Request requires owner credentials")
_GONE = (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN)

#: The instance is gone, or is not reached any more.
LOST = "live-lost"
#: Flux lets somebody else ask for that, not this person.
DENIED = "live-denied"
#: Flux does not know what was asked, as it is of an older version.
OLD = "live-old"
#: There is no flux command.
NO_FLUX = "live-no-flux"
#: No instance answers at that address.
NOT_FOUND = "live-not-found"
#: An answer is overdue.
LATE = "live-late"
#: Flux refused what was asked, for a reason of its own.
REFUSED = "live-refused"


#: What a jobspec is sent for, as its refusal names it.
SUBMIT = "to submit this job"

#: What Flux says of a job, in part, and the rule that the job breaks then.
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
    """Why Flux took no job; it says so with EPERM too where a rule is broken."""
    if "signer=" in words or "only instance owner" in words:
        message = f"Flux takes jobs here only from the owner of the instance ({words})"
        return Problem(message, code=DENIED)
    if number in _DENIED and words in _NO_REASON:
        return Problem("Flux does not let you submit jobs to this instance", code=DENIED)
    rule = next((rule for part, rule in _RULES if part in words.lower()), "")
    return Problem(f"Flux refuses {SUBMIT}: {words}", rule=rule, code=REFUSED)


@dataclass(frozen=True, slots=True)
class Hello:
    """Which instance answers, and as whom it is asked.

    version is Flux's; owner and userid are numbers of users; level is 0 for a system instance;
    start is in seconds since the epoch. What an old Flux does not say is empty or None.
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
        """The person who asks owns the instance."""
        return self.owner is not None and self.owner == self.userid

    def to_json(self) -> dict[str, Any]:
        """The same as an object, for a snapshot."""
        return {name: getattr(self, name) for name in self.__slots__}


def command(uri: str = "", environ: Mapping[str, str] = os.environ) -> list[str] | None:
    """What starts the helper for an instance; None where there is no flux command.

    uri is empty for the instance that FLUX_URI names, or that of the system; else ``local://``,
    ``ssh://``, a path such as ``..``, or the id of a job that is an instance.
    """
    flux = shutil.which(environ.get(FLUX) or "flux", path=environ.get("PATH"))
    return None if flux is None else [flux, "python", str(_HELPER), *([uri] if uri else [])]


def problem_of(said: Mapping[str, Any], topic: str = "") -> Problem:
    """What Flux refused, in one line; said is the ``errno`` and ``message`` of the helper."""
    number, words = said.get("errno"), printable(str(said.get("message") or "no reason given"))
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
class _Asked:
    """A request that waits for its answer; told is called with each answer of a stream."""

    topic: str
    answers: "SimpleQueue[Parsed[Any]]" = field(default_factory=SimpleQueue)
    told: Callable[[Any], object] | None = None

    def end(self, why: Problem) -> None:
        """Answer that there is no answer, or none further."""
        self.answers.put(Parsed(None, (why,)))
        if self.told is not None:
            self.told(None)


# Bytes at the end of standard error, in which a helper that ends may say why.
_ERRORS = 1 << 16


class Connection:
    """One helper and the pipes to it; several threads may ask it.

    hello says which instance answers. lost is why it no longer does, None while it does.
    """

    def __init__(self, arguments: Sequence[str], environ: Mapping[str, str]) -> None:
        """Start a helper; OSError where that cannot be. `open` also waits for its greeting."""
        self.hello = Hello()
        self.lost: Problem | None = None
        self._greeted: SimpleQueue[Problem | None] = SimpleQueue()
        self._asked: dict[int, _Asked] = {}
        self._last = 0
        self._lock = threading.Lock()
        self._uri = arguments[3] if len(arguments) > 3 else environ.get("FLUX_URI", "")
        # A file: nobody reads errors before the end, and a full pipe would keep the helper waiting.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed where it is read
        # In a session of its own: Ctrl-C is for fluxtui, and the end of its input ends the helper.
        self._process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=dict(environ),
            start_new_session=True,
        )
        threading.Thread(target=self._hear, name="flux", daemon=True).start()

    def ask(
        self,
        topic: str,
        payload: Mapping[str, Any] | None = None,
        timeout: float = ANSWER,
        stop: Stop = never_stop,
        name: str = "",
    ) -> Parsed[Any]:
        """The answer to an RPC to rank 0; None with a problem where there is none in time.

        The problem calls the RPC by name, or by its topic. Raises Stopped where it is to stop; an
        answer that comes later is nobody's.
        """
        request, name = {"topic": topic, "payload": payload}, name or topic
        return self._wait(self._send(request, _Asked(name)), name, timeout, stop)

    def submit(self, jobspec: str, urgency: int = 16, timeout: float = 30.0) -> Parsed[Any]:
        """Submit a jobspec, as JSON; its id, or None with a problem that says what Flux said."""
        asked = _Asked(SUBMIT)
        return self._wait(
            self._send({"submit": jobspec, "urgency": urgency}, asked), asked.topic, timeout
        )

    def follow(
        self, topic: str, payload: Mapping[str, Any], told: Callable[[Any], object]
    ) -> Callable[[], object]:
        """Ask for a stream; told gets each answer, in another thread, and None at its end.

        What is returned ends the stream early, where Flux can do that; told hears nothing then.
        """
        request = {"topic": topic, "payload": payload, "stream": True}
        number, _ = self._send(request, _Asked(topic, told=told))

        def leave() -> None:
            if self._asked.pop(number, None) is not None:
                self._send({"cancel": number}, _Asked(topic))

        return leave

    def close(self) -> None:
        """End the helper. Does not wait, so the event loop may call it; a second time is fine."""
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._end(self.lost or Problem("the connection to Flux is closed", code=LOST))
        threading.Thread(target=self._reap, daemon=True).start()

    def greeting(self, timeout: float) -> Problem | None:
        """Wait for the greeting; what kept it from coming, None where it came."""
        try:
            return self._greeted.get(timeout=timeout)
        except Empty:
            return Problem(f"Flux has not answered within {timeout:g} seconds", code=LATE)

    def _send(self, request: dict[str, Any], asked: _Asked) -> tuple[int, _Asked]:
        with self._lock:
            self._last += 1
            number, lost = self._last, self.lost
            if lost is None:
                self._asked[number] = asked
                line = json.dumps({"id": number, **request}).encode("ascii") + b"\n"
                with contextlib.suppress(OSError, ValueError):  # the reader finds out, and answers
                    assert self._process.stdin is not None
                    self._process.stdin.write(line)
                    self._process.stdin.flush()
        if lost is not None:
            asked.end(lost)
        return number, asked

    def _wait(
        self, sent: tuple[int, _Asked], topic: str, timeout: float, stop: Stop = never_stop
    ) -> Parsed[Any]:
        number, asked = sent
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0 and not stop():
            with contextlib.suppress(Empty):
                return asked.answers.get(timeout=min(left, LOOK))
        self._asked.pop(number, None)  # an answer that comes later is nobody's
        stop_if(stop)
        message = f"Flux has not answered {topic} within {timeout:g} seconds"
        return Parsed(None, (Problem(message, code=LATE),))

    def _hear(self) -> None:
        """Hand each line of the helper to whoever waits for it, until there are no more."""
        assert self._process.stdout is not None
        with self._process.stdout as lines, self._errors as errors:
            why = self._read(lines)
            errors.seek(max(errors.seek(0, os.SEEK_END) - _ERRORS, 0))
            self._end(why or self._why_ended(errors.read()))

    def _read(self, lines: IO[bytes]) -> Problem | None:
        """Take what the helper says to its end; why that came, if the helper said so."""
        why: Problem | None = None
        for line in lines:
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if not isinstance(said, dict):  # of a wrapper around flux
                continue
            if "hello" in said:
                self.hello = _hello(said)
                self._greeted.put(None)
            elif "fatal" in said:
                why = self._not_opened(said["fatal"])
            elif "lost" in said:
                why = problem_of({**said["lost"], "errno": errno.ECONNRESET})
            else:
                self._answered(said)
        return why

    def _answered(self, said: Mapping[str, Any]) -> None:
        number = said.get("id")
        more = bool(said.get("more"))
        waiting = self._asked
        asked = waiting.get(number) if more else waiting.pop(number, None)  # type: ignore[arg-type]
        if asked is None:
            return
        if "error" in said:
            asked.end(problem_of(said["error"], asked.topic))
        elif asked.told is None:
            asked.answers.put(Parsed(said.get("result")))
        else:
            asked.told(said.get("result") if more else None)

    def _end(self, why: Problem) -> None:
        """Mark the connection as lost, and answer all who wait with the reason."""
        with self._lock:
            self.lost = self.lost or why
            waiting, self._asked = self._asked, {}
        self._greeted.put(self.lost)
        for asked in waiting.values():
            asked.end(self.lost)

    def _not_opened(self, said: Mapping[str, Any]) -> Problem:
        """Why the helper could not open the instance."""
        number, words = said.get("errno"), str(said.get("message") or "")
        where = f" at {shortened(self._uri)}" if self._uri else ""
        if number in _DENIED:
            return Problem(f"the Flux instance{where} is not open to you", code=DENIED)
        if number == errno.ENOENT and self._uri.startswith("ssh:"):  # of a socket, ssh says it
            return Problem("ssh, or what $FLUX_SSH names, cannot be started", code=NOT_FOUND)
        if number in _NOT_THERE:
            other = "" if self._uri else "; --uri names another one"
            return Problem(f"no Flux instance answers{where or ' here'}{other}", code=NOT_FOUND)
        words = words.removeprefix("Unable to connect to Flux: ")
        return Problem(f"Flux cannot be reached{where}: {printable(words)}", code=NOT_FOUND)

    def _why_ended(self, errors: bytes) -> Problem:
        """Why a helper ended without a word, by what it wrote on standard error."""
        told = errors.decode("utf-8", "replace").strip()
        if self.hello.host:
            return problem_of({"errno": errno.ECONNRESET})
        last = printable(told.splitlines()[-1]) if told else "it ended at once"
        return Problem(f"flux could not run the helper of fluxtui: {last}", code=OLD)

    def _reap(self) -> None:
        """See the helper end; one that does not is killed, with the ssh that it waits for."""
        try:
            self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def _hello(said: Mapping[str, Any]) -> Hello:
    """The greeting of the helper."""
    known: Mapping[str, str] = said.get("attributes") or {}

    def number(name: str) -> int | None:
        text = known.get(name, "")
        return int(text) if is_digits(text) else None

    try:
        start = float(known["broker.starttime"])
    except (KeyError, ValueError):
        start = None
    return Hello(
        known.get("version", ""),
        said.get("uri") or "",
        said.get("host") or "",
        said.get("userid"),
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
    """An open connection to an instance, or None with the problem that kept it from opening.

    uri is as of `command`; arguments start another helper instead.
    """
    found = arguments if arguments is not None else command(uri, environ)
    if found is None:
        named = environ.get(FLUX)
        message = "there is no flux command here"
        if named:
            message = f"${FLUX} names no flux command: '{printable(named)}'"
        return Parsed(None, (Problem(message, code=NO_FLUX),))
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
