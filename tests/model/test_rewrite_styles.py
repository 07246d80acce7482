"""Each style of YAML stays what it is: lists, blocks of text, brackets, odd indentation."""

import time
from random import Random

import pytest

from fluxtui.notation.json_compare import of_lists
from tests.model.rewriting import drop, insert, put, to

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


def test_a_block_of_text_stays_one_with_the_comment_at_its_head() -> None:
    after = put(SCRIPT, "files.run", "#!/bin/sh\n  app -v\necho done\n")
    assert after == SCRIPT.replace("      app\n", "      app -v\n")


def test_a_block_of_text_says_how_it_ends() -> None:
    assert put(SCRIPT, "files.run", "a\nb") == SCRIPT.replace(
        "|   # the script\n    #!/bin/sh\n      app\n    echo done\n",
        "|-   # the script\n    a\n    b\n",
    )
    assert put("a: |\n  x\nb: 1\n", "a", "x\n\n") == "a: |+\n  x\n\nb: 1\n"


def test_text_that_begins_with_a_space_says_its_indentation() -> None:
    assert put("a: |\n  x\nb: 1\n", "a", " x\ny\n") == "a: |2\n   x\n  y\nb: 1\n"


def test_line_breaks_at_the_end_are_not_lost_in_blank_lines_that_follow() -> None:
    assert put("a: 1\n\nb: 2\n", "a", "x\n\n") == 'a: "x\\n\\n"\n\nb: 2\n'
    assert drop("a: |+\n  x\n\nb: 1\n\nc: 2\n", "b") == "a: |+\n  x\n\nc: 2\n"


def test_a_comment_that_follows_is_not_taken_for_text() -> None:
    assert put("a: 1\n    # deep\nb: 2\n", "a", "x\ny\n") == (
        "a: |\n     x\n     y\n    # deep\nb: 2\n"
    )
    assert drop("a: |\n  x\nb:\n  c: 1\n  # deep\nd: 2\n", "b") == "a: |\n  x\nd: 2\n"
    assert put("a:\n  # about\n  b: 1\n", "a", "x\ny\n") == 'a: "x\\ny\\n"\n  # about\n'


def test_folded_text_that_changes_is_no_longer_folded() -> None:
    old = "note: >-\n    a long text\n    in two lines\n\n    and more\n"
    new = "note: |-\n    a long text in two lines\n    and less\n"
    after = put(SCRIPT, "files.note", "a long text in two lines\nand less")
    assert after == SCRIPT.replace(old, new)


def test_a_block_of_text_becomes_a_word_and_a_word_becomes_a_block() -> None:
    body = "    #!/bin/sh\n      app\n    echo done\n"
    assert put(SCRIPT, "files.run", "app") == SCRIPT.replace(
        f"|   # the script\n{body}", "app   # the script\n"
    )
    assert put("a: b   # why\n", "a", "x\ny\n") == "a: |   # why\n  x\n  y\n"


def test_text_with_escapes_stays_in_its_quotes() -> None:
    assert put('a: "x\\ny"\n', "a", "x\nz") == 'a: "x\\nz"\n'


def test_a_block_of_text_at_the_end_of_a_text_without_a_line_break() -> None:
    assert put("a: |-\n  x\n  y", "a", "x\ny\n") == "a: |\n  x\n  y\n"
    assert put("a: |\n  x", "b", 1) == "a: |-\n  x\nb: 1"
    assert drop("a: |\n  x\nb: 1", "b") == "a: |\n  x\n"


LIST = """\
- one     # first

# about two
- two     # second
- three   # third
"""


def test_an_item_goes_with_its_comment_and_no_other() -> None:
    assert drop(LIST, "[0]") == LIST.replace("- one     # first\n", "")
    assert drop(LIST, "[1]") == LIST.replace("- two     # second\n", "")
    assert drop(LIST, "[2]") == LIST.replace("- three   # third\n", "")


def test_an_item_comes_in_between() -> None:
    assert insert(LIST, "[1]", "new") == LIST.replace("# first\n", "# first\n- new\n")
    assert insert(LIST, "[3]", "new") == f"{LIST}- new\n"


