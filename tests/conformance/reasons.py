"""Why the project differs from flux-core on purpose: one reason for each kind of case.

Every case that differs has to have one; the table in DIFFERENCES.md has a row for each. Which one
it is, small rules on the text or on what was said of it tell.
"""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from fluxtui.notation.shape.tree import Shape, walk
from tests.conformance.cases import Row


class Reason(NamedTuple):
    """A rule that flux-core does not follow, or a text that no rule settles.

    area    the notation or document
    what    what kind of input it is about
    why     the rule, and what it asks
    open    the RFC can be read either way, and this reading is ours
    beside  an example of a text, flux-core's answer and ours, where no recorded case has it
    """

    area: str
    what: str
    why: str
    open: bool = False
    beside: tuple[str, str, str] | None = None


#: Every reason by its key, in the order of the table.
REASONS = {
    key: Reason(**reason)
    for key, reason in tomllib.loads(
        Path(__file__).with_name("reasons.toml").read_text(encoding="utf-8")
    ).items()
}


#: Patterns of a text, and the reason of the first that is found in it.
Rules = tuple[tuple[str, str], ...]


def _first(rules: Rules, text: str) -> str:
    return next((key for pattern, key in rules if re.search(pattern, text, re.DOTALL)), "")


# The smaller corpora: by the text of a case, or by the rule that it names

_IDSET = ((r"^\[?,|,,|,\]?$", "idset-commas"), (r"[0-9]{10}", "idset-large"))
_HOSTLIST = (
    (r"[^!-~]", "hostlist-space"),
    (r"[0-9]{19}", "hostlist-large"),
    (r"^(?!([^][]|\[[^][]*\])*$)|\][^,]*\[", "hostlist-brackets"),
    (r"\[[^]]*-[^0-9]|-\]|\[\]|\[-", "hostlist-range"),
)
_RESOURCES = (
    (r"^not an R object", "r-json"),
    (r"^(core REQUIRED|children is|core: one or more)", "r-core"),
    (r"^((rank|core|gpu)?: ?one or more|R_lite REQUIRED|nodelist REQUIRED|one or more)",
     "r-required"),
    (r"^((rank|core|gpu): |properties: (RFC 22|value))", "r-idset"),
    (r"^nodelist must map", "r-nodelist"),
    (r"^properties: illegal", "r-property"),
    (r"^properties: target", "r-rank"),
    (r"^(expiration MUST|number)", "r-times"),
    (r"^nslots", "r-nslots"),
    (r"^scheduling", "r-scheduling"),
)  # fmt: skip
_JOBSPEC = (
    (r"^(invalid resource graph|slot children|must have children|exactly one (slot|element)|"
     r"has no out edges|resources MUST)", "v1-graph"),
    (r"^(\w+ vertex SHALL NOT|\w+ count SHALL)", "v1-vertex"),
    (r"^(tasks MUST|task slot|per_slot)", "v1-tasks"),
    (r"^.", "v1-attributes"),
)  # fmt: skip
_V1_REFUSED = (
    (r"Extraneous key", "v1-extra"),
    (r"not a valid queue|not found", "v1-instance"),
    (r"invalid character in property", "v1-names"),
)
_SUBMITTED = ((r"not a valid queue|not found", "submit-instance"),)
_QUEUES = ((r"hosts", "queue-hosts"), (r"default", "queue-default"))


def idset_reason(row: Row) -> str:
    """By the text alone."""
    return _first(_IDSET, row["in"])


def hostlist_reason(row: Row) -> str:
    """By the text alone."""
    return _first(_HOSTLIST, row["in"])


def duration_reason(row: Row, ours: bool) -> str:
    """Python's answer differs from ours, or C's does."""
    if not row["in"]:
        return "fsd-empty"
    return "" if row["ok"] == ours else "fsd-c" if ours else "fsd-python"


def resources_reason(row: Row) -> str:
    """By the rule that the row names."""
    return _first(_RESOURCES, row["rfc"]["why"])


def jobspec_reason(row: Row, ours: bool) -> str:
    """By the first rule that the row names, or by what the instance said."""
    if ours:
        return _first(_V1_REFUSED, row["submit"].get("error", ""))
    return _first(_JOBSPEC, next(iter(row["prose"]["why"]), ""))


