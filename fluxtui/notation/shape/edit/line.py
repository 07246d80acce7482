"""A line that is typed for one vertex, such as ``node=4{x}`` (RFC 46)."""

from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import RULE, Shape


def read_line(line: str) -> Shape | Problem:
    """The shape of one vertex, or why the line is none; spans are places in the line.

    A slot may stand alone, since what it holds comes later.
    """
    text = line.strip()
    if not text:
        return Problem("a resource type is missing", None, None, ("a resource type",), RULE)
    read = parse_shape(line)
    if not read.ok and not parse_shape(f"{text}/core").ok:
        return next(problem for problem in read.problems if problem.severity == "error")
    if len(read.vertices) != 1:
        return Problem("one resource stands here, not a list", None, None, ("one resource",), RULE)
    return read