def test_an_item_that_moves_takes_its_comment_along() -> None:
    after = to(LIST, ["two", "three", "one"])
    assert after == "\n# about two\n- two     # second\n- three   # third\n- one     # first\n"


def test_the_item_that_changed_is_the_one_most_alike() -> None:
    text = "- type: core   # c\n  count: 1\n- type: gpu   # g\n  count: 1\n"
    value = [
        {"type": "memory", "count": 2},
        {"type": "core", "count": 4},
        {"type": "gpu", "count": 1},
    ]
    assert to(text, value) == (
        "- type: memory\n  count: 2\n"
        "- type: core   # c\n  count: 4\n- type: gpu   # g\n  count: 1\n"
    )


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


def test_lists_in_lists() -> None:
    text = "- - a   # a\n  - b\n- - c\n"
    assert insert(text, "[0][0]", "x") == "- - x\n  - a   # a\n  - b\n- - c\n"
    assert drop(text, "[0][0]") == "- - b\n- - c\n"
    assert insert(text, "[1]", ["x", ["y"]]) == "- - a   # a\n  - b\n- - x\n  - - y\n- - c\n"


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


def test_an_indentation_of_ones_own() -> None:
    assert put(WIDE, "a.h", {"i": [1, {"j": 2}]}) == (
        f"{WIDE}    h:\n        i:\n          -   1\n          -   j: 2\n"
    )
    assert insert(WIDE, "a.b[0]", {"x": {"y": 1}}) == WIDE.replace(
        "      -   c", "      -   x:\n              y: 1\n      -   c"
    )


def test_a_value_on_a_line_of_its_own() -> None:
    assert put(WIDE, "a.g", "short") == WIDE.replace('"long one"', '"short"')
    assert put(WIDE, "a.g", {"x": 1}).endswith("    g:\n           # here\n        x: 1\n")
    assert put(WIDE, "a.e", 1) == WIDE.replace("e:\n\n      f: 3\n", "e: 1\n\n")


def test_items_without_a_value() -> None:
    assert put("-\n-  # none\n", "[0]", 1) == "- 1\n-  # none\n"
    assert put("-\n-  # none\n", "[1]", 1) == "-\n- 1  # none\n"
    assert put("-\n-  # none\n", "[0]", {"a": 1, "b": 2}) == "- a: 1\n  b: 2\n-  # none\n"
    assert put("-\n-  # none\n", "[1]", {"a": 1, "b": 2}) == "-\n-  # none\n  a: 1\n  b: 2\n"


def test_a_comment_below_the_first_key_of_an_item_stays() -> None:
    text = "- a: 1   # one\n  # about b\n  b: 2\n"
    assert drop(text, "[0].a") == "-\n  # about b\n  b: 2\n"


BRACKETS = """\
command: [
  app,     # the program
  # loud
  "-v",
  -n, 4    # tasks
]  # all
"""


@pytest.mark.parametrize(
    ("command", "old", "new"),
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
def test_brackets_over_several_lines(command: list[object], old: str, new: str) -> None:
    assert put(BRACKETS, "command", command) == BRACKETS.replace(old, new)


def test_an_empty_list_with_a_comment_in_it_keeps_it() -> None:
    assert put("a: [ # none yet\n  ]\n", "a", [1]) == "a: [1 # none yet\n  ]\n"


def test_brackets_as_tight_as_they_were() -> None:
    assert put("a: [1,2]\n", "a", [1, 2, 3]) == "a: [1,2,3]\n"
    assert put("a: {b: 1 , c: }\n", "a", {"b": 1, "c": None, "d": 2}) == "a: {b: 1 , c: , d: 2 }\n"
    assert put("a: {b, c: 1}\n", "a", {"b": 5, "c": 1}) == "a: {b: 5, c: 1}\n"
    assert put("a: [x: 1, y]\n", "a", [{"x": 2}, "y"]) == "a: [{x: 2}, y]\n"


def test_keys_are_quoted_as_their_neighbours_are() -> None:
    assert put('a: {"b": 1}\n', "a", {"b": 1, "c": "x"}) == 'a: {"b": 1, "c": x}\n'
    assert put("'a': 1\n", "b", 2) == "'a': 1\n'b': 2\n"
    assert put("a: 1\n", "yes", 2) == "a: 1\n'yes': 2\n"
