"""The part of fluxtui that runs under Flux's own Python: requests come in, answers go out.

It is one plain file for Python 3.6 and later, with the standard library and ``flux`` alone, and is
started as ``flux python helper.py [URI]``. Each line of standard input and output is one JSON
object. The first line out is ``{"hello": 1, ...}`` or ``{"fatal": {"errno", "message"}}``. After
that a line in asks:

    {"id": 1, "topic": "resource.status", "payload": {...}, "nodeid": 0, "stream": false}
    {"id": 2, "submit": "the jobspec as a text", "urgency": 16}
    {"id": 3, "cancel": 1}

and is answered by ``{"id": 1, "result": ...}`` or ``{"id": 1, "error": {"errno", "message"}}``. Of
a stream each answer has ``"more": true``, and the last line is ``{"id": 1, "end": true}`` or an
error; cancel ends it early, where Flux can do that. The end of standard input ends the helper; a
connection that is lost is ``{"lost": {...}}``.
"""

import errno
import json
import os
import socket
import sys

PROTOCOL = 1

#: Attributes of the broker that say which instance it is; old versions lack some.
ATTRIBUTES = ("version", "size", "instance-level", "security.owner", "broker.starttime", "rank")

#: Of an RPC whose answer goes on, for as long as somebody listens (FLUX_RPC_STREAMING).
STREAMING = 2

#: Of an RPC that is not answered (FLUX_RPC_NORESPONSE).
NO_RESPONSE = 1

#: What an RPC ends with where the broker is gone.
GONE = (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN)


def say(text):
    """Write a line that is JSON already; one that nobody reads ends the helper."""
    data = text.replace("\n", " ").encode("utf-8", "surrogateescape") + b"\n"
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        os._exit(0)


def fault(error):
    """An exception as an object: its errno, 0 where it has none, and its words."""
    number = getattr(error, "errno", None)
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return {"errno": number if isinstance(number, int) else 0, "message": words}


def resolved(target):
    """The URI that a target means: a URI, a path of instances such as ``..``, or a job's id."""
    if not target or target.startswith(("local:", "ssh:", "/", ".")):
        return target
    from flux.uri import FluxURIResolver

    uri = str(FluxURIResolver().resolve(target))
    here = "ssh://%s/" % socket.gethostname()
    return "local:///" + uri[len(here) :] if uri.startswith(here) else uri


class Helper:
    """An open handle, and what was asked of it."""

    def __init__(self, handle):
        self.handle = handle
        self.unread = b""
        self.streams = {}  # the RPC of each stream and its topic, by its id

    def run(self):
        """Answer until standard input ends."""
        from flux.constants import FLUX_POLLIN

        with self.handle.fd_watcher_create(0, self.read, FLUX_POLLIN):
            self.handle.reactor_run()

    def read(self, handle, watcher, descriptor, events, *rest):
        """Take what there is of standard input, and ask what its whole lines ask."""
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
        """Have Flux end a stream; of one that has ended, or cannot be, nothing comes of it."""
        from flux.core.inner import raw

        future, topic = self.streams.pop(number, (None, ""))
        if future is not None:
            tag = raw.flux_rpc_get_matchtag(future)
            self.handle.rpc(topic + "-cancel", {"matchtag": tag}, flags=NO_RESPONSE)

    def answered(self, future, number):
        """Hand on an answer as Flux wrote it."""
        try:
            text = future.get_str()
        except Exception as error:
            self.refused(number, error)
        else:
            say('{"id": %d, "result": %s}' % (number, text or "null"))

    def streamed(self, future, number):
        """Hand on one answer of many."""
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
        """Hand on the id of a job that was submitted."""
        try:
            found = future.get_id()
        except Exception as error:
            self.refused(number, error)
        else:
            say('{"id": %d, "result": %d}' % (number, int(found)))

    def refused(self, number, error):
        """Hand on why there is no answer; without a broker there are no further ones."""
        said = fault(error)
        say(json.dumps({"id": number, "error": said}))
        if said["errno"] in GONE:
            say(json.dumps({"lost": said}))
            os._exit(1)


def greeting(handle, uri):
    """What fluxtui hears first: the instance, and who asks."""
    known = {}
    for name in ATTRIBUTES:
        try:
            known[name] = handle.attr_get(name)
        except Exception:
            continue
    try:
        userid = int(os.environ.get("FLUX_HANDLE_USERID", ""))  # plays another user, in tests
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
    """Open the instance that the command line names, and answer."""
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
