"""A YAML or JSON text follows its value: what a person wrote stays, but for what changed."""

import copy
import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from fluxtui.model.documents import document, rewrite
from fluxtui.notation.json_compare import of_lists, same
from tests.each import for_each


def read(text: str) -> document.Document:
    """The document of a text, which is YAML or JSON by its first character."""
    return document.read_json(text) if text.lstrip()[:1] in {"{", "["} else document.read_yaml(text)


def changed(text: str, path: str, change: Callable[[Any, Any], object]) -> str:
    """The text after a change of the part around the one at a path."""
    around = value = copy.deepcopy(read(text).value)
    *steps, last = document.steps(path)
    for step in steps:
        around = around[step]
    change(around, last)
    return to(text, value)


def put(text: str, path: str, value: Any) -> str:
    """The text after a value is put in at a path; that of a new key is behind the others."""
    return changed(text, path, lambda around, step: around.__setitem__(step, value))


def drop(text: str, path: str) -> str:
    """The text after the part at a path is gone."""
    return changed(text, path, lambda around, step: around.__delitem__(step))


def insert(text: str, path: str, value: Any) -> str:
    """The text after an item is put in before the one at a path."""
    return changed(text, path, lambda around, step: around.insert(step, value))


def to(text: str, value: Any) -> str:
    """The text for another value; its layout is kept, and it reads back."""
    found = read(text)
    written = rewrite.read(found)
    result = rewrite.rewritten(written, value)
    assert result.kept, result.why
    assert rewrite.verified(written, value) == result
    assert same(read(result.text).value, value)
    assert rewrite.rewritten(written, found.value) == rewrite.Rewriting(text)
    return result.text


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
SYSTEM = "attributes.system"
COMMAND = "tasks[0].command"
CORE = "resources[0].with[0].with[0]"
ENVIRONMENT = '\n      HOME: "/home/flux"\n      LANG: C\n'
APP = '[ "app", "-v" ]   # say much'

