"""What can be done to the state of the workbench: the edits.

They are named tuples, as the notations are: to make eight frozen dataclasses takes a hundredth of
the time to the first frame.
"""

from dataclasses import replace
from typing import Literal, NamedTuple

from fluxtui.model.queue_status import Status
from fluxtui.workbench.cluster import Cluster
from fluxtui.workbench.outlook import Outlook


class TypeShape(NamedTuple):
    """The shape input now holds this text."""

    text: str


class TypeRequires(NamedTuple):
    """The constraint input now holds this text."""

    text: str


class OpenCluster(NamedTuple):
    """Another R document is open."""

    cluster: Cluster


class MoveCursor(NamedTuple):
    """Another node is selected, by its index; an index outside the cluster goes to its edge."""

    node: int


class ChooseQueue(NamedTuple):
    """The job goes to this queue; None leaves that to Flux."""

    queue: str | None


class TurnQueue(NamedTuple):
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


class LookAtQueue(NamedTuple):
    """The nodes of this queue are lit; None lights those of the constraint again."""

    queue: str | None


class FindRoom(NamedTuple):
    """An outlook whose room was due, and the same with the room that was found.

    It changes nothing if the job is another by now.
    """

    outlook: Outlook
    found: Outlook


Edit = (
    TypeShape
    | TypeRequires
    | OpenCluster
    | MoveCursor
    | ChooseQueue
    | TurnQueue
    | LookAtQueue
    | FindRoom
)
