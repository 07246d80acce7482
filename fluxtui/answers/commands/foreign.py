"""What a command line of another batch system asks for, on its way to a jobspec."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from fluxtui.answers.commands.flux import build
from fluxtui.answers.commands.options import WHOLE, Line
from fluxtui.answers.commands.scripts import Script
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.problem import printable

#: The label of slots that have no other (RFC 46).
LABEL = "default"

#: What a request for resources alone runs in them, as the use cases of RFC 14 and RFC 25 do.
INSTANCE = ("flux", "start")

#: What stands for a command that the text does not hold.
PLACEHOLDER = ("app",)


class Layout(NamedTuple):
    """The resources, the ``count`` of the task, and whether each node has just one slot."""

    resources: list[dict[str, Any]]
    tasks: dict[str, int]
    one_each: bool


class Job:
    """The attributes of a job, collected from the options of a program."""

    def __init__(self) -> None:
        self.duration = 0.0
        #: ``cwd``, ``queue``, ``bank``, ``project``, ``dependencies`` and so on.
        self.system: dict[str, Any] = {}
        #: RFC 31 objects, all of which must hold.
        self.constraints: list[dict[str, Any]] = []
        #: Options of the job shell.
        self.options: dict[str, Any] = {}

    def document(self, layout: Layout, command: Sequence[str]) -> dict[str, Any]:
        """The jobspec that runs a command in the slot of these resources."""
        out = jobspec.build(layout.resources, command, slot_label=LABEL, duration=self.duration)
        out["tasks"][0]["count"] = dict(layout.tasks)
        system = out["attributes"]["system"]
        system.update(self.system)
        if self.constraints:
            alone = len(self.constraints) == 1
            system["constraints"] = self.constraints[0] if alone else {"and": self.constraints}
        if self.options:
            system["shell"] = {"options": self.options}
        return out

    def script(
        self, layout: Layout, text: str, arguments: Sequence[str], name: str
    ) -> dict[str, Any]:
        """The jobspec that ``flux batch`` makes of a script with these resources."""
        self.system.setdefault("job", {"name": name})
        output = {"type": "file", "path": build.BATCH_OUTPUT}
        self.options.setdefault("output", {}).setdefault("stdout", output)
        entry = {"mode": build.SCRIPT_MODE, "data": text, "encoding": "utf-8"}
        self.system["files"] = {"script": entry}
        return self.broker(layout, [build.SCRIPT, *arguments])

    def broker(self, layout: Layout, program: Sequence[str]) -> dict[str, Any]:
        """The jobspec of an instance that runs a program: the tasks are its brokers."""
        self.options.update(build.INSTANCE_OPTIONS)
        tasks = {"per_slot": 1} if "per_slot" in layout.tasks else layout.tasks
        return self.document(layout._replace(tasks=tasks), ["flux", "broker", *program])


def slots(
    nodes: Any,
    slots_each: int,
    inside: Sequence[dict[str, Any]],
    *,
    exclusive: bool = False,
    label: str = LABEL,
) -> list[dict[str, Any]]:
    """Nodes that hold slots, or slots alone where nodes is None; nodes is an RFC 14 count."""
    slot = {"type": "slot", "count": slots_each, "label": label, "with": list(inside)}
    if nodes is None:
        return [slot]
    node: dict[str, Any] = {"type": "node", "count": nodes}
    if exclusive:
        node["exclusive"] = True
    return [{**node, "with": [slot]}]


def core(count: int, gpus: int = 0) -> list[dict[str, Any]]:
    """Cores, and gpus if there are any."""
    out: list[dict[str, Any]] = [{"type": "core", "count": count}]
    return [*out, {"type": "gpu", "count": gpus}] if gpus else out


_UNITS = {"": 1.0, "K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0**2, "P": 1024.0**3}


def megabytes(text: str) -> int | None:
    """Memory such as ``4096``, ``4G`` or ``4gb`` in MB (MB where there is no unit), or None."""
    digits = text.strip().upper()
    digits = digits.removesuffix("B") if digits[-2:-1].isalpha() else digits
    unit = digits[-1:] if digits[-1:].isalpha() else ""
    number = digits.removesuffix(unit) if unit else digits
    try:
        value = float(number) * _UNITS[unit]
    except (KeyError, ValueError, OverflowError):
        return None
    if not 0 <= value < 1e15 or number[:1] in "+-":
        return None
    return int(value) + (value % 1 > 0)


def memory(amount: int) -> dict[str, Any]:
    """At least so many MB of memory, in GB where those come out even (RFC 14, use case 2.5)."""
    unit = "GB" if amount % 1024 == 0 else "MB"
    least = amount // 1024 if unit == "GB" else amount
    return {"type": "memory", "count": {"min": least}, "unit": unit}


def add_script(
    line: Line, job: Job, layout: Layout, script: Script | None, arguments: Sequence[str]
) -> dict[str, Any]:
    """The jobspec of a script that was given, as far as it was.

    One without a first line of ``#!`` gets one; directives alone leave the command open; and
    where there is only a name, it is what the instance runs.
    """
    if script is not None and script.body:
        text = script.text
        if not text.startswith("#!"):
            line.remark(WHOLE, "the script has no #! line and gets '#!/bin/sh'")
            text = f"#!/bin/sh\n{text}"
        return job.script(layout, text, arguments, "batch")
    if script is not None or not arguments:
        line.remark(WHOLE, "the commands of the script are not here; 'app' stands for them")
        return job.document(layout, PLACEHOLDER)
    name = printable(arguments[0])
    text = f"the script {name} is not read here: its text and its directives are left out"
    line.remark(WHOLE, text)
    return job.broker(layout, arguments)