# What is put in, dropped or inserted at a path, and the piece of JOB that becomes another one.
CHANGES: list[tuple[Any, str, tuple[Any, ...], str, str]] = [
    (put, "resources[0].count", (16,), "count: 4\n", "count: 16\n"),
    (put, "resources[0].type", ("rack",), "type: node       # whole", "type: rack       # whole"),
    (put, f"{SYSTEM}.duration", (3600.0,), "", ""),
    (put, f"{SYSTEM}.duration", (60.0,), "3600.  #", "60.0  #"),
    (put, f"{SYSTEM}.duration", (3600,), "3600.  #", "3600  #"),
    (put, f"{SYSTEM}.cwd", ("/tmp",), 'cwd: "/home/flux"', 'cwd: "/tmp"'),
    (put, "tasks[0].slot", ("big one",), "slot: default", "slot: big one"),
    (put, "tasks[0].slot", ("12",), "slot: default", 'slot: "12"'),
    (put, "tasks[0].slot", ("yes",), "slot: default", "slot: 'yes'"),
    # A key that had no value, and new keys.
    (put, "attributes.user.note", ("done",), "note:\n", "note: done\n"),
    (put, "attributes.user.note", ({"by": "me"},), "note:\n", "note:\n      by: me\n"),
    (put, f"{SYSTEM}.queue", ("batch",), "LANG: C\n", "LANG: C\n    queue: batch\n"),
    (put, f"{SYSTEM}.shell", ({"options": {"pmi": ["a"], "x": {}}},), "LANG: C\n",
     "LANG: C\n    shell:\n      options:\n        pmi:\n          - a\n        x: {}\n"),
    (put, f"{SYSTEM}.files", ({"script": "#!/bin/sh\napp\n"},), "LANG: C\n",
     "LANG: C\n    files:\n      script: |\n        #!/bin/sh\n        app\n"),
    # A key goes with its line and its comment; comments on lines of their own stay.
    (drop, f"{SYSTEM}.duration", (), "    duration: 3600.  # an hour\n", ""),
    (drop, f"{SYSTEM}.environment", (), f"    environment:{ENVIRONMENT}", ""),
    (drop, "resources[0].with", (), JOB[JOB.index("    with:") : JOB.index("\ntasks:")], ""),
    (drop, "tasks", (), JOB[JOB.index("\ntasks:") : JOB.index("\nattributes:")], ""),
    (drop, "resources[0].type", (), "- type: node       # whole ones\n    count", "- count"),
    # Between brackets.
    (put, f"{COMMAND}[1]", ('a "b"',), APP, '[ "app", "a \\"b\\"" ]   # say much'),
    (put, COMMAND, (["app", "-v", "x"],), APP, '[ "app", "-v", "x" ]   # say much'),
    (put, COMMAND, (["srun", "app", "-v"],), APP, '[ "srun", "app", "-v" ]   # say much'),
    (drop, f"{COMMAND}[1]", (), APP, '[ "app" ]   # say much'),
    (drop, f"{COMMAND}[0]", (), APP, '[ "-v" ]   # say much'),
    (put, COMMAND, ([],), APP, "[]   # say much"),
    (put, f"{CORE}.count", (3,), "core, count: 2", "core, count: 3"),
    (put, f"{CORE}.unit", ("a, b",), "count: 2}", "count: 2, unit: 'a, b'}"),
    (drop, f"{CORE}.type", (), "{type: core, count: 2}", "{count: 2}"),
    (put, f"{CORE}.count", ({"min": 1},), "count: 2}", "count: {min: 1}}"),
    # A new item looks like its neighbour; a first one is above the comment of the next.
    (insert, "resources[0].with[0].with[1]", ({"type": "gpu", "count": 1},), "count: 2}\n",
     "count: 2}\n          - {type: gpu, count: 1}\n"),
    (insert, "resources[1]", ({"type": "gpu", "count": 1},), "gpu, count: 1}\n",
     "gpu, count: 1}\n  - type: gpu\n    count: 1\n"),
    (insert, CORE, ({"type": "gpu", "count": 1},), "          # two cores each\n",
     "          - {type: gpu, count: 1}\n          # two cores each\n"),
    # A value of another kind.
    (put, "resources[0].count", ({"min": 2, "max": 8},), "count: 4\n",
     "count:\n      min: 2\n      max: 8\n"),
    (put, f"{SYSTEM}.duration", ({"hours": 1},), "3600.  # an hour\n",
     "  # an hour\n      hours: 1\n"),
    (put, "tasks[0].count", (1,), "count:\n      per_slot: 1\n", "count: 1\n"),
    (put, f"{SYSTEM}.environment", ({},), f"environment:{ENVIRONMENT}", "environment: {}\n"),
]  # fmt: skip


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
QUEUE = '"queue": "b\\u00e4tch"'
SHELL = ",\n            ".join(
    [QUEUE, '"shell": {\n                "options": [\n                    1\n']
)
TASKS = JSON_JOB[JSON_JOB.index("[\n") : JSON_JOB.index("],\n    ") + 1]
ITEM = '{\n            "slot": "x"\n        },\n        {"command"'

JSON_CHANGES: list[tuple[Any, str, tuple[Any, ...], str, str]] = [
    (put, "version", (2,), '"version": 1', '"version": 2'),
    (put, f"{SYSTEM}.duration", (3600.0,), "", ""),
    (put, f"{SYSTEM}.duration", (60,), "3.6e3", "60"),
    (put, f"{SYSTEM}.queue", ("größer",), '"b\\u00e4tch"', '"gr\\u00f6\\u00dfer"'),
    # A new key is on a line of its own where the others are.
    (put, f"{SYSTEM}.shell", ({"options": [1]},), QUEUE,
     f"{SHELL}                ]\n            }}"),
    (put, "attributes.user.a", (1,), "{}", '{\n            "a": 1\n        }'),
    (put, "tasks[0].count", ({"per_slot": 1},), '"default"}',
     '"default", "count": {"per_slot": 1}}'),
    (put, COMMAND, (["app", "-v", "x"],), '"-v"]', '"-v","x"]'),
    (insert, "tasks[0]", ({"slot": "x"},), '{"command"', ITEM),
    # A part goes with its comma.
    (drop, "version", (), '    "version": 1,\n', ""),
    (drop, "attributes.user", (), ',\n        "user": {}', ""),
    (drop, f"{SYSTEM}.duration", (), '"duration": 3.6e3,\n            ', ""),
    (put, "tasks", ([],), TASKS, "[]"),
]  # fmt: skip


