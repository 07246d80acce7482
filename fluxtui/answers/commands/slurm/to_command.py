"""Writes jobspecs as ``srun``, ``sbatch`` and ``salloc`` lines.

A line is exact where Slurm's manuals let it mean what the jobspec says, as the use cases of
RFC 14 and RFC 25 list them, and where ``from_command`` reads it back as the same jobspec.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.answers.commands import scripts, values
from fluxtui.answers.commands.demand import demand_of
from fluxtui.answers.commands.foreign import ForeignAttributes, demand_notes, judged
from fluxtui.answers.commands.job import SCRIPT_NAME, Job
from fluxtui.answers.commands.results import Rendering, refusal
from fluxtui.answers.commands.slurm import from_command
from fluxtui.notation import count as counts
from fluxtui.notation import shellwords
from fluxtui.notation.problem import printable
from fluxtui.notation.query.format import from_constraint


def renderings(job: Job, names: Sequence[str]) -> list[Rendering]:
    """A job written for these of the three programs, in the order of ``names``."""
    if demand_of(job).further_slots:
        note = "Slurm takes several kinds of slots only as a heterogeneous job"
        return [refusal(name, note) for name in names]
    makers = {"srun": _srun, "sbatch": _sbatch, "salloc": _salloc}
    return [makers[name](job) for name in names]


def _srun(job: Job) -> Rendering:
    options = SlurmOptions(job, "srun")
    lead = []
    words = list(job.command)
    if job.kind in ("alloc", "batch"):
        options.one_task_each()
        script = [f"./{SCRIPT_NAME}"] if job.kind == "batch" else []
        words = ["flux", "start", *job.broker_options, *script, *job.inner]
        lead = ["srun starts the Flux instance with 'flux start', one broker a node"]
    return options.judged([*options.words(), *_after_options(words)], lead)


def _sbatch(job: Job) -> Rendering:
    options = SlurmOptions(job, "sbatch")
    words = options.words()
    if job.script is not None:
        lead = "sbatch runs the script without a Flux instance: its flux commands become srun"
        ending, script = [SCRIPT_NAME, *job.inner], job.script
    else:
        lead = "sbatch runs a script, and this one starts the tasks with srun"
        steps = options.steps()
        ending, script = [f"--wrap={shellwords.join(steps)}"], scripts.of_command(steps)
    header = scripts.with_directives(script, "#SBATCH ", words)
    return options.judged([*words, *ending], [lead], header)


def _salloc(job: Job) -> Rendering:
    options = SlurmOptions(job, "salloc")
    lead, steps = [], list(job.inner)
    if job.kind == "batch":
        lead = ["salloc runs the script without a Flux instance: its flux commands become srun"]
        steps = [f"./{SCRIPT_NAME}", *steps]
    elif job.kind == "alloc":
        lead = ["salloc gives the resources; 'srun flux start' starts a Flux instance in them"]
    elif job.kind == "program":
        lead = ["salloc gives the resources, and srun starts the tasks in them"]
        steps = options.steps()
    return options.judged([*options.words(), *_after_options(steps)], lead)


def _after_options(command: list[str]) -> list[str]:
    """The command, kept apart from the options where it could be taken for one."""
    return ["--", *command] if command and command[0].startswith("-") else command


# The streams, each with its letter as the option.
_STREAMS = ("output", "error", "input")

# The options for system attributes that are strings.
_TEXTS = (("-p", ("queue",)), ("-A", ("bank",)), ("-J", ("job", "name")), ("-D", ("cwd",)))


class SlurmOptions:
    """The options of one line, with notes on what they do not express."""

    def __init__(self, job: Job, program: str) -> None:
        self.job = job
        self.program = program
        self.demand = demand = demand_of(job)
        self.attributes = ForeignAttributes(job)
        self.attributes.count_tasks(demand)
        self.notes: list[str] = demand_notes(demand, "Slurm")

    def judged(self, words: list[str], lead: list[str], script: str | None = None) -> Rendering:
        """The rendering of the words behind the program; lead are notes before all others."""
        return judged(
            self.program,
            [self.program, *words],
            self.job,
            [*lead, *self.notes],
            lambda behind: from_command.read(self.program, behind, {}),
            script=script,
        )

    def steps(self) -> list[str]:
        """The ``srun`` that starts the tasks in an allocation, which knows how many there are."""
        job, inner = self.job, list(self.job.command)
        if job.kind == "alloc":
            inner = ["flux", "start", *job.broker_options, *job.inner]
        return ["srun", *self.per_task(), *_after_options(inner)]

    def one_task_each(self) -> None:
        """Make one task of all that a node runs, for a broker that has the node."""
        demand = self.demand
        if demand.nodes is not None and not demand.inside and demand.each > 1:
            demand.join_slots()

    def words(self) -> list[str]:
        """All options; fills the notes."""
        words = [*self.numbers(), *self.per_task(), *self.further()]
        words += self.placement()
        self.notes += self.attributes.notes("Slurm")
        return words

    def numbers(self) -> list[str]:
        """``-n``, ``-N`` and ``--ntasks-per-node``."""
        demand = self.demand
        nodes, each = demand.nodes, demand.each * demand.tasks
        if demand.tasks > 1 and not demand.inside:
            self.notes.append(
                f"each slot runs {demand.tasks} tasks; Slurm gives each of them its own CPUs"
            )
        if nodes is None:
            number = demand.total or each
            if demand.total and demand.total != demand.each:
                slots = f"{demand.each} slots"
                self.notes.append(f"Slurm reserves CPUs for {number} tasks rather than {slots}")
            return [f"-n{number}"] if number > 1 else []
        if not isinstance(nodes, int):
            return self.range_of_nodes(nodes, each)
        number = demand.total or nodes * each
        words = [f"-n{number}"] if number != nodes else []
        words.append(f"-N{nodes}")
        if number < nodes:
            self.notes.append(f"Slurm gives {number} tasks no more than {number} nodes")
        elif demand.total and not demand.inside and number // nodes != each:
            words.append(f"--ntasks-per-node={each}")
        return words

    def range_of_nodes(self, nodes: counts.Count, each: int) -> list[str]:
        """``-N3-30``, or the nearest that Slurm can express."""
        text = counts.format(nodes)
        if isinstance(nodes, counts.Range) and nodes.operator != "+" and nodes.max is not None:
            text = ",".join(str(value) for value in counts.values(nodes))
        elif isinstance(nodes, counts.Range) and nodes.max is None:
            text = str(nodes.min)
            self.notes.append(f"Slurm has no open range: {nodes.min} nodes are asked for")
        words = [f"-N{text}"]
        if self.demand.total:
            return [f"-n{self.demand.total}", *words]
        return [*words, f"--ntasks-per-node={each}"] if each > 1 else words

    def per_task(self) -> list[str]:
        """``-c``, which each ``srun`` wants again."""
        demand = self.demand
        tasks = demand.tasks
        if demand.inside and isinstance(demand.nodes, int) and demand.total:
            tasks = -(-demand.total // demand.nodes)
        cores = demand.cores // tasks if demand.cores % tasks == 0 else 1
        return ["-c", str(cores)] if cores > 1 else []

    def further(self) -> list[str]:
        """Gpus, memory, sockets and whole nodes."""
        demand = self.demand
        words = self.gpus() + self.memory()
        if demand.sockets is not None:
            words += self.sockets()
        if demand.exclusive:
            words.append("--exclusive")
        elif demand.inside and not demand.shared:
            note = "Slurm gives whole nodes only where it is set up so; --exclusive asks for them"
            self.notes.append(note)
        return words

    def gpus(self) -> list[str]:
        """``--gpus-per-task``, or of a node or all together where tasks share them."""
        demand = self.demand
        if not demand.gpus:
            return []
        if demand.inside:
            return [f"--gpus-per-node={demand.gpus}"]
        if demand.tasks == 1 and demand.total is None:
            return [f"--gpus-per-task={demand.gpus}"]
        if demand.nodes is not None:
            return [f"--gpus-per-node={demand.gpus * demand.each}"]
        return [f"--gpus={demand.gpus * demand.each}"]

    def memory(self) -> list[str]:
        """``--mem`` of a node, or ``--mem-per-cpu``, in MB."""
        demand = self.demand
        if not demand.memory:
            return []
        if demand.inside:
            return [f"--mem={demand.memory}"]
        cores = max(1, demand.cores)
        if demand.memory % cores:
            self.notes.append("the memory of a slot is rounded up to be the same for each CPU")
        return [f"--mem-per-cpu={-(-demand.memory // cores)}"]

    def sockets(self) -> list[str]:
        """``--sockets-per-node`` and ``--cores-per-socket``."""
        demand = self.demand
        least = [c for c in (demand.sockets, demand.socket_cores) if c is not None]
        if not all(_open(count) for count in least):
            self.notes.append(
                "Slurm asks for at least so many sockets and cores, not for just these"
            )
        words = [f"--sockets-per-node={counts.least(least[0])}"]
        if demand.socket_cores is not None:
            words.append(f"--cores-per-socket={counts.least(demand.socket_cores)}")
        return words

    def placement(self) -> list[str]:
        """Times, queues, places, files: all that is not resources."""
        words: list[str] = []
        seconds = self.attributes.take_seconds()
        if seconds:
            text, exact = time_text(seconds)
            words += ["-t", text]
            if not exact:
                self.notes.append("Slurm counts whole seconds: the time is rounded up")
        for short, path in _TEXTS:
            if (found := self.attributes.take_text(*path)) is not None:
                words += [short, found]
        depend = values.dependency_text(self.attributes.system.get("dependencies"))
        if depend is not None:
            del self.attributes.system["dependencies"]
            words += ["-d", depend]
        words += self.constraints()
        exported = self.attributes.take_variables("NONE")
        if exported is not None:
            words.append(f"--export={exported}")
        return words + self.shell()

    def constraints(self) -> list[str]:
        """``-C`` for properties, ``-w`` and ``-x`` for hosts; a note for each part that is none."""
        constraint = self.attributes.system.pop("constraints", None)
        whole = values.features_text(constraint)
        if whole is not None or constraint is None:
            return [] if whole is None else ["-C", whole]
        parts: Any = [constraint]
        if isinstance(constraint, Mapping) and set(constraint) == {"and"}:
            parts = constraint["and"]
        words: list[str] = []
        features: list[Any] = []
        for part in parts if isinstance(parts, list | tuple) else [constraint]:
            hosts = _host_words(part)
            if hosts is not None and hosts[0] not in words:
                words += hosts
            elif hosts is None and values.features_text(part) is not None:
                features.append(part)
            else:
                text = from_constraint(part) or "that no query expresses"
                self.notes.append(f"Slurm cannot express the constraint {printable(text)}")
        if "-w" in words:
            number = from_command.host_count(words[words.index("-w") + 1])
            if self.demand.nodes != number:
                self.notes.append("Slurm gives all hosts of -w, Flux as many of them as it needs")
        every = features[0] if len(features) == 1 else {"and": features}
        lead = values.features_text(every) if features else None
        return words if lead is None else ["-C", lead, *words]

    def shell(self) -> list[str]:
        """Files, signals, terminals and the order of tasks."""
        words: list[str] = []
        options = self.attributes.options
        for stream in _STREAMS if self.program != "salloc" else ():
            path = self.attributes.take_file(stream)
            text = None if path is None else path_text(path)
            if text is not None:
                words += [f"-{stream[0]}", text]
            elif path is not None:
                self.notes.append("Slurm has other templates in the names of files")
        if self.program == "srun" and self.attributes.drop_option("pty", {"interactive": 1}):
            words.append("--pty")
        if self.attributes.drop_option("taskmap", {"scheme": "cyclic", "value": ""}):
            words += ["-m", "cyclic"]
        signal = options.get("signal")
        if isinstance(signal, Mapping) and set(signal) == {"signum", "timeleft"}:
            left = signal["timeleft"]
            if isinstance(left, int | float) and left == int(left):
                del options["signal"]
                words.append(f"--signal={signal['signum']}@{int(left)}")
        return words


def _open(count: counts.Count) -> bool:
    """Whether a count is a least number and no more."""
    return isinstance(count, counts.Range) and count.max is None and count.operand == 1


def _host_words(part: object) -> list[str] | None:
    """``-w`` or ``-x`` for a constraint on hosts; None for any other."""
    if not isinstance(part, Mapping) or len(part) != 1:
        return None
    ((operator, values),) = part.items()
    if not isinstance(values, list | tuple) or not values:
        return None
    if operator == "not" and len(values) == 1:
        inner = _host_words(values[0])
        return ["-x", inner[1]] if inner is not None and inner[0] == "-w" else None
    if operator != "hostlist" or not all(isinstance(value, str) and value for value in values):
        return None
    return ["-w", ",".join(values)]


def time_text(duration: float) -> tuple[str, bool]:
    """A duration as ``[days-]hours:minutes:seconds``, and whether it is exactly that long."""
    whole = math.ceil(duration)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    lead = f"{days}-{hour:02}" if days else f"{hour}"
    return f"{lead}:{minute:02}:{second:02}", whole == duration


def path_text(text: str) -> str | None:
    """A file name with Slurm's patterns, or None where it holds other templates."""
    for pattern, template in (("%j", "{{id}}"), ("%x", "{{name}}"), ("%t", "{{taskid}}")):
        text = text.replace(template, pattern)
    return None if "{{" in text else text
