"""What the sayings of Slurm and PBS have in common: their notes, and how they are judged."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

from fluxtui.answers.commands import same
from fluxtui.answers.commands.demand import Demand
from fluxtui.answers.commands.flux.build import INSTANCE_OPTIONS
from fluxtui.answers.commands.request import Request
from fluxtui.answers.commands.saying import Saying, saying
from fluxtui.model.form.field import MISSING
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.problem import at, printable

# Values that no list of variables takes for more than one, or for something else.
_LISTED = re.compile(r"[^,'\"\\\x00-\x1f]*")
_NAMED = 5  # variables that are named of those that cannot be set

#: How a system reads plain words back: the program and the words behind it.
Reader = Callable[[str, Sequence[str]], Mapping[str, Any]]


def demand_notes(demand: Demand, system: str) -> list[str]:
    """What of the resources a system cannot say."""
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


class Attributes:
    """The attributes of a jobspec: what is taken out has been said, the rest becomes notes."""

    def __init__(self, request: Request) -> None:
        document = request.document
        self.system: dict[Any, Any] = dict(jobspec.system(document))
        attributes = document.get("attributes")
        self.others: dict[Any, Any] = dict(attributes) if isinstance(attributes, Mapping) else {}
        self.others.pop("system", None)
        shell = self.system.pop("shell", None)
        options = shell.get("options") if isinstance(shell, Mapping) else None
        self.options: dict[Any, Any] = dict(options) if isinstance(options, Mapping) else {}
        if request.kind in ("alloc", "batch"):
            for key, value in INSTANCE_OPTIONS.items():
                if self.options.get(key) == value:
                    del self.options[key]
        elif self.options.get("per-resource") == {"type": "node"} and request.kind == "start":
            del self.options["per-resource"]
        if request.script is not None:
            self.system.pop("files", None)

    def count_tasks(self, demand: Demand) -> None:
        """Take out the shell option ``per-resource`` where it counts tasks by node or core."""
        option = self.options.get("per-resource")
        if not isinstance(option, Mapping) or not isinstance(option.get("count", 1), int):
            return
        kind, number = option.get("type"), max(1, option.get("count", 1))
        if kind == "node" and demand.nodes is not None:
            demand.cores, demand.gpus = demand.cores * demand.each, demand.gpus * demand.each
            demand.memory, demand.each, demand.tasks = demand.memory * demand.each, 1, number
        elif kind == "core" and demand.cores:
            demand.tasks = number * demand.cores
        else:
            return
        del self.options["per-resource"]

    def text(self, key: str) -> str | None:
        """A system attribute that is a text, taken out."""
        value = self.system.get(key)
        if not isinstance(value, str):
            return None
        del self.system[key]
        return value

    def variables(self, none: str | None = None) -> str | None:
        """Variables as ``NAME=VALUE,…``, taken out; those that such a text cannot set stay.

        None where there is none to set; where there is to be no variable at all, none is its text.
        """
        found = self.system.get("environment")
        if not isinstance(found, Mapping):
            return None
        told = {name: value for name, value in found.items() if _is_plain(name, value)}
        text = ",".join(f"{name}={value}" for name, value in told.items()) if found else none
        if text is None or (found and not told):
            return None
        self.system["environment"] = {n: value for n, value in found.items() if n not in told}
        if not self.system["environment"]:
            del self.system["environment"]
        return text

    def job_name(self) -> str | None:
        """``job.name``, taken out."""
        job = self.system.get("job")
        if not isinstance(job, Mapping) or not isinstance(job.get("name"), str):
            return None
        self.system["job"] = {key: value for key, value in job.items() if key != "name"}
        if not self.system["job"]:
            del self.system["job"]
        name: str = job["name"]
        return name

    def seconds(self) -> float:
        """The duration, taken out; 0 where there is none."""
        value = self.system.get("duration", 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
            return 0.0
        self.system.pop("duration", None)
        return float(value)

    def file(self, kind: str, stream: str) -> str | None:
        """The file that a stream is redirected to, taken out."""
        group = self.options.get(kind)
        if not isinstance(group, Mapping):
            return None
        entry = group.get(stream)
        if not isinstance(entry, Mapping) or set(entry) != {"type", "path"}:
            return None
        if entry["type"] != "file" or not isinstance(entry["path"], str):
            return None
        self.options[kind] = {key: value for key, value in group.items() if key != stream}
        if not self.options[kind]:
            del self.options[kind]
        path: str = entry["path"]
        return path

    def notes(self, system: str) -> list[str]:
        """What was not taken out has no counterpart."""
        lead = "attributes"
        paths = [at(lead, "system", str(key)) for key in self.system if key != "environment"]
        paths += self._variables_left(at(lead, "system", "environment"))
        paths += [at(lead, "system", "shell", "options", str(key)) for key in self.options]
        paths += [at(lead, str(key)) for key, value in self.others.items() if value]
        return [f"{system} has no counterpart of {printable(path)}" for path in paths]

    def _variables_left(self, path: str) -> list[str]:
        """The variables that were not taken out: the first of them, by their paths."""
        found = self.system.get("environment", MISSING)
        if not isinstance(found, Mapping) or not found:
            return [] if found is MISSING else [path]
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
    request: Request,
    notes: Sequence[str],
    reader: Reader,
    *,
    script: str | None = None,
) -> Saying:
    """The saying of some words: exact where there is nothing to note and they read back the same.

    notes  what is lost; without any, what reads back differently is said
    """
    told = list(notes)
    if not told:
        found = same.differences(request.document, reader(words[0], words[1:]))
        told += same.sentences(found)
    return saying(name, words, script, not told, (*told, *request.notes()))
