"""Whatever a text looks like and whatever changes: it says the new value, the rest stays."""

import copy
import difflib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from fluxtui.model.documents import document, rewrite
from fluxtui.model.documents.layout import Entry, Page, Part
from fluxtui.notation.json_value import of_lists, same
from tests.each import for_each, the
from tests.model.rewrite_texts import (
    ODD,
    SAMPLES,
    TEXTS,
    WORDS,
    YamlText,
    changed,
    json_text,
    randoms,
    values,
)
from tests.pace import within
from tests.recorded import Agree, rerun


@given(values(), randoms())
def test_the_text_says_the_new_value_and_what_does_not_change_stays(
    value: Any, random: Random
) -> None:
    found = document.read_yaml(YamlText(random).text(value))
    assume(found.readable and not found.problems)
    old = new = found.value
    for _ in range(random.choice([1, 1, 2, 3])):
        new = changed(random, new)
    written = rewrite.read(found)
    assert rewrite.rewritten(written, old).text == found.text
    result = rewrite.rewritten(written, new)
    assert same(document.read_yaml(result.text).value, new), result.text
    if type(new) is not type(old):
        return
    assert result.kept or not isinstance(new, dict | list)
    page = Page(found.text)
    whole = Part(page, the(found.mark))
    # A text at the very end may have to say that it ends there.
    if isinstance(new, dict) and not page.unfinished:
        index = 0
        for entry in _untouched(whole, old, new):
            piece = found.text[entry.start : entry.end]
            assert piece in result.text[index:], result.text
            index = result.text.index(piece, index) + len(piece)
    # Comments stay but for those in what goes.
    if result.kept:
        gone = list(_gone(page, whole, old, new))
        kept = [
            number
            for number, place in _comments(found.text).items()
            if not any(start <= place < end for start, end in gone)
        ]
        assert [one for one in _comments(result.text) if one in kept] == kept, result.text


@given(values(), randoms())
def test_a_json_text_says_the_new_value(value: Any, random: Random) -> None:
    found, new = document.read_json(json_text(random, value)), changed(random, value)
    result = rewrite.rewritten(rewrite.read(found), new)
    assert same(json.loads(result.text), new)
    assert result.kept or type(new) is not type(value) or not isinstance(value, dict | list)


@given(
    st.text(max_size=20) | st.sampled_from([*WORDS, *ODD, *TEXTS]),
    st.sampled_from(
        ["a: 1\n", "a: [1]\n", 'a: "x"\n', "a: 'x'\n", "a: |\n x\n y\n", "a: {x: 1}\n"]
    ),
    st.text(max_size=5),
)
def test_any_word_can_stand_anywhere(word: str, text: str, name: str) -> None:
    for value in ({"a": word}, {"a": [word]}, {"a": {name: word}}, {"a": {"x": word}, name: word}):
        if any("\ud800" <= sign <= "\udfff" for sign in word + name):
            continue
        result = rewrite.rewritten(rewrite.read(document.read_yaml(text)), value)
        assert same(document.read_yaml(result.text).value, value), result.text
        assert result.kept


def _untouched(part: Part, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Entry]:
    """The largest entries of mappings that are as they were."""
    for index, key in enumerate(part.keys):
        entry = part.entry(index)
        if key not in new:
            continue
        if same(old[key], new[key]):
            yield entry
        elif isinstance(old[key], dict) and isinstance(new[key], dict) and old[key]:
            yield from _untouched(entry.value, old[key], new[key])


def _gone(page: Page, part: Part, old: Any, new: Any) -> Iterator[tuple[int, int]]:
    """The places that go with what changed. In a list, all from its first change on."""
    if same(old, new):
        return
    if part.kind == "scalar" or type(old) is not type(new) or not old or not new:
        if part.has_text:
            yield part.start, page.end(part.end) if part.block else part.end
        return
    if isinstance(old, list):
        first = next(
            (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if not same(a, b)), None
        )
        if first is not None or len(old) > len(new):
            start = part.entry(len(new) if first is None else first).start
            yield start, page.tail(part.end, page.column(part.entry(0).start))
        return
    start = None
    for index, key in enumerate(part.keys):
        entry = part.entry(index)
        if key in new:
            start = None
            yield from _gone(page, entry.value, old[key], new[key])
        else:
            start = entry.start if start is None else start
            yield start, page.tail(entry.end, page.column(entry.start))


def _comments(text: str) -> dict[str, int]:
    """The comments by number, and their places; not what looks like one within a scalar."""
    scalars = []
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.ScalarEvent) and event.start_mark.index < event.end_mark.index:
            start = event.start_mark.index
            # Behind the header of a block scalar there may be a comment.
            begins = text.find("\n", start) if text[start] in "|>" else start
            scalars.append((begins, event.end_mark.index))
    return {
        found[1]: found.start()
        for found in re.finditer(r"# c(\d+)\.", text)
        if not any(start <= found.start() < end for start, end in scalars)
    }


# A YAML or JSON text follows its value: what a person wrote stays, but for what changed

RECORDED = Path(__file__).with_name("rewritings.txt")


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


def edited(text: str, edit: str) -> Any:
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
    """What becomes of a text: itself as JSON, or what differs from a sample; or why it is new.

    What is asked is one line of ``TEXT | EDIT``. TEXT is the name of a sample, or a text as JSON;
    EDIT is ``put PATH VALUE``, ``insert PATH VALUE`` before an item, ``drop PATH`` or ``becomes
    VALUE``.
    """
    name, _, edit = asked.rpartition(" | ")
    text = SAMPLES.get(name) or json.loads(name)
    result = rewritten(text, edited(text, edit))
    if not result.kept:
        yield result.why
    if name not in SAMPLES or not result.kept:
        yield json.dumps(result.text, ensure_ascii=False)
        return
    before, after = (one.splitlines() for one in (text, result.text))
    yield from (
        line
        for line in difflib.unified_diff(before, after, n=0, lineterm="")
        if line[:3] not in ("---", "+++")
    )


def test_texts_become_what_is_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answer))


def test_long_lists_with_little_in_common_take_no_long_time() -> None:
    random = Random(1)
    old, new = (random.choices("ab", k=3000) for _ in range(2))
    text = "".join(f"- {item}\n" for item in old)
    assert within(5, lambda: rewritten(text, new)).kept
    within(5, lambda: of_lists(old[:1000], new[:1000]))


def test_a_key_that_is_too_long_for_its_colon() -> None:
    result = rewritten("a: 1\n...\n", {"a" * 1100: 1})
    assert result.why.startswith("the part that changed has a very long key; ")


@for_each("text", ["a: [", "[a]\nb = 1\n"])
def test_what_is_no_yaml_or_json_is_no_base(text: str) -> None:
    with pytest.raises(ValueError, match="YAML or JSON"):
        rewrite.read(document.read(text))