def submit_reason(row: Row) -> str:
    """By what the instance said that refused a job."""
    return _first(_SUBMITTED, row["submit"].get("error", ""))


def queue_reason(row: Row) -> str:
    """By what the row notes of RFC 33."""
    return _first(_QUEUES, (row.get("rfc") or {}).get("why", ""))


# Shapes: by the words with which the project refuses them, else by the text and both answers

#: The beginnings of a problem's message, and the reason why flux-core has no such problem.
REFUSALS: Rules = (
    (r"^a slot needs a label if", "slot-labels"),
    (r"^a slot needs children", "slot-children"),
    (r"^(the first entry of a slot|the braces of a slot start|a slot label takes no value)",
     "slot-label-first"),
    (r"^the label ", "label-twice"),
    (r"^(a count is missing|'/' is missing before '\['|a second count|"
     r"a resource type is missing before '=')", "count-missing"),
    (r"^(the largest count is missing|the operand is missing|the operator is missing)", "space"),
    (r"^the largest count, ", "count-range"),
    (r"^with ", "count-growth"),
    (r"^duplicate key ", "key-twice"),
    (r"^the value of ", "key-kind"),
    (r"^(the type comes|the count comes|children come after the braces)", "key-taken"),
    (r"^a control character", "control"),
    (r"^the number ", "number-large"),
    (r"^('.*' is not an escape|'.*' is half of a character)", "escapes"),
    (r"^('.*' (is out of order|runs backwards|is given twice)|range '.*')", "count-idset"),
    (r"^a string in an array needs quotes", "array-words"),
    (r"^(several resources |resources are separated by|a resource is missing)",
     "special"),
    # What has no rule of its own but a sign of the grammar in an unquoted word.
    (r"^('.*' (does not belong here|needs quotes|is not a key|is not a label|closes nothing)|"
     r"a key is missing|a resource type is missing|the bracket|':' is missing|a value is missing|"
     r"a child is missing|a second pair|';' is missing|children follow one|a list cannot be|"
     r"the quotation mark|the brace '{' is not|a list holds)", "special"),
)  # fmt: skip


def shape_reason(text: str, ours: Shape, theirs: Any) -> str:
    """The first of the reasons by the order of the table; empty where none explains it."""
    found = {f"shape-{name}" for name in shape_reasons(text, ours, theirs)}
    return next((key for key in REASONS if key in found), "")


def shape_reasons(text: str, ours: Shape, theirs: Any) -> set[str]:
    """The reasons that explain the difference, without their ``shape-``; empty where none does.

    theirs is flux-core's resources list, or the words of its error.
    """
    if not ours.ok:
        found = {_first(REFUSALS, p.message) for p in ours.problems if p.severity == "error"}
        return set() if "" in found else found
    return {name for name, rule in READINGS.items() if rule(text, ours, theirs)}


def _array_runs_on(text: str) -> bool:
    starts = [at for at, char in enumerate(text) if char == "[" and text[:at].rstrip()[-1:] == ":"]
    return any(text.find("]", at) != text.rfind("]") for at in starts)


READINGS: dict[str, Callable[[str, Shape, Any], bool]] = {
    # flux-core takes SLOT for slot.
    "slot-capitals": lambda text, ours, theirs: any(
        v.type != "slot" and v.type.lower() == "slot" for v in walk(ours.vertices)
    ),
    # It takes "slot" for a type like any other, without a label.
    "slot-quotes": lambda text, ours, theirs: any(
        v.type == "slot" and text[v.type_span[0]] in "\"'" for v in walk(ours.vertices)
    ),
    # It makes the label exclusive of x.
    "label-x": lambda text, ours, theirs: any(
        v.type == "slot" and v.label == "x" for v in walk(ours.vertices)
    ),
    # It takes all up to the last bracket for the array.
    "array-greedy": lambda text, ours, theirs: _array_runs_on(text),
    # It takes FALSE for false.
    "constant-case": lambda text, ours, theirs: bool(
        re.search(r":\s*(?!true|false|null)(?i:true|false|null)\s*[,}]", text)
    ),
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
