"""The view as text: both forms of the constraint, the answer and the reading in 80 columns."""

import pytest
from rich.cells import cell_len

from fluxtui import workbench
from fluxtui.ui.constraint.view_text import view_text
from tests.ui.helpers import cluster, demo

GPU = """\
GPUs, not for debugging

Two lines
of a note.

query       gpu&-debug
JSON        {"and": [{"properties": ["gpu"]}, {"not": [{"properties":
            ["debug"]}]}]}

matches     18 of 196 nodes (demo cluster dune (built in))
with        1,344 cores, 120 gpus
hosts       dunegpu[01-12,17-22]
ranks       164-175,180-185

  matches  remaining
       18         18  and
       24         24  ├ gpu
      174         18  └ not debug
"""


def test_all_of_it() -> None:
    state = workbench.start(demo(), "", "gpu&-debug")
    assert view_text(state, "GPUs, not for debugging", "Two lines\nof a note.\n") == GPU


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"or": [{"properties": ["gpu"]}]}', ["query       gpu", 'JSON        {"or": [']),
        ('{"not": []}', ["query       (no query can express this)", "matches     0 of 196 nodes"]),
        ("{}", ["query       (none: all nodes)", "JSON        {}"]),
        ("", ["constraint  (none: all nodes)", "matches     196 of 196 nodes"]),
        ("gpu &&& (", ["constraint  gpu &&& (", "problem     expected a term before '&'"]),
        ("ssd|huge", ["note        no node has property 'huge'", "  └ huge   adds 0"]),
        ("gpu&-gpu", ["  └ not gpu   nothing is left"]),
    ],
)
def test_what_it_says(text: str, lines: list[str]) -> None:
    found = view_text(workbench.start(demo(), "", text))
    for line in lines:
        assert line in found


def test_a_wrong_constraint_has_no_answer() -> None:
    state = workbench.start(demo(), "", "gpu")
    state = workbench.step(state, workbench.EditRequires("gpu &&"))
    assert "matches" not in view_text(state)


def test_the_queue_is_told() -> None:
    state = workbench.start(demo(), "", "gpu")
    state = workbench.step(state, workbench.ChooseQueue("debug"))
    assert "of them are in debug" in view_text(state)


def test_what_a_terminal_would_obey_is_shown() -> None:
    found = view_text(workbench.start(demo(), "", "gpu"), "a\x1b[31mb", "c\x07\n\x9bd")
    assert found.startswith("a\\x1b[31mb\n\nc\\x07\n\\x9bd\n")


@pytest.mark.parametrize("text", ["rank:" + ",".join(map(str, range(0, 190, 2))), "x" * 400])
def test_no_line_is_wider_than_80_columns(text: str) -> None:
    on = cluster(200, {"x" * 400: "0-99"}, hosts=",".join(f"{'h' * 90}{n}" for n in range(200)))
    found = view_text(workbench.start(on, "", text), "t" * 200, "日本" * 100)
    assert max(map(cell_len, found.splitlines())) <= 80
