"""Conversations between fluxtui and the helper under Flux's Python: recorded, and played again.

A recording is a file of JSON Lines: ``{"in": ...}`` is a line that fluxtui sent and ``{"out": ...,
"after": SECONDS}`` one that it heard, so long after the line that asked for it. Where a flux
command is looked for this file stands in for one: as ``record FILE FLUX ARGS`` it runs that command
and writes down what is said, as ``play FILE`` it answers as was answered then.
"""

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RECORDINGS = Path(__file__).with_name("recordings")

#: A stream is played so many times as fast as it was heard.
FASTER = 10

#: What tells machines apart, and is the same in every recording.
_SAME = {"host": "site", "uri": "local:///run/flux/local", "python": "3.11.2"}


#: A path of the machine that was recorded on; of it the last name stays.
_PATH = re.compile(r"(?:/[A-Za-z0-9_.+-]+){2,}")


def _public(said: Mapping[str, Any]) -> dict[str, Any]:
    """A line without what tells of the machine."""
    found = json.loads(_PATH.sub(lambda path: "/" + path[0].rpartition("/")[2], json.dumps(said)))
    return {**found, **_SAME} if "hello" in found else dict(found)


def _key(request: Mapping[str, Any]) -> str:
    return json.dumps({name: one for name, one in request.items() if name != "id"}, sort_keys=True)


def record(where: Path, command: list[str]) -> None:
    """Run a helper, hand everything on, and write it down."""
    helper = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert helper.stdin is not None
    assert helper.stdout is not None
    began: dict[int, float] = {}
    lock = threading.Lock()
    with where.open("w", encoding="utf-8") as file:

        def note(entry: dict[str, Any]) -> None:
            with lock:
                file.write(json.dumps(entry) + "\n")

        def hear() -> None:
            for line in helper.stdout or ():
                said = json.loads(line)
                after = time.monotonic() - began.get(said.get("id", 0), time.monotonic())
                note({"out": _public(said), "after": round(after, 4)})
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()

        hearing = threading.Thread(target=hear)
        hearing.start()
        for line in sys.stdin.buffer:
            asked = json.loads(line)
            began[asked["id"]] = time.monotonic()
            note({"in": asked})
            helper.stdin.write(line)
            helper.stdin.flush()
        helper.stdin.close()
        hearing.join()


def play(where: Path) -> None:
    """Answer as was answered then; what is asked more often has the last answer again."""
    answers: dict[str, list[list[dict[str, Any]]]] = {}
    asked: dict[int, list[dict[str, Any]]] = {}
    lock = threading.Lock()

    def say(said: Mapping[str, Any]) -> None:
        with lock:
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()

    for line in where.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if "in" in entry:
            asked[entry["in"]["id"]] = []
            answers.setdefault(_key(entry["in"]), []).append(asked[entry["in"]["id"]])
        elif "id" in entry["out"]:
            asked[entry["out"]["id"]].append(entry)
        else:
            say(entry["out"])

    def answer(number: int, told: list[dict[str, Any]]) -> None:
        passed = 0.0
        for entry in told:
            if "more" in entry["out"]:
                time.sleep((entry["after"] - passed) / FASTER)
                passed = entry["after"]
            say({**entry["out"], "id": number})

    for line in sys.stdin:
        request = json.loads(line)
        if "cancel" in request:  # nobody listens to what comes
            say({"id": request["id"], "result": None})
            continue
        known = answers.get(_key(request))
        if not known:
            missing = {"errno": 38, "message": f"{request.get('topic')} was not recorded"}
            say({"id": request["id"], "error": missing})
            continue
        told = known.pop(0) if len(known) > 1 else known[0]
        threading.Thread(target=answer, args=(request["id"], told), daemon=True).start()


def broken(folder: Path, recording: str, topic: str, said: Mapping[str, Any]) -> Path:
    """A recording in which Flux answers one topic otherwise, as one of another version may."""
    asked: set[int] = set()
    lines = []
    for line in (RECORDINGS / f"{recording}.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry.get("in", {}).get("topic") == topic:
            asked.add(entry["in"]["id"])
        if entry.get("out", {}).get("id") in asked:
            entry = {"out": {"id": entry["out"]["id"], **said}, "after": 0}
        lines.append(json.dumps(entry))
    found = folder / "broken.jsonl"
    found.write_text("\n".join(lines), encoding="utf-8")
    return found


def stand_in(folder: Path, *arguments: object) -> str:
    """A flux command in a folder that runs this file with some arguments before its own."""
    command = folder / "flux"
    words = " ".join(f"'{word}'" for word in (sys.executable, __file__, *arguments))
    command.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return str(command)


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record(Path(sys.argv[2]), sys.argv[3:])
    else:
        play(Path(sys.argv[2]))
