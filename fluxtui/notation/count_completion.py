"""What may be typed at a place in a count (RFC 45, RFC 14)."""

import re

from fluxtui.notation import count
from fluxtui.notation.problem import Completion, Span, is_digits

#: Counts to begin with.
EXAMPLES = (
    ("2", "two of them"),
    ("2+", "two or more"),
    ("2-8", "two to eight"),
    ("2-16:2:*", "2, 4, 8 or 16"),
    ("4,9,16", "4, 9 or 16"),
)

_IDSET = re.compile(r"[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*")


def completions(text: str, cursor: int) -> list[Completion]:
    """What may stand at the cursor: examples where nothing is typed, then signs.

    Each has an empty span, and its description reads the count that it would make.
    """
    cursor = max(0, min(cursor, len(text)))
    before = text[:cursor]
    opened = before.startswith("[")
    before = before[opened:]
    choices: tuple[tuple[str, str], ...]
    if not before:
        choices = EXAMPLES if opened else (*EXAMPLES, ("[", "a count in brackets"))
    else:
        choices = _after(before)
        if opened and count.parse(before).ok:
            choices = (*choices, ("]", "the end of the count"))
    return [Completion(sign, Span(cursor, cursor), meaning) for sign, meaning in choices]


def _after(before: str) -> tuple[tuple[str, str], ...]:
    """The signs that go on from a count that has been begun."""
    head, *steps = before.split(":")
    if len(steps) > 2 or head.count("+") > 1:
        return ()
    if len(steps) == 2:
        return () if steps[1] else _operators(before)
    if len(steps) == 1:
        if not steps[0]:
            return (("2", _words(f"{before}2")),) if count.parse(f"{before}2").ok else ()
        return ((":", "the operator: + * or ^"),) if count.parse(before).ok else ()
    return _after_head(head)


def _operators(before: str) -> tuple[tuple[str, str], ...]:
    """The operators that make a count of what stands before them."""
    return tuple((sign, _words(before + sign)) for sign in "+*^" if count.parse(before + sign).ok)


def _after_head(head: str) -> tuple[tuple[str, str], ...]:
    """What follows a number, a range without steps, or an idset."""
    if head[-1] in "-,":
        last = re.split("[-,]", head[:-1])[-1]
        more = str(int(last) + 1) if is_digits(last) and len(last) <= count.MAX_DIGITS else ""
        return ((more, _words(head + more)),) if more and count.parse(head + more).ok else ()
    if not count.parse(head).ok:
        return ()
    comma = ((",", "or another number"),) if _IDSET.fullmatch(head) else ()
    if "," in head:
        run = (("-", "up to the number that follows"),) if is_digits(head.rsplit(",", 1)[1]) else ()
        return (*run, *comma)
    if is_digits(head):
        return (("+", _words(f"{head}+")), ("-", "up to the number that follows"), *comma)
    return ((":", "in steps of the number that follows"), *comma)


def _words(text: str) -> str:
    """What a count says, with nothing where it is none."""
    found = count.parse(text)
    return count.describe(found.value) if found.ok and found.value is not None else ""
