"""A YAML text follows its value: what a person wrote stays, but for what changed."""

import copy

import pytest

from fluxtui.model.documents import document
from fluxtui.model.documents.rewriting import rewrite
from tests.model.rewriting import drop, insert, order, put, to

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


def test_a_value_that_is_the_same_gives_the_text_to_the_letter() -> None:
    written = rewrite.read(document.read_yaml(JOB))
    again = copy.deepcopy(written.value)
    assert rewrite.rewritten(written, again) == rewrite.Rewriting(JOB, kept=True, why="")


def test_a_number() -> None:
    after = put(JOB, "resources[0].count", 16)
    assert after == JOB.replace("count: 4\n", "count: 16\n")


def test_a_comment_on_the_line_stays() -> None:
    after = put(JOB, "resources[0].type", "rack")
    assert after == JOB.replace("type: node       # whole", "type: rack       # whole")


def test_a_number_keeps_its_spelling_until_it_is_another() -> None:
    assert put(JOB, f"{SYSTEM}.duration", 3600.0) == JOB
    assert put(JOB, f"{SYSTEM}.duration", 60.0) == JOB.replace("3600.  #", "60.0  #")


def test_a_whole_number_is_another_value_than_one_with_a_point() -> None:
    assert put(JOB, f"{SYSTEM}.duration", 3600) == JOB.replace("3600.  #", "3600  #")


def test_text_keeps_its_quotes() -> None:
    after = put(JOB, f"{SYSTEM}.cwd", "/tmp")
    assert after == JOB.replace('cwd: "/home/flux"', 'cwd: "/tmp"')


def test_text_gets_quotes_only_where_it_needs_them() -> None:
    assert put(JOB, "tasks[0].slot", "big one") == JOB.replace("slot: default", "slot: big one")
    assert put(JOB, "tasks[0].slot", "12") == JOB.replace("slot: default", 'slot: "12"')
    assert put(JOB, "tasks[0].slot", "yes") == JOB.replace("slot: default", "slot: 'yes'")


def test_a_key_that_had_no_value() -> None:
    assert put(JOB, "attributes.user.note", "done") == JOB.replace("note:\n", "note: done\n")
    after = put(JOB, "attributes.user.note", {"by": "me"})
    assert after == JOB.replace("note:\n", "note:\n      by: me\n")


def test_a_new_key_stands_behind_the_last() -> None:
    after = put(JOB, f"{SYSTEM}.queue", "batch")
    assert after == JOB.replace("LANG: C\n", "LANG: C\n    queue: batch\n")


def test_a_new_key_stands_behind_the_one_that_it_follows() -> None:
    keys = ("duration", "queue", "cwd", "environment")
    after = order(JOB, SYSTEM, *keys)
    assert after == JOB.replace("# an hour\n", "# an hour\n    queue: null\n")


def test_a_new_first_key_stands_below_the_heading_of_the_text() -> None:
    value = document.read_yaml(JOB).value
    after = to(JOB, {"name": "x", **value})
    assert after == JOB.replace("version: 1\n", "name: x\nversion: 1\n")


def test_a_new_mapping_is_indented_as_the_others_are() -> None:
    after = put(JOB, f"{SYSTEM}.shell", {"options": {"pmi": ["a"], "x": {}}})
    shell = "    shell:\n      options:\n        pmi:\n          - a\n        x: {}\n"
    assert after == JOB.replace("LANG: C\n", f"LANG: C\n{shell}")


def test_a_key_goes_with_its_line_and_its_comment() -> None:
    assert drop(JOB, f"{SYSTEM}.duration") == JOB.replace("    duration: 3600.  # an hour\n", "")


def test_comments_on_lines_of_their_own_stay() -> None:
    after = drop(JOB, f"{SYSTEM}.environment")
    gone = '    environment:\n      HOME: "/home/flux"\n      LANG: C\n'
    assert after == JOB.replace(gone, "")
    assert "# what the program needs" in after


def test_comments_that_are_further_in_go_with_what_they_stand_in() -> None:
    after = drop(JOB, "resources[0].with")
    assert after == JOB[: JOB.index("    with:")] + JOB[JOB.index("\ntasks:") :]


def test_blank_lines_do_not_add_up() -> None:
    after = drop(JOB, "tasks")
    assert after == JOB[: JOB.index("\ntasks:")] + JOB[JOB.index("\nattributes:") :]


def test_the_first_key_behind_a_dash_goes() -> None:
    after = drop(JOB, "resources[0].type")
    assert after == JOB.replace("- type: node       # whole ones\n    count", "- count")


def test_a_key_gets_another_name_at_its_place() -> None:
    keys = ("HOME", "LC_ALL")
    after = to(
        "environment:\n  HOME: /home\n  LANG: C  # plain\n",
        {"environment": dict(zip(keys, ("/home", "C"), strict=True))},
    )
    assert after == "environment:\n  HOME: /home\n  LC_ALL: C  # plain\n"


def test_between_brackets() -> None:
    line = '[ "app", "-v" ]   # say much'
    path = "tasks[0].command"
    changes = [
        (put(JOB, f"{path}[1]", "-q"), '[ "app", "-q" ]   # say much'),
        (put(JOB, f"{path}[1]", 'a "b"'), '[ "app", "a \\"b\\"" ]   # say much'),
        (put(JOB, path, ["app", "-v", "x"]), '[ "app", "-v", "x" ]   # say much'),
        (put(JOB, path, ["srun", "app", "-v"]), '[ "srun", "app", "-v" ]   # say much'),
        (drop(JOB, f"{path}[1]"), '[ "app" ]   # say much'),
        (drop(JOB, f"{path}[0]"), '[ "-v" ]   # say much'),
        (put(JOB, path, []), "[]   # say much"),
    ]
    for after, wanted in changes:
        assert after == JOB.replace(line, wanted)


