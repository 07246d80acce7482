"""Reads and writes ``srun``, ``sbatch`` and ``salloc`` lines.

A written line is exact if it means the same as the jobspec according to Slurm's manuals and the
use cases of RFC 14 and RFC 25, and reads back as the same jobspec.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fluxtui.answers.commands import jobs, reading, scripts
from fluxtui.answers.commands.foreign import ForeignOptions
from fluxtui.answers.commands.jobs import Job, Remark, Rendering
from fluxtui.answers.commands.options import Line, OptionUse, table
from fluxtui.answers.commands.reading import JobBuilder
from fluxtui.answers.commands.scripts import WHOLE, Command
from fluxtui.notation import count as counts
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Span, is_digits, printable, shortened
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.sets import hostlist

_OPTIONS = """
# is mail about the job, which a jobspec does not hold -- watch it by 'flux jobs' or 'flux watch'
=--mail-type@mail-type =--mail-user@mail-user
# says how the job is watched or reported, which a jobspec does not hold
=--comment =--acctg-freq =--profile =--wckey =--open-mode
=--bell-after ?--usage --bell --no-bell --parsable --test-only -X/--disable-status
# has no counterpart among the resources of a jobspec and is left out
=--gpus-per-socket =--cpus-per-gpu =--mem-per-gpu =--mincpus =--tmp =--switches
=--ntasks-per-core =--ntasks-per-socket =--ntasks-per-gpu =--threads-per-core
=-L/--licenses =--bb =--bbf =-F/--nodefile =-S/--core-spec =--thread-spec
=--tres-per-task =-M/--clusters =--cluster-constraint =--prefer --contiguous
-s/--oversubscribe --share --spread-job --use-min-nodes -O/--overcommit =--hint
=-r/--relative =--het-group =--container =--network =--cluster =--gres-flags =--extra
# is an option of a plug-in that Slurm has at some sites
=--image =--volume =--module =--container-image =--container-mounts =--container-name
=--container-workdir =--container-save =--container-env --container-mount-home
--no-container-mount-home --container-writable --no-container-entrypoint --container-entrypoint
=--ddn-bb
# tells Slurm how to start tasks; the Flux job shell has options of its own (-o)
=--mpi =--cpu-bind =--gpu-bind =--mem-bind =--cpu-freq =--gpu-freq =--tres-bind
?--propagate ?-K/--kill-on-bad-exit ?-k/--no-kill =--prolog =--epilog =--task-prolog
=--task-epilog --multi-prog ?--x11 ?--bcast ?--compress =--export-file ?--get-user-env
--exact --overlap =--oom-kill-step =-T/--threads =--treewidth ?--resv-ports
-E/--preserve-env =-W/--wait --no-shell =--msg-timeout --stepmgr
# is a quality of service (QOS), which a jobspec does not hold -- a queue (--queue) or a \
bank (--bank) may replace it
=-q/--qos
# belongs to Slurm's scheduling and has no counterpart in a jobspec
=--reservation@reservation =--deadline =--time-min =--delay-boot
?-I/--immediate --requeue@requeue --no-requeue@no-requeue --reboot =--power
=--mcs-label =--kill-on-invalid-dep =--uid =--gid =--jobid --ignore-pbs
=--wait-all-nodes -Z/--no-allocate
# is the priority of the job, which a jobspec does not hold -- --urgency of flux submit
=--priority ?--nice
# counts from the moment of submission, which a jobspec does not know -- --begin-time of flux submit
=-b/--begin@begin
# holds the job at submission, which a jobspec cannot say -- --urgency=hold of flux submit
-H/--hold@hold
# submits several jobs; a jobspec is one job -- submit each with the number in its \
environment: flux batch --env=FLUX_JOB_CC=1 ...
=-a/--array@array
# ignored
-Q/--quiet -v/--verbose -V/--version -h/--help
# kept
=-N/--nodes =-n/--ntasks =-c/--cpus-per-task =--tasks-per-node/--ntasks-per-node
=-G/--gpus =--gpus-per-task =--gpus-per-node =--gres =--mem =--mem-per-cpu ?--exclusive
=-t/--time =-p/--partition>queue =-A/--account>bank =-J/--job-name>name
=-D/--workdir/--chdir>cwd =-d/--dependency =-C/--constraint =-w/--nodelist
=-x/--exclude =--export =-o/--output =-e/--error =-i/--input =--sockets-per-node
=--cores-per-socket =-B/--extra-node-info =-m/--distribution =--signal
"""
_OWN = {
    "srun": "-u/--unbuffered -l/--label ?--pty",
    "sbatch": """=--wrap