@for_each("change", [(JOB, *row) for row in CHANGES] + [(JSON_JOB, *row) for row in JSON_CHANGES])
def test_one_change_of_a_job(change: tuple[str, Any, str, tuple[Any, ...], str, str]) -> None:
    text, edit, path, value, old, new = change
    assert edit(text, path, *value) == text.replace(old, new, 1)


def test_keys_of_other_names_and_places() -> None:
    value = read(JOB).value
    assert to(JOB, {"name": "x", **value}) == JOB.replace("version: 1\n", "name: x\nversion: 1\n")
    duration, *others = value["attributes"]["system"].items()
    value["attributes"]["system"] = dict([duration, ("queue", None), *others])
    assert to(JOB, value) == JOB.replace("# an hour\n", "# an hour\n    queue: null\n", 1)
    text = "environment:\n  HOME: /home\n  LANG: C  # plain\n"
    after = to(text, {"environment": {"HOME": "/home", "LC_ALL": "C"}})
    assert after == text.replace("LANG", "LC_ALL")


def test_many_changes_are_one_text() -> None:
    value = copy.deepcopy(read(JOB).value)
    value["resources"][0]["count"] = 5
    value["tasks"][0]["command"].append("-q")
    del value["attributes"]["user"]
    value["attributes"]["system"]["queue"] = "debug"
    after = JOB.replace("count: 4\n", "count: 5\n").replace('"-v" ]', '"-v", "-q" ]')
    after = after.replace("  user:\n    note:\n", "")
    assert to(JOB, value) == after.replace("LANG: C\n", "LANG: C\n    queue: debug\n")


@for_each("newline", ["\r\n", "\r"])
def test_line_ends_stay(newline: str) -> None:
    text = JOB.replace("\n", newline)
    value = copy.deepcopy(read(text).value)
    value["attributes"]["system"] |= {"queue": "batch", "shell": {"a": "b\nc\n"}}
    after = to(text, value)
    assert "\n" not in after.replace(newline, "")
    assert after.startswith(text[: text.index("  user:")])


def test_the_ends_of_the_text_stay() -> None:
    for end in ("", "\n", "\n\n# the end", "\n...\n"):
        text = f"a: 1\nb: 2{end}"
        assert put(text, "b", 3) == f"a: 1\nb: 3{end}"
        assert put(text, "c", 3) == f"a: 1\nb: 2\nc: 3{end}"
        assert drop(text, "b") == f"a: 1{end}"
    for start in ("---\n", "%YAML 1.1\n---  # one\n", "\ufeff# mark\n", "\n\n"):
        assert put(f"{start}a: 1\n", "a", 2) == f"{start}a: 2\n"
    for start in ("", "# my job\n"):
        assert to(start, {"version": 1}) == f"{start}version: 1\n"


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
RUN = "|   # the script\n    #!/bin/sh\n      app\n    echo done\n"
LIST = "- one     # first\n\n# about two\n- two     # second\n- three   # third\n"
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

ANCHORS = """\
base: &base   # shared
  x: 1
one: *base    # the same
two:
  <<: *base
  y: 2
three: 3      # no part of it
"""
TAGS = "a: !!str 5   # c\nb: !!seq\n- x\n"
NEW = {"d": 1, "e": []}

