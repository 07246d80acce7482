"""What may be done to the queues of a running Flux: each asked for first, as its command."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual.app import SystemCommand

from fluxtui.notation.problem import printable
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.live.follow import ONLY_OWNER, Live, not_now

if TYPE_CHECKING:
    from fluxtui.bridge.live.job import Order

_DAY = 86_400.0  # seconds that a wait lasts at most


class _Act(NamedTuple):
    """One command on queues (RFC 33).

    done    what is so afterwards
    status  the field of the queue's status that it sets, and to what; empty for a wait
    asks    what may be typed: the option, and what stands there until then
    """

    key: str
    verb: str
    detail: str
    done: str
    status: tuple[str, bool] | None = None
    asks: str = ""


_ACTS = (
    _Act("d", "disable", "it takes no more jobs", "disabled", ("enable", False),
         "reason: disabled by administrator"),
    _Act("e", "enable", "it takes jobs", "enabled", ("enable", True)),
    _Act("x", "stop", "its jobs wait; running jobs go on", "stopped", ("start", False),
         "reason, for those whose jobs wait"),
    _Act("s", "start", "its jobs are scheduled", "started", ("start", True)),
    _Act("w", "drain", "wait until no job of any queue is left", "empty: no job is left"),
    _Act("i", "idle", "wait until no job of any queue runs", "idle: no job runs"),
)  # fmt: skip


class Acting(Controller):
    """Enables, disables, starts and stops queues, and waits for them."""

    def __init__(self, app: WorkbenchApp, live: Live) -> None:
        super().__init__(app)
        self._live = live

    def commands(self) -> Iterable[SystemCommand]:
        """The queues that may be acted on."""
        for name in self.app.state.cluster.statuses if self._live.connection is not None else ():
            label = f"Queue {printable(name)} on Flux" if name else "The queue on Flux"
            help = "Enable, disable, start, stop, or wait for it"
            yield SystemCommand(label, help, partial(self.ask, name))

    def ask(self, queue: str) -> None:
        """Ask what to do to a queue of the running Flux."""
        from fluxtui.ui.kit.picker import Item, Picker

        if not self._live.followed():
            return
        items = [
            Item(act, act.verb, act.detail, key=act.key, why_not=not_now(self._why_not(act, queue)))
            for act in _ACTS
        ]
        title = f"Queue {printable(queue)} on Flux" if queue else "The queue on Flux"
        self.open_dialog(Picker(title, items, enter="goes on"), partial(self._order, queue))

    def _why_not(self, act: _Act, queue: str) -> str:
        """Why something cannot be done now."""
        status = self.app.state.cluster.statuses.get(queue)
        if not self._live.is_owner:
            return ONLY_OWNER
        if status is None or act.status is None:
            return ""
        field, wanted = act.status
        is_so = status.enabled if field == "enable" else status.started
        return f"it is {act.done}" if is_so is wanted else ""

    def _order(self, queue: str, act: _Act) -> None:
        why = self._why_not(act, queue)
        if why:
            self.app.notify(f"Not done: {why}.", severity="warning")
            return
        done = f"Queue {queue} is {act.done}" if queue else f"The queue is {act.done}"
        done = done if act.status is not None else f"The queues are {act.done}"
        waits = ("You are told when it is done, and can go on meanwhile; esc stops waiting.",)
        notes = () if act.status is not None else waits
        title = f"{act.verb.capitalize()} {queue or 'the queue' if act.status else 'all queues'}"
        asked = partial(self._live.ask_queue, queue)
        self._live.order(title, partial(order_of, act, queue), done, notes, act.asks, then=asked)


def order_of(act: _Act, queue: str, reason: str = "") -> "Order":
    """The command and the RPC of an act on a queue; flux queue has the same (RFC 33)."""
    from fluxtui.bridge.live.job import Order

    if act.status is None:
        return Order(("flux", "queue", act.verb), f"job-manager.{act.verb}", {}, _DAY)
    field, wanted = act.status
    words = (*((f"--message={reason}",) if reason else ()), *((queue,) if queue else ()))
    payload: dict[str, object] = {field: wanted, "all": False}
    payload.update({"nocheckpoint": False} if field == "start" else {})
    payload.update({"name": queue} if queue else {})
    reason = reason or ("disabled by administrator" if act.verb == "disable" else "")
    payload.update({"reason": reason} if reason else {})
    return Order(("flux", "queue", act.verb, *words), f"job-manager.queue-{field}", payload)
