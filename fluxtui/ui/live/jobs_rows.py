"""How jobs are listed: the columns there is room for, their titles, and one job in full."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.text import Text

from fluxtui.answers.listing.jobs import HOSTS_NAMED, Wanted, lasts, where
from fluxtui.notation.duration import describe
from fluxtui.notation.problem import counted, printable
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import DOT, moment, shorten, styled_line

if TYPE_CHECKING:
    from fluxtui.answers.feasibility.pending import Reason
    from fluxtui.model.live.jobs import Job
    from fluxtui.model.live.snapshot import Snapshot
    from fluxtui.model.resources.resource_set import Resources

GAP = 2
MEASURED = 500  # jobs that say how wide the columns are
LONG = 100  # characters of a name of which no more is looked at
UP, DOWN = "▴", "▾"  # after the title of what they are sorted by

_LOOKS = {"run": "good", "cleanup": "good", "held": "warning"}  # the others wait


class Now(NamedTuple):
    """What jobs are seen at: the time, in seconds since the epoch, and the nodes there are."""

    time: float
    resources: "Resources"


class Column(NamedTuple):
    """A column: what it says of a job, how wide it is at least and most, and how it is drawn."""

    text: "Callable[[Job, Now], str]"
    least: int
    most: int
    role: str = "quiet"
    right: bool = False


#: The columns in their order.
COLUMNS: Mapping[str, Column] = {
    "job": Column(lambda job, now: job.f58, 14, 14, "plain"),
    "state": Column(lambda job, now: job.status, 8, 8),
    "nodes": Column(lambda job, now: f"{job.nodes:,}" if job.nodes else "", 6, 6, right=True),
    "time": Column(lambda job, now: lasts(job, now.time), 6, 6, right=True),
    "user": Column(lambda job, now: job.user, 6, 12),
    "queue": Column(lambda job, now: job.queue, 6, 12),
    "name": Column(lambda job, now: job.name[:LONG], 8, 24, "plain"),
    "where": Column(lambda job, now: where(job, now.resources, now.time), 12, 48),
}
# Those that are left out where there is no room for all, the last one first.
_KEPT = ("job", "state", "nodes", "time", "user", "name", "queue", "where")


def needs(jobs: "Sequence[Job]", now: Now) -> dict[str, int]:
    """How wide each column is to be for its texts and its title; the last one takes more."""

    def need(name: str, column: Column) -> int:
        texts = (printable(column.text(job, now)) for job in jobs[:MEASURED])
        return min(max(map(cell_len, texts), default=0), column.most)

    measured = ((name, column) for name, column in COLUMNS.items() if name != "where")
    return {name: max(need(name, column), len(name)) for name, column in measured} | {
        "where": COLUMNS["where"].most
    }


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns there is room for, and how wide each is."""

    widths: Mapping[str, int]

    @classmethod
    def of(cls, needed: Mapping[str, int], room: int, *, users: bool) -> "Layout":
        """As many columns as there is room for; that of users only where they differ."""
        widths, left = dict[str, int](), room + GAP
        for name in _KEPT:
            width = min(needed[name], COLUMNS[name].least)
            if width + GAP <= left and (users or name != "user"):
                widths[name], left = width, left - width - GAP
        for name in ("name", "queue", "user", "where"):  # which may be cut
            more = min(needed[name] - widths.get(name, needed[name]), left)
            if name in widths:
                widths[name], left = widths[name] + more, left - more
        return cls({name: widths[name] for name in COLUMNS if name in widths})

    def titles(self, wanted: Wanted, style: Palette) -> Text:
        """The titles, that of what jobs are sorted by with the direction."""
        line = styled_line(style=style.quiet)
        for name, width in self.widths.items():
            is_sorted, is_right = name == wanted.by, COLUMNS[name].right
            sign = (DOWN if wanted.down else UP) if is_sorted else ""
            title = f"{name:>{width}}{sign}" if is_right else f"{name}{sign}"
            line.append(f"{title:<{width + GAP}}", style.strong if is_sorted else style.quiet)
        line.rstrip()
        return line

    def row(self, job: "Job", now: Now, style: Palette) -> Text:
        """One job as it is now."""
        line = styled_line(style=style.plain)
        for name, width in self.widths.items():
            column = COLUMNS[name]
            text = shorten(printable(column.text(job, now)), width)
            gap = " " * (width - cell_len(text))
            text = gap + text if column.right else text + gap
            role = _LOOKS.get(job.status, "match") if name == "state" else column.role
            line.append(" " * GAP if line else "").append(text, style.role(role))
        return line

    def at(self, x: int) -> str | None:
        """The column at a place of a row, None beside all of them."""
        for name, width in self.widths.items():
            if 0 <= x < width + GAP:
                return name
            x -= width + GAP
        return None


def job_lines(
    job: "Job", snapshot: "Snapshot", reasons: "Sequence[Reason]", style: Palette
) -> list[Text]:
    """What is known of one job: what it is, where it runs, or why it waits and what would help."""
    facts = [job.status, *(printable(word) for word in (job.user, job.queue) if word)]
    facts += [counted(job.nodes, "node")] if job.nodes is not None else []
    facts += [f"for {describe(job.duration)}"] if job.duration else []
    facts += [f"urgency {job.urgency}"] if job.urgency is not None else []
    facts += [f"since {moment(job.since)}"] if job.since is not None else []
    lines = [
        styled_line((f"{job.f58}  ", style.strong), (printable(job.name), style.plain)),
        styled_line((DOT.join(facts), style.quiet)),
    ]
    if mask := job.mask(snapshot.resources):
        hosts = snapshot.resources.hosts_of(mask, limit=HOSTS_NAMED)
        lines.append(styled_line((f"on {printable(hosts)}", style.placed)))
    for reason in reasons if job.is_pending else ():
        sign = "  " if reason.kind == "turn" else "! "  # which keeps it from nothing
        lines.append(styled_line((sign, style.warning), (printable(reason.message), style.plain)))
        if reason.change:
            change = (printable(reason.change), style.strong)
            lines.append(styled_line(("  try ", style.quiet), change))
    return lines
