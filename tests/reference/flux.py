"""Flux's own shape and constraint parsers, as the wheel ``flux-python`` carries them.

The package cannot be imported where no Flux is installed, so the two files are loaded by their
paths. They need ``ply``.
"""

import importlib.metadata
import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

#: What Flux's job commands set on the constraint parser for their ``--requires``.
OPERATORS = {None: "properties", "host": "hostlist", "hosts": "hostlist", "rank": "ranks"}
SPLIT = {"properties": ","}
COMBINED = {"properties"}

#: The label RFC 46 gives a slot without one.
LABEL = "default"


class Answer(NamedTuple):
    """What a parser made of a text; ok tells a value from an error's words."""

    ok: bool
    value: Any


def missing() -> str:
    """Why the parsers cannot be loaded here; empty where they can."""
    for name in ("flux-python", "ply"):
        try:
            importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            return f"{name} is not installed; its wheels are for Linux on x86-64"
    return ""


def _load(path: str, name: str) -> ModuleType:
    """The module in this file of the wheel, under a name of its own."""
    files = importlib.metadata.files("flux-python") or []
    found = next(file for file in files if file.as_posix() == path)
    spec = importlib.util.spec_from_file_location(name, found.locate())
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # ply looks there for the file of a parser's class
    spec.loader.exec_module(module)
    return module


@cache
def _shapes() -> ModuleType:
    return _load("flux/shape/parser.py", "reference_shape_parser")


@cache
def _constraints() -> ModuleType:
    return _load("flux/constraint/parser.py", "reference_constraint_parser")


def new_shape_parser() -> Any:
    """A parser of shapes as ``flux run --shape`` would use; ranges stay strings."""
    parser = _shapes().ShapeParser()
    parser.default_slot_label = LABEL
    return parser


def new_query_parser() -> Any:
    """A parser of constraints with the operators of ``flux run --requires``."""
    parser = _constraints().ConstraintParser()
    parser.operator_map, parser.split_values = OPERATORS, SPLIT
    parser.combined_terms = COMBINED
    return parser


def shape(text: str) -> Answer:
    """What Flux's parser of shapes makes of a text."""
    return _answer(new_shape_parser, text)


def query(text: str) -> Answer:
    """What Flux's parser of constraint queries makes of a text."""
    return _answer(new_query_parser, text)


def _answer(make: Callable[[], Any], text: str) -> Answer:
    """By a parser that is built anew, as an error leaves states behind in ply."""
    try:
        return Answer(True, make().parse(text))
    except Exception as error:  # whatever it raises, a user sees an error
        return Answer(False, f"{type(error).__name__}: {error}")
