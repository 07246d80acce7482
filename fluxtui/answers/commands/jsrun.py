"""Reads and writes ``jsrun`` lines (LSF's Job Step Manager, Sierra and Summit).

A resource set of ``jsrun`` is a slot: there are ``-n`` of them, ``-r`` per host, each with ``-c``
cores, ``-g`` gpus and ``-m`` MB of memory, and each runs ``-a`` tasks.
"""

from collections.abc import Mapping
from typing import Any

from fluxtui.answers.commands import jobs, reading
from fluxtui.answers.commands.foreign import ForeignOptions
from fluxtui.answers.commands.jobs import Job, Remark, Rendering
from fluxtui.answers.commands.options import Line, table
from fluxtui.answers.commands.reading import JobBuilder
from fluxtui.answers.commands.scripts import WHOLE, Command
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Span, shortened
from fluxtui.notation.shellwords import Word

_OPTIONS = """
# kept
=-n/--nrs =-a/--tasks_per_rs>tasks =-c/--cpu_per_rs>cores =-g/--gpu_per_rs>gpus
=-r/--rs_per_host>each =-m/--memory_per_rs>memory =-p/--np =-h/--chdir>cwd
=-o/--stdio_stdout>output =-k/--stdio_stderr>error =-t/--stdio_stdin/--stdio_input>input
=-E/--env>variables =-d/--launch_distribution>distribution =-e/--stdio_mode>mode
# binds tasks to cores and gpus in the way of jsrun -- Flux binds each task to its own cores and \
gpus; see -o cpu-affinity and -o gpu-affinity
=-b/--bind =-l/--latency_priority =-K/--rs_per_socket
# tells jsrun how to start tasks; the Flux job shell has options of its own (-o)
=-M/--smpiargs =-F/--env_no_propagate =-D/--env_eval =-X/--exit_on_error =-P/--pre_post_exec
=-J/--use_spindle =-S/--save_resources =-L/--use_reservation -i/--immediate
=-x/--exclude_hosts --progress
# names a file, which is not read here -- write its resource sets as -n, -r, -a, -c and -g
=-f/--appfile =-A/--file =-U/--erf_input =-u/--erf_output
# ignored
-V/--version --help
"""


def from_command(command: Command, environ: Mapping[str, str]) -> tuple[dict[str, Any], Line]:
    """The jobspec of a command, and the line with notes and problems."""
    return read(command, environ, None)


def read(
    command: Command, environ: Mapping[str, str], hosts: int | None, *, exclusive: bool = False
) -> tuple[dict[str, Any], Line]:
    """The jobspec of a command in an allocation, and the line; hosts is its size, if known."""
    line = Line(command, environ, table(_OPTIONS))
    rest = line.read_all("-n4")
    rest = rest[1:] if rest[:1] == ["--"] else rest
    job = JobBuilder(line)
    _read_resources(job, hosts, exclusive)
    for stream in ("output", "error", "input"):
        if (path := line.text(stream)) is not None:
            job.set_file(stream, reading.from_pattern(line, line.uses[stream][-1], path, PATTERNS))
    _read_others(job)
    if not rest:
        line.problem(WHOLE, "the command to run is missing", "a program")
    return job.document(rest or ["app"]), line


#: The pattern in file names for the task, and its template in Flux.
PATTERNS = {"%t": "{{taskid}}"}


def _read_others(job: JobBuilder) -> None:
    line = job.line
    rules = [*reading.assigned(line), *line.all("variables")]
    variables, templates = reading.environment(line, rules)
    if variables is not None:
        job.system["environment"] = variables
    if templates:
        job.options["env-expand"] = templates
    if found := line.get("distribution"):
        if found.text == "cyclic":
            job.options["taskmap"] = {"scheme": "cyclic", "value": ""}
        elif found.text != "packed":
            line.lost(found, f"Flux has no distribution '{shortened(found.text)}'")
    if (found := line.get("mode")) and found.text == "prepended":
        entry = job.options.setdefault("output", {}).setdefault("stdout", {})
        entry.update({"label": True})
    elif found and found.text != "collected":
        note = "Flux writes one file for all tasks, or one for each named with {{taskid}}"
        line.note(found, note)