# A text, what is put in at a path, and the text after.
PUTS: list[tuple[str, str, Any, str]] = [
    # Blocks of text: their ends, their indentation, and what follows them.
    (SCRIPT, "files.run", "#!/bin/sh\n  app -v\necho done\n", SCRIPT.replace("app\n", "app -v\n")),
    (SCRIPT, "files.run", "a\nb", SCRIPT.replace(RUN, "|-   # the script\n    a\n    b\n")),
    (SCRIPT, "files.run", "app", SCRIPT.replace(RUN, "app   # the script\n")),
    (SCRIPT, "files.note", "a long text in two lines\nand less",
     SCRIPT.replace(">-\n    a long text\n    in two lines\n\n    and more\n",
                    "|-\n    a long text in two lines\n    and less\n")),
    ("a: |\n  x\nb: 1\n", "a", "x\n\n", "a: |+\n  x\n\nb: 1\n"),
    ("a: |\n  x\nb: 1\n", "a", " x\ny\n", "a: |2\n   x\n  y\nb: 1\n"),
    ("a: 1\n\nb: 2\n", "a", "x\n\n", 'a: "x\\n\\n"\n\nb: 2\n'),
    ("a: 1\n    # deep\nb: 2\n", "a", "x\ny\n", 'a: "x\\ny\\n"\n    # deep\nb: 2\n'),
    ("a:\n  # about\n  b: 1\n", "a", "x\ny\n", 'a: "x\\ny\\n"\n  # about\n'),
    ("a: b   # why\n", "a", "x\ny\n", "a: |   # why\n  x\n  y\n"),
    ('a: "x\\ny"\n', "a", "x\nz", 'a: "x\\nz"\n'),
    ("a: |-\n  x\n  y", "a", "x\ny\n", "a: |\n  x\n  y\n"),
    ("a: |\n  x", "b", 1, "a: |-\n  x\nb: 1"),
    # An indentation of one's own, and values on lines of their own.
    (WIDE, "a.h", {"i": [1, {"j": 2}]},
     f"{WIDE}    h:\n        i:\n          -   1\n          -   j: 2\n"),
    (WIDE, "a.g", "short", WIDE.replace('"long one"', '"short"')),
    (WIDE, "a.g", {"x": 1},
     WIDE.replace('        "long one"   # here\n', "           # here\n        x: 1\n")),
    (WIDE, "a.e", 1, WIDE.replace("e:\n\n      f: 3\n", "e: 1\n\n")),
    ("-\n-  # none\n", "[0]", 1, "- 1\n-  # none\n"),
    ("-\n-  # none\n", "[1]", 1, "-\n- 1  # none\n"),
    ("-\n-  # none\n", "[0]", {"a": 1, "b": 2}, "- a: 1\n  b: 2\n-  # none\n"),
    ("-\n-  # none\n", "[1]", {"a": 1, "b": 2}, "-\n-  # none\n  a: 1\n  b: 2\n"),
    # Brackets as tight as they were; keys in quotes as their neighbours are.
    ("a: [ # none yet\n  ]\n", "a", [1], "a: [1 # none yet\n  ]\n"),
    ("a: [1,2]\n", "a", [1, 2, 3], "a: [1,2,3]\n"),
    ("a: {b: 1 , c: }\n", "a", {"b": 1, "c": None, "d": 2}, "a: {b: 1 , c: , d: 2 }\n"),
    ("a: {b, c: 1}\n", "a", {"b": 5, "c": 1}, "a: {b: 5, c: 1}\n"),
    ("a: [x: 1, y]\n", "a", [{"x": 2}, "y"], "a: [{x: 2}, y]\n"),
    ('a: {"b": 1}\n', "a", {"b": 1, "c": "x"}, 'a: {"b": 1, "c": x}\n'),
    ("'a': 1\n", "b", 2, "'a': 1\n'b': 2\n"),
    ("a: 1\n", "yes", 2, "a: 1\n'yes': 2\n"),
    # JSON in its own style.
    ('{"a": "ä"}', "a", "ö", '{"a": "ö"}'), ('{"a": 1}', "a", "\ud800", '{"a": "\\ud800"}'),
    ('{"a":1,"b":[1,2]}', "c", NEW, '{"a":1,"b":[1,2],"c":{"d":1,"e":[]}}'),
    ('{"a" : 1 , "b" : 2}', "c", NEW, '{"a" : 1 , "b" : 2, "c" : {"d" : 1, "e" : []}}'),
    ('{\n\t"a": 1\n}', "c", NEW,
     '{\n\t"a": 1,\n\t"c": {\n\t\t"d": 1,\n\t\t"e": []\n\t}\n}'),
    ("{}\n", "c", NEW, '{\n  "c": {\n    "d": 1,\n    "e": []\n  }\n}\n'),
    ("{}\r\n", "c", NEW, '{\r\n  "c": {\r\n    "d": 1,\r\n    "e": []\r\n  }\r\n}\r\n'),
    ('{"x": {"a": 1, "a": 2}, "b": 1}', "b", 2, '{"x": {"a": 1, "a": 2}, "b": 2}'),
    # Anchors, aliases and tags where something else changes, or an alias itself.
    (ANCHORS, "three", 4, ANCHORS.replace("3      #", "4      #")),
    (ANCHORS, "four", 4, f"{ANCHORS}four: 4\n"),
    (ANCHORS, "one", 5, ANCHORS.replace("*base    # the", "5    # the")),
    (ANCHORS, "one", {"x": 2},
     ANCHORS.replace("*base    # the same\n", "    # the same\n  x: 2\n")),
    (TAGS, "a", "6", TAGS.replace("!!str 5", '"6"')), (TAGS, "b", ["x", "y"], f"{TAGS}- y\n"),
]  # fmt: skip


