"""Explains the rule behind a problem of a jobspec in a sentence or two."""

import re
from functools import cache

from fluxtui.notation.problem import Problem

#: Codes of problems, each group followed by the reason for its rule.
_REASONS = """\
value-not-json
    A jobspec travels to flux-core as JSON, and what JSON or flux-core's reader of it cannot hold
    never arrives.
v1-count
    A V1 job asks for a fixed size. RFC 14 has ranges so that a scheduler may choose; V1 leaves it
    no choice, so each count is one number.
v1-exclusive
    In V1 the cores and gpus of a slot always belong to the job alone. The only choice left is
    whether a whole node is shared, so exclusive belongs there.
v1-key
    V1 fixes the keys of a resource as it fixes the types, so that whoever reads V1 knows all that
    can be in it. Other keys need the canonical jobspec of RFC 14.
v1-one-resource v1-type v1-one-slot v1-type-repeated v1-leaf v1-core-missing
    V1 has two trees: a slot of cores and gpus, or such a slot in a node. Every Flux can count
    those; sockets, racks and memory need a scheduler that knows the whole machine, and the
    canonical jobspec of RFC 14 to ask it.
v1-version
    The version selects the rules that a jobspec follows; 1 means those of RFC 25.
v1-per-slot
    In V1 a slot is what one task gets. More tasks in the same place are written as more and
    smaller slots, or counted in total.
v1-total
    V1 spreads the tasks over the slots, so it wants at least one on each node and no more than
    there are slots.
v1-per-resource
    V1 counts tasks by slots or in total. A task for each resource of some type needs the canonical
    jobspec, whose slots may hold anything.
v1-one-task
    A V1 job runs one program in its one kind of slot. Several programs are several jobs, or one
    script that starts them.
duration-missing
    A scheduler plans with the length of jobs, so a V1 job has to give one, in seconds. 0 leaves
    it to the queue: its default applies, or no limit.
flux-count
    The validator of flux-core reads V1, whose counts are whole numbers. A range is legal by RFC
    14 and is refused there all the same.
flux-count-zero
    A job runs on nodes, slots and cores, so there is at least one of each; the count of any other
    type may be 0.
flux-version
    The validator of flux-core lets only version 1 pass, unless the site has it set up for other
    versions.
jobspec-key-unknown
    The validator of flux-core knows the four keys of a jobspec and lets no other one pass, so
    that a misspelt key is noticed. What is for people or tools goes into attributes.user.
flux-per-resource
    flux-core starts a number of tasks in each slot, or a number in total. It does not count other
    resources to find out how many to start.
slot-missing
    A slot is where a task runs, and its content is what the task gets. Without a slot the
    resources are there and nothing can be started on them.
slot-label-missing label-not-string label-taken
    The tasks name the slot they run in by its label, so each slot has one, and no two resources
    the same.
slot-empty with-not-list with-empty
    What is under a resource is a list of resources: for a slot it is what each task gets, and so
    cannot be left out.
resource-key-unknown
    RFC 14 names all keys that a resource may have. What a site needs beyond them belongs in the
    attributes.
type-missing type-not-string count-missing
    A resource needs a type and a count; its place in the tree implies neither.
count-invalid
    A count is a number, an idset of numbers or a range from min on. A range goes up to max by
    steps of operator and operand, which belong together and have to make it grow.
exclusive-not-boolean
    Exclusive decides whether other jobs may use the resource too. Where it is left out, a slot
    and what is in it belong to the job, and everything else may be shared.
unit-not-string id-not-string
    Units and ids are names, which are strings even where they are made of digits.
resources-not-list resources-empty resource-not-dictionary
    The resources are a list of trees: each resource is a dictionary with its type, its count and
    the resources under it.
task-slot-unknown task-slot-not-string
    A task runs in a slot of the resources and names it by its label; the two have to be the same
    text.
command-not-list command-empty command-word-not-string
    The words are given to the program as they are, without a shell between, so each is a string
    of its own and the first is the program.
task-count-not-dictionary task-count-keys task-count-not-number per-resource-not-dictionary
per-resource-type-not-string per-resource-type-unknown
    The number of tasks is given in one way only, since two could contradict each other.
tasks-not-list tasks-empty task-not-dictionary task-command-missing task-slot-missing
task-count-missing task-key-unknown
    A task is what is run: its command, the slot it runs in, and how often. A job without one
    would hold its resources and do nothing.
environment-not-dictionary environment-value-not-string
    Environment variables are strings to the program that reads them; null unsets one.
cwd-not-string cwd-relative
    The job starts on another machine, where a relative path has no known starting point.
duration-not-seconds preemptible-after-not-seconds
    Times in a jobspec are plain numbers of seconds. Units as in 1h are for the command line,
    which turns them into seconds.
dependency-scheme-unknown
    Each scheme is a plugin of the job manager. A job that no plugin can ever release would wait
    forever, so it is refused.
dependencies-not-list dependency-not-dictionary dependency-scheme dependency-value
dependency-job-unnamed
    A dependency is a condition for the job to start: the scheme is its kind, the value names what
    it waits for (RFC 26).
property-name
    These characters are the signs of queries, so a property with one of them in its name could
    not be asked for.
constraint-nodes
    The scheduler turns the text into a set of nodes; a text that cannot be read would match no
    nodes, or not those that were meant.
constraint-invalid
    A constraint is a tree: an operator with the list of its values, or and, or and not with
    further constraints.
queue-not-string bank-not-string project-not-string job-not-dictionary job-value-not-string
    Flux and the site look these up as names, and names are strings.
attributes-not-dictionary attribute-unknown system-not-dictionary user-not-dictionary
shell-not-dictionary files-not-dictionary
    Attributes have two parts: system, which Flux reads, and user, which is for everyone else.
    Keeping them apart lets Flux add system attributes whose names do not clash with others.
jobspec-not-dictionary version-missing resources-missing tasks-missing attributes-missing
    A jobspec has four parts: the rules it follows, what it needs, what it runs, and everything
    else about the job.
"""


@cache
def _by_code() -> dict[str, str]:
    out: dict[str, str] = {}
    for codes, text in re.findall(r"((?:^\S.*\n)+)((?:^ .*\n)+)", _REASONS, re.MULTILINE):
        out.update(dict.fromkeys(codes.split(), " ".join(text.split())))
    return out


def explain(problem: Problem) -> str | None:
    """The reason for the rule of a problem; None if its message says enough."""
    return _by_code().get(problem.code)
