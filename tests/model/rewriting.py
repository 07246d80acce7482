"""How the tests of rewritten texts change the value of one, and say what is to come of it."""

import copy
from typing import Any

from fluxtui.model.documents import document, rewrite
from fluxtui.notation.json_compare import same


def read(text: str) -> document.Document:
    """The document of a text, which is YAML or JSON by its first character."""
    begins = text.lstrip()[:1]
    return document.read_json(text) if begins in {"{", "["} else document.read_yaml(text)


def put(text: str, path: str, value: Any) -> str:
    """The text after a value is put in at a path; that of a new key is behind the others."""
    return _changed(text, path, lambda around, step: around.__setitem__(step, value))


def drop(text: str, path: str) -> str:
    """The text after the part at a path is gone."""
    return _changed(text, path, lambda around, step: around.__delitem__(step))


def insert(text: str, path: str, value: Any) -> str:
    """The text after an item is put in before the one at a path."""
    return _changed(text, path, lambda around, step: around.insert(step, value))


def order(text: str, path: str, *keys: str) -> str:
    """The text after the keys of a mapping come in this order; those it has not are null."""
    return _changed(
        text,
        path,
        lambda around, step: around.__setitem__(step, {key: around[step].get(key) for key in keys}),
    )


def _changed(text: str, path: str, change: Any) -> str:
    found = document.read_yaml(text) if text.lstrip()[:1] != "{" else read(text)
    value = copy.deepcopy(found.value)
    steps = document.steps(path)
    around = value
    for step in steps[:-1]:
        around = around[step]
    change(around, steps[-1])
    return to(text, value)


def to(text: str, value: Any) -> str:
    """The text for another value; its layout is kept, and it reads back."""
    found = read(text)
    written = rewrite.read(found)
    result = rewrite.rewritten(written, value)
    assert result.kept, result.why
    assert same(read_as(written.form, result.text), value)
    assert rewrite.verified(written, value) == result
    assert rewrite.rewritten(written, found.value).text == text
    return result.text


def anew(text: str, value: Any) -> rewrite.Rewriting:
    """What comes of a text whose layout cannot be kept."""
    written = rewrite.read(read(text))
    result = rewrite.rewritten(written, value)
    assert not result.kept
    assert same(read_as(written.form, result.text), value)
    return result


def read_as(form: str, text: str) -> Any:
    """The value of a text."""
    found = document.read_json(text) if form == "json" else document.read_yaml(text)
    assert found.readable, (found.problems, text)
    return found.value
