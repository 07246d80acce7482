"""Why the project differs from flux-core on purpose: one reason for each kind of case.

Every case that differs has to have one; the table in DIFFERENCES.md has a row for each.
"""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

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


# Why single rows of the smaller corpora differ from flux-core; see ``reasons.REASONS``


#: The reasons of shapes; where several explain a text, the first of them is named.
SHAPE_ORDER = tuple(
    key.removeprefix("shape-") for key, reason in REASONS.items() if reason.area == "shape"
)


def idset_reason(row: Row) -> str:
    """By the text alone."""
    text = row["in"]
    if re.search(r"^\[?,|,,|,\]?$", text):
        return "idset-commas"
    return "idset-large" if max(map(len, re.findall("[0-9]+", text)), default=0) > 9 else ""


def hostlist_reason(row: Row) -> str:
    """By the text alone."""
    text = row["in"]
    if re.search(r"[^!-~]", text):
        return "hostlist-space"
    if re.search(r"[0-9]{19}", text):
        return "hostlist-large"
    if re.fullmatch(r"([^][]|\[[^][]*\])*", text) and not re.search(r"\][^,]*\[", text):
        return "hostlist-range" if re.search(r"\[[^]]*-[^0-9]|-\]|\[\]|\[-", text) else ""
    return "hostlist-brackets"


def duration_reason(row: Row, ours: bool) -> str:
    """Python's answer differs from ours, or C's does."""
    if not row["in"]:
        return "fsd-empty"
    if row["ok"] != ours:
        return "fsd-c" if ours else "fsd-python"
    return ""


_RESOURCES = (
    (r"not an R object", "r-json"),
    (r"core REQUIRED|children is|core: one or more", "r-core"),
    (r"(rank|core|gpu)?: ?one or more|R_lite REQUIRED|nodelist REQUIRED|one or more", "r-required"),
    (r"(rank|core|gpu): |properties: (RFC 22|value)", "r-idset"),
    (r"nodelist must map", "r-nodelist"),
    (r"properties: illegal", "r-property"),
    (r"properties: target", "r-rank"),
    (r"expiration MUST|number", "r-times"),
    (r"nslots", "r-nslots"),
    (r"scheduling", "r-scheduling"),
)


def resources_reason(row: Row) -> str:
    """By the rule that the row names."""
    said = row["rfc"]["why"]
    return next((key for pattern, key in _RESOURCES if re.match(pattern, said)), "")


_JOBSPEC = (
    (r"invalid resource graph|slot children|must have children|exactly one (slot|element)|"
     r"has no out edges|resources MUST", "v1-graph"),
    (r"\w+ vertex SHALL NOT|\w+ count SHALL", "v1-vertex"),
    (r"tasks MUST|task slot|per_slot", "v1-tasks"),
    (r"", "v1-attributes"),
)  # fmt: skip


def jobspec_reason(row: Row, ours: bool) -> str:
    """By the first rule that the row names, or by what the instance said."""
    if not ours:
        said = row["prose"]["why"]
        return next(key for pattern, key in _JOBSPEC if re.match(pattern, said[0])) if said else ""
    said = row["submit"].get("error", "")
    if re.search("Extraneous key", said):
        return "v1-extra"
    if re.search("not a valid queue|not found", said):
        return "v1-instance"
    return "v1-names" if re.search("invalid character in property", said) else ""


def submit_reason(row: Row) -> str:
    """By what the instance said that refused a job."""
    said = row["submit"].get("error", "")
    return "submit-instance" if re.search("not a valid queue|not found", said) else ""


def queue_reason(row: Row, ours: bool) -> str:
    """By what the row notes of RFC 33."""
    said = (row.get("rfc") or {}).get("why", "")
    return "queue-hosts" if "hosts" in said else "queue-default" if "default" in said else ""
