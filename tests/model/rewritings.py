"""What becomes of texts whose values change, recorded whole in ``rewritings.txt``.

What is asked is one line of ``TEXT | EDIT``. TEXT is the name of one of those below, or a text as
JSON; EDIT is ``put PATH VALUE``, ``insert PATH VALUE`` before an item, ``drop PATH`` or ``becomes
VALUE``. The answer is the text as JSON, or what differs from a text with a name; before a text that
was written anew is why.
"""

import copy
import difflib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fluxtui.model.documents import document, rewrite
from fluxtui.notation.json_value import same

PATH = Path(__file__).parent / "rewritings.txt"

# A jobspec as people write them: comments, quotes, brackets, numbers of their own spelling.
JOB = """\
# Four nodes for an hour.
version: 1

resources:           # see the manual
  - type: node       # whole ones
    count: 4
    with:
      - type: slot
        count: 1
        label: default
        with:
          # two cores each
          - {type: core, count: 2}
          # - {type: gpu, count: 1}

tasks:
  - command: [ "app", "-v" ]   # say much
    slot: default
    count:
      per_slot: 1

attributes:
  system:
    duration: 3600.  # an hour
    cwd: "/home/flux"

    # what the program needs
    environment:
      HOME: "/home/flux"
      LANG: C
  user:
    note:
"""

JSON_JOB = """\
{
    "version": 1,
    "tasks": [
        {"command": ["app","-v"], "slot": "default"}
    ],
    "attributes": {
        "system": {
            "duration": 3.6e3,
            "queue": "b\\u00e4tch"
        },
        "user": {}
    }
}
"""

SCRIPT = """\
files:
  run: |   # the script
    #!/bin/sh
      app
    echo done

  note: >-
    a long text
    in two lines

    and more

end: true
"""

WIDE = """\
a:
    b:
      -   c: 1
          d: 2
    e:

      f: 3
    g:
        "long one"   # here
"""

BRACKETS = """\
command: [
  app,     # the program
  # loud
  "-v",
  -n, 4    # tasks
]  # all
"""

ANCHORS = """\
base: &base   # shared
  x: 1
one: *base    # the same
two:
  <<: *base
  y: 2
three: 3      # no part of it
"""

TEXTS = {
    "JOB": JOB,
    "JSON_JOB": JSON_JOB,
    "SCRIPT": SCRIPT,
    "WIDE": WIDE,
    "BRACKETS": BRACKETS,
    "ANCHORS": ANCHORS,
    "LIST": "- one     # first\n\n# about two\n- two     # second\n- three   # third\n",
}


def read(text: str) -> document.Document:
    """The document of a text, which is YAML or JSON by its first character."""
    return document.read_json(text) if text.lstrip()[:1] in {"{", "["} else document.read_yaml(text)


def rewritten(text: str, value: Any) -> rewrite.Rewriting:
    """The text for another value, which reads back; for the value of before it is that of before.

    Half of a character is none that a file can hold.
    """
    found = read(text)
    written = rewrite.read(found)
    assert rewrite.rewritten(written, copy.deepcopy(found.value)) == rewrite.Rewriting(text)
    result = rewrite.rewritten(written, value)
    again = document.read_json if written.form == "json" else document.read_yaml
    if "ud800" not in repr(value):
        assert same(again(result.text).value, value), result
        assert rewrite.verified(written, value) == result
    return rewrite.verified(written, value)


def changed(text: str, edit: str) -> Any:
    """The value of a text after an edit."""
    name, path, given = (*edit.split(" ", 2), "")[:3]
    if name == "becomes":
        return json.loads(edit.removeprefix("becomes "))
    around = value = copy.deepcopy(read(text).value)
    *steps, last = document.steps(path)
    for step in steps:
        around = around[step]
    if name == "put":
        around[last] = json.loads(given)
    elif name == "insert":
        around.insert(last, json.loads(given))
    else:
        del around[last]
    return value


def answer(asked: str) -> Iterator[str]:
    """What becomes of a text."""
    name, _, edit = asked.rpartition(" | ")
    text = TEXTS.get(name) or json.loads(name)
    result = rewritten(text, changed(text, edit))
    if not result.kept:
        yield result.why
    if name not in TEXTS or not result.kept:
        yield json.dumps(result.text, ensure_ascii=False)
        return
    before, after = (one.splitlines() for one in (text, result.text))
    yield from (
        line
        for line in difflib.unified_diff(before, after, n=0, lineterm="")
        if line[:3] not in ("---", "+++")
    )
