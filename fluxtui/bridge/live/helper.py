"""The part of fluxtui that runs under Flux's own Python: requests come in, answers go out.

It is a single file for Python 3.6 and later that needs only the standard library and ``flux``, and
is started as ``flux python helper.py [URI]``. Each line of standard input and output is one JSON
object. The first line out is ``{"hello": 1, ...}`` or ``{"fatal": {"errno", "message"}}``. After
that each line in is a request:

    {"id": 1, "topic": "resource.status", "payload": {...}, "nodeid": 0, "stream": false}
    {"id": 2, "submit": "the jobspec as a text", "urgency": 16}
    {"id": 3, "cancel": 1}

and is answered by ``{"id": 1, "result": ...}`` or ``{"id": 1, "error": {"errno", "message"}}``.
Each answer of a stream has ``"more": true``, and its last line is ``{"id": 1, "end": true}`` or an
error; cancel ends it early, if Flux can do that. The helper ends with its standard input; if it
loses the connection to Flux, it writes ``{"lost": {...}}``.
"""

import errno
import json
import os
import socket
import sys

PROTOCOL = 1

#: Attributes of the broker that describe the instance; old versions do not have all of them.
ATTRIBUTES = ("version", "size", "instance-level", "security.owner", "broker.starttime", "rank")

#: The flag of an RPC with a stream of answers (FLUX_RPC_STREAMING).
STREAMING = 2

#: The flag of an RPC without an answer (FLUX_RPC_NORESPONSE).
NO_RESPONSE = 1

#: The errors of an RPC if the broker is gone.
GONE = (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN)


def say(text):
    """Write a line of JSON text; end the helper if nobody reads it."""
    data = text.replace("\n", " ").encode("utf-8", "surrogateescape") + b"\n"
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        os._exit(0)


def fault(error):
    """Return an exception as an object: its errno, 0 if it has none, and its message."""
    number = getattr(error, "errno", None)
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return {"errno": number if isinstance(number, int) else 0, "message": words}


def resolved(target):
    """Return the URI of a target: a URI, a path of instances such as ``..``, or a job id."""
    if not target or target.startswith(("local:", "ssh:", "/", ".")):
        return target
    from flux.uri import FluxURIResolver

    uri = str(FluxURIResolver().resolve(target))
    here = "ssh://%s/" % socket.gethostname()
    return "local:///" + uri[len(here) :] if uri.startswith(here) else uri


class Helper:
    """An open handle and its pending requests."""

    def __init__(self, handle):
        self.handle = handle
        self.unread = b""
        self.streams = {}  # the id of each stream -> its RPC and topic

    def run(self):
        """Answer requests until standard input ends."""
        from flux.constants import FLUX_POLLIN

        with self.handle.fd_watcher_create(0, self.read, FLUX_POLLIN):
            self.handle.reactor_run()

    def read(self, handle, watcher, descriptor, events, *rest):
        """Read from standard input, and send the requests of all complete lines."""
        data = os.read(0, 1 << 16)
        if not data:
            os._exit(0)
        lines = (self.unread + data).split(b"\n")
        self.unread = lines.pop()
        for line in lines:
            if line.strip():
                self.ask(json.loads(line.decode("utf-8")))

    def ask(self, request):
        """Send one request to Flux."""
        number = request.get("id")
        try:
            if "submit" in request:
                from flux.job import submit_async

                urgency = request.get("urgency", 16)
                future = submit_async(self.handle, request["submit"], urgency=urgency)
                future.then(self.submitted, number)
                return
            if "cancel" in request:
                self.cancel(request["cancel"])
                say('{"id": %d, "result": null}' % number)
                return
            stream = bool(request.get("stream"))
            future = self.handle.rpc(
                request["topic"],
                request.get("payload"),
                nodeid=request.get("nodeid", 0),
                flags=STREAMING if stream else 0,
            )
            if stream:
                self.streams[number] = (future, request["topic"])
            future.then(self.streamed if stream else self.answered, number)
        except Exception as error:
            self.refused(number, error)

    def cancel(self, number):
        """Ask Flux to end a stream; no effect if it has ended, or if Flux cannot end it."""
        from flux.core.inner import raw

        future, topic = self.streams.pop(number, (None, ""))
        if future is not None:
            tag = raw.flux_rpc_get_matchtag(future)
            self.handle.rpc(topic + "-cancel", {"matchtag": tag}, flags=NO_RESPONSE)

    def answered(self, future, number):
        """Pass on an answer as Flux wrote it."""
        try:
            text = future.get_str()
        except Exception as error:
            self.refused(number, error)
        else:
            say('{"id": %d, "result": %s}' % (number, text or "null"))

    def streamed(self, future, number):
        """Pass on one answer of a stream."""
        try:
            text = future.get_str()
        except OSError as error:
            self.streams.pop(number, None)
            if error.errno == errno.ENODATA:
                say('{"id": %d, "end": true}' % number)
            else:
                self.refused(number, error)
        else:
            say('{"id": %d, "result": %s, "more": true}' % (number, text or "null"))
            future.reset()

    def submitted(self, future, number):
        """Pass on the id of a submitted job."""
        try:
            found = future.get_id()
        except Exception as error:
            self.refused(number, error)
        else:
            say('{"id": %d, "result": %d}' % (number, int(found)))

    def refused(self, number, error):
        """Pass on an error instead of an answer; end the helper if the broker is gone."""
        found = fault(error)
        say(json.dumps({"id": number, "error": found}))
        if found["errno"] in GONE:
            say(json.dumps({"lost": found}))
            os._exit(1)


def greeting(handle, uri):
    """Return the first message to fluxtui: the instance, and the user who asks."""
    known = {}
    for name in ATTRIBUTES:
        try:
            known[name] = handle.attr_get(name)
        except Exception:
            continue
    try:
        userid = int(os.environ.get("FLUX_HANDLE_USERID", ""))  # another user, in tests
    except ValueError:
        userid = os.getuid()
    return {
        "hello": PROTOCOL,
        "attributes": known,
        "uri": uri or os.environ.get("FLUX_URI"),
        "userid": userid,
        "host": socket.gethostname(),
        "python": sys.version.split()[0],
    }


def main():
    """Open the instance that the command line names, and answer requests."""
    target = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        import flux

        uri = resolved(target)
        handle = flux.Flux(uri) if uri else flux.Flux()
        say(json.dumps(greeting(handle, uri)))
    except Exception as error:
        say(json.dumps({"fatal": fault(error)}))
        os._exit(1)
    try:
        Helper(handle).run()
        say(json.dumps({"lost": {"errno": errno.ECONNRESET, "message": "the connection ended"}}))
    except Exception as error:
        say(json.dumps({"lost": fault(error)}))
    os._exit(1)


if __name__ == "__main__":
    main()
