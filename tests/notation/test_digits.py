"""Numbers are written with the digits 0 to 9; those of other scripts are letters like others."""

import re
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import fluxtui
from fluxtui.answers.commands.translation import from_command
from fluxtui.answers.listing import orders
from fluxtui.answers.matching import find
from fluxtui.model.constraint import requires
from fluxtui.model.documents import document
from fluxtui.model.form.fields import FIELDS
from fluxtui.model.jobspec import verdicts
from fluxtui.model.resources import document as resources
from fluxtui.notation import count, duration
from fluxtui.notation.query.completion import completions as query_completions
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.shape.completion import completions
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.workbench import History, TypeField, TypeShape, start
from tests.each import for_each

ODD = "".join(c for c in map(chr, range(128, sys.maxunicode)) if c.isdigit() or c.isnumeric())
NAMES = ("²", "②", "٣", "３", "Ⅷ", "𝟙")
#: More digits than `int` reads.
LONG = "9" * 5000
TEXTS = st.lists(
    st.sampled_from([*NAMES, *"0123456789", "-", ",", "+", ":", "=", "/", "[", "]", "{", "}", "n"]),
    max_size=8,
).map("".join)
COMMANDS = ("srun -N{} x", "flux run -N{} x", "qsub -l select={} x", "srun -t {} --gres=gpu:{} x")


def read_everywhere(typed: str, ends: range | tuple[int, ...]) -> None:
    """Read a text as all that a person may type."""
    for end in ends:
        completions(typed[:end], end)
        query_completions(typed[:end], end, {})
    for read in (parse_shape, parse_query, requires.read, count.parse, idset.parse):
        read(typed)
    for read in (hostlist.parse, duration.parse, document.read):
        read(typed)


def type_everywhere(text: str) -> None:
    """Type a text into the shape and into every field of the form."""
    state = History(start(None, "slot=4/core"))
    for field in FIELDS:
        state = state.do(TypeField(field.name, text))
    state.do(TypeShape(text))


def test_no_module_asks_for_the_digits_of_other_scripts() -> None:
    found = []
    for path in Path(fluxtui.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name != "problem.py" and re.search(r"\.is(digit|decimal|numeric)\(", text):
            found.append(f"{path.name}: fluxtui.notation.problem.is_digits is meant")
        if re.search(r"(?<!\\)\\d", text):
            found.append(f"{path.name}: [0-9] is meant")
    assert found == []


@given(TEXTS)
def test_no_text_ends_a_reader(text: str) -> None:
    for typed in (text, f"slot={text}", f"core=[{text}", f"node{{x:{text}}}", f"rank:{text}"):
        read_everywhere(typed, range(len(typed) + 1))
    for words in COMMANDS:
        from_command(words.replace("{}", text), {})
    type_everywhere(text)
    if any(c in ODD for c in text):
        assert not count.parse(text).ok
        assert not idset.parse(text).ok
        assert not duration.parse(text).ok


@for_each("text", [
    "{}", "slot={}", "core=[{}", "core=1-{}", "node{{x:{}}}", "rank:{}", "rank:1,{}-", "host:n[{}",
])  # fmt: skip
def test_no_very_long_number_ends_a_reader(text: str) -> None:
    typed = text.format(LONG)
    read_everywhere(typed, (len(typed), len(typed) // 2))
    type_everywhere(typed)


def test_very_long_numbers_end_nothing() -> None:
    assert not verdicts.is_job_id(LONG)
    assert verdicts.is_job_id(f"+{'0' * 5000}7")
    hosts = (f"a[0-{LONG}]", f"a[{LONG}-{LONG}]", f"a[{'0' * 5000}1-{'0' * 5000}2]")
    assert list(map(verdicts.reads_hosts, hosts)) == [False, True, True]
    lite = [{"rank": "0-2", "children": {"core": "0"}}]
    names = [f"a{LONG}-b1", f"a1{LONG}-b1", "a7-b1"]
    cluster = resources.read({"version": 1, "execution": {"R_lite": lite, "nodelist": names}})
    assert list(orders.by_host(cluster).indices(0, 3)) == [2, 0, 1]
    assert find(cluster, f"a{LONG}b", 5) == []
    assert find(cluster, f"a{LONG}-b1", 5) == [0]
