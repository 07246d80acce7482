"""The options of ``flux submit``, ``run``, ``batch`` and ``alloc`` (flux-core 0.88)."""

from functools import cache

from fluxtui.answers.commands.options import Manner, Option, add, keep, leave, silent, table

#: Flux takes no abbreviations, and its words end at the first that is no option.
MANNER = Manner(abbreviated=False, guarded=True)

_UNKEPT = leave("says how the job is submitted or watched, which a jobspec does not hold")
_MANY = leave("makes several jobs of one; a jobspec is one job")
_CLOCK = leave("counts from the moment of submission, which a jobspec does not know")
_FILE = leave("names a file, which is not read here")

_COMMON = (
    Option(("-B", "--bank"), "value", keep("bank")),
    Option(("-q", "--queue"), "value", keep("queue")),
    Option(("-t", "--time-limit"), "value", keep("time")),
    Option(("--job-name",), "value", keep("name")),
    Option(("-o", "--setopt"), "value", add("setopt")),
    Option(("-S", "--setattr"), "value", add("setattr")),
    Option(("--add-file",), "value", add("add-file")),
    Option(("--dependency",), "value", add("dependency")),
    Option(("--require", "--requires"), "value", add("requires")),
    Option(("--begin-time",), "value", _CLOCK),
    Option(("--env",), "value", add("env")),
    Option(("--env-remove",), "value", add("env", "-")),
    Option(("--env-file",), "value", add("env", "^")),
    Option(("--rlimit",), "value", add("rlimit")),
    Option(("--input",), "value", keep("input")),
    Option(("--output",), "value", keep("output")),
    Option(("--error",), "value", keep("error")),
    Option(("-u", "--unbuffered"), "nothing", keep("unbuffered")),
    Option(("-l", "--label-io"), "nothing", keep("label-io")),
    Option(("--cwd",), "value", keep("cwd")),
    Option(("--signal",), "value", keep("signal")),
    Option(("-N", "--nodes"), "value", keep("nodes")),
    Option(("-x", "--exclusive"), "nothing", keep("exclusive")),
    Option(("--resources-shape",), "value", keep("shape")),
    Option(("--resources-json",), "value", _FILE),
    Option(("--urgency",), "value", _UNKEPT),
    Option(("--flags",), "value", _UNKEPT),
    Option(("--quiet",), "nothing", silent),
    Option(("--dry", "--dry-run"), "nothing", silent),
    Option(("--debug-emulate",), "nothing", silent),
    Option(("--list-plugins",), "nothing", silent),
    Option(("--help",), "perhaps", silent),
)
_VERBOSE = (Option(("-v", "--verbose"), "nothing", silent),)

_TASKS = (
    Option(("--taskmap",), "value", keep("taskmap")),
    Option(("-n", "--ntasks"), "value", keep("count")),
    Option(("-c", "--cores-per-task"), "value", keep("cores-per")),
    Option(("-g", "--gpus-per-task"), "value", keep("gpus-per")),
    Option(("--cores",), "value", keep("cores")),
    Option(("--tasks-per-node",), "value", keep("tasks-per-node")),
    Option(("--tasks-per-core",), "value", keep("tasks-per-core")),
    Option(("--gpus-per-node",), "value", keep("gpus-per-node")),
    *_VERBOSE,
)
_SUBMIT = (
    Option(("--cc",), "value", _MANY),
    Option(("--bcc",), "value", _MANY),
    Option(("--wait-event",), "value", _UNKEPT),
    Option(("--wait",), "nothing", _UNKEPT),
    Option(("--watch",), "nothing", _UNKEPT),
    Option(("--log",), "value", _UNKEPT),
    Option(("--log-stderr",), "value", _UNKEPT),
    Option(("--progress",), "nothing", silent),
    Option(("--jps",), "nothing", silent),
)
_INSTANCE = (
    Option(("-n", "--nslots"), "value", keep("count")),
    Option(("-c", "--cores-per-slot"), "value", keep("cores-per")),
    Option(("-g", "--gpus-per-slot"), "value", keep("gpus-per")),
    Option(("--broker-opt", "--broker-opts"), "value", add("broker-opts")),
    Option(("--conf",), "value", add("conf")),
    Option(("--dump",), "perhaps", keep("dump")),
    Option(("--add-brokers",), "value", keep("add-brokers")),
)

_PROGRAMS = {
    "submit": (*_COMMON, *_TASKS, *_SUBMIT),
    "run": (*_COMMON, *_TASKS, Option(("--wait-event",), "value", _UNKEPT)),
    "batch": (*_COMMON, *_INSTANCE, Option(("--wrap",), "nothing", keep("wrap"))),
    "alloc": (*_COMMON, *_INSTANCE, *_VERBOSE, Option(("--bg",), "nothing", keep("bg"))),
}


@cache
def options(program: str) -> dict[str, Option]:
    """The options of ``submit``, ``run``, ``batch`` or ``alloc`` by their names."""
    return table(_PROGRAMS[program])