# says how the job is watched or reported, which a jobspec does not hold
-W/--wait""",
    "salloc": """
# tells Slurm how to start tasks; the Flux job shell has options of its own (-o)
?-K/--kill-command""",
}


def from_command(command: Command, environ: Mapping[str, str]) -> tuple[dict[str, Any], Line]:
    """The jobspec of a command, and the line with notes and problems."""
    program = command.program
    line = Line(command, environ, table(_OPTIONS + _OWN[program]))
    rest = line.read_all("-N4")
    if rest[:1] == ["--"]:
        rest = rest[1:]
    job = JobBuilder(line)
    _read_attributes(job)
    _read_resources(job)
    if program == "sbatch":
        return _batch(job, rest), line
    if program == "srun":
        if not rest and not line.problems:
            line.problem(WHOLE, "the command to run is missing", "a program")
        return job.document(rest or ["app"]), line
    if not job.one_each and "per_slot" in job.count:
        job.one_each = job.resources[0]["count"] == 1 and job.count == {"per_slot": 1}
        job.leave_tasks()
    return job.allocation(rest), line


_USE_FLUX = "use flux run, as there is no Slurm in a Flux job"

# srun as the command of a line, or of a part of one, but not in a comment. The length of variables
# and folders is limited, since each part of a line may begin with them.
_SRUN = re.compile(
    r"""^(?:[^#\n'"]*(?:[;&|({`!]|\b(?:then|do|else|exec|time|if|while|nohup)\b))?[ \t]*"""
    r"""(?:[A-Za-z_]\w*=[^\s;&|#]{0,200}[ \t]+)*(?:/[^\s;&|#]{0,200}/)?(srun)(?=[ \t\n\\]|$)""",
    re.MULTILINE,
)


def _batch(job: JobBuilder, rest: list[str]) -> dict[str, Any]:
    line, script = job.line, job.line.command.script
    if (wrap := line.get("wrap")) is not None:
        if _SRUN.search(wrap.text):
            line.note(wrap, f"srun in --wrap: {_USE_FLUX}", "body")
        job.name_batch("wrap")
        return job.run_script(f"#!/bin/sh\n{wrap.text}\n", rest, rest)
    # A script may start tasks with srun, which only works with Slurm.
    uses = []
    if script is not None and "srun" in script.text:
        uses = list(_SRUN.finditer(scripts.blanked(script.text)))
    if script is not None and uses:
        numbers = [str(script.text.count("\n", 0, use.start(1)) + 1) for use in uses[:5]]
        where = f"line{'s' if len(uses) > 1 else ''} {', '.join(numbers)}"
        more = f" and {len(uses) - 5} more" if len(uses) > 5 else ""
        span = Span(*(script.offset + place for place in uses[0].span(1)))
        line.note(span, f"srun in {where}{more}: {_USE_FLUX}", "body")
    return job.run_given_script(rest)


# The patterns in file names for the job's id, its name, and the task, and their templates in Flux.
_PATTERNS = {"%j": "{{id}}", "%A": "{{id}}", "%J": "{{id}}", "%x": "{{name}}", "%t": "{{taskid}}"}


def _read_attributes(job: JobBuilder) -> None:
    line = job.line
    if found := line.get("time"):
        job.duration = seconds(found.text) or 0.0
        if seconds(found.text) is None:
            message = f"'{shortened(found.text)}' is not a time of Slurm"
            line.problem(found, message, "minutes", "hours:minutes:seconds", "days-hours")
    if (found := line.get("queue")) and "," in found.text:
        job.system["queue"] = first = found.text.partition(",")[0]
        line.note(found, f"a job names one queue; only {shortened(first)} is read")
    if found := line.get("dependency"):
        reading.set_dependencies(job, found, found.text, "Slurm")
    reading.set_exported(job)
    if (found := line.get("constraint")) and (tree := reading.features(line, found)):
        job.constraints.append(tree)
    if (found := line.get("nodelist")) and _is_hosts(line, found):
        job.constraints.append({"hostlist": [found.text]})
        if line.text("nodes") != str(len(hostlist.parse(found.text).value)):
            note = "Slurm gives the job all of these nodes, Flux as many of them as it asks for"
            line.note(found, note)
    if (found := line.get("exclude")) and _is_hosts(line, found):
        job.constraints.append({"not": [{"hostlist": [found.text]}]})
    for stream in ("output", "error", "input"):
        found = line.get(stream)
        if found is not None and found.text not in ("all", "none"):
            job.set_file(stream, reading.from_pattern(line, found, found.text, _PATTERNS))
    if line.get("pty"):
        job.options["pty"] = {"interactive": 1}
    if line.get("unbuffered"):
        job.set_unbuffered()
    if found := line.get("signal"):
        # [R|B:]SIGNAL[@SECONDS]
        lead, colon, text = found.text.rpartition(":")
        if colon:
            line.note(found, f"'{shortened(lead)}:' has no counterpart in Flux")
        reading.set_signal(job, found, text)
    if found := line.get("distribution"):
        first = found.text.split(",")[0].split(":")[0]
        if first == "cyclic":
            job.options["taskmap"] = {"scheme": "cyclic", "value": ""}
        elif first not in ("block", "*"):
            line.lost(found, f"Flux has no distribution '{shortened(first)}'")


def seconds(text: str) -> float | None:
    """The seconds of ``minutes[:seconds]``, ``hours:minutes:seconds`` or ``days-hours[:...]``.

    0 if it is unlimited, None if it is not a time.
    """
    if text.lower() in ("infinite", "unlimited", "-1"):
        return 0.0
    pattern = r"(?:([0-9]{1,6})-)?([0-9]{1,9})(?::([0-9]{1,6}))?(?::([0-9]{1,6}))?"
    found = re.fullmatch(pattern, text)
    if found is None:
        return None
    days, first, second, third = (int(part or 0) for part in found.groups())
    if found[1] is not None or found[4] is not None:
        return float(days * 86400 + first * 3600 + second * 60 + third)
    return float(first * 60 + second)


def _is_hosts(line: Line, found: OptionUse) -> bool:
    if "/" in found.text:
        line.note(found, f"{found.name} names a file, which is not read here")
        return False
    parsed = hostlist.parse(found.text)
    reading.add_errors(line, found, parsed.problems)
    return parsed.ok


# Tasks become slots. If they do not spread evenly over the nodes, the slots per node are the
# minimum of the tasks per node (RFC 25, use case 2.1), unless --ntasks-per-node sets a number.
# Memory of a node and sockets become the resources of use cases 2.6 and 1.3 of RFC 14, with the
# node inside the slot.


@dataclass(frozen=True, slots=True)
class _Tasks:
    """How many tasks there are, and on how many nodes.

    nodes  an RFC 14 count, whose minimum is least; None if only slots are requested
    each   slots per node, or all slots if nodes is None
    total  the number of tasks, unless each slot has one
    """

    nodes: Any
    least: int
    each: int
    total: int | None


def _read_tasks(line: Line) -> _Tasks:
    nodes, least, found = None, 1, line.get("nodes")
    if found is not None:
        text = re.sub(r"([0-9])k\b", r"\g<1>024", found.text)
        text = re.sub(r"^([0-9]+)-\1$", r"\1", text)  # 4-4 is 4
        parsed = counts.parse(text)
        if parsed.value is None or not parsed.ok or set(text) & set("+*^"):
            expected = ("4", "2-8", "2,4,8", "2-8:2")
            line.problem(found, f"{found.name} takes a number of nodes", *expected)
        else:
            nodes, least = counts.to_json(parsed.value), counts.least(parsed.value)
    ntasks, per_node = line.whole("ntasks"), line.whole("ntasks-per-node")
    if ntasks is None and nodes is None and line.get("gpus") and line.get("gpus-per-task"):
        gpus, each = line.whole("gpus") or 1, line.whole("gpus-per-task") or 1
        ntasks = max(1, gpus // each)  # enough to use all gpus
    if nodes is None and per_node is not None:
        nodes = least = -(-(ntasks or per_node) // per_node)
    if nodes is None or ntasks is None:
        return _Tasks(nodes, least, per_node or 1 if nodes else ntasks or 1, None)
    where = line.uses["ntasks"][-1]
    if ntasks < least:
        line.note(where, f"{ntasks} tasks need no more than {ntasks} nodes")
        nodes = least = ntasks
    each = per_node or ntasks // least
    is_even = isinstance(nodes, int) and ntasks == each * least
    if isinstance(nodes, int) and not is_even and per_node is None:
        shared = f"{ntasks} tasks share {each * least} slots"
        line.note(where, f"{shared}, as RFC 25 has it; Flux makes more slots")
    return _Tasks(nodes, least, each, None if is_even else ntasks)


def _read_resources(job: JobBuilder) -> None:
    line, tasks = job.line, _read_tasks(job.line)
    nodes, each, cores = tasks.nodes, tasks.each, line.whole("cpus-per-task") or 1
    memory, mem = _memory(line, "mem"), line.get("mem")
    if line.get("sockets-per-node") or line.get("cores-per-socket") or line.get("extra-node-info"):
        if mem and memory:
            line.lost(mem, "memory together with sockets is left out")
        _lay_out_nodes(job, tasks, _sockets(line))
        return
    gpus, whole_node = _gpus(line, tasks)
    as_slots = line.command.memory == "slots"
    if mem and memory and not as_slots and (nodes is not None or each == 1):
        # The slots are whole nodes with at least so much memory (RFC 14, use case 2.6).
        note = "version 1 of a jobspec (RFC 25) has no memory; this is RFC 14, V1 without --mem"
        line.note(mem, note, "remark")
        gpus = whole_node or gpus * each
        inside: list[dict[str, Any]] = [{"type": "gpu", "count": gpus}] if gpus else []
        if any(map(line.get, ("ntasks", "cpus-per-task", "ntasks-per-node"))):
            inside = reading.core_vertices(cores * each, gpus)
        elif nodes is None and not gpus:
            inside = reading.core_vertices(1)
        inside.append(reading.memory_vertex(memory))
        if nodes is None:
            job.lay_out(None, 1, inside)
        else:
            _lay_out_nodes(job, tasks, {"type": "node", "count": 1, "with": inside})
        return
    if mem and memory and nodes is None and each > 1:
        line.lost(mem, "memory of a node needs the number of nodes (-N)", "add -N")
    if whole_node:
        # The tasks of a node share its gpus: one slot holds them all.
        job.count = {"per_slot": each}
        cores, each, gpus, nodes = cores * each, 1, whole_node, 1 if nodes is None else nodes
    share = -(-memory // each) if mem and memory and as_slots and (nodes or each == 1) else 0
    if tasks.total is not None:
        job.count = {"total": tasks.total}
    inside = reading.core_vertices(cores, gpus)
    if memory := _memory(line, "mem-per-cpu"):
        share = memory * cores
    if share:
        inside = [reading.memory_vertex(share), *inside]
    exclusive = line.get("exclusive")
    if exclusive and nodes is None:
        line.lost(exclusive, "--exclusive needs the number of nodes (-N); left out", "add -N")
    elif exclusive and exclusive.value:
        line.note(exclusive, "Flux gives nodes whole to one job, not to one user")
    job.lay_out(nodes, each, inside, exclusive=exclusive is not None)
    job.one_each = nodes is not None and each == 1


def _lay_out_nodes(job: JobBuilder, tasks: _Tasks, node: dict[str, Any]) -> None:
    job.lay_out(None, 1 if tasks.nodes is None else tasks.nodes, [node])
    if tasks.total or tasks.each > 1:
        job.count = {"total": tasks.total or tasks.each * tasks.least}
    job.one_each = True


def _gpus(line: Line, tasks: _Tasks) -> tuple[int, int]:
    """The gpus per slot, and those per node if its tasks share them; one of them is 0."""
    slots = tasks.each * tasks.least
    if found := line.get("gpus-per-task"):
        return _gpu_number(line, found), 0
    if found := line.get("gpus-per-node"):
        number = _gpu_number(line, found)
    elif found := line.get("gres"):
        number = _gres(line, found)
    elif found := line.get("gpus"):
        number = _gpu_number(line, found)
        if number % slots == 0:
            return number // slots, 0
        if tasks.nodes is None or number % tasks.least:
            line.lost(found, f"{number} gpus do not spread evenly and are left out")
            return 0, 0
        return 0, number // tasks.least
    else:
        return 0, 0
    if tasks.nodes is None and tasks.each > 1 and number:
        line.note(found, "without -N the gpus are those of one node")
    return (0, number) if number % tasks.each else (number // tasks.each, 0)


def _gpu_number(line: Line, found: OptionUse) -> int:
    """The number of gpus of all types in ``[type:]number,...``."""
    gpus = 0
    for part in found.text.split(","):
        kind, colon, number = part.rpartition(":")
        if not colon and re.fullmatch(r"[A-Za-z]\w*", number):
            kind, number = number, "1"
        more = line.number(found, number or "1", 0)
        if kind and more != 0:
            _leave_type(line, found, kind)
        gpus += more or 0
    return gpus


def _leave_type(line: Line, found: OptionUse, kind: str) -> None:
    note = f"the type '{shortened(kind)}' of gpus is left out"
    line.lost(found, note, "name a property of the nodes that have it (--requires)")


def _gres(line: Line, found: OptionUse) -> int:
    gpus = 0
    for part in found.text.split(","):
        name, *rest = part.removeprefix("gres/").split(":")
        if name in ("gpu", "gpus"):
            number = rest.pop() if rest and is_digits(rest[-1]) else "1"
            more = line.number(found, number, 0)
            if rest and more != 0:
                _leave_type(line, found, rest[0])
            gpus += more or 0
        elif name != "none":
            line.lost(
                found,
                f"the resource '{shortened(name)}' is left out; a jobspec names its own types",
            )
    return gpus


def _memory(line: Line, key: str) -> int | None:
    found = line.get(key)
    if found is None:
        return None
    amount = reading.megabytes(found.text)
    if amount and reading.is_without_memory(line, found):
        return None
    if amount is None:
        line.problem(found, f"{found.name} takes an amount of memory", "4096", "4G")
    elif amount == 0:
        note = f"{found.name}=0 asks for all memory of a node, which only whole nodes (-N -x) give"
        line.note(found, note, "remark" if line.get("exclusive") else "lost", "add -N and -x")
    return amount or None


def _sockets(line: Line) -> dict[str, Any]:
    """A node vertex with the minimum of sockets, and of cores in each (RFC 14, use case 1.3)."""
    sockets, cores = line.whole("sockets-per-node"), line.whole("cores-per-socket")
    if found := line.get("extra-node-info"):
        parts = [*filter(None, found.text.split(":")), "*", "*"][:2]
        sockets, cores = (None if part == "*" else line.number(found, part) for part in parts)
    socket: dict[str, Any] = {"type": "socket", "count": {"min": sockets or 1}}
    if cores:
        socket["with"] = [{"type": "core", "count": {"min": cores}}]
    for key in ("cpus-per-task", "gres", "gpus", "gpus-per-node", "gpus-per-task"):
        if (found := line.get(key)) is not None:
            line.lost(found, f"{found.name} together with sockets is left out")
    shared = {} if line.get("exclusive") else {"exclusive": False}
    return {"type": "node", "count": 1, **shared, "with": [socket]}


# Notes on how salloc runs a kind of job.
_ALLOCATED = {
    "program": ["salloc gives the resources, and srun starts the tasks in them"],
    "alloc": ["salloc gives the resources; 'srun flux start' starts a Flux instance in them"],
}


def to_command(job: Job, program: str) -> Rendering:
    """Write a job for ``srun``, ``sbatch`` or ``salloc``."""
    options = _SlurmOptions(job, "Slurm")
    demand = options.demand
    if demand.further_slots:
        note = "Slurm takes several kinds of slots only as a heterogeneous job"
        return jobs.refusal(program, note)
    is_instance = job.kind in ("alloc", "batch")
    if program == "srun" and is_instance and demand.nodes is not None and not demand.inside:
        # One task per node, for a broker that manages the node.
        demand.join_slots()
    words, script = options.words(program), None
    start = [f"./{jobs.SCRIPT_NAME}"] if job.kind == "batch" else []
    instance = ["flux", "start", *job.broker_options, *start, *job.inner]
    # srun takes the number of tasks from the allocation.
    steps = jobs.after_options(instance if job.kind == "alloc" else job.command)
    steps = ["srun", *options.per_task(), *steps]
    lead = [f"{program} starts no Flux instance for the script: use srun, not flux commands"]
    if program == "srun":
        ending = instance if is_instance else jobs.after_options(job.command)
        lead = ["srun starts the Flux instance with 'flux start', one broker a node"]
        lead = lead if is_instance else []
    elif program == "salloc":
        ending = steps if job.kind == "program" else jobs.after_options([*start, *job.inner])
        lead = lead if job.kind == "batch" else _ALLOCATED.get(job.kind, [])
    elif job.script is not None:
        ending, script = [jobs.SCRIPT_NAME, *job.inner], job.script
    else:
        ending, script = [f"--wrap={shellwords.join(steps)}"], scripts.of_command(steps)
        lead = [Remark("sbatch runs a script, and this one starts the tasks with srun", "tasks")]
    if script is not None:
        script = scripts.with_directives(script, "#SBATCH ", words)
    options.notes[:0] = [
        text if isinstance(text, Remark) else Remark(text, code="remark") for text in lead
    ]
    return options.judged([program, *words, *ending], from_command, script)


class _SlurmOptions(ForeignOptions):
    def words(self, program: str) -> list[str]:
        words = [*self.numbers(), *self.per_task(), *self.further()]
        self._charge_project()
        words += self.placement(
            lambda total: f"-t {time_text(total)}",
            60,
            "Slurm counts whole minutes: it rounds the time up",
            {"queue": "-p", "bank": "-A", "job.name": "-J", "cwd": "-D"},
            "-d ",
        )
        words += self.constraints()
        exported = self.take_variables("NONE")
        words += [] if exported is None else [f"--export={exported}"]
        # Files, terminals, the order of tasks and signals.
        streams = () if program == "salloc" else ("output", "error", "input")
        patterns = {pattern: _PATTERNS[pattern] for pattern in ("%j", "%x", "%t")}
        words += self.files(streams, patterns, "Slurm has other templates in the names of files")
        if program == "srun":
            words += jobs.take(self.options, "pty", jobs.when({"interactive": 1}, "--pty"))
            words += jobs.take_unbuffered(self.options)
        cyclic = jobs.when({"scheme": "cyclic", "value": ""}, "-m", "cyclic")
        words += jobs.take(self.options, "taskmap", cyclic)
        words += jobs.take(self.options, "signal", _signal)
        self.note_left()
        return words

    def _charge_project(self) -> None:
        """Write a project as the account if there is no bank: Slurm has only accounts."""
        project = self.system.get("project")
        if isinstance(project, str) and "bank" not in self.system:
            self.system["bank"] = self.system.pop("project")
            note = "the project is written as the account (-A)"
            self.demand.note(Remark(note, "attributes.system.project"))

    def numbers(self) -> list[str]:
        demand, note = self.demand, self.demand.note
        nodes, each = demand.nodes, demand.each * demand.tasks
        if demand.tasks > 1 and not demand.inside:
            note(f"each slot runs {demand.tasks} tasks; Slurm gives each of them its own CPUs")
        if nodes is None:
            number = demand.total or each
            if demand.total and demand.total != demand.each:
                note(f"Slurm reserves CPUs for {number} tasks rather than {demand.each} slots")
            return [f"-n{number}"] if number > 1 or demand.gpus else []
        if not isinstance(nodes, int):
            text = counts.format(nodes)
            if isinstance(nodes, counts.Range) and nodes.max is None:
                note(f"Slurm has no open range: {nodes.min} nodes are asked for")
                text = str(nodes.min)
            elif isinstance(nodes, counts.Range) and nodes.operator != "+":
                text = ",".join(map(str, counts.values(nodes)))
            if demand.total:
                return [f"-n{demand.total}", f"-N{text}"]
            return [f"-N{text}", *([f"--ntasks-per-node={each}"] if each > 1 else [])]
        number = demand.total or nodes * each
        # Slurm accepts --gpus-per-task only with a number of tasks.
        words = [f"-n{number}"] if number != nodes or (demand.gpus and not demand.inside) else []
        words.append(f"-N{nodes}")
        if number < nodes:
            note(f"Slurm gives {number} tasks no more than {number} nodes")
        elif demand.total and not demand.inside and number // nodes != each:
            words.append(f"--ntasks-per-node={each}")
        elif not demand.total and 1 < each < number:
            words.append(f"--ntasks-per-node={each}")  # else a node may get more and another less
        return words

    def per_task(self) -> list[str]:
        demand, tasks = self.demand, self.demand.tasks
        if demand.inside and isinstance(demand.nodes, int) and demand.total:
            tasks = -(-demand.total // demand.nodes)
        cores = demand.cores // tasks if demand.cores % tasks == 0 else 1
        return ["-c", str(cores)] if cores > 1 else []

    def further(self) -> list[str]:
        demand, note, words = self.demand, self.demand.note, []
        if demand.gpus and demand.inside:
            words.append(f"--gpus-per-node={demand.gpus}")
        elif demand.gpus and demand.tasks == 1 and demand.total is None:
            words.append(f"--gpus-per-task={demand.gpus}")
        elif demand.gpus:
            # The tasks share the gpus.
            name = "gpus" if demand.nodes is None else "gpus-per-node"
            words.append(f"--{name}={demand.gpus * demand.each}")
        if demand.memory and demand.inside:
            words.append(f"--mem={demand.memory}")
        elif demand.memory:
            cores = max(1, demand.cores)
            words.append(f"--mem-per-cpu={-(-demand.memory // cores)}")
            if demand.memory % cores:
                note("the memory of a slot is rounded up to be the same for each CPU")
        if demand.sockets is not None:
            words.append(f"--sockets-per-node={counts.least(demand.sockets)}")
            if demand.socket_cores is not None:
                words.append(f"--cores-per-socket={counts.least(demand.socket_cores)}")
            for size in (demand.sockets, demand.socket_cores):
                is_open = isinstance(size, counts.Range) and size.max is None and size.operand == 1
                if size is not None and not is_open:
                    note("Slurm requests a minimum of sockets and cores, not an exact number")
        if demand.exclusive:
            words.append("--exclusive")
        elif demand.inside and not demand.shared:
            note("Slurm gives whole nodes only if it is configured to; --exclusive asks for them")
        return words

    def constraints(self) -> list[str]:
        """``-C`` for properties, ``-w`` and ``-x`` for hosts; a note on each other part."""
        constraint = self.system.pop("constraints", None)
        text = reading.features_text(constraint)
        if text is not None or constraint is None:
            return [] if text is None else ["-C", text]
        parts = jobs.value_at(constraint, "and")
        if not isinstance(parts, list | tuple) or len(constraint) > 1:
            parts = [constraint]
        words: list[str] = []
        features: list[Any] = []
        for part in parts:
            hosts = _host_words(part)
            if hosts is not None and hosts[0] not in words:
                words += hosts
            elif hosts is None and reading.features_text(part) is not None:
                features.append(part)
            else:
                query = from_constraint(part) or "that no query expresses"
                note = f"Slurm cannot express the constraint {printable(query)}"
                self.notes.append(Remark(note, "attributes.system.constraints", "lost"))
        names = words[words.index("-w") + 1] if "-w" in words else ""
        if names and self.demand.nodes != len(hostlist.parse(names).value):
            self.notes.append("Slurm gives all hosts of -w, Flux as many of them as it needs")
        all_features = features[0] if len(features) == 1 else {"and": features}
        joined = reading.features_text(all_features)
        return words if joined is None else ["-C", joined, *words]


def _signal(signal: Any) -> list[str] | None:
    match signal:
        case {"signum": int(number), "timeleft": left, **rest} if not rest:
            is_whole = jobs.is_seconds(left) and float(left).is_integer()
            return [f"--signal={number}@{int(left)}"] if is_whole else None
    return None


def _host_words(part: object) -> list[str] | None:
    match part:
        case {"not": [inner], **rest} if not rest:
            words = _host_words(inner)
            return ["-x", words[1]] if words is not None and words[0] == "-w" else None
        case {"hostlist": [_, *_] as names, **rest} if not rest:
            is_named = all(isinstance(name, str) and name for name in names)
            return ["-w", ",".join(names)] if is_named else None
    return None


def time_text(total: int) -> str:
    """Format seconds as ``[days-]hours:minutes:seconds``."""
    hours, rest = divmod(total, 3600)
    lead = f"{hours // 24}-{hours % 24:02}" if hours >= 24 else f"{hours}"
    return f"{lead}:{rest // 60:02}:{rest % 60:02}"
