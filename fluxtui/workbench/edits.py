"""The edits that change the state of the workbench, each a frozen dataclass."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fluxtui.model.queues import Status
from fluxtui.workbench.cluster import Cluster
from fluxtui.workbench.documents import Compared
from fluxtui.workbench.job import Form, Job
from fluxtui.workbench.outlook import Outlook

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes


@dataclass(frozen=True, slots=True)
class TypeShape:
    """The shape input now holds this text."""

    text: str


@dataclass(frozen=True, slots=True)
class EditShape:
    """The whole shape becomes this text in one step, as when a vertex of its tree is edited."""

    text: str


@dataclass(frozen=True, slots=True)
class TypeRequires:
    """The constraint input now holds this text."""

    text: str


@dataclass(frozen=True, slots=True)
class EditRequires:
    """The whole constraint becomes this text in one step, as when a property is added to it."""

    text: str


@dataclass(frozen=True, slots=True)
class TypeField:
    """A field of the job now holds this text (see `fluxtui.model.form.fields`)."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class LeaveField:
    """The user has left a field, so that its text is final."""

    name: str


@dataclass(frozen=True, slots=True)
class TypeJobspec:
    """The input of the whole jobspec, as YAML or JSON, now holds this text."""

    text: str
    form: Form


@dataclass(frozen=True, slots=True)
class OpenJob:
    """Another job replaces the current one: its texts, its queue and the rest.

    from_file is true if it was read from a file and is unchanged since.
    """

    shape: str
    requires: str
    queue: str | None
    job: Job
    from_file: bool = False


@dataclass(frozen=True, slots=True)
class ReplaceJob:
    """The whole jobspec becomes this document in one step, as when a problem is fixed."""

    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SaveJob:
    """This job, possibly edited since, was saved in this file."""

    path: str
    job: Job


@dataclass(frozen=True, slots=True)
class OpenCluster:
    """Another R document is opened; if behind, the active one stays active."""

    cluster: Cluster
    behind: bool = False


@dataclass(frozen=True, slots=True)
class ReloadCluster:
    """The open document before was read again and is now cluster.

    changes map the nodes of one to the other; carried holds a selection of nodes before and after,
    computed beforehand because that is slow for a large cluster.
    """

    before: Cluster
    cluster: Cluster
    changes: "Changes"
    carried: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class RefreshCluster:
    """The running instance before is now cluster, with the same resources.

    If the resources have changed, use `ReloadCluster`.
    """

    before: Cluster
    cluster: Cluster


@dataclass(frozen=True, slots=True)
class GoToDocument:
    """The open document with this index, from 0, becomes the active one."""

    number: int


@dataclass(frozen=True, slots=True)
class CloseDocument:
    """The open document with this index, from 0, is closed; if active, another becomes active."""

    number: int


@dataclass(frozen=True, slots=True)
class CompareDocuments:
    """Two open documents, one of them active, are compared; None ends the comparison.

    Nothing changes if one of them has been closed meanwhile.
    """

    compared: Compared | None


@dataclass(frozen=True, slots=True)
class MoveCursor:
    """The cursor moves to the node with this index; an index out of range is clamped."""

    node: int


@dataclass(frozen=True, slots=True)
class Select:
    """These nodes, a bit set of indices, are selected; indices out of range are dropped.

    0 selects none.
    """

    mask: int


@dataclass(frozen=True, slots=True)
class KeepConstraint:
    """The current constraint is kept as A, to compare others with; if not on, A is dropped.

    Nothing changes if the text is unfinished.
    """

    on: bool = True


@dataclass(frozen=True, slots=True)
class SwapConstraints:
    """The kept constraint A and the current one change places.

    Nothing changes if none is kept, or if the text is unfinished.
    """


@dataclass(frozen=True, slots=True)
class ChooseQueue:
    """The job goes to this queue; None leaves the choice to Flux."""

    queue: str | None


@dataclass(frozen=True, slots=True)
class TurnQueue:
    """A status flag of a queue is assumed to be the opposite: enabled or not, started or not."""

    queue: str
    what: Literal["enabled", "started"]

    def toggled(self, status: Status) -> Status:
        """Return the status with the flag toggled."""
        if self.what == "enabled":
            reason = "what if" if status.enabled else None
            return replace(status, enabled=not status.enabled, disable_reason=reason)
        started = status.started_itself
        reason = "what if" if started else None
        return replace(status, started=not started, stop_reason=reason, blocked=None)


@dataclass(frozen=True, slots=True)
class LookAtQueue:
    """The nodes of this queue are highlighted; None highlights those of the constraint again."""

    queue: str | None


@dataclass(frozen=True, slots=True)
class FindRoom:
    """An outlook whose fit was due has been computed: found replaces outlook.

    Nothing changes if the job has changed meanwhile.
    """

    outlook: Outlook
    found: Outlook


Edit = (
    TypeShape
    | EditShape
    | TypeRequires
    | EditRequires
    | TypeField
    | LeaveField
    | TypeJobspec
    | OpenJob
    | ReplaceJob
    | SaveJob
    | OpenCluster
    | RefreshCluster
    | ReloadCluster
    | GoToDocument
    | CloseDocument
    | CompareDocuments
    | MoveCursor
    | Select
    | KeepConstraint
    | SwapConstraints
    | ChooseQueue
    | TurnQueue
    | LookAtQueue
    | FindRoom
)


class Fix(NamedTuple):
    """One fix for the job.

    label  what the fix does, in a few words
    edit   the edit that does it
    gain   what it gains, such as ``24 nodes of batch``; empty if that is obvious
    """

    label: str
    edit: Edit
    gain: str = ""

    @property
    def words(self) -> str:
        """The label, followed by the gain if there is one."""
        return f"{self.label}: {self.gain}" if self.gain else self.label
