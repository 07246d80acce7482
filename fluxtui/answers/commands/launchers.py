"""Converts the launchers in a script: ``srun``, ``mpirun``, ``jsrun`` and similar commands.

Each is read by a table of its options, and written as the launcher of another system. Numbers may
be variables of the script, which are kept.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from fluxtui.answers.commands.foreign import demand_of
from fluxtui.answers.commands.jobs import Job
from fluxtui.answers.commands.options import Line, Note, table
from fluxtui.answers.commands.scripts import Command
from fluxtui.answers.commands.variables import KEPT
from fluxtui.notation import count as counts
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Span, is_digits, printable, shortened
from fluxtui.notation.shellwords import Word

_SRUN = """
# kept
=-n/--ntasks>tasks =-N/--nodes>nodes =--tasks-per-node/--ntasks-per-node>each
=-c/--cpus-per-task>cores =--gpus-per-task>gpus -l/--label>label -u/--unbuffered>unbuffered
=-o/--output>output =-e/--error>error =-i/--input>input =-w/--nodelist>hosts =--export
# is decided by the allocation of the script
=-p/--partition =-A/--account =-q/--qos =-J/--job-name =-t/--time =--mem =--mem-per-cpu
=--mem-per-gpu =-C/--constraint =-x/--exclude =-G/--gpus =--gpus-per-node =--gres
=--reservation =-D/--chdir =--nodefile =-r/--relative =-M/--clusters ?--exclusive =-L/--licenses
=--cpus-per-gpu =--threads-per-core =--ntasks-per-core =--ntasks-per-socket =--ntasks-per-gpu
=-B/--extra-node-info =--sockets-per-node =--cores-per-socket =--hint =--tres-per-task
# binds tasks in the way of Slurm -- Flux binds each task to its own cores; see -o cpu-affinity
=--cpu_bind/--cpu-bind =--mem_bind/--mem-bind =--gpu-bind =-m/--distribution =--cpu-freq
=--gpu-freq =--accel-bind
# tells Slurm how to start tasks; the Flux job shell has options of its own (-o)
=--mpi =--export-file ?--propagate =--profile ?-W/--wait =--multi-prog =--prolog
=--epilog =--task-prolog =--task-epilog =--jobid =--acctg-freq =--signal ?--bcast =--network
=--container =--container-image =--container-mounts =--container-name =--container-workdir
--container-mount-home --no-container-mount-home --container-writable =--comment =--switches
=--het-group =--het-job =--open-mode ?--x11 =--threads =-T =--environment =--module =--time-min
=-d/--dependency =--mail-type =--mail-user --spread-job --use-min-nodes
# ignored
-Q/--quiet -v/--verbose -O/--overcommit --overlap --exact -s/--oversubscribe
?-K/--kill-on-bad-exit ?-k/--no-kill -X/--disable-status -I/--immediate ?--pty -h/--help
--disable-status -E/--preserve-env -H/--hold
"""
_MPIRUN = """
# kept
=-n/-np/--np/--n/-c/--ntasks>tasks
=-ppn/-npernode/--npernode/-perhost/--perhost/-N/--ppn>each
# names hosts; Flux places the tasks among those of the job
=-machinefile/--machinefile =-hostfile/--hostfile =-f =-host/--host/-H/-hosts/--hosts
=-rankfile/--rankfile -nolocal/--nolocal
# binds tasks in the way of MPI -- Flux binds each task to its own cores; see -o cpu-affinity
=-map-by/--map-by =-bind-to/--bind-to =--rank-by/-rank-by -bynode/--bynode
-byslot/--byslot -bysocket/--bysocket -bycore -bind-to-core/--bind-to-core
-bind-to-socket/--bind-to-socket -bind-to-none/--bind-to-none --report-bindings/-report-bindings
--oversubscribe/-oversubscribe -rr =-binding =--cpus-per-proc/-cpus-per-proc/--cpus-per-rank
--use-hwthread-cpus/-use-hwthread-cpus =-cpu-set/--cpu-set =--cpu-list
--nooversubscribe/-nooversubscribe =--cpu-bind/-cpu-bind =-depth/--depth =-d
# tells this MPI how to start tasks; the Flux job shell has options of its own (-o)
=-genvlist -genvall -genvnone =-bootstrap/--bootstrap =-launcher/--launcher =-rmk
=-iface =-wdir/--wdir/-wd/-workdir =-prefix/--prefix =-am/--am =-configfile =-app/--app
=-envlist -envall -envnone =-tune/--tune =-path =-launcher-exec -ib -tcp -IBV -TCP -PSM2
=-timeout/--timeout -print-rank-map -srun -pernode/--pernode =-usize =-errfile
=-outfile =--output-filename/-output-filename -prot =-intra -disable-auto-cleanup
=-ilp64_ =-stdin/--stdin =-xterm/--xterm -display-map/--display-map =-dvm =-s
--display-allocation/-display-allocation -gpu --enable-recovery
# ignored
-v/--verbose/-verbose -q/--quiet/-quiet --allow-run-as-root/-allow-run-as-root -h/--help/-help -V
--version
# kept
-l/--tag-output/-tag-output/-prepend-rank>label =-x>variables
"""
_APRUN = """
# kept
=-n/--pes>tasks =-N/--pes-per-node>each =-d/--cpus-per-pe>cores
# binds tasks in the way of aprun -- Flux binds each task to its own cores; see -o cpu-affinity
=-cc =-S/--pes-per-numa-node =-j/--cpus-per-cu =-sn =-ss -ss =-r =-p =-m =-L =-D =-C -B -b -F
=-e -q =-t =-R =-T =-cp =-sl
"""
_JSRUN = """
# kept
=-n/--nrs>sets =-a/--tasks_per_rs>set-tasks =-c/--cpu_per_rs>set-cores =-g/--gpu_per_rs>set-gpus
=-r/--rs_per_host>each =-p/--np>tasks =-o/--stdio_stdout>output =-k/--stdio_stderr>error
=-t/--stdio_stdin/--stdio_input>input
# binds tasks to cores and gpus in the way of jsrun -- Flux binds each task to its own cores and \
gpus; see -o cpu-affinity and -o gpu-affinity
=-b/--bind =-l/--latency_priority =-K/--rs_per_socket =-d/--launch_distribution
# tells jsrun how to start tasks; the Flux job shell has options of its own (-o)
=-M/--smpiargs =-F/--env_no_propagate =-D/--env_eval =-X/--exit_on_error =-P/--pre_post_exec
=-J/--use_spindle =-S/--save_resources =-L/--use_reservation -i/--immediate =-E/--env
=-e/--stdio_mode =-h/--chdir =-m/--memory_per_rs --progress =-f/--appfile =-A/--file
=-U/--erf_input =-u/--erf_output =-x/--exclude_hosts
# ignored
-V/--version --help
"""
_LRUN = """
# kept
=-n>tasks =-N>nodes =-T>each =-c>cores =-g>gpus -l>label
# is specific to lrun -- see the options of the Flux job shell (-o)
=-M/--smpiargs =--gpubind --nolbind =--mpibind --adv_map --pack --threads =--gpus --nvme_bounds -1
--bind --spindle =-W =-R
# ignored
-v -vv
"""
_FLUX = """
# kept
=-n/--ntasks>tasks =-N/--nodes>nodes =--tasks-per-node>each =-c/--cores-per-task>cores
=-g/--gpus-per-task>gpus -l/--label-io>label -u/--unbuffered>unbuffered
=--output>output =--error>error =--input>input -x/--exclusive>whole
# is about the job shell or the scheduling of Flux
=-o/--setopt =-S/--setattr =-t/--time-limit =-q/--queue =-B/--bank =--job-name =--env =--env-remove
=--env-file =--rlimit =--cwd =--signal =--requires =--dependency =--urgency =--flags =--taskmap
=--cores =--tasks-per-core =--gpus-per-node =--add-file =--begin-time =--cc =--bcc --wait --watch
=--resources-shape =--resources-json =--wait-event =--log =--log-stderr =--conf
# ignored
-v/--verbose --quiet --progress --jps --dry-run
"""
_IBRUN = """
# kept
=-n/-np>tasks
# places tasks in the way of ibrun
=-o
"""

_MPI = ("mpirun", "mpiexec", "orterun", "mpiexec.hydra", "mpirun_rsh", "mpiexec_mpt")
_TABLES: Mapping[str, str] = {
    "srun": _SRUN, "jsrun": _JSRUN, "lrun": _LRUN, "flux run": _FLUX, "flux submit": _FLUX,
    "aprun": _APRUN, "ibrun": _IBRUN, **dict.fromkeys(_MPI, _MPIRUN),
}  # fmt: skip

# The systems that the launchers belong to; MPI launchers work in whatever MPI was built for.
_OWNERS = {"srun": "slurm", "jsrun": "lsf", "lrun": "lsf", "flux run": "flux",
           "flux submit": "flux", "aprun": "pbs"}  # fmt: skip

_LAUNCHER = re.compile(
    r"(?<![\w.$/-])(?:/[^\s;&|#'\"$]{0,200}/)?"
    r"(srun|jsrun|lrun|flux[ \t]+(?:mini[ \t]+)?(?:run|submit)|mpirun_rsh|mpirun|orterun|ibrun"
    r"|mpiexec\.hydra|mpiexec_mpt|mpiexec|aprun)(?=[ \t\\\n]|$)"
)
# What may precede a command on its line.
_BEFORE = re.compile(
    r"""(?:^|[;&|({`!]|\b(?:then|do|else|exec|time|if|while|nohup|eval|sudo|env))[ \t]*"""
    r"""(?:[A-Za-z_]\w*=(?:'[^']*'|"[^"]*"|[^\s;&|#'"])*[ \t]+)*$"""
)


def is_command(text: str, start: int) -> bool:
    """Whether a command begins at a position of a script, rather than a word or a comment."""
    before = text[max(text.rfind("\n", 0, start) + 1, start - 300) : start]
    outer, opened, inner = before.rpartition("$(")
    if opened and ")" not in inner and not outer.count("'") % 2 and "#" not in outer:
        before = inner  # the command is substituted, perhaps within double quotes
    if before.count('"') % 2 or before.count("'") % 2 or is_comment(text, start):
        return False
    return _BEFORE.search(before) is not None


def is_comment(text: str, start: int) -> bool:
    """Whether a position of a script is in a comment."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    bare = re.sub(r"""'[^']*'|"(?:[^"\\]|\\.)*\"""", "", line[-2000:])
    return re.search(r"(?:^|\s)#", bare) is not None


@dataclass(frozen=True, slots=True)
class TaskLayout:
    """The tasks that a job has slots for, on how many nodes, and the cores and gpus of each task.

    exclusive  the nodes are exclusive, and each of them runs one task
    shared     the gpus of a node if its tasks share them because they cannot be divided evenly
    """

    tasks: int
    nodes: int | None = None
    cores: int = 1
    gpus: int = 0
    exclusive: bool = False
    shared: int = 0


def task_layout(job: Job, tasks_of_slot: int = 1) -> TaskLayout:
    """The tasks that a launcher without options starts in a job; so many of them share a slot."""
    demand = demand_of(job, "")
    demand.tasks = max(demand.tasks, tasks_of_slot)
    nodes = None if demand.nodes is None else counts.least(demand.nodes)
    each = demand.each * demand.tasks
    tasks = demand.total or each * (nodes or 1)
    per_slot = -(-tasks // (nodes or 1)) if demand.inside else max(1, demand.tasks)
    one_each = nodes is not None and tasks == nodes and demand.cores <= 1
    exclusive = one_each and (demand.exclusive or (demand.inside and not demand.shared))
    shared = demand.gpus * demand.each if demand.gpus % per_slot else 0
    gpus = 0 if shared else demand.gpus // per_slot
    return TaskLayout(tasks, nodes, max(1, demand.cores // per_slot), gpus, exclusive, shared)


def is_foreign(name: str, target: str) -> bool:
    """Whether the target system does not have this launcher."""
    if name in (*_MPI, "ibrun"):  # MPI works with the system that it was built for
        return target == "flux"
    return _OWNERS[name] != target


def find(text: str) -> Iterator[tuple[int, str]]:
    """The position and the name of each launcher that is run as a command.

    What a shell takes as text has to be blanked out (see `scripts.blanked`).
    """
    for found in _LAUNCHER.finditer(text):
        if is_command(text, found.start()):
            yield found.start(), re.sub(r"\s+(?:mini\s+)?", " ", found[1])


@dataclass(frozen=True, slots=True)
class Launched:
    """A converted launcher, and the end of its options; end is None if it is left unchanged."""

    text: str
    end: int | None
    notes: list[Note]


_LINE = re.compile(
    r"""(?:[^\n\\'"]|\\(?:\r\n|.|\Z)|'[^']*'|"(?:[^"\\]|\\(?:\r\n|.))*+")*""", re.DOTALL
)


def convert(
    text: str, start: int, name: str, target: str, layout: TaskLayout, offset: int
) -> Launched:
    """Convert the launcher at a position of text, which begins at offset of the document."""
    found = _LINE.match(text, start)
    end = len(text) if found is None else found.end()
    words = list(shellwords.split(text[start : min(end, start + 4000)], start).value)
    count = 3 if " mini " in text[start : start + 20] else len(name.split())
    name_span = Span(offset + start, offset + (words[count - 1].span.end if words else end))
    command = Command(name, words[count:], name_span)
    line = Line(command, {}, table(_TABLES[name]))
    rest = _read(line, command)
    lead = f"{name} becomes {NAMES[target]}"
    if not rest or any("$(" in w.text or "`" in w.text for w in words[count : -len(rest)]):
        note = f"{name} starts the tasks here, and its options are not plain"
        return Launched("", None, [Note(note, name_span, "body", f"write it as {NAMES[target]}")])
    if any(word.text == ":" for word in rest):
        note = f"{name} starts several programs at once, which {NAMES[target]} does not"
        do = f"start each by {NAMES[target]} in the background, and wait"
        return Launched("", None, [Note(note, name_span, "body", do)])
    keys = {key: uses[-1].text for key, uses in line.uses.items()}
    notes = [replace(note, span=note.span.moved(offset)) for note in line.notes]
    for problem in line.problems:
        span = name_span if problem.span is None else problem.span.moved(offset)
        notes.append(Note(f"{printable(problem.message)} and is left out", span, "approximate"))
    launch, caveat = _launch(keys, name, target, layout)
    if caveat:
        notes.append(Note(f"{lead}: {caveat}", name_span, "approximate"))
    if target != "flux" and launch.hosts is not None and target != "slurm":
        notes.append(Note(f"{lead} without its hosts", name_span, "lost"))
    launch = replace(launch, variables=_variables(line))
    exported = (line.text("export") or "").split(",")
    if "ALL" in exported and any("=" in part for part in exported) and target == "flux":
        notes.append(Note(f"{lead}: {KEPT}", name_span, "approximate"))
    if launch.variables and target != "flux":
        notes.append(Note(f"{lead} without the variables that it sets", name_span, "lost"))
    return Launched(" ".join(_WRITERS[target](launch)), _command_end(words, rest), notes)


def _variables(line: Line) -> tuple[str, ...]:
    """The rules for ``--env`` of Flux that do what ``--export`` of srun and ``-x`` of MPI do."""
    given = [part for found in line.all("variables") for part in found.text.split(",")]
    exported = line.text("export")
    parts = [] if exported is None else exported.split(",")
    is_all = not parts or "ALL" in parts
    kept = [part for part in parts if part not in ("ALL", "NONE", "NIL", "")]
    rules = [part for part in (*given, *kept) if "=" in part or (part in kept and not is_all)]
    return tuple(rules if is_all else ["-*", *rules])


def _command_end(words: list[Word], rest: list[Word]) -> int:
    """The end of the options: that of the last word before the program."""
    return words[len(words) - len(rest) - 1].span.end


def _read(line: Line, command: Command) -> list[Word]:
    """Read the options; return the program with its arguments."""
    if command.program not in _MPI:
        rest = line.read(command.words)
    else:
        rest = _read_mpi(line, list(command.words))
    return rest[1:] if rest and rest[0].text == "--" else rest


def _read_mpi(line: Line, words: list[Word]) -> list[Word]:
    """Read the options of any MPI, whose long names have one dash or two; some take two values."""
    pairs = ("-mca", "--mca", "-genv", "-env", "--gmca", "-gmca", "--prtemca", "--pmixmca", "-omca")
    while words and words[0].text.startswith("-") and words[0].text != "--":
        name = words[0].text.partition("=")[0]
        if name in pairs and len(words) > 2:
            span = Span(words[0].span.start, words[2].span.end)
            line.notes.append(Note(f"{name} is an option of this MPI", span, "lost"))
            words = words[3:]
        elif name not in line.known:
            line.notes.append(Note(f"{shortened(name)} is not known here", words[0].span, "lost"))
            words = words[1:]
        elif line.known[name].takes != "value" or "=" in words[0].text:
            value = words[0].text.partition("=")[2] or None
            line.use(line.known[name], name, value, words[0].span, words[0].span)
            words = words[1:]
        elif len(words) < 2:
            return []
        else:
            span = Span(words[0].span.start, words[1].span.end)
            line.use(line.known[name], name, words[1].text, span, words[1].span)
            words = words[2:]
    return words


@dataclass(frozen=True, slots=True)
class _Launch:
    """The options of a launcher: each number is in digits or a text such as ``$N`` for the shell.

    each    tasks per node
    whole   each task gets a whole node
    shared  gpus per node that its tasks share
    """

    tasks: str | None = None
    nodes: str | None = None
    each: str | None = None
    cores: str | None = None
    gpus: str | None = None
    whole: bool = False
    label: bool = False
    unbuffered: bool = False
    files: tuple[tuple[str, str], ...] = ()
    hosts: str | None = None
    shared: str | None = None
    variables: tuple[str, ...] = ()


def _times(one: str | None, other: str | None) -> str | None:
    """The product of two numbers, or an expression for the shell if either is a variable."""
    if one is None or other is None:
        return None
    if is_digits(one) and is_digits(other):
        return str(int(one) * int(other))
    names = [text.strip("${}") for text in (one, other)]
    if all(re.fullmatch(r"\w+", name) for name in names):
        return f"$(({names[0]} * {names[1]}))"
    return None


_TASKS = re.compile(r"\$\{?(?:SLURM_NTASKS|SLURM_NPROCS|PBS_NP|LSB_DJOB_NUMPROC)\}?")
_NODES = re.compile(r"\$\{?(?:SLURM_NNODES|SLURM_JOB_NUM_NODES|PBS_NUM_NODES)\}?")
_CORES = re.compile(r"\$\{?SLURM_CPUS_PER_TASK\}?")
_EACH = re.compile(r"\$\{?(?:SLURM_NTASKS_PER_NODE|PBS_NUM_PPN)\}?")


def _launch(
    keys: dict[str, str], name: str, target: str, layout: TaskLayout
) -> tuple[_Launch, str]:
    """The options of a launcher, completed from its job; and a caveat, if there is one."""
    caveat, shared = "", None
    if name == "jsrun":
        keys, caveat = _of_resource_sets(keys)
    tasks, nodes, each = keys.get("tasks"), keys.get("nodes"), keys.get("each")
    cores, gpus, whole_nodes = keys.get("cores"), keys.get("gpus"), False
    job_nodes = None if layout.nodes is None else str(layout.nodes)
    # Replace variables that only the source system sets by the numbers of the job.
    if tasks is not None and _TASKS.fullmatch(tasks):
        tasks = str(layout.tasks)
    if nodes is not None and _NODES.fullmatch(nodes):
        nodes = job_nodes
    if cores is not None and _CORES.fullmatch(cores):
        cores = str(layout.cores)
    if each is not None and _EACH.fullmatch(each) and layout.nodes:
        each = str(-(-layout.tasks // layout.nodes))
    if name in ("flux run", "flux submit", "aprun") and tasks is None and nodes is None:
        tasks = "1"
    if nodes is not None and not is_digits(nodes) and "-" in nodes:
        nodes = nodes.partition("-")[0]
    if tasks is None and nodes is None and each is None:
        tasks, nodes, whole_nodes = str(layout.tasks), job_nodes, layout.exclusive
    elif tasks is None and each is not None:
        nodes = nodes or job_nodes
        tasks = _times(nodes, each)
    elif tasks is None:
        per_node = str(-(-layout.tasks // (layout.nodes or 1)))
        tasks, whole_nodes = _times(nodes, per_node), layout.exclusive
    elif nodes is None and each is not None and is_digits(tasks) and is_digits(each):
        nodes = str(-(-int(tasks) // max(1, int(each))))
    elif name == "jsrun":
        pass  # its resource sets name their cores, and fill one host after another
    elif nodes is None and tasks == str(layout.tasks):
        nodes, whole_nodes = job_nodes, layout.exclusive
    elif nodes is None and is_digits(tasks) and layout.nodes and int(tasks) % layout.nodes == 0:
        nodes = job_nodes
        if layout.exclusive and cores is None:
            caveat = "each task gets one core; write -c for more"
    if cores is None and layout.cores > 1 and not whole_nodes and name != "jsrun":
        cores = str(layout.cores)
        if tasks is not None and is_digits(tasks) and int(tasks) > layout.tasks:
            cores = str(max(1, layout.tasks * layout.cores // int(tasks)))  # the tasks share them
    if gpus is None and layout.gpus and tasks == str(layout.tasks) and name != "jsrun":
        gpus = str(layout.gpus)
    if gpus is None and layout.shared and tasks == str(layout.tasks) and name != "jsrun":
        if target != "flux" or not layout.nodes or layout.tasks % layout.nodes:
            caveat = "its tasks share the gpus of a node, which are left out"
        else:
            each, shared = str(layout.tasks // layout.nodes), str(layout.shared)
    files = tuple((key, keys[key]) for key in ("output", "error", "input") if key in keys)
    whole_nodes = whole_nodes and cores is None
    return _Launch(
        tasks,
        nodes,
        each,
        cores,
        gpus,
        whole_nodes or "whole" in keys,
        "label" in keys,
        "unbuffered" in keys,
        files,
        keys.get("hosts"),
        shared=shared,
    ), caveat


def _of_resource_sets(keys: dict[str, str]) -> tuple[dict[str, str], str]:
    """Convert the resource sets of ``jsrun`` to tasks; also a caveat, if there is one."""
    out, caveat = {key: keys[key] for key in keys if not key.startswith("set")}, ""
    sets, inside = keys.get("sets"), keys.get("set-tasks") or "1"
    if "tasks" not in out and sets is not None and sets.upper() != "ALL_HOSTS":
        out["tasks"] = _times(sets, inside) or sets
    elif sets is not None and sets.upper() == "ALL_HOSTS":
        out["each"] = inside
    if "each" in keys and inside != "1":
        out["each"] = _times(keys["each"], inside) or keys["each"]
    for name, key in (("set-cores", "cores"), ("set-gpus", "gpus")):
        value = keys.get(name)
        if value is None or value.upper().startswith("ALL_"):
            continue
        if inside == "1":
            out[key] = value
        elif is_digits(value) and is_digits(inside) and int(value) % int(inside) == 0:
            out[key] = str(int(value) // int(inside))
        else:
            caveat = f"{inside} tasks of a resource set share its cores and gpus, which is left out"
    if out.get("gpus") == "0":
        del out["gpus"]
    return out, caveat


NAMES = {"flux": "flux run", "slurm": "srun", "pbs": "mpiexec", "lsf": "jsrun"}


def _option(name: str, value: str | None) -> list[str]:
    if value is None:
        return []
    if re.fullmatch(r"\$\(\([\w *]+\)\)|[\w.:/%=@+${}-]+", value):
        return [f"{name}{value}"]
    return [f'{name}"{value}"' if "$" in value else f"{name}{shellwords.quote(value)}"]


def _to_flux(launch: _Launch) -> list[str]:
    words = ["flux", "run", *_option("-N", launch.nodes)]
    if launch.shared is not None:
        # With options per node, the tasks of a node share all of its gpus.
        words += [f"--tasks-per-node={launch.each}", f"--gpus-per-node={launch.shared}"]
        launch = replace(launch, tasks=None, cores=None)
    if not launch.whole or launch.tasks != launch.nodes:
        words += _option("-n", launch.tasks)
    words += [] if launch.cores == "1" else _option("-c", launch.cores)
    words += _option("-g", launch.gpus)
    words += ["-x"] if launch.whole and launch.tasks != launch.nodes and launch.nodes else []
    words += ["-l"] if launch.label else []
    words += ["-u"] if launch.unbuffered else []
    words += [] if launch.hosts is None else _option("--requires=", f"host:{launch.hosts}")
    for variable in launch.variables:
        words += _option("--env=", variable)
    for key, path in launch.files:
        for pattern, template in (("%t", "{{taskid}}"), ("%j", "{{id}}"), ("%J", "{{id}}")):
            path = path.replace(pattern, template)  # noqa: PLW2901
        words += _option(f"--{key}=", path)
    return words


def _to_slurm(launch: _Launch) -> list[str]:
    words = ["srun", *_option("-N", launch.nodes), *_option("-n", launch.tasks)]
    words += [] if launch.cores == "1" else _option("-c", launch.cores)
    words += _option("--gpus-per-task=", launch.gpus)
    words += _option("-w ", launch.hosts)
    words += ["-l"] if launch.label else []
    words += ["-u"] if launch.unbuffered else []
    for key, path in launch.files:
        words += _option(f"--{key}=", path.replace("{{taskid}}", "%t").replace("{{id}}", "%j"))
    return words


def _to_pbs(launch: _Launch) -> list[str]:
    words = ["mpiexec", *(["-n", launch.tasks] if launch.tasks else [])]
    return words + (["-ppn", launch.each] if launch.each else [])


def _to_lsf(launch: _Launch) -> list[str]:
    words = ["jsrun", *_option("-n", launch.tasks)]
    tasks, nodes = launch.tasks or "", launch.nodes or ""
    each = launch.each
    if each is None and is_digits(tasks) and is_digits(nodes) and int(tasks) % int(nodes) == 0:
        each = str(int(tasks) // int(nodes))
    words += _option("-r", each)
    words += (
        ["-cALL_CPUS"] if launch.whole and launch.cores is None else _option("-c", launch.cores)
    )
    words += _option("-g", launch.gpus)
    for key, path in launch.files:
        words += _option({"output": "-o ", "error": "-k ", "input": "-t "}[key], path)
    return words


_WRITERS = {"flux": _to_flux, "slurm": _to_slurm, "pbs": _to_pbs, "lsf": _to_lsf}
