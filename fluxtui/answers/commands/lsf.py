"""Reads and writes ``bsub`` lines of LSF.

Reads lines of Spectrum LSF 10.1, including its integration with CSM on Sierra and Summit
(``-nnodes``). A ``jsrun`` command in the line is part of the same job. A written line is exact if
it means the same as the jobspec according to LSF's manuals, and reads back as the same jobspec.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fluxtui.answers.commands import jobs, jsrun, reading, requirements, scripts
from fluxtui.answers.commands.foreign import ForeignOptions
from fluxtui.answers.commands.jobs import SCRIPT_NAME, Job, Remark, Rendering
from fluxtui.answers.commands.options import Line, OptionUse, table
from fluxtui.answers.commands.reading import JobBuilder
from fluxtui.answers.commands.requirements import Requirements, select_text
from fluxtui.answers.commands.scripts import WHOLE, Command
from fluxtui.answers.commands.variables import Variables
from fluxtui.notation import count as counts
from fluxtui.notation import shellwords
from fluxtui.notation.problem import is_digits, shortened
from fluxtui.notation.sets import hostlist

_OPTIONS = """
# kept
=-n>slots =-nnodes>nodes =-R>requirements =-gpu -x>exclusive =-W>time =-q>queue =-J>name
=-P>project =-G>bank =-cwd =-o>output =-oo>output =-e>error =-eo>error =-i>input =-is>input
=-w>dependency =-env>export =-m>hosts
-I>interactive -Ip>interactive -Is>interactive -IS>interactive -ISp>interactive
-ISs>interactive -IX>interactive
# ignored
-V -h -json -Zs -ul -K
# is mail about the job, which a jobspec does not hold -- watch it by 'flux jobs' or 'flux watch'
-B@mail-begin -N@mail-end -Ne@mail-end =-u@mail-user =-notify
# says how the job is watched or reported, which a jobspec does not hold
=-Jd =-g =-app =-ptl =-eptl -XF
# belongs to LSF's scheduling and has no counterpart in a jobspec
=-sla =-extsched =-sp =-a =-Lp =-U@reservation -r@requeue -rn@no-requeue -rnc@no-requeue
=-mig =-Q =-t
-ti =-k =-E =-Ep =-clusters =-f =-data -datachk =-datagrp =-freq =-hl =-hostfile =-ext
=-jsdl =-jsdl_strict =-outdir =-pack =-rcacct =-stage =-tty =-We =-wa =-wt =-ar  =-network
# counts from the moment of submission, which a jobspec does not know -- --begin-time of flux submit
=-b@begin
# holds the job at submission, which a jobspec cannot say -- --urgency=hold of flux submit
-H@hold
# limits each process of the job and reserves nothing; a jobspec has the limits of submission -- \
see --rlimit of flux submit
=-M =-C =-c =-D =-F =-p =-v =-T =-S =-s
# sets up the nodes by CSM before the job starts -- Flux runs the prolog of the site; bind tasks \
with -o cpu-affinity
=-alloc_flags =-core_isolation =-smt =-cn_cu =-cn_mem =-jsm =-step_cgroup
# is about the launch node, which jobs of Flux do not have
=-ln_mem =-ln_slots
# turns easy mode off: all requirements are in -R
=-csm
# is the shell that sets up the environment; Flux runs the script with the one in its #! line
=-L
"""


def from_command(command: Command, environ: Mapping[str, str]) -> tuple[dict[str, Any], Line]:
    """The jobspec of a command, and the line with notes and problems."""
    line = Line(command, environ, table(_OPTIONS))
    rest = line.read_all("-n 4")
    job = JobBuilder(line)
    _read_name(job)
    request = requirements.read(line)
    _read_attributes(job, request)
    if command.script is None and jsrun.is_words(rest):
        return _with_jsrun(job, request, rest), line
    _read_resources(job, request)
    if command.script is not None:
        return job.run_given_script(rest), line
    if rest[:1] == ["<"]:
        return job.run_script(None, rest[1:], ()), line
    rest = _command_words(rest)
    if rest and rest[0].rpartition("/")[2] in ("mpirun", "mpiexec", "mpijob", "lrun", "srun"):
        note = f"{shortened(rest[0])} starts the tasks; in Flux that is 'flux run'"
        line.note(WHOLE, note, "body")
    return job.allocation(rest), line


def _command_words(rest: list[str]) -> list[str]:
    """The words of a command, which LSF passes to a shell."""
    if len(rest) != 1 or " " not in rest[0]:
        return rest
    if re.search(r"[;&|<>$`*?()\n]", rest[0]):
        return ["sh", "-c", rest[0]]
    return [word.text for word in shellwords.split(rest[0]).value]


def _with_jsrun(job: JobBuilder, request: Requirements, rest: list[str]) -> dict[str, Any]:
    """The jobspec of the ``jsrun`` command in the allocation."""
    line = job.line
    hosts = line.whole("nodes")
    exclusive = hosts is not None or line.get("exclusive") is not None
    command = jsrun.without_spans(rest)
    document, inner = jsrun.read(command, line.environ, hosts, exclusive=exclusive)
    line.notes += inner.notes
    line.problems += inner.problems
    system = {**job.document([])["attributes"]["system"]}
    step_system = document["attributes"]["system"]
    options = {
        **jobs.copied(jobs.value_at(system, "shell", "options") or {}),
        **jobs.copied(jobs.value_at(step_system, "shell", "options") or {}),
    }
    if inner.variables is not None:
        outer, further = line.variables or Variables(), inner.variables.values
        line.variables = replace(outer, values={**outer.values, **further})
        system["environment"] = {**system.get("environment", line.environ), **further}
    system = {**step_system, **system}
    if options:
        system["shell"] = {"options": options}
    return {**document, "attributes": {"system": system}}


# Attributes

# The pattern in file names for the job's id, and its template in Flux.
_PATTERNS = {"%J": "{{id}}"}


def seconds(text: str) -> float | None:
    """The seconds of ``[hours:]minutes[/host]``; None if it is not a time."""
    found = re.fullmatch(r"(?:([0-9]{1,6}):)?([0-9]{1,9})(?:/[\w.-]+)?", text.strip())
    return None if found is None else float(int(found[1] or 0) * 3600 + int(found[2]) * 60)


def _read_name(job: JobBuilder) -> None:
    """Read an array of jobs from its name, ``-J name[1-10:2]%5``."""
    found = job.line.get("name")
    if found is None:
        return
    array = re.fullmatch(r"(.*?)\[([^\[\]]*)\](%[0-9]+)?", found.text)
    if array is None:
        return
    if array[1]:
        job.system["job"] = {"name": array[1]}
    else:
        job.system.pop("job", None)
    value = f"{array[2]}{array[3] or ''}"
    where = found.value_span
    job.line.uses["array"] = [OptionUse("-J", value, found.span, where)]
    job.line.notes.append(reading.array_note("-J", found.span))


def _read_attributes(job: JobBuilder, request: Requirements) -> None:
    line = job.line
    if found := line.get("time"):
        job.duration = seconds(found.text) or 0.0
        if seconds(found.text) is None:
            message = f"'{shortened(found.text)}' is not a time of LSF"
            line.problem(found, message, "minutes", "hours:minutes")
        elif "/" in found.text:
            line.note(found, "the time limit is not scaled to the speed of a host")
    for stream in ("output", "error", "input"):
        if found := line.get(stream):
            job.set_file(stream, reading.from_pattern(line, found, found.text, _PATTERNS))
    if found := line.get("dependency"):
        _read_dependency(job, found)
    if found := line.get("export"):
        line.uses["export"] = [replace(found, value=_exported(found))]
    reading.set_exported(job)
    for found in line.all("hosts"):
        _read_hosts(job, found)
    job.constraints += request.constraints
    if (found := line.get("interactive")) and found.name[-1] in "ps":
        job.options["pty"] = {"interactive": 1}


def _exported(found: OptionUse) -> str:
    """The text of ``-env`` in the form that `reading.set_exported` takes."""
    parts = filter(None, map(str.strip, found.text.split(",")))
    return ",".join({"all": "ALL", "none": "NONE"}.get(part.lower(), part) for part in parts)


_CONDITION = re.compile(r"(\w+)\s*\(\s*([^()]*?)\s*\)|\"([^\"]*)\"|([\w.\[\]*-]+)")
_SCHEMES = {
    "done": "afterok", "ended": "afterany", "exit": "afternotok", "started": "after",
    "post_done": "afterok",
}  # fmt: skip


def _read_dependency(job: JobBuilder, found: OptionUse) -> None:
    """Read a condition on other jobs such as ``done(1) && ended("name")``."""
    line, out = job.line, []
    if "||" in found.text or "!" in found.text:
        line.note(found, "Flux waits for all dependencies, not for any or none of them")
    rest = re.sub(r"&&|\|\||!", " ", found.text)
    for kind, inner, quoted, bare in _CONDITION.findall(rest):
        scheme = _SCHEMES.get(kind or "done")
        value, _, exit_code = (inner or quoted or bare).partition(",")
        value = value.strip().strip("\"'")
        if scheme is None:
            line.lost(found, f"Flux has no dependency '{shortened(kind)}'")
            continue
        if exit_code:
            line.note(found, "Flux takes no exit code of the other job into account")
        out.append({"scheme": scheme, "value": value})
    if out:
        job.system["dependencies"] = out
        line.note(found, reading.JOB_IDS)
    elif _CONDITION.search(rest) is None:
        message = f"'{shortened(found.text)}' is not a dependency of LSF"
        line.problem(found, message, "done(JOBID)", "ended(JOBID)", "exit(JOBID)")


def _read_hosts(job: JobBuilder, found: OptionUse) -> None:
    """Read the hosts that a job may and may not use, ``-m 'host1 host2+3 ~host4'``."""
    line = job.line
    wanted, unwanted = [], []
    for word in found.text.split():
        name, plus, _ = word.partition("+")
        name = name.removesuffix("!")
        if plus or word.endswith("!"):
            line.note(found, "Flux cannot prefer some of the hosts")
        if name in ("all", "others", "allremote"):
            line.lost(found, f"'{shortened(name)}' names no host")
        elif name.startswith("~"):
            unwanted.append(name[1:])
        else:
            wanted.append(name)
    for names, lead in ((wanted, None), (unwanted, "not")):
        if names:
            parsed = hostlist.parse(",".join(names))
            reading.add_errors(line, found, parsed.problems)
            if parsed.ok:
                hosts: dict[str, Any] = {"hostlist": [hostlist.format(parsed.value)]}
                job.constraints.append({lead: [hosts]} if lead else hosts)


# Resources


def _read_slots(line: Line) -> tuple[Any, int]:
    """The number of slots as an RFC 14 count, and its minimum."""
    found = line.get("slots")
    if found is None:
        return 1, 1
    first, comma, last = found.text.partition(",")
    if not comma or not is_digits(last.strip()):
        number = line.number(found, first) or 1
        return number, number
    least = line.number(found, first) or 1
    parsed = counts.parse(f"{least}-{last.strip()}")
    if parsed.value is None or not parsed.ok or least == int(last):
        return least, least
    return counts.to_json(parsed.value), least


def _read_resources(job: JobBuilder, request: Requirements) -> None:
    line, exclusive = job.line, job.line.get("exclusive")
    hosts = line.whole("nodes") or request.hosts
    slots, least = _read_slots(line)
    if hosts is not None:
        nodes, each, total = hosts, 1, None
        if line.get("slots") and line.get("nodes"):
            line.note(line.uses["slots"][-1], "-nnodes gives whole nodes; the slots are left out")
    elif request.one_host:
        nodes, each, total = 1, least, None
    elif request.each is not None:
        each = min(request.each, least)
        nodes = -(-least // each)
        total = least if nodes * each != least else None
    else:
        nodes, each, total = None, slots, None
    if isinstance(slots, dict) and nodes is not None:
        line.note(line.uses["slots"][-1], "the least number of slots is asked for")
    if total is not None:
        job.count = {"total": total}
    if exclusive and nodes is None:
        note = "-x needs the number of nodes (span[ptile=]); left out"
        line.lost(exclusive, note)
    whole_nodes = hosts is not None or exclusive is not None
    slots_each, cores, gpus, memory = each if isinstance(each, int) else least, request.cores, 0, 0
    if request.gpus:
        nodes, each, cores, gpus = _share_gpus(job, request, nodes, each, slots_each, cores)
        slots_each = each if isinstance(each, int) else slots_each
    if request.memory:
        memory = _share_memory(line, request, nodes, slots_each, least)
    inside = reading.core_vertices(cores, gpus)
    if memory:
        inside.append(reading.memory_vertex(memory))
    job.lay_out(nodes, each, inside, exclusive=whole_nodes and nodes is not None)
    job.one_each = nodes is not None and each == 1


def _share_gpus(
    job: JobBuilder, request: Requirements, nodes: int | None, each: Any, slots: int, cores: int
) -> tuple[int | None, Any, int, int]:
    """The nodes, slots per node, and cores and gpus per slot; slots is the number or minimum."""
    number = request.gpus
    if request.gpus_per == "task":
        return nodes, each, cores, number
    if nodes is None and slots > 1 and request.gpus_from is not None:
        note = "without span[] the gpus are those of one host"
        job.line.note(request.gpus_from, note, "approximate", "add -R 'span[hosts=1]' or ptile")
        nodes, each = 1, slots
    if number % slots == 0:
        return nodes, each, cores, number // slots
    # The tasks of a host share its gpus: one slot holds them all.
    job.count = {"per_slot": slots}
    return (1 if nodes is None else nodes), 1, cores * slots, number


def _share_memory(
    line: Line, request: Requirements, nodes: int | None, slots: int, least: int
) -> int:
    """The MB of memory per slot; slots is the number per host, least the minimum in all."""
    if request.memory_per == "task":
        return request.memory
    if request.memory_per == "job":
        return -(-request.memory // least)
    if nodes is None and least > 1 and request.memory_from is not None:
        note = "memory of a host needs the number of hosts (span[ptile=] or span[hosts=1])"
        line.lost(request.memory_from, note)
        return 0
    return -(-request.memory // slots)


# Writing


def to_command(job: Job, program: str) -> Rendering:
    """Write a job for ``bsub``."""
    options = _LsfOptions(job, "LSF")
    if options.demand.further_slots:
        note = "LSF takes several kinds of slots only as a compound requirement"
        return jobs.refusal("bsub", note)
    inner = list(job.inner)
    if job.kind == "program":
        launched = ["jsrun", *jsrun.words_of(options), *jobs.after_options(job.command)]
        words = options.words()
        script = scripts.with_directives(scripts.of_command(launched), "#BSUB ", words)
        return options.judged(["bsub", *words, *launched], from_command, script)
    ending = jobs.after_options(inner)
    lead, script = [], scripts.of_command(inner) if inner else None
    if job.kind == "batch":
        lead = ["bsub starts no Flux instance for the script: use jsrun, not flux commands"]
        ending, script = [f"./{SCRIPT_NAME}", *inner], job.script
    elif job.kind == "alloc":
        lead = ["bsub gives the resources; 'jsrun flux start' starts a Flux instance in them"]
    words = options.words()
    options.notes[:0] = [Remark(text, code="remark") for text in lead]
    header = None if script is None else scripts.with_directives(script, "#BSUB ", words)
    return options.judged(["bsub", *words, *ending], from_command, header)


class _LsfOptions(ForeignOptions):
    def words(self) -> list[str]:
        words = self.resources()
        words += self.placement(
            lambda total: f"-W {time_text(total)}",
            60,
            "LSF counts whole minutes: the time is rounded up",
            {"queue": "-q", "bank": "-G", "project": "-P", "job.name": "-J", "cwd": "-cwd"},
            "-w ",
        )
        if (exported := self.take_variables("none")) is not None:
            words += ["-env", exported]
        templates = "LSF has no such template in the name of a file"
        words += self.files(("output", "error", "input"), _PATTERNS, templates)
        words += jobs.take(self.options, "pty", jobs.when({"interactive": 1}, "-Is"))
        self.note_left()
        return words

    def placement(
        self, time: Any, unit: int, rounded: str, texts: Mapping[str, str], dependency: str
    ) -> list[str]:
        """The words for when and where the job runs."""
        waits = self.take_dependencies(_condition)
        return super().placement(time, unit, rounded, texts, dependency) + waits

    def resources(self) -> list[str]:
        demand, note = self.demand, self.demand.note
        nodes = None if demand.nodes is None else counts.least(demand.nodes)
        if nodes != demand.nodes:
            note("LSF takes a single number of hosts: the minimum is requested")
        if demand.sockets is not None:
            note("LSF asks for sockets by affinity[], which is left out")
        sections, hosts = self.constraints()
        plain = demand.cores <= 1 and not demand.gpus and not demand.memory
        whole_hosts = demand.exclusive or (demand.inside and not demand.shared)
        if nodes is not None and whole_hosts and demand.each == 1 and plain:
            words = ["-nnodes", str(nodes)]
            if not demand.exclusive:
                note("-nnodes gives whole hosts")
        else:
            words, spans = self.slots(nodes)
            sections += spans
        words += ["-R", " ".join(sections)] if sections else []
        return words + hosts

    def slots(self, nodes: int | None) -> tuple[list[str], list[str]]:
        """The options for slots, and the sections of ``-R`` for them."""
        demand, note = self.demand, self.demand.note
        number = demand.each if nodes is None else nodes * demand.each
        words, sections = ["-n", str(number)], []
        if demand.total is not None:
            note(f"the launcher sets the number of tasks ({demand.total}), not LSF")
        elif demand.tasks > 1 and self.job.kind != "program":
            note(f"each slot runs {demand.tasks} tasks, a number that the launcher sets")
        memory = demand.memory
        if memory:
            unit = "GB" if memory % 1024 == 0 else "MB"
            amount = memory // 1024 if unit == "GB" else memory
            sections.append(f"rusage[mem={amount}{unit}/task]")
        if nodes is not None:
            sections.append(f"span[ptile={demand.each}]")
        if demand.cores > 1:
            sections.append(f"affinity[core({demand.cores})]")
        if demand.gpus:
            words += ["-gpu", f"num={demand.gpus}/task"]
        if demand.exclusive:
            words.append("-x")
        elif demand.inside and not demand.shared:
            note("LSF gives whole hosts only with -x or -nnodes")
        return words, sections

    def constraints(self) -> tuple[list[str], list[str]]:
        """The ``select[]`` section for properties and ``-m`` for hosts; notes on the rest."""
        constraint = self.system.pop("constraints", None)
        if constraint is None:
            return [], []
        parts = jobs.value_at(constraint, "and")
        if not isinstance(parts, list | tuple) or len(constraint) > 1:
            parts = [constraint]
        selected: list[str] = []
        hosts: list[str] = []
        for part in parts:
            names, text = _host_names(part), select_text(part, "&&" if len(parts) > 1 else "")
            if names is not None and not hosts:
                hosts = ["-m", " ".join(names)]
            elif text is not None:
                selected.append(text)
            else:
                shown = shortened(str(part))
                note = f"LSF cannot express the constraint {shown}"
                self.notes.append(Remark(note, "attributes.system.constraints", "lost"))
        sections = [f"select[{' && '.join(selected)}]"] if selected else []
        return sections, hosts


_KINDS = {"afterok": "done", "afterany": "ended", "afternotok": "exit", "after": "started",
          "afterstart": "started"}  # fmt: skip


def _condition(entries: Any) -> list[str] | None:
    texts = []
    for entry in entries if isinstance(entries, list | tuple) else ():
        if not isinstance(entry, Mapping) or set(entry) != {"scheme", "value"}:
            return None
        kind = _KINDS.get(str(entry["scheme"]))
        if kind is None or not re.fullmatch(r"[\w.-]+", str(entry["value"])):
            return None
        texts.append(f"{kind}({entry['value']})")
    return ["-w", " && ".join(texts)] if texts else None


def _host_names(part: object) -> list[str] | None:
    match part:
        case {"hostlist": [_, *_] as names, **rest} if not rest:
            if not all(isinstance(name, str) and name for name in names):
                return None
            parsed = hostlist.parse(",".join(names))
            hosts = list(parsed.value)
            return hosts if parsed.ok and len(hosts) <= 200 else None
    return None


def time_text(total: int) -> str:
    """Format seconds as ``hours:minutes``, rounded up."""
    minutes = -(-total // 60)
    return f"{minutes // 60}:{minutes % 60:02}"