def _read_resources(job: JobBuilder, hosts: int | None, exclusive: bool) -> None:
    line = job.line
    found, each = line.get("nrs"), line.whole("each")
    number: int | None = None
    if found and found.text.upper() == "ALL_HOSTS":
        number, each = hosts or 1, 1
        if hosts is None:
            line.note(found, "the hosts of the allocation are not known here: 1 is taken")
    elif found:
        number = line.number(found, found.text)
    tasks, total = line.whole("tasks"), line.whole("np")
    cores, gpus = _per_set(line, "cores", 1), _per_set(line, "gpus", 0)
    if number is None:
        # Without a number of resource sets, each task has its own.
        number, total = (total, None) if total else (each or 1, None)
    nodes = None
    if each is not None:
        nodes, each = -(-number // each), min(each, number)
    elif hosts is not None:
        nodes, each = min(hosts, number), -(-number // hosts)
        if nodes > 1:
            note = "without -r jsrun fills one host after the other; here each has as many sets"
            line.note(found or WHOLE, note)
    if nodes is not None and each is not None and nodes * each != number and total is None:
        line.note(
            found or WHOLE, f"{number} resource sets share {nodes * each} slots on {nodes} nodes"
        )
        total = number * (tasks or 1)
    inside = reading.core_vertices(cores, gpus)
    if memory := line.whole("memory"):
        inside.append(reading.memory_vertex(memory))
    if tasks is not None and tasks > 1:
        job.count = {"per_slot": tasks}
    slots = number if nodes is None or each is None else each
    if total is not None and total != slots * (nodes or 1) * (tasks or 1):
        job.count = {"total": total}
    job.lay_out(nodes, slots, inside, exclusive=exclusive and nodes is not None)
    job.one_each = nodes is not None and each == 1


def _per_set(line: Line, key: str, default: int) -> int:
    found = line.get(key)
    if found is None:
        return default
    if found.text.upper() in ("ALL_CPUS", "ALL_GPUS"):
        line.note(
            found, f"{found.text} is all that a host has, which is not known here: 1 is taken"
        )
        return 1
    number = line.number(found, found.text, 0)
    return default if number is None else number


def words_of(options: ForeignOptions) -> list[str]:
    """The options of ``jsrun`` for the demand of a job."""
    demand, note = options.demand, options.demand.note
    nodes = None if demand.nodes is None else counts.least(demand.nodes)
    number = demand.each if nodes is None else nodes * demand.each
    words = ["-n", str(number)]
    if nodes is not None:
        words += ["-r", str(demand.each)]
    if demand.tasks > 1 and demand.total is None:
        words += ["-a", str(demand.tasks)]
    words += ["-c", str(demand.cores)] if demand.cores > 1 else []
    words += ["-g", str(demand.gpus)] if demand.gpus else []
    words += ["-m", str(demand.memory)] if demand.memory else []
    if demand.total is not None and demand.total != number:
        words += ["-p", str(demand.total)]
    words += jobs.take(
        options.options, "taskmap", jobs.when({"scheme": "cyclic", "value": ""}, "-d", "cyclic")
    )
    if nodes != demand.nodes and demand.system == "jsrun":
        note("jsrun takes a single number of hosts: the minimum is requested")
    if demand.sockets is not None and demand.system == "jsrun":
        note("jsrun has no option for sockets")
    return words


def to_command(job: Job, program: str) -> Rendering:
    """Write a job for ``jsrun``, which runs in an allocation of ``bsub``."""
    options = ForeignOptions(job, "jsrun")
    if options.demand.further_slots:
        return jobs.refusal("jsrun", "the resource sets of jsrun are all alike")
    demand = options.demand
    is_instance = job.kind in ("alloc", "batch")
    if is_instance and demand.nodes is not None and not demand.inside:
        demand.join_slots()
    start = [f"./{jobs.SCRIPT_NAME}"] if job.kind == "batch" else []
    instance = ["flux", "start", *job.broker_options, *start, *job.inner]
    if isinstance(cwd := options.system.get("cwd"), str):
        del options.system["cwd"]
    words = words_of(options)
    files = options.files(
        ("output", "error", "input"), PATTERNS, "jsrun has no such template in the name of a file"
    )
    words += [{"-e": "-k", "-i": "-t"}.get(word, word) for word in files]
    words += ["-h", cwd] if isinstance(cwd, str) else []
    # These belong to the allocation.
    for key in [key for key in ("duration", "queue", "bank", "project") if key in options.system]:
        if options.system.pop(key):
            demand.note(f"the {key} is that of the allocation, which bsub asks for")
    if demand.exclusive:
        demand.note("whole nodes come with the allocation, which bsub requests")
    options.note_left()
    ending = instance if is_instance else jobs.after_options(job.command)
    if is_instance:
        start_note = "jsrun starts the Flux instance with 'flux start', one broker a node"
        options.notes[:0] = [Remark(start_note, code="remark")]
    return options.judged(["jsrun", *words, *ending], from_command)


def is_words(words: list[str]) -> bool:
    """Whether words are a ``jsrun`` line."""
    return bool(words) and words[0].rpartition("/")[2] == "jsrun"


def without_spans(words: list[str]) -> Command:
    """The ``jsrun`` command of words whose spans are not known."""
    return Command("jsrun", [Word(word, Span(0, 0)) for word in words[1:]], WHOLE)
