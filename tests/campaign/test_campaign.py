"""A short slice of the campaign, always the same; the cases that it kept; and that it finds faults.

The whole of it is run by ``python -m tests.campaign``.
"""

import random
import time
from collections.abc import Callable

import pytest

from tests.campaign import cases, growth, watch
from tests.campaign.hands import keys, storms
from tests.campaign.laws import Kind
from tests.campaign.mutation import BETWEEN, Source
from tests.campaign.programs import KINDS
from tests.each import for_each, the

INPUTS = 3  # of each kind
#: Processor seconds that a kept case may take: a busy machine is no fault.
PATIENCE = 2.0


@for_each("name", KINDS)
def test_a_slice_of_the_campaign(name: str) -> None:
    kind, chance = KINDS[name], random.Random(name)
    for _ in range(INPUTS):
        text = BETWEEN.join(source.mutant(chance) for source in kind.sources)
        _, words, seconds = watch.tried(kind, text)
        assert not words, f"{words}: {text[:200]!r}"
        assert seconds < PATIENCE, f"{seconds:.1f} s: {text[:200]!r}"


@for_each("fault", [*cases.kept()], lambda fault: f"{fault.kind}: {fault.words}")
def test_what_went_wrong_once_is_well(fault: watch.Fault) -> None:
    hands = Kind("hands", storms.again, (Source(list),))
    _, words, seconds = watch.tried(
        hands if fault.kind == "hands" else KINDS[fault.kind], fault.text
    )
    assert not words
    assert seconds < PATIENCE


def kind_of(run: Callable[[str], object]) -> Kind:
    """A kind that does this with a text of letters."""
    return Kind("test", run, (Source(lambda: ["abc", "xyz" * 9]),))


def _law(text: str) -> object:
    assert "[" not in text, "it holds a bracket"
    return text


def _raises(text: str) -> object:
    return {}["x"] if "[" in text else text


def _waits(text: str) -> object:
    if "[" in text:
        time.sleep(100)
    return text


def _takes(text: str) -> object:
    return bytearray(4_000_000_000) if "[" in text else text


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (_law, "it holds a bracket"),
        (_raises, "KeyError in campaign/test_campaign.py, _raises"),
        (_waits, "hangs"),
        (_takes, "MemoryError in campaign/test_campaign.py, _takes"),
    ],
)
def test_the_watch_finds_what_goes_wrong(
    run: Callable[[str], object], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if run is _waits:  # the others are given time, however busy the machine is
        monkeypatch.setattr(watch, "HANGS", 2.0)
    kind, tally = kind_of(run), watch.Tally("test")
    for tally in watch.run(kind, "1", 60, time.monotonic() + 20):
        if tally.faults:
            break
    fault = tally.faults[0]
    assert fault.words == words
    assert "[" in fault.text
    if run in (_law, _raises):
        assert cases.cut_down(kind, fault).text == "["


def test_what_costs_the_square_of_its_size_is_found() -> None:
    def exponent(steps: Callable[[int], int]) -> float:
        kind = kind_of(lambda text: sum(1 for _ in range(steps(len(text)))))
        return the(growth.exponent(kind, lambda size: "a" * size, 8_000, 2))

    assert exponent(lambda size: size**2 // 10) > 1.6
    assert exponent(lambda size: size * 200) < growth.MOST


def test_a_text_that_is_kept_is_the_same() -> None:
    text = "x" + "[a," * 500 + "\ud800\x00" + "y"
    assert cases._unpacked(cases._packed(text)) == text
    assert len(str(cases._packed(text))) < 100


def test_a_storm() -> None:
    start, size, bursts = keys.bursts(3, 5, large=False)
    tally = watch.Tally("hands")
    sent = storms.attempt({"start": start, "size": size, "drawn": True, "bursts": bursts}, tally)
    assert tally.faults == []
    assert sent == 5
    assert tally.inputs > 5


def test_what_a_fault_comes_after_is_found_among_many_bursts() -> None:
    bursts: list[keys.Burst] = [[["send", str(number)]] for number in range(60)]
    wanted = [bursts[41], bursts[57]]
    assert storms.fewer(bursts, lambda some: all(one in some for one in wanted)) == wanted
