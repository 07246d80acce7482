"""Places in a shape, and edits whose cost and limits matter; other examples are recorded."""

import time

from fluxtui.notation.shape.edit import (
    duplicate,
    step_count,
    toggle_exclusive,
    wrap,
)
from fluxtui.notation.shape.format import revise, rewrite
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import Item, Vertex, to_resources


def test_edits_take_time_in_proportion() -> None:
    def seconds(times: int) -> float:
        text = "rack/[" + " ; ".join(f"slot=4{{s{n}}}/[core=8;gpu]" for n in range(times)) + "]"
        read = parse_shape(text)
        start = time.process_time()
        step_count(read, (0, times - 1, 1), 1)
        toggle_exclusive(read, (0, 0))
        duplicate(read, (0,))
        revise(read, [{"type": "a", "count": 1}, *to_resources(read)])
        return time.process_time() - start

    def best(times: int) -> float:  # whatever else the machine does meanwhile
        return min(seconds(times) for _ in range(3))

    assert best(1200) < 20 * max(best(300), 0.01)


def test_a_tree_that_would_be_too_deep() -> None:
    text = "a/" * 100 + "a"
    assert parse_shape(text).ok
    after = wrap(parse_shape(text), (0,), "b")
    assert after.text == text
    assert after.problem is not None
    assert after.problem.message == "the shape would be nested too deeply to be read"


def test_a_text_that_would_be_too_long() -> None:
    text = f"node{{a:{'b' * 40_000}}}"
    after = duplicate(parse_shape(text), (0,))
    assert after.text == text
    assert after.problem is not None
    assert after.problem.message.endswith("more than 65,536 are not read")


def test_trees_that_a_text_cannot_say_without_a_problem() -> None:
    core = (Vertex("core"),)
    old = parse_shape("slot / core")
    keys = (Item("unit", "GB"),)
    assert rewrite(old, (Vertex("slot", keys=keys, children=core),)).text == ("slot{,unit:GB}/core")
    assert rewrite(old, (Vertex("", children=core),)).text == '""{}/core'
    exclusive = (Vertex("slot", keys=(Item("exclusive", True),), children=core),)
    assert rewrite(parse_shape("node { x } / core"), exclusive).text == "slot{,x}/core"
    assert parse_shape("slot { ,x } / core").vertices[0].label is None
    assert rewrite(parse_shape("node{}/core"), (Vertex("slot", children=core),)).text == "slot/core"
