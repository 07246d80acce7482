"""A shape that is read again where it was changed is what it is when all of it is read."""

import random
from typing import Any

import pytest

from fluxtui.notation.shape.again import parse_again
from fluxtui.notation.shape.shape import parse
from fluxtui.notation.shape.tokens import Spliced, spliced

MEMBERS = (
    "core=8",
    "gpu",
    "node=4/slot{{s{n}}}/[core=8;gpu{{+x,a:[1,2]}}]",
    "memory=4{{unit:GB}}",
    "core=[2-8:2]",
    " core = 4 ",
    "store{{k:{{a:1,b:[2,3]}}}}",
    "slot=2{{t{n}}}/socket/[ core ; core=2+ ]",
    "node{{a:b/c}}",
    "rack/[node/[core;gpu];node=2]",
)
TYPED = [*"0123456789abcxs={}[]/;,+-:' \"", "slot", "{x}", "/core", "=4", "{a:b}", ";core", ""]
PLAIN = f"[{';'.join(member.format(n=n) for n, member in enumerate(MEMBERS))}]"


def test_the_list_is_without_a_fault() -> None:
    assert parse(PLAIN).problems == ()
    assert len(parse(PLAIN).vertices) == len(MEMBERS)


@pytest.mark.parametrize(
    ("old", "new", "number"),
    [
        ("[core=8", "[core=80", 0),
        ("core=8;gpu;", "core=8;gpus;", 1),
        ("gpu{+x,a:[1,2]}", "gpu{+x,a:[1,2,3]}", 2),
        ("slot{s2}", "slot{other}", 2),
        ("core=8;gpu{+x", "core=8;core;gpu{+x", 2),
        (" core = 4 ;", " core = 4{x} ;", 5),
        (" core = 4 ;", "   core = 4 ;", 5),
        ("node=2]]", "node=20]]", 9),
        ("node=2]]", "node=2;core]]", 9),
    ],
)
def test_only_the_changed_resource_is_read(old: str, new: str, number: int) -> None:
    text = PLAIN.replace(old, new, 1)
    again = parse_again(text, parse(PLAIN))
    assert again.changed == number
    assert again.shape == parse(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[core=8", "core=8"),
        ("gpu;", "gpu;;"),
        ("gpu;", "gpu;core;"),
        ("gpu;node", "gpu/node"),
        ("gpu;", "g'pu;"),
        ("slot{s2}", "slot{t7}"),
        ("slot{s2}/[core=8", "slot/[core=8{label:s2}"),
        ("core=8;gpu", "core=8];gpu"),
        ("unit:GB}", "unit:GB"),
        (" core = 4 ;", ";"),
        ("node=2]]", "node=2]"),
        ("node=2]]", "node=2]]]"),
    ],
)
def test_what_reaches_further_is_read_whole(old: str, new: str) -> None:
    text = PLAIN.replace(old, new, 1)
    again = parse_again(text, parse(PLAIN))
    assert again.changed is None
    assert again.shape == parse(text)


def test_a_text_that_is_the_same() -> None:
    shape = parse(PLAIN)
    assert parse_again(PLAIN, shape).shape == shape


@pytest.mark.parametrize("seed", range(20))
def test_any_edits_one_after_the_other(seed: int) -> None:
    chance = random.Random(seed)
    quickly = 0
    for _ in range(20):
        kinds = chance.choices(MEMBERS, k=chance.randint(2, 12))
        members = [kind.format(n=number) for number, kind in enumerate(kinds)]
        text = f"[{chance.choice((';', ' ; ')).join(members)}]"
        shape = parse(text)
        for _ in range(12):
            start, stop = _somewhere(chance, text, [vertex.span for vertex in shape.vertices])
            typed = text[:start] + chance.choice(TYPED) + text[stop:]
            again, whole = parse_again(typed, shape), parse(typed)
            assert again.shape == whole, (text, typed)
            assert tuple(again.shape.tokens) == whole.tokens
            if again.changed is not None:
                quickly += 1
                _only_that_one(shape.vertices, again.shape.vertices, again.changed)
            if not whole.problems:
                text, shape = typed, again.shape
    assert quickly > 40


def _somewhere(chance: random.Random, text: str, spans: list[tuple[int, int]]) -> tuple[int, int]:
    """A few characters of a text or none, often at the edge of a resource."""
    start = chance.randint(0, len(text))
    if spans and chance.random() < 0.4:
        start = chance.choice(chance.choice(spans))
    return start, min(start + chance.choice((0, 0, 0, 1, 1, 2, 5)), len(text))


def _only_that_one(before: tuple, after: tuple, number: int) -> None:
    assert len(before) == len(after)
    assert all(one is other for one, other in zip(before[:number], after, strict=False))


def test_tokens_are_found_from_both_ends() -> None:
    shape = parse(PLAIN)
    tokens = shape.tokens
    text = PLAIN
    for old, new in (("gpu", "gpus"), ("gpus", "gpuss"), ("node=2]", "node=21]"), ("=8", "=81")):
        text = text.replace(old, new, 1)
        shape = parse_again(text, shape).shape
        tokens, whole = shape.tokens, parse(text).tokens
        assert isinstance(tokens, Spliced)
        assert len(tokens) == len(whole)
        numbers = range(-len(whole), len(whole))
        assert [tokens[number] for number in numbers] == [whole[number] for number in numbers]
        assert tuple(tokens[3:-2:2]) == whole[3:-2:2]
        assert tokens == whole
        assert whole == tokens
        assert tokens != whole[1:]
        assert list(tokens) == list(whole)
        assert hash(tokens) == hash(whole)
        for number in (len(whole), -len(whole) - 1):
            with pytest.raises(IndexError):
                tokens[number]


class _Looked(tuple):
    """Tokens that count how often one of them is asked for."""

    looks = 0

    def __getitem__(self, at: Any) -> Any:
        _Looked.looks += 1
        return super().__getitem__(at)


def test_who_goes_through_all_tokens_asks_for_none_of_them_alone() -> None:
    tokens = spliced(_Looked(parse(PLAIN).tokens), 3, 5, parse("gpu=2").tokens, 1)
    assert len(list(tokens)) == len(tokens)
    assert tokens == tuple(tokens)
    assert _Looked.looks == 0
