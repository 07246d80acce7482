"""The resource requests and options of a jobspec in the terms of batch systems other than Flux."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from fluxtui.answers.commands import jobs
from fluxtui.answers.commands.jobs import STREAMS, Attributes, Job, Remark, Rendering
from fluxtui.answers.commands.options import Line
from fluxtui.answers.commands.reading import JOB_IDS, dependency_text, megabytes
from fluxtui.answers.commands.scripts import Command
from fluxtui.answers.commands.variables import LISTED, NAME
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.request import RequestVertex
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Span, at, printable, shortened
from fluxtui.notation.shellwords import Word


@dataclass(slots=True)
class Demand:
    """The request of a job in the terms of other batch systems.

    exclusive      whole nodes are requested; shared: they are explicitly not requested
    inside         the node is inside the slot, so that a slot is a node
    each           slots per node, or all slots if there are no nodes
    cores          per slot, as are gpus and memory (in MB)
    tasks          tasks per slot; total: tasks in all
    further_slots  the number of slots that the task does not run in
    """

    system: str
    notes: list[str] = field(default_factory=list)
    nodes: counts.Count | None = None
    exclusive: bool = False
    shared: bool = False
    inside: bool = False
    each: int = 1
    cores: int = 0
    gpus: int = 0
    memory: int = 0
    sockets: counts.Count | None = None
    socket_cores: counts.Count | None = None
    tasks: int = 1
    total: int | None = None
    further_slots: int = 0

    def note(self, text: str) -> None:
        """Add a note, unless it is there already."""
        self.notes += [text] if text not in self.notes else []

    def leave(self, kind: object) -> None:
        """Note that a type of resource is left out."""
        kind = shortened(str(kind))
        text = f"{self.system} has no option for a '{kind}'; that level is left out"
        self.note(Remark(text, "resources", "lost"))

    def count(self, vertex: RequestVertex) -> counts.Count:
        """The count of a vertex; 1, with a note, if it makes no sense."""
        if vertex.count is not None:
            return vertex.count
        kind = shortened(str(vertex.fields.get("type")))
        self.note(f"the count of {kind} makes no sense and is taken as 1")
        return 1

    def number(self, vertex: RequestVertex) -> int:
        """The count of a vertex as a single number, the minimum of a range."""
        count = self.count(vertex)
        if not isinstance(count, int):
            number = f"a single count for each {vertex.type}"
            self.note(f"{self.system} takes {number}: the minimum is requested")
        return counts.least(count)

    def add_nodes(self, node: RequestVertex, count: counts.Count, each: int) -> None:
        """Request a count of nodes, multiplied by each."""
        self.nodes = count if each == 1 else counts.least(count) * each
        self.exclusive, self.shared = node.exclusive is True, node.exclusive is False

    def add_contents(self, vertices: Iterable[RequestVertex]) -> None:
        """Add cores, gpus, memory and sockets; note other types as left out."""
        for vertex in vertices:
            if not vertex.is_readable:
                continue
            if vertex.type == "memory":
                # Memory is always a minimum, so ``4`` and ``4+`` are the same.
                unit = str(vertex.fields.get("unit", "MB"))
                amount = megabytes(f"{counts.least(self.count(vertex))}{unit}")
                self.memory += amount or 0
                if amount is None:
                    self.note(f"memory in '{shortened(unit)}' is left out")
                continue
            if vertex.type == "core" and vertex.parent and vertex.parent.type == "socket":
                self.socket_cores = self.count(vertex)
            elif vertex.type == "core":
                self.cores += self.number(vertex)
            elif vertex.type == "gpu":
                self.gpus += self.number(vertex)
            elif vertex.type == "socket":
                self.sockets = self.count(vertex)
            else:
                self.leave(vertex.fields.get("type"))
            self.add_contents(vertex.children)

    def join_slots(self) -> None:
        """Combine all slots of a node into one."""
        self.cores, self.gpus = self.cores * self.each, self.gpus * self.each
        self.memory, self.each = self.memory * self.each, 1


def demand_of(job: Job, system: str) -> Demand:
    """Return a new demand for a job."""
    demand = Demand(system)
    label = job.task.get("slot")
    slots = [slot for slot in job.request.slots() if not any(v.is_slot for v in slot.above)]
    slot = next((slot for slot in slots if slot.fields.get("label", label) == label), None)
    demand.further_slots = len(slots) - (slot is not None)
    if slot is None:
        demand.leave("slot")
        return demand
    multiple = 1
    siblings: Sequence[RequestVertex] = job.request.roots
    for vertex in (*slot.above, slot):
        for other in siblings:
            holds_slot = other is vertex or any(inner.is_slot for inner in other.walk())
            if other.is_readable and not holds_slot:
                demand.leave(other.fields.get("type"))
        siblings = vertex.children
        if vertex.type == "node" and demand.nodes is None:
            demand.add_nodes(vertex, demand.count(vertex), multiple)
            multiple = 1
        elif vertex is not slot:
            demand.leave(vertex.fields.get("type"))
            multiple *= counts.least(demand.count(vertex))
    node = next((vertex for vertex in slot.children if vertex.type == "node"), None)
    if node is None or demand.nodes is not None:
        demand.each = demand.number(slot) * multiple
        demand.add_contents(slot.children)
    else:
        demand.inside = True
        demand.add_nodes(node, demand.count(slot), demand.number(node) * multiple)
        demand.add_contents(node.children)
        demand.add_contents(vertex for vertex in slot.children if vertex is not node)
    if isinstance(per_slot := jobs.value_at(job.task, "count", "per_slot"), int):
        demand.tasks = max(1, per_slot)
    if isinstance(total := jobs.value_at(job.task, "count", "total"), int):
        demand.total = max(1, total)
    per_resource = jobs.value_at(job.task, "count", "per_resource")
    if isinstance(number := jobs.value_at(per_resource, "count"), int):
        kind = str(jobs.value_at(per_resource, "type"))
        of_slot = {"core": demand.cores, "gpu": demand.gpus}.get(kind, 1)
        demand.tasks = max(1, number) * max(1, of_slot)
    return demand


class ForeignOptions(Attributes):
    """The options of a command line of another system, with notes on what they cannot express."""

    def __init__(self, job: Job, system: str) -> None:
        super().__init__(job.document.get("attributes"))
        self.job = job
        self.demand = demand_of(job, system)
        self.notes = self.demand.notes
        self.system.pop("shell", None)
        if job.kind in ("alloc", "batch"):
            for key, value in jobspec.instance_options().items():
                jobs.take(self.options, key, jobs.when(value))
        elif job.kind == "start":
            jobs.take(self.options, "per-resource", jobs.when({"type": "node"}))
        if job.script is not None:
            self.system.pop("files", None)
        jobs.take(self.options, "per-resource", self._count_tasks)

    def _count_tasks(self, option: Any) -> list[str] | None:
        if not isinstance(option, Mapping) or not isinstance(option.get("count", 1), int):
            return None
        demand, number = self.demand, max(1, option.get("count", 1))
        if option.get("type") == "node" and demand.nodes is not None:
            demand.join_slots()
            demand.tasks = number
        elif option.get("type") == "core" and demand.cores:
            demand.tasks = number * demand.cores
        else:
            return None
        return []

    def placement(
        self,
        time: Callable[[int], str],
        unit: int,
        rounded: str,
        texts: Mapping[str, str],
        dependency: str,
    ) -> list[str]:
        """The words for when and where the job runs.

        time writes whole seconds; unit is what the program counts in, in seconds, and rounded the
        note on a time that is no multiple of it. texts maps the paths of string attributes to
        their options. dependency is the option for dependencies.
        """

        def duration(value: Any) -> list[str] | None:
            if not jobs.is_seconds(value) or value >= 1e12:
                return None
            seconds = math.ceil(value)
            if value % unit:
                self.demand.note(Remark(rounded, "attributes.system.duration"))
            return time(seconds).split() if seconds else []

        def dependencies(entries: Any) -> list[str] | None:
            text = dependency_text(entries, singletons=dependency == "-d ")
            return None if text is None else f"{dependency}{text}".split(" ", 1)

        words = jobs.take(self.system, "duration", duration)
        for path, name in texts.items():
            if isinstance(text := jobs.value_at(self.system, *path.split(".")), str):
                jobs.drop(self.system, *path.split("."))
                words += [name, text]
        return words + self.take_dependencies(dependencies)

    def take_dependencies(self, write: Callable[[Any], list[str] | None]) -> list[str]:
        """The words for the dependencies; those that they cannot express stay."""
        words = jobs.take(self.system, "dependencies", write)
        if words and words[-1] != "singleton":
            self.notes.append(Remark(JOB_IDS, "attributes.system.dependencies"))
        return words

    def take_variables(self, none: str | None = None) -> str | None:
        """Remove variables and return them as ``NAME=VALUE,…``; those it cannot express stay.

        Returns None if there are none to set. none is the text for an empty environment.
        """
        found = self.system.get("environment")
        if not isinstance(found, dict):
            return None
        if not found and none is not None:
            del self.system["environment"]
            return none
        plain = {
            name: value
            for name, value in found.items()
            if isinstance(value, str) and NAME.fullmatch(str(name)) and LISTED.fullmatch(value)
        }
        for name in plain:
            jobs.drop(self.system, "environment", name)
        return ",".join(f"{name}={value}" for name, value in plain.items()) or None

    def files(
        self, streams: Iterable[str], patterns: Mapping[str, str], templates: str
    ) -> list[str]:
        """The options ``-o``, ``-e`` and ``-i`` for the files of streams.

        patterns replace the templates of Flux; templates is the note for other ones.
        """
        words: list[str] = []
        for stream in streams:
            match jobs.value_at(self.options, *STREAMS[stream]):
                case {"type": "file", "path": str() as path, **rest} if not rest:
                    jobs.drop(self.options, *STREAMS[stream])
                    for pattern, template in patterns.items():
                        path = path.replace(template, pattern)
                    if "{{" in path:
                        where = at("attributes.system.shell.options", *STREAMS[stream])
                        self.notes.append(Remark(templates, where, "lost"))
                    words += [] if "{{" in path else [f"-{stream[0]}", path]
        return words

    def note_left(self) -> None:
        """Note the attributes that were not written: the system has no counterpart."""
        system = at("attributes", "system")
        paths = [at(system, str(key)) for key in self.system if key != "environment"]
        variables, where = self.system.get("environment"), at(system, "environment")
        if isinstance(variables, Mapping) and variables:
            paths += [at(where, str(name)) for name in islice(variables, 5)]
            more = len(variables) - 5
            paths += [f"{more:,} more variables of the environment"] if more > 0 else []
        elif "environment" in self.system:
            paths.append(where)
        paths += [at(system, "shell", "options", str(key)) for key in self.options]
        paths += [at("attributes", str(key)) for key, value in self.others.items() if value]
        lead = f"{self.demand.system} has no counterpart of"
        self.notes += [Remark(f"{lead} {printable(path)}", path, "lost") for path in paths]

    def judged(
        self,
        words: Sequence[str],
        reader: Callable[[Command, Mapping[str, str]], tuple[dict[str, Any], Line]],
        script: str | None = None,
    ) -> Rendering:
        """The rendering of words, which is exact if nothing is lost and they read back the same."""
        lost, name = self.notes, words[0]
        if not lost:
            arguments = [Word(word, Span(0, len(word))) for word in words[1:]]
            document, _ = reader(Command(name, arguments), {})
            lost = jobs.sentences(jobs.differences(self.job.document, document))
        return jobs.rendering(name, words, script, not lost, (*lost, *self.job.notes()))
