"""Batch systems other than Flux: their requests as jobspecs, and jobspecs as their requests."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from fluxtui.answers.commands import differences
from fluxtui.answers.commands.demand import LABEL, Demand
from fluxtui.answers.commands.job import STREAMS, Attributes, Job, drop, is_seconds, value_at
from fluxtui.answers.commands.options import WHOLE, Line
from fluxtui.answers.commands.results import Rendering, rendering
from fluxtui.answers.commands.scripts import Script
from fluxtui.model.jobspec import batch, jobspec
from fluxtui.notation.problem import Span, at, printable
from fluxtui.notation.shellwords import Word

#: What a request for resources alone runs in them, as the use cases of RFC 14 and RFC 25 do.
INSTANCE = ("flux", "start")

#: The command where the text does not hold one.
PLACEHOLDER = ("app",)


# From a command line to a jobspec


@dataclass(frozen=True, slots=True)
class Layout:
    """The resources, the ``count`` of the task, and whether each node has just one slot."""

    resources: list[dict[str, Any]]
    tasks: dict[str, int]
    one_each: bool


@dataclass(slots=True)
class JobBuilder:
    """A jobspec in the making.

    duration     in seconds, 0 for none
    system       system attributes
    constraints  RFC 31 objects, all of which must hold
    options      options of the job shell
    """

    duration: float = 0.0
    system: dict[str, Any] = field(default_factory=dict)
    constraints: list[dict[str, Any]] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)

    def set_file(self, stream: str, path: str) -> dict[str, Any]:
        """Send a stream (a key of ``STREAMS``) to a file; gives the entry of the stream."""
        kind, name = STREAMS[stream]
        entry: dict[str, Any] = {"type": "file", "path": path}
        self.options.setdefault(kind, {})[name] = entry
        return entry

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
        output = {"type": "file", "path": batch.OUTPUT}
        self.options.setdefault("output", {}).setdefault("stdout", output)
        self.system["files"] = {"script": batch.script_entry(text)}
        return self.broker(layout, [batch.SCRIPT, *arguments])

    def broker(self, layout: Layout, program: Sequence[str]) -> dict[str, Any]:
        """The jobspec of an instance that runs a program: the tasks are its brokers."""
        self.options.update(batch.instance_options())
        tasks = {"per_slot": 1} if "per_slot" in layout.tasks else layout.tasks
        return self.document(replace(layout, tasks=tasks), ["flux", "broker", *program])

    def given_script(
        self, line: Line, layout: Layout, script: Script | None, arguments: Sequence[str]
    ) -> dict[str, Any]:
        """The jobspec of a script as far as it is known; notes on ``line`` say what is not.

        A script without a first line of ``#!`` gets one; directives alone leave the command open;
        and where only the name of the script is known, the instance runs that.
        """
        if script is not None and script.body:
            text = script.text
            if not text.startswith("#!"):
                line.note(WHOLE, "the script has no #! line and gets '#!/bin/sh'")
                text = f"#!/bin/sh\n{text}"
            return self.script(layout, text, arguments, "batch")
        if script is not None or not arguments:
            line.note(WHOLE, "the commands of the script are not here; 'app' takes their place")
            return self.document(layout, PLACEHOLDER)
        name = printable(arguments[0])
        text = f"the script {name} is not read here: its text and its directives are left out"
        line.note(WHOLE, text)
        return self.broker(layout, arguments)


# From a jobspec to a command line

# Values that no list of variables takes for more than one, or for something else.
_LISTED = re.compile(r"[^,'\"\\\x00-\x1f]*")
_NAMED = 5  # variables that are named of those that cannot be set


def demand_notes(demand: Demand, system: str) -> list[str]:
    """Notes on the resources that a system cannot express."""
    notes = [
        f"{system} has no request for a '{printable(kind)}'; that level is left out"
        for kind in dict.fromkeys(demand.left)
    ]
    notes += [
        f"{system} takes one number of each {what}: the least is asked for"
        for what in demand.loose
        if what not in demand.left
    ]
    notes += [f"memory in '{printable(unit)}' is left out" for unit in demand.units]
    notes += [
        f"the count of {printable(kind)} makes no sense and is taken as 1"
        for kind in dict.fromkeys(demand.broken)
    ]
    return notes


class ForeignAttributes(Attributes):
    """The attributes of a job; those that are not taken out become notes."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.document.get("attributes"))
        self.system.pop("shell", None)
        if job.kind in ("alloc", "batch"):
            for key, value in batch.instance_options().items():
                self.drop_option(key, value)
        elif job.kind == "start":
            self.drop_option("per-resource", {"type": "node"})
        if job.script is not None:
            self.system.pop("files", None)

    def count_tasks(self, demand: Demand) -> None:
        """Take out the shell option ``per-resource`` where it counts tasks by node or core."""
        option = self.options.get("per-resource")
        if not isinstance(option, Mapping) or not isinstance(option.get("count", 1), int):
            return
        kind, number = option.get("type"), max(1, option.get("count", 1))
        if kind == "node" and demand.nodes is not None:
            demand.join_slots()
            demand.tasks = number
        elif kind == "core" and demand.cores:
            demand.tasks = number * demand.cores
        else:
            return
        del self.options["per-resource"]

    def take_variables(self, none: str | None = None) -> str | None:
        """Take out variables as ``NAME=VALUE,…``; those that such a text cannot set stay.

        None where there are none to set. ``none`` is the text where the environment is empty.
        """
        found = self.system.get("environment")
        if not isinstance(found, dict):
            return None
        if not found:
            if none is not None:
                del self.system["environment"]
            return none
        plain = {name: value for name, value in found.items() if _is_plain(name, value)}
        for name in plain:
            drop(self.system, "environment", name)
        return ",".join(f"{name}={value}" for name, value in plain.items()) if plain else None

    def take_seconds(self) -> float:
        """Take out the duration; 0 where there is none."""
        value = self.system.get("duration", 0)
        if not is_seconds(value) or value >= 1e12:
            return 0.0
        self.system.pop("duration", None)
        return float(value)

    def take_file(self, stream: str) -> str | None:
        """Take out the file that a stream (a key of ``STREAMS``) is redirected to."""
        entry = value_at(self.options, *STREAMS[stream])
        if not isinstance(entry, Mapping) or set(entry) != {"type", "path"}:
            return None
        path: str = entry["path"]
        if entry["type"] != "file" or not isinstance(path, str):
            return None
        drop(self.options, *STREAMS[stream])
        return path

    def notes(self, system: str) -> list[str]:
        """Notes on what was not taken out: the system has no counterpart."""
        lead = "attributes"
        paths = [at(lead, "system", str(key)) for key in self.system if key != "environment"]
        paths += self._variables_left(at(lead, "system", "environment"))
        paths += [at(lead, "system", "shell", "options", str(key)) for key in self.options]
        paths += [at(lead, str(key)) for key, value in self.others.items() if value]
        return [f"{system} has no counterpart of {printable(path)}" for path in paths]

    def _variables_left(self, path: str) -> list[str]:
        """The first of the variables that were not taken out, by their paths."""
        if "environment" not in self.system:
            return []
        found = self.system["environment"]
        if not isinstance(found, Mapping) or not found:
            return [path]
        paths = [at(path, str(name)) for name in islice(found, _NAMED)]
        more = len(found) - len(paths)
        return paths + ([f"{more:,} more variables of the environment"] if more else [])


def _is_plain(name: object, value: object) -> bool:
    """Whether ``NAME=VALUE`` sets a variable in a list with commas between them."""
    is_name = re.fullmatch(r"[A-Za-z_]\w*", str(name), re.ASCII) is not None
    return is_name and isinstance(value, str) and _LISTED.fullmatch(value) is not None


def judged(
    name: str,
    words: list[str],
    job: Job,
    notes: Sequence[str],
    reader: Callable[[Sequence[Word]], tuple[dict[str, Any], Line]],
    *,
    script: str | None = None,
) -> Rendering:
    """The rendering of some words: exact where nothing is lost and they read back the same.

    notes   what is lost; where there are none, they are what reads back differently
    reader  reads the words behind the program
    """
    lost = list(notes)
    if not lost:
        document, _ = reader([Word(word, Span(0, len(word))) for word in words[1:]])
        lost += differences.sentences(differences.between(job.document, document))
    return rendering(name, words, script, not lost, (*lost, *job.notes()))