@for_each("change", PUTS)
def test_what_is_put_in_has_the_style_of_the_text(change: tuple[str, str, Any, str]) -> None:
    text, path, value, after = change
    assert put(text, path, value) == after


def test_items_come_and_go_with_their_comments() -> None:
    for number, line in enumerate(("- one     # first\n", "- two     # second\n")):
        assert drop(LIST, f"[{number}]") == LIST.replace(line, "")
    assert insert(LIST, "[1]", "new") == LIST.replace("# first\n", "# first\n- new\n")
    assert insert(LIST, "[3]", "new") == f"{LIST}- new\n"
    moved = to(LIST, ["two", "three", "one"])
    assert moved == "\n# about two\n- two     # second\n- three   # third\n- one     # first\n"
    text = "- a: 1   # one\n  # about b\n  b: 2\n"
    assert drop(text, "[0].a") == "-\n  # about b\n  b: 2\n"
    assert insert(WIDE, "a.b[0]", {"x": {"y": 1}}) == WIDE.replace(
        "      -   c", "      -   x:\n              y: 1\n      -   c"
    )


def test_what_goes_beside_anchors_and_blocks_of_text() -> None:
    assert drop(ANCHORS, "three") == ANCHORS.replace("three: 3      # no part of it\n", "")
    assert drop(ANCHORS, "one") == ANCHORS.replace("one: *base    # the same\n", "")
    assert drop("a: |+\n  x\n\nb: 1\n\nc: 2\n", "b") == "a: |+\n  x\n\nc: 2\n"
    assert drop("a: |\n  x\nb:\n  c: 1\n  # deep\nd: 2\n", "b") == "a: |\n  x\nd: 2\n"
    assert drop("a: |\n  x\nb: 1", "b") == "a: |\n  x\n"


def test_lists_in_lists() -> None:
    text = "- - a   # a\n  - b\n- - c\n"
    assert insert(text, "[0][0]", "x") == "- - x\n  - a   # a\n  - b\n- - c\n"
    assert drop(text, "[0][0]") == "- - b\n- - c\n"
    assert insert(text, "[1]", ["x", ["y"]]) == "- - a   # a\n  - b\n- - x\n  - - y\n- - c\n"


def test_the_item_that_changed_is_the_one_most_alike() -> None:
    text = "- type: core   # c\n  count: 1\n- type: gpu   # g\n  count: 1\n"
    value = [{"type": kind, "count": n} for kind, n in (("memory", 2), ("core", 4), ("gpu", 1))]
    assert to(text, value) == f"- type: memory\n  count: 2\n{text.replace('1', '4', 1)}"


def test_many_items_find_their_places() -> None:
    text = "".join(f"- item{n}   # {n}\n" for n in range(200))
    kept = [n for n in range(200) if n % 7]
    after = to(text, [f"item{n}" for n in kept] + ["new"])
    assert after == "".join(f"- item{n}   # {n}\n" for n in kept) + "- new\n"


def test_long_lists_with_little_in_common_take_no_long_time() -> None:
    random = Random(1)
    old, new = (random.choices("ab", k=3000) for _ in range(2))
    start = time.process_time()
    to("".join(f"- {item}\n" for item in old), new)
    of_lists(old[:1000], new[:1000])
    assert time.process_time() - start < 5


BRACKETS = """\
command: [
  app,     # the program
  # loud
  "-v",
  -n, 4    # tasks
]  # all
"""


