"""Texts of repeated pieces: what takes time with the length of a text takes no more than that."""

import gc
import time
import tracemalloc
from collections.abc import Callable

import pytest

from fluxtui.answers.commands.translation import from_command
from fluxtui.answers.explain import explanation, names, relaxations
from fluxtui.model.constraint import requires
from fluxtui.notation import environment
from fluxtui.notation.problem import ENOUGH, MAX_LENGTH, MAX_OF_LIST, MAX_PROBLEMS
from fluxtui.notation.sets import hostlist, idset
from tests.each import for_each
from tests.opened import demo

#: Four times the text takes up to so many times the processor's time.
GROWTH = 6
#: What takes less may be four times a hiccup of the machine.
LEAST = 0.02

WRONG = ("1,", "1,,", "x,", "01,", "7-3,", "1-", "é,")
OWN = {f"OMP_{number}": "x" for number in range(200)}


def seconds(use: Callable[[], object]) -> float:
    """The processor's time for a call, without collecting garbage."""
    gc.disable()
    try:
        start = time.process_time()
        use()
        return time.process_time() - start
    finally:
        gc.enable()


def assert_linear(use: Callable[[int], object], size: int) -> None:
    """Four times the size takes about four times as long.

    Other programs may slow down one of both, so that there are some attempts; what takes the
    square of its size takes sixteen times as long at each.
    """
    use(size // 4)  # what is imported at first use is no matter
    found = []
    for _ in range(5):
        short, long = seconds(lambda: use(size // 4)), seconds(lambda: use(size))
        found.append(long / max(short, LEAST))
        if found[-1] < GROWTH:
            return
    pytest.fail(f"four times the size takes {min(found):.1f} times as long")


def environment_of(text: str) -> environment.Environment:
    return environment.parse(text, OWN)


def set_first(text: str) -> environment.Environment:
    """The same behind as much that sets variables."""
    words = [f"A{number}= " for number in range(len(text) // 7)]
    return environment_of("".join([*words, text]))


@for_each(
    "case",
    [
        ("[", lambda text: environment_of("-" + text)),
        ("[!", lambda text: environment_of("-" + text)),
        ("[]", lambda text: environment_of("-" + text + "[")),
        ("*a", lambda text: environment_of("-" + text)),
        ("} ", environment_of),
        ("-A a ", environment_of),
        ("-*xx ", lambda text: set_first(text[: len(text) // 2])),
        ("-?Z* ", lambda text: set_first(text[: len(text) // 2])),
        ("B* ", environment_of),
    ],
    label=lambda case: case[0],
)
def test_an_environment(case: tuple[str, Callable[[str], environment.Environment]]) -> None:
    piece, read = case
    assert_linear(lambda size: read(piece * (size // len(piece))), MAX_LENGTH - 16)


def test_an_environment_has_no_more_than_so_many_problems() -> None:
    many = environment_of("} " * 5000)
    assert len(many.problems) == MAX_PROBLEMS + 1
    assert sum(problem.many for problem in many.problems) == 5000
    patterns = environment_of("A* " * environment.MAX_PATTERNS)
    assert patterns.ok
    patterns = environment_of("A=1 " + "-B* " * environment.MAX_PATTERNS + "-A* -A*")
    assert [one.message for one in patterns.problems if one.severity == "error"] == [
        "more than 100 patterns; those from here on are not read"
    ]
    assert patterns.variables == {"A": "1"}


@for_each("program", ["flux submit", "srun", "qsub"])
def test_a_command(program: str) -> None:
    for piece in ("--x ", "--nodse=2 ", "--env=A* ", "'", "\\\n", "-l select=1 "):

        def read(size: int, piece: str = piece) -> object:
            return from_command(f"{program} {piece * (size // len(piece))}", OWN)

        assert_linear(read, MAX_LENGTH // 2)


def test_what_was_meant_is_looked_up_for_the_first_problems_only() -> None:
    found = from_command("srun " + "--nodse=2 " * 200, OWN)
    assert len(found.problems) == MAX_PROBLEMS + 1
    assert all("--nodes" in problem.message for problem in found.problems[:MAX_PROBLEMS])


LISTS = [
    *((parse, piece) for parse in (idset.parse, hostlist.parse) for piece in WRONG),
    *((hostlist.parse, piece) for piece in ("]", "a[x]", "a[1-2]b[", "a][")),
]


@for_each("case", LISTS, label=lambda case: f"{case[0].__module__} {case[1]}")
def test_a_list_that_is_wrong_all_over(case: tuple[Callable[[str], object], str]) -> None:
    parse, piece = case

    def read(size: int) -> object:
        return parse(piece * (size // len(piece)))

    assert_linear(read, 120_000)
    tracemalloc.start()
    try:
        read(120_000)
        # A valid list of hosts has an entry for each, in some columns.
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_list_with_very_many_problems_is_not_read_to_its_end() -> None:
    for parse, text, what in (
        (idset.parse, "1," * 50_000, "idset"),
        (hostlist.parse, "a[x]," * 50_000, "hostlist"),
    ):
        found = parse(text)
        assert len(found.problems) == MAX_OF_LIST + 1
        last = found.problems[-1].message
        assert last == f"more than {ENOUGH:,} problems; the {what} is not read any further"
    assert idset.parse("3,1,7").value == idset.parse("1,3,7").value


@for_each("term", ["p{}", "rank:{}", "host:n{}", "-p{}"])
def test_what_to_change_about_an_or(term: str) -> None:
    resources = demo().resources

    def read(size: int) -> object:
        text = "|".join(term.format(number) for number in range(size))
        found = explanation.explain(requires.read(text), resources)
        return relaxations.best_pairs(found, names.unknown(found.root.constraint, resources))

    assert_linear(read, 1200)
