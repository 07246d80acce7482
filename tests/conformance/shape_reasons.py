"""Why a shape is read otherwise than by flux-core: small named rules on the text and both answers.

Where the project refuses a text, its own words say which rule; where flux-core refuses it or makes
something else of it, a rule looks at the text.
"""

import re
from collections.abc import Callable
from typing import Any

from fluxtui.notation.shape.tree import Shape, walk

# The beginning of a problem's message, and the reason why flux-core has no such problem.
REFUSALS = (
    ("a slot needs a label where", "slot-labels"),
    ("a slot needs children", "slot-children"),
    ("the first entry of a slot", "slot-label-first"),
    ("the braces of a slot start", "slot-label-first"),
    ("a slot label takes no value", "slot-label-first"),
    ("the label ", "label-twice"),
    ("a count is missing", "count-missing"),
    ("'/' is missing before '['", "count-missing"),
    ("a resource type is missing before '='", "count-missing"),
    ("a second count", "count-missing"),
    ("the largest count is missing", "space"),
    ("the operand is missing", "space"),
    ("the operator is missing", "space"),
    ("the largest count, ", "count-range"),
    ("with ", "count-growth"),
    ("duplicate key ", "key-twice"),
    ("the value of ", "key-kind"),
    ("the type comes", "key-taken"),
    ("the count comes", "key-taken"),
    ("children come after the braces", "key-taken"),
    ("a control character", "control"),
    ("the number ", "number-large"),
    ("several resources at the top", "special"),
    ("resources are separated by", "special"),
    ("a resource is missing before ','", "special"),
)

# Patterns of messages that do not begin with what tells them apart.
PATTERNS = (
    (r"'.*' is not an escape|'.*' is half of a character", "escapes"),
    (r"'.*' (is out of order|runs backwards|is given twice)|range '.*'", "count-idset"),
    (r"a string in an array needs quotes", "array-words"),
)

#: Words for what has no rule of its own but a sign of the grammar in an unquoted word.
SIGNS = re.compile(
    r"'.*' (does not belong here|needs quotes|is not a key|is not a label|closes nothing)|"
    r"a key is missing|a resource type is missing|the bracket|':' is missing|"
    r"a value is missing|a child is missing|a second pair|';' is missing|"
    r"children follow one|a list cannot be|"
    r"the quotation mark|the brace '{' is not|a resource is missing|a list holds",
    re.DOTALL,
)


def reasons(text: str, ours: Shape, theirs: Any) -> set[str]:
    """The reasons that explain the difference, without their ``shape-``; empty where none does.

    theirs is flux-core's resources list, or the words of its error.
    """
    if not ours.ok:
        found = {_refusal(p.message) for p in ours.problems if p.severity == "error"}
        return set() if "" in found else found
    return {name for name, rule in READINGS.items() if rule(text, ours, theirs)}


def _refusal(message: str) -> str:
    for start, reason in REFUSALS:
        if message.startswith(start):
            return reason
    for pattern, reason in PATTERNS:
        if re.match(pattern, message, re.DOTALL):
            return reason
    return "special" if SIGNS.match(message) else ""


def _kinds_of_slots(text: str, ours: Shape) -> list[str]:
    """How the types of the slots are written."""
    return [text[slice(*v.type_span)] for v in walk(ours.vertices) if v.type == "slot"]


def _array_runs_on(text: str) -> bool:
    starts = [at for at, char in enumerate(text) if char == "[" and text[:at].rstrip()[-1:] == ":"]
    return any(text.find("]", at) != text.rfind("]") for at in starts)


def _has_constant_in_capitals(text: str) -> bool:
    words = re.findall(r":\s*(true|false|null)\s*(?=[,}])", text, re.IGNORECASE)
    return any(word != word.lower() for word in words)


READINGS: dict[str, Callable[[str, Shape, Any], bool]] = {
    # flux-core takes SLOT for slot.
    "slot-capitals": lambda text, ours, theirs: any(
        v.type != "slot" and v.type.lower() == "slot" for v in walk(ours.vertices)
    ),
    # It takes "slot" for a type like any other, without a label.
    "slot-quotes": lambda text, ours, theirs: any(
        kind[0] in "\"'" for kind in _kinds_of_slots(text, ours)
    ),
    # It makes the label exclusive of x.
    "label-x": lambda text, ours, theirs: any(
        v.type == "slot" and v.label == "x" for v in walk(ours.vertices)
    ),
    # It takes all up to the last bracket for the array.
    "array-greedy": lambda text, ours, theirs: _array_runs_on(text),
    # It takes FALSE for false.
    "constant-case": lambda text, ours, theirs: _has_constant_in_capitals(text),
    # It has no escapes, so a backslash stands for itself and may end a string early.
    "escapes": lambda text, ours, theirs: '"' in text and "\\" in text,
    # It keeps white space at the end of a word in braces, and takes only ASCII's.
    "space": lambda text, ours, theirs: bool(
        re.search(r"\s[,}:]|[{,:+-]\s|[^\S \t\r\n\f\v]", text)
    ),
    # It makes double quotes of single ones within arrays, and then reads JSON.
    "array-single": lambda text, ours, theirs: "'" in text and "[" in text,
    # It reads 2. as 2.0, and 1e400 as infinity.
    "number-dot": lambda text, ours, theirs: bool(
        re.search(r":\s*-?[0-9]+\.([eE][+-]?[0-9]+)?[},]", text)
    ),
    "number-large": lambda text, ours, theirs: "inf" in str(theirs).lower(),
}
