"""Transcripts: what the headless verbs answer, word for word.

A transcript is a text file of commands and what they print::

    # a comment
    $ cat R.json           the lines up to EOF become a file; a backslash escape is a character
    $ fluxtui ARGS         a verb; with <<EOF at its end the lines up to EOF are standard input
    | a line of standard output
    : JSON that is printed with an indentation of 2, in one line
    ! a line of standard error
    = 1                    the exit code, where it is not 0

The commands of one file run in one folder, one after the other. With ``pytest --snapshot-update``
what they print now is recorded: look at the difference before it is kept.
"""

import codecs
import io
import json
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from fluxtui import cli

FOLDER = Path(__file__).with_name("transcripts")
FILES = sorted(FOLDER.glob("*.txt"))

_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|r)")
_ANSWER = ("|", ":", "!", "=")


def _unescaped(text: str) -> str:
    """The text with escapes such as ``\\x1b`` as the characters that they stand for."""
    return _ESCAPE.sub(lambda found: codecs.decode(found[0], "unicode_escape"), text)


def run(arguments: list[str], typed: str = "") -> tuple[int, str, str]:
    """Run a verb on what is typed: its exit code, standard output and standard error."""
    out, err = io.StringIO(newline=""), io.StringIO(newline="")
    with tempfile.TemporaryFile("w+", encoding="utf-8") as given:
        given.write(typed)
        given.seek(0)
        stdin, sys.stdin = sys.stdin, given
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = cli.run(arguments)
        finally:
            sys.stdin = stdin
    return code, out.getvalue(), err.getvalue()


def _told(code: int, out: str, err: str) -> Iterator[str]:
    """The lines of a transcript for what a verb prints."""
    for sign, stream in (("|", out), ("!", err)):
        text = stream.replace("\r", "\\r")
        with suppress(ValueError):
            value = json.loads(text)
            if json.dumps(value, indent=2) + "\n" == text:
                yield f": {json.dumps(value)}"
                continue
        yield from (f"{sign} {line}".rstrip(" ") for line in text.split("\n")[: text.count("\n")])
    if code:
        yield f"= {code}"


def rerun(path: Path) -> str:
    """The transcript with what its commands print now."""
    lines = iter(path.read_text(encoding="utf-8").splitlines())
    found: list[str] = []

    def document() -> str:
        """The lines up to EOF, which stay as they are."""
        kept = []
        for line in lines:
            found.append(line)
            if line == "EOF":
                break
            kept.append(_unescaped(line) + "\n")
        return "".join(kept)

    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for line in lines:
            if line.startswith(_ANSWER):
                continue
            found.append(line)
            if line.startswith("$ cat "):
                name = _unescaped(line.removeprefix("$ cat "))
                Path(name).parent.mkdir(exist_ok=True)
                Path(name).write_text(document(), encoding="utf-8")
            elif line.startswith("$ fluxtui "):
                command = line.removesuffix(" <<EOF")
                words = [_unescaped(word) for word in shlex.split(command)[2:]]
                found += _told(*run(words, document() if command != line else ""))
    return "\n".join(found) + "\n"