def test_a_mapping_between_brackets() -> None:
    path = "resources[0].with[0].with[0]"
    line = "{type: core, count: 2}"
    changes = [
        (put(JOB, f"{path}.count", 3), "{type: core, count: 3}"),
        (put(JOB, f"{path}.unit", "a, b"), "{type: core, count: 2, unit: 'a, b'}"),
        (drop(JOB, f"{path}.type"), "{count: 2}"),
        (put(JOB, f"{path}.count", {"min": 1}), "{type: core, count: {min: 1}}"),
    ]
    for after, wanted in changes:
        assert after == JOB.replace(line, wanted)


def test_a_new_item_looks_like_its_neighbour() -> None:
    after = insert(JOB, "resources[0].with[0].with[1]", {"type": "gpu", "count": 1})
    core = "          - {type: core, count: 2}\n"
    assert after == JOB.replace(core, f"{core}          - {{type: gpu, count: 1}}\n", 1)
    after = insert(JOB, "resources[1]", {"type": "gpu", "count": 1})
    commented = "          # - {type: gpu, count: 1}\n"
    assert after == JOB.replace(commented, f"{commented}  - type: gpu\n    count: 1\n")


def test_a_new_first_item_stands_above_the_comment_of_the_one_that_was_first() -> None:
    after = insert(JOB, "resources[0].with[0].with[0]", {"type": "gpu", "count": 1})
    comment = "          # two cores each\n"
    assert after == JOB.replace(comment, f"          - {{type: gpu, count: 1}}\n{comment}")


def test_a_scalar_becomes_a_mapping() -> None:
    after = put(JOB, "resources[0].count", {"min": 2, "max": 8})
    assert after == JOB.replace("count: 4\n", "count:\n      min: 2\n      max: 8\n")


def test_the_comment_stays_on_its_line_when_a_mapping_comes_below_it() -> None:
    after = put(JOB, f"{SYSTEM}.duration", {"hours": 1})
    assert after == JOB.replace("3600.  # an hour\n", "  # an hour\n      hours: 1\n")


def test_a_mapping_becomes_a_scalar() -> None:
    after = put(JOB, "tasks[0].count", 1)
    assert after == JOB.replace("count:\n      per_slot: 1\n", "count: 1\n")


def test_a_mapping_becomes_empty_and_an_empty_one_does_not_stay_so() -> None:
    after = put(JOB, f"{SYSTEM}.environment", {})
    body = '\n      HOME: "/home/flux"\n      LANG: C\n'
    assert after == JOB.replace(f"environment:{body}", "environment: {}\n")
    again = put(after, f"{SYSTEM}.environment", {"A": "b"})
    assert again == JOB.replace(body, "\n      A: b\n")


def test_text_of_several_lines_stands_in_a_block() -> None:
    after = put(JOB, f"{SYSTEM}.files", {"script": "#!/bin/sh\napp\n"})
    block = "    files:\n      script: |\n        #!/bin/sh\n        app\n"
    assert after == JOB.replace("LANG: C\n", f"LANG: C\n{block}")


def test_many_changes_are_one_text() -> None:
    value = copy.deepcopy(document.read_yaml(JOB).value)
    value["resources"][0]["count"] = 5
    value["tasks"][0]["command"].append("-q")
    del value["attributes"]["user"]
    value["attributes"]["system"]["queue"] = "debug"
    after = JOB.replace("count: 4\n", "count: 5\n").replace('"-v" ]', '"-v", "-q" ]')
    after = after.replace("  user:\n    note:\n", "").replace(
        "LANG: C\n", "LANG: C\n    queue: debug\n"
    )
    assert to(JOB, value) == after


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_stay(newline: str) -> None:
    text = JOB.replace("\n", newline)
    value = copy.deepcopy(document.read_yaml(text).value)
    value["attributes"]["system"] |= {"queue": "batch", "shell": {"a": "b\nc\n"}}
    after = to(text, value)
    assert "\n" not in after.replace(newline, "")
    assert after.startswith(text[: text.index("  user:")])


@pytest.mark.parametrize("end", ["", "\n", "\n\n# the end", "\n...\n"])
def test_the_end_of_the_text_stays(end: str) -> None:
    text = f"a: 1\nb: 2{end}"
    assert put(text, "b", 3) == f"a: 1\nb: 3{end}"
    assert put(text, "c", 3) == f"a: 1\nb: 2\nc: 3{end}"
    assert drop(text, "b") == f"a: 1{end}"


def test_what_precedes_the_document_stays() -> None:
    for start in ("---\n", "%YAML 1.1\n---  # one\n", "\ufeff# mark\n", "\n\n"):
        assert put(f"{start}a: 1\n", "a", 2) == f"{start}a: 2\n"


def test_a_text_of_comments_alone_gets_a_document() -> None:
    assert to("# my job\n", {"version": 1}) == "# my job\nversion: 1\n"
    assert to("", {"version": 1}) == "version: 1\n"
