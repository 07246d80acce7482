"""A YAML or JSON text follows its value: what a person wrote stays, but for what changed."""

import time
from random import Random

import pytest

from fluxtui.model.documents import document, rewrite
from fluxtui.notation.json_value import of_lists
from tests.each import for_each
from tests.model.rewritings import PATH, answer, rewritten
from tests.recorded import Agree, rerun


def test_texts_become_what_is_recorded(agree: Agree) -> None:
    agree(PATH, rerun(PATH, answer))


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
