"""Whatever a text looks like and whatever changes: it says the new value, the rest stays."""

import json
import re
from collections.abc import Iterator
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
    TEXTS,
    WORDS,
    YamlText,
    changed,
    json_text,
    randoms,
    values,
)
from tests.model.rewritings import PATH, answer, rewritten
from tests.pace import within
from tests.recorded import Agree, rerun


def _texts(random: Random, value: Any) -> tuple[document.Document, Any]:
    """A text of a value that can be read, and another value."""
    found = document.read_yaml(YamlText(random).text(value))
    assume(found.readable and not found.problems)
    new = found.value
    for _ in range(random.choice([1, 1, 2, 3])):
        new = changed(random, new)
    return found, new


@given(values(), randoms())
def test_the_text_says_the_new_value(value: Any, random: Random) -> None:
    found, new = _texts(random, value)
    written = rewrite.read(found)
    result = rewrite.rewritten(written, new)
    again = document.read_yaml(result.text)
    assert same(again.value, new), result.text
    assert result.kept or type(new) is not type(found.value) or not isinstance(new, dict | list)
    assert rewrite.rewritten(written, found.value).text == found.text


@given(values(), randoms())
def test_a_json_text_says_the_new_value(value: Any, random: Random) -> None:
    text = json_text(random, value)
    found = document.read_json(text)
    new = changed(random, value)
    result = rewrite.rewritten(rewrite.read(found), new)
    assert same(json.loads(result.text), new)
    assert result.kept or type(new) is not type(value) or not isinstance(value, dict | list)


@given(values(), randoms())
def test_what_does_not_change_stays_to_the_letter(value: Any, random: Random) -> None:
    found, new = _texts(random, value)
    assume(isinstance(new, dict) and isinstance(found.value, dict))
    result = rewrite.rewritten(rewrite.read(found), new)
    page = Page(found.text)
    assume(not page.unfinished)  # a text at the very end may have to say that it ends there
    index = 0
    for entry in _untouched(Part(page, _mark(found)), found.value, new):
        piece = found.text[entry.start : entry.end]
        assert piece in result.text[index:], result.text
        index = result.text.index(piece, index) + len(piece)


@given(values(), randoms())
def test_comments_stay_but_for_those_in_what_goes(value: Any, random: Random) -> None:
    found, new = _texts(random, value)
    assume(type(new) is type(found.value))
    result = rewrite.rewritten(rewrite.read(found), new)
    assume(result.kept)
    page = Page(found.text)
    gone = list(_gone(page, Part(page, _mark(found)), found.value, new))
    kept = [
        number
        for number, place in _comments(found.text).items()
        if not any(start <= place < end for start, end in gone)
    ]
    assert [number for number in _comments(result.text) if number in kept] == kept, result.text


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


def _mark(found: document.Document) -> Any:
    return the(found.mark)


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
        if part.there:
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


def test_texts_become_what_is_recorded(agree: Agree) -> None:
    agree(PATH, rerun(PATH, answer))


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
