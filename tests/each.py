"""What most tests use: one test for many cases of one kind, and a value that has to be there.

A test of many cases tells of all that fail and not of the first alone.
A test item costs some milliseconds before it begins; thousands of recorded cases cost minutes as
items, and a second or two as one.
"""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pytest

SHOWN = 20  # failures of one test

Value = TypeVar("Value")


def the(value: Value | None) -> Value:
    """The value, which is there."""
    assert value is not None
    return value


def for_each(
    name: str, cases: Iterable[Any], label: Callable[[Any], object] = str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with each case as its argument ``name``, and fail with the list of failures.

    Where name has several names with commas between, each case has as many parts. label says how a
    case is called in that list. A case that skips counts as held. What is no failed assertion is
    raised as it is, with a note of the case.
    """
    listed = list(cases)
    assert listed, "there is no case"
    names = name.split(", ")

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def all_of_them(**fixtures: Any) -> None:
            failed: list[str] = []
            skipped = 0
            for case in listed:
                try:
                    parts = case if len(names) > 1 else (case,)
                    test(**fixtures, **dict(zip(names, parts, strict=True)))
                except AssertionError as error:
                    failed.append(f"{label(case)}: {error}")
                except pytest.skip.Exception:
                    skipped += 1
                except Exception as error:
                    error.add_note(f"with {name} = {label(case)}")
                    raise
            if skipped == len(listed):
                pytest.skip("every case skips")
            more = [f"and {len(failed) - SHOWN:,} more"] if len(failed) > SHOWN else []
            assert not failed, "\n".join(
                [f"{len(failed):,} of {len(listed):,} fail", *failed[:SHOWN], *more]
            )

        signature = inspect.signature(test)
        wanted = [one for key, one in signature.parameters.items() if key not in names]
        all_of_them.__signature__ = signature.replace(parameters=wanted)  # type: ignore[attr-defined]
        return all_of_them

    return decorated
