"""What is said below the rows of the node table."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fluxtui.answers.listing.lister import FoldedListing, Key
from fluxtui.answers.listing.rows import Listing
from fluxtui.notation.problem import counted, printable
from fluxtui.ui.kit.wording import property_name
from fluxtui.ui.nodes.table_columns import ONE
from fluxtui.ui.nodes.table_layout import DOWN, UP
from fluxtui.ui.nodes.table_marks import HAS, LACKS, MISSING, UNWANTED

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Standing
    from fluxtui.answers.listing.filtering import Filtered

_TOTALS: Mapping[str, str] = {"all-cores": "all cores", "all-gpus": "all gpus"}

KEYS = "s sort  / filter  f fold  v {}  c columns"


class Says(NamedTuple):
    """What there is to say something of.

    only       those nodes alone that match are listed
    finding    another listing is being found
    names      the columns
    standings  what the constraint asks of properties
    found      what the filter is taken for; None while that is not known
    title      the property whose title is pointed at, which may be cut; or blank
    key        what the rows are sorted by
    keys       the keys of the table do something now
    """

    only: bool
    finding: bool
    names: Sequence[str]
    standings: "Mapping[str, Standing]"
    found: "Filtered | None" = None
    title: str = ""
    key: Key = Key()
    keys: bool = False


def filter_words(found: "Filtered | None", listing: Listing, count: int) -> str:
    """How many of so many nodes the filter leaves; blank where it cannot be read."""
    return _rows(listing, count) if found is not None and found.problem is None else ""


def foot_words(listing: Listing, count: int, says: Says) -> list[tuple[str, str]]:
    """What is said below the rows, what matters most first, each with the role of its colour."""
    parts: list[tuple[str, str]] = []
    if says.title:
        parts.append((property_name(says.title), "plain"))
    if says.finding:
        parts.append(("listing …", "match"))
    if says.found is not None and says.found.problem is not None:
        parts.append((printable(says.found.problem.message), "problem"))
    elif says.found is not None and says.found.words:
        parts.append((printable(says.found.words), "plain"))
    if says.only:
        parts.append((f"{_rows(listing, count)} · those that match", "quiet"))
    if isinstance(listing, FoldedListing):
        kinds = counted(listing.class_count, "kind")
        order = _TOTALS.get(says.key.by, "")  # its column may be out of sight
        by = f", by {order} {DOWN if says.key.down else UP}" if order else ""
        parts.append((f"{counted(listing.node_count, 'node')} of {kinds}{by}", "quiet"))
    if "marks" in says.names or any(name.startswith(ONE) for name in says.names):
        parts.append((f"{HAS} has it  {LACKS} not", "quiet"))
        asked = set(says.standings.values())
        if asked & {"required", "both"}:
            parts.append((f"{MISSING} required, not there", "problem"))
        if asked & {"excluded", "both"}:
            parts.append((f"{UNWANTED} excluded, there", "problem"))
    if says.keys:
        parts.append((KEYS.format("words" if "marks" in says.names else "marks"), "faint"))
    return parts


def _rows(listing: Listing, count: int) -> str:
    """How many nodes are listed, of how many."""
    if listing.node_count == count:
        return f"all {counted(count, 'node')}"
    return f"{listing.node_count:,} of {counted(count, 'node')}"
