"""What can be done to the state of the workbench: the edits."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fluxtui.model.queue_status import Status
from fluxtui.workbench.outlook import Outlook
from fluxtui.workbench.state import Cluster

if TYPE_CHECKING:
    from fluxtui.answers.fit import Fit


@dataclass(frozen=True, slots=True)
class TypeShape:
    """The shape input now holds this text."""

    text: str


@dataclass(frozen=True, slots=True)
class TypeRequires:
    """The constraint input now holds this text."""

    text: str


@dataclass(frozen=True, slots=True)
class OpenCluster:
    """Another R document is open."""

    cluster: Cluster


@dataclass(frozen=True, slots=True)
class MoveCursor:
    """Another node is selected, by its index; an index outside the cluster goes to its edge."""

    index: int


@dataclass(frozen=True, slots=True)
class ChooseQueue:
    """The job goes to this queue; None leaves that to Flux."""

    queue: str | None


@dataclass(frozen=True, slots=True)
class SetStatus:
    """A queue is taken to stand like this."""

    queue: str
    status: Status


@dataclass(frozen=True, slots=True)
class LookAtQueue:
    """The nodes of this queue are lit; None lights those of the constraint again."""

    queue: str | None


@dataclass(frozen=True, slots=True)
class FindRoom:
    """The room that was found for the job of an outlook, beside the event loop.

    It changes nothing if the job is another by now.
    """

    outlook: Outlook
    fit: "Fit"


Edit = (
    TypeShape
    | TypeRequires
    | OpenCluster
    | MoveCursor
    | ChooseQueue
    | SetStatus
    | LookAtQueue
    | FindRoom
)
