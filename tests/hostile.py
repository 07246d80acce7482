"""Texts that a document may hold so that a terminal, a shell, a script or a spreadsheet acts on
them, or so that a part of them is not seen: one table for the tests of all that write.
"""

import json
import shlex
import shutil
import subprocess
import sys

import pytest

from fluxtui.notation.problem import is_printable

#: What a terminal acts on, or what of a text is not seen.
UNSEEN = {
    "title": "a\x1b]0;title\x07",
    "colour": "\x1b[31mred\x1b[0m",
    "colour by C1": "\x9b31m",
    "end of a paste": "x\x1b[201~y",
    "bell, delete, backspace": "\x07\x7f\x08",
    "lines of Unicode": "a\u2028b\u2029c\x85",
    "blanks": "a\xa0b\u3000c\u2800",
    "zero width": "a\u200bb\u200cc\u200dd\u2060e\ufefff",
    "turned": "a\u202egpj.exe\u2066x\u2069\u061c",
    "tags": "a\U000e0041\U000e0042\U000e007f",
    "selectors without a base": "a\ufe0fb\U000e0100\U000e01ef",
    "fillers": "a\u115f\u1160\u3164\uffa0\u034f\u17b4\u180b\u180eb",
    "unassigned": "a\u0378\U000e0fff",
    "soft hyphen, annotation": "a\xadb\ufff9c",
}

#: What a shell acts on, in some of its modes.
SHELL = {
    "command": "$(touch pwned)`touch pwned`",
    "variable": "$HOME ${HOME} $'a' $\"a\"",
    "history": "!! !-1 it's!x",
    "path of a command": "=ls",
    "home": "~ ~root/x",
    "sets a variable": "A=b",
    "braces": "{a,b} {1..3}",
    "patterns": "* ? [a-z] /etc/* ^a #b",
    "option": "-rf",
    "end": "--",
    "comment": "# not one",
    "operators": "a;b&c|d>e<f(g)",
    "quotes": "'\"\\ \\' '\"'\"",
    "line break": "a\nb\n",
    "percent": "%s %n\\n",
    "nothing": "",
}

#: What a spreadsheet takes for a formula.
FORMULAS = {
    "equals": "=HYPERLINK(1)",
    "plus": "+batch",
    "minus": "-1+cmd|' /C calc'!A0",
    "at": "@SUM(A1)",
    "tab": "\t=1",
    "return": "\r=1",
    "wide": "\uff1d1+1",
}

#: What markup would take for its own.
MARKUP = {
    "markup": "[b]bold[/b] [@click=app.quit]x[/] $foo \\[x",
    "html": "<script>x</script>&amp;",
    "wide": "日本 👩 ❤\ufe0f e\u0301",
}

TEXTS = [*UNSEEN.values(), *SHELL.values(), *FORMULAS.values(), *MARKUP.values()]


def raw(text: str) -> set[str]:
    """The characters of lines that a terminal would act on, or that nobody would see."""
    return {c for c in text if not is_printable(c) and c not in "\n\r"}


#: Program of Python that prints its arguments.
SHOW = "import sys, json; print(json.dumps(sys.argv[1:]))"


def read_by(shell: str, line: str, *options: str) -> list[str]:
    """The words of a line as a shell makes them."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [program, *options, "-c", f"{shlex.quote(sys.executable)} -c {shlex.quote(SHOW)} {line}"],
        capture_output=True,
        check=True,
        env={"LC_ALL": "C.UTF-8", "HOME": "/nowhere", "PATH": "/usr/bin:/bin"},
    )
    found: list[str] = json.loads(done.stdout)
    return found
