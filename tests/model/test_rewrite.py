"""A YAML or JSON text follows its value: what a person wrote stays, but for what changed."""

import copy
import time
from random import Random

import pytest

from fluxtui.model.documents import document, rewrite
from fluxtui.notation.json_value import of_lists
from tests.each import for_each
from tests.model.rewritings import JOB, PATH, answer, read, rewritten
from tests.recorded import Agree, rerun


def test_texts_become_what_is_recorded(agree: Agree) -> None:
    agree(PATH, rerun(PATH, answer))


def test_many_changes_are_one_text() -> None:
    value = copy.deepcopy(read(JOB).value)
    value["resources"][0]["count"] = 5
    value["tasks"][0]["command"].append("-q")
    del value["attributes"]["user"]
    value["attributes"]["system"]["queue"] = "debug"
    after = JOB.replace("count: 4\n", "count: 5\n").replace('"-v" ]', '"-v", "-q" ]')
    after = after.replace("  user:\n    note:\n", "")
    after = after.replace("LANG: C\n", "LANG: C\n    queue: debug\n")
    assert rewritten(JOB, value) == rewrite.Rewriting(after)


@for_each("newline", ["\r\n", "\r"])
def test_line_ends_stay(newline: str) -> None:
    text = JOB.replace("\n", newline)
    value = copy.deepcopy(read(text).value)
    value["attributes"]["system"] |= {"queue": "batch", "shell": {"a": "b\nc\n"}}
    after = rewritten(text, value).text
    assert "\n" not in after.replace(newline, "")
    assert after.startswith(text[: text.index("  user:")])


def test_many_items_find_their_places() -> None:
    text = "".join(f"- item{n}   # {n}\n" for n in range(200))
    kept = [n for n in range(200) if n % 7]
    after = rewritten(text, [f"item{n}" for n in kept] + ["new"]).text
    assert after == "".join(f"- item{n}   # {n}\n" for n in kept) + "- new\n"


def test_long_lists_with_little_in_common_take_no_long_time() -> None:
    random = Random(1)
    old, new = (random.choices("ab", k=3000) for _ in range(2))
    start = time.process_time()
    assert rewritten("".join(f"- {item}\n" for item in old), new).kept
    of_lists(old[:1000], new[:1000])
    assert time.process_time() - start < 5


def test_a_key_that_is_too_long_for_its_colon() -> None:
    result = rewritten("a: 1\n...\n", {"a" * 1100: 1})
    assert result.why.startswith("the part that changed has a very long key; ")


@for_each("text", ["a: [", "[a]\nb = 1\n"])
def test_what_is_no_yaml_or_json_is_no_base(text: str) -> None:
    with pytest.raises(ValueError, match="YAML or JSON"):
        rewrite.read(document.read(text))
