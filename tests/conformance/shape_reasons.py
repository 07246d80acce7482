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


def slot_in_capitals(text: str, ours: Shape, theirs: Any) -> bool:
    """flux-core takes SLOT for slot."""
    return any(v.type != "slot" and v.type.lower() == "slot" for v in walk(ours.vertices))


def slot_in_quotes(text: str, ours: Shape, theirs: Any) -> bool:
    """flux-core takes "slot" for a type like any other, without a label."""
    slots = (v for v in walk(ours.vertices) if v.type == "slot")
    return any(text[v.type_span.start] in "\"'" for v in slots)


def label_x(text: str, ours: Shape, theirs: Any) -> bool:
    """flux-core makes the label exclusive of x."""
    return any(v.type == "slot" and v.label == "x" for v in walk(ours.vertices))


def array_runs_on(text: str, ours: Shape, theirs: Any) -> bool:
    """flux-core takes all up to the last bracket for the array."""
    starts = [at for at, char in enumerate(text) if char == "[" and text[:at].rstrip()[-1:] == ":"]
    return any(text.find("]", at) != text.rfind("]") for at in starts)


def constant_in_capitals(text: str, ours: Shape, theirs: Any) -> bool:
    """flux-core takes FALSE for false."""
    words = re.findall(r":\s*(true|false|null)\s*(?=[,}])", text, re.IGNORECASE)
    return any(word != word.lower() for word in words)


def escape_in_quotes(text: str, ours: Shape, theirs: Any) -> bool:
    """flux-core has no escapes, so a backslash stands for itself and may end a string early."""
    return '"' in text and "\\" in text


def space_beside_a_word(text: str, ours: Shape, theirs: Any) -> bool:
    """flux-core keeps white space at the end of a word in braces, and takes only ASCII's."""
    return bool(re.search(r"\s[,}:]|[{,:+-]\s|[^\S \t\r\n\f\v]", text))


def single_quotes(text: str, ours: Shape, theirs: Any) -> bool:
    """flux-core makes double quotes of single ones within arrays, and then reads JSON."""
    return "'" in text and "[" in text


def number_without_digits(text: str, ours: Shape, theirs: Any) -> bool:
    """flux-core reads 2. as 2.0."""
    return bool(re.search(r":\s*-?[0-9]+\.([eE][+-]?[0-9]+)?[},]", text))


def number_out_of_range(text: str, ours: Shape, theirs: Any) -> bool:
    """flux-core reads 1e400 as infinity."""
    return "inf" in str(theirs).lower()


READINGS: dict[str, Callable[[str, Shape, Any], bool]] = {
    "slot-capitals": slot_in_capitals,
    "slot-quotes": slot_in_quotes,
    "label-x": label_x,
    "array-greedy": array_runs_on,
    "constant-case": constant_in_capitals,
    "escapes": escape_in_quotes,
    "space": space_beside_a_word,
    "array-single": single_quotes,
    "number-dot": number_without_digits,
    "number-large": number_out_of_range,
}
