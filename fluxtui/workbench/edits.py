"""What can be done to the state of the workbench: the edits, each a frozen dataclass."""

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
    """The shape becomes this text at one stroke, as when a vertex of its tree is edited."""

    text: str


@dataclass(frozen=True, slots=True)
class TypeRequires:
    """The constraint input now holds this text."""

    text: str


@dataclass(frozen=True, slots=True)
class EditRequires:
    """The constraint becomes this text at one stroke, as when a property is added to it."""

    text: str


@dataclass(frozen=True, slots=True)
class TypeField:
    """A field of the job now holds this text (see `fluxtui.model.form.fields`)."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class LeaveField:
    """A person has left a field, and goes on elsewhere: what it says now is what was meant."""

    name: str


@dataclass(frozen=True, slots=True)
class TypeJobspec:
    """The text of the whole jobspec, as YAML or JSON, is now this."""

    text: str
    form: Form


@dataclass(frozen=True, slots=True)
class OpenJob:
    """Another job takes the place of the one that is written: its texts, its queue, the rest.

    from_file says that it is just what its file holds.
    """

    shape: str
    requires: str
    queue: str | None
    job: Job
    from_file: bool = False


@dataclass(frozen=True, slots=True)
class ReplaceJob:
    """The document becomes this one at one stroke, as when a problem is mended."""

    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SaveJob:
    """This job, whatever has become of it since, stands in this file now."""

    path: str
    job: Job


@dataclass(frozen=True, slots=True)
class OpenCluster:
    """Another R document is open; behind the one in force, or in its place."""

    cluster: Cluster
    behind: bool = False


@dataclass(frozen=True, slots=True)
class ReloadCluster:
    """The open document, before, was read again and is now this one.

    changes say which nodes are which; carried holds a selection before and the same one now, which
    for a large cluster is worked out beforehand.
    """

    before: Cluster
    cluster: Cluster
    changes: "Changes"
    carried: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class RefreshCluster:
    """The running instance that is open, before, is now this one; its resources are the same.

    Where they are not, it is `ReloadCluster`.
    """

    before: Cluster
    cluster: Cluster


@dataclass(frozen=True, slots=True)
class GoToDocument:
    """Another of the open documents is in force, by its number from 0."""

    number: int


@dataclass(frozen=True, slots=True)
class CloseDocument:
    """An open document is closed, by its number from 0; if it is in force, another one is then."""

    number: int


@dataclass(frozen=True, slots=True)
class CompareDocuments:
    """Two open documents are compared, one of them in force; None compares none any more.

    Nothing changes where one of them was closed meanwhile.
    """

    compared: Compared | None


@dataclass(frozen=True, slots=True)
class MoveCursor:
    """Another node is selected, by its index; an index outside the cluster goes to its edge."""

    node: int


@dataclass(frozen=True, slots=True)
class Select:
    """These nodes are selected, by their indices as a bit set; those the cluster has not fall away.

    0 selects none.
    """

    mask: int


@dataclass(frozen=True, slots=True)
class KeepConstraint:
    """The constraint in force is kept as A, to compare others with; or, not on, none is any more.

    A text that is not finished is in force for nobody: nothing is kept of it.
    """

    on: bool = True


@dataclass(frozen=True, slots=True)
class SwapConstraints:
    """The kept constraint, A, takes the place of the one in force, which is kept in turn.

    Nothing changes where none is kept, or the text is not finished.
    """


@dataclass(frozen=True, slots=True)
class ChooseQueue:
    """The job goes to this queue; None leaves that to Flux."""

    queue: str | None


@dataclass(frozen=True, slots=True)
class TurnQueue:
    """What if a queue stood the other way: disabled or enabled, stopped or started?"""

    queue: str
    what: Literal["enabled", "started"]

    def turned(self, status: Status) -> Status:
        """The status the other way."""
        if self.what == "enabled":
            reason = "what if" if status.enabled else None
            return replace(status, enabled=not status.enabled, disable_reason=reason)
        started = status.started_itself
        reason = "what if" if started else None
        return replace(status, started=not started, stop_reason=reason, blocked=None)


@dataclass(frozen=True, slots=True)
class LookAtQueue:
    """The nodes of this queue are lit; None lights those of the constraint again."""

    queue: str | None


@dataclass(frozen=True, slots=True)
class FindRoom:
    """An outlook whose room was due, and the same with the room that was found.

    It changes nothing if the job is another by now.
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

    label  what is done, in a few words
    edit   does it
    gain   what it brings, such as ``24 nodes of batch``; empty where that goes without saying
    """

    label: str
    edit: Edit
    gain: str = ""

    @property
    def words(self) -> str:
        """The label with the gain."""
        return f"{self.label}: {self.gain}" if self.gain else self.label