@for_each(
    "change",
    [
        (["app", "-q", "-n", 4], '"-v",', '"-q",'),
        (["app", "-v", "x", "-n", 4], '"-v",\n', '"-v",\n  "x",\n'),
        (["app", "-v", "-n", 4, "x"], "4    # tasks", "4, x    # tasks"),
        (["app", "-v", "-n"], "-n, 4    # tasks", "-n    # tasks"),
        (["app", "-n", 4], '  # loud\n  "-v",\n  -n', "  # loud\n  -n"),
        (["-v", "-n", 4], "app,     # the program\n  # loud", "# loud"),
        (["new", "app", "-v", "-n", 4], "app,", "new,\n  app,"),
    ],
)
def test_brackets_over_several_lines(change: tuple[list[object], str, str]) -> None:
    command, old, new = change
    assert put(BRACKETS, "command", command) == BRACKETS.replace(old, new)


# What cannot be said piece by piece

ANCHOR = "the part that changed has an anchor"
MERGE = "the mapping that changed has a merge key '<<'"
OTHER = "the whole document is something else than before"


def with_value(path: str, value: Any) -> Any:
    """The value of ANCHORS with another one at a path."""
    new = copy.deepcopy(read(ANCHORS).value)
    *around, last = path.split(".")
    (new[around[0]] if around else new)[last] = value
    return new


@for_each("case", [
    (ANCHORS, with_value("base.x", 2), ANCHOR), (ANCHORS, with_value("base", 2), ANCHOR),
    (ANCHORS, with_value("two.x", 2), MERGE), (ANCHORS, with_value("two.y", 3), MERGE),
    ("a: {b: &x 1}\nc: *x\n", {"c": 1}, ANCHOR), ("- &x 1\n- 2\n- *x\n", [2, 1], ANCHOR),
    ("&x a: 1\nb: *x\n", {"b": "a"}, ANCHOR),
    ("a: 1\na: 2\n", {"a": 3}, "the mapping that changed has a duplicate key"),
    ("? a\n: 1\n", {"a": 3}, "the mapping that changed has a key behind a question mark"),
    ("a: 1\n", [1], OTHER), ("word\n", "other", OTHER),
    ("a: 1\n...\n", {"a" * 1100: 1}, "the part that changed has a very long key"),
])  # fmt: skip
def test_a_text_that_is_written_anew_says_why(case: Any) -> None:
    text, value, reason = case
    lost = "the text was written anew without its comments and its layout"
    result = rewrite.rewritten(rewrite.read(document.read_yaml(text)), value)
    assert not result.kept
    assert same(read(result.text).value, value)
    assert result.why == f"{reason}; {lost}"
    assert "#" not in result.text


@for_each("case", [
    ("a: 1\r\na: 2\r\n", {"a": {"b": 1}}, "a:\r\n  b: 1\r\n"), ('{"a":1}', [1, 2], "[1,2]"),
    ('{\n    "a": 1,\n    "a": 2\n}', {"a": 3}, '{\n    "a": 3\n}'),
])  # fmt: skip
def test_what_stays_in_a_text_that_is_written_anew(case: Any) -> None:
    text, value, after = case
    result = rewrite.rewritten(rewrite.read(read(text)), value)
    assert (result.text, result.kept) == (after, False)
    assert text[0] != "{" or result.why.endswith("; the text was written anew without its layout")


def test_what_is_saved_is_read_back_first() -> None:
    written = rewrite.read(document.read_yaml("a: 1  # c\n"))
    assert rewrite.verified(written, {"a": 2}).text == "a: 2  # c\n"
    # Half of a character can be in no file; nothing that is written reads back as it.
    lost = "the text was written anew without its comments and its layout"
    assert rewrite.verified(written, {"a": "\ud800"}) == rewrite.Rewriting(
        "a: '?'\n", kept=False, why=f"this change does not fit into the layout; {lost}"
    )


@for_each("text", ["a: [", "[a]\nb = 1\n"])
def test_what_is_no_yaml_or_json_is_no_base(text: str) -> None:
    with pytest.raises(ValueError, match="YAML or JSON"):
        rewrite.read(document.read(text))
