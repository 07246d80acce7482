"""Why there is the rule that a problem names, in a sentence or two."""

import re
from typing import NamedTuple

from fluxtui.model.jobspec.resources import CANONICAL, V1
from fluxtui.model.jobspec.submit_attributes import RULE as FLUX
from fluxtui.notation.problem import Problem


class _Why(NamedTuple):
    """A reason for the problems of some rules whose path, and message, look like this."""

    rules: tuple[str, ...]
    path: str
    text: str
    message: str = ""


_ANY = (CANONICAL, V1, FLUX)
_VERTEX = r"resources(\[[0-9]+\])?(\.with\[[0-9]+\])*"
_SYSTEM = r"attributes\.system"

#: The first that fits counts.
_REASONS = (
    _Why(
        (FLUX,),
        r".*",
        "A jobspec travels to flux-core as JSON, and what JSON or flux-core's reader of it cannot "
        "hold never arrives.",
        "JSON|64 bits|NUL|half of|cannot be sent",
    ),
    _Why(
        (V1,),
        rf"{_VERTEX}\.count",
        "A V1 job asks for a fixed size. RFC 14 has ranges so that a scheduler may choose; V1 "
        "leaves it nothing to choose, so each count is one number.",
    ),
    _Why(
        (V1,),
        rf"{_VERTEX}\.exclusive",
        "In V1 the cores and gpus of a slot are the job's own in any case. Only whether a whole "
        "node is shared is left to say, so exclusive stands there.",
    ),
    _Why(
        (V1,),
        _VERTEX,
        "V1 fixes the keys of a resource as it fixes the types, so that whoever reads V1 knows "
        "all that can be in it. Other keys need the canonical jobspec of RFC 14.",
        "no key",
    ),
    _Why(
        (V1,),
        rf"{_VERTEX}(\.with)?",
        "V1 has two trees: a slot of cores and gpus, or such a slot in a node. Every Flux can "
        "count those; sockets, racks and memory need a scheduler that knows the whole machine, "
        "and the canonical jobspec of RFC 14 to ask it.",
    ),
    _Why(
        (V1,),
        r"version",
        "The number tells which rules a jobspec follows, and 1 stands for those of RFC 25.",
    ),
    _Why(
        (V1,),
        r"tasks\[[0-9]+\]\.count\.per_slot",
        "In V1 a slot is what one task gets. More tasks in the same place are written as more and "
        "smaller slots, or counted in total.",
    ),
    _Why(
        (V1,),
        r"tasks\[[0-9]+\]\.count\.total",
        "V1 spreads the tasks over the slots, so it wants at least one on each node and no more "
        "than there are slots.",
    ),
    _Why(
        (V1,),
        r"tasks\[[0-9]+\]\.count",
        "V1 counts tasks by slots or in total. A task for each of a resource needs the canonical "
        "jobspec, whose slots may hold anything.",
    ),
    _Why(
        (V1,),
        r"tasks",
        "A V1 job runs one program in its one kind of slot. Several programs are several jobs, or "
        "one script that starts them.",
    ),
    _Why(
        (V1, FLUX),
        r"attributes(\.system)?",
        "A scheduler plans with the length of jobs, so a V1 job has to say it, in seconds. 0 says "
        "that the job does not mind: the queue's default holds, or no limit.",
        "duration",
    ),
    _Why(
        (FLUX,),
        rf"{_VERTEX}\.count",
        "The validator of flux-core reads V1, whose counts are whole numbers. A range is legal by "
        "RFC 14 and is refused there all the same.",
        "only",
    ),
    _Why(
        (FLUX,),
        rf"{_VERTEX}\.count",
        "A node, a slot and a core are what a job runs on, so there is at least one of each; of "
        "any other type there may be none.",
    ),
    _Why(
        (FLUX,),
        r"version",
        "The validator of flux-core lets only version 1 pass, unless the site has it set up for "
        "other versions.",
    ),
    _Why(
        (FLUX, CANONICAL),
        r".*",
        "The validator of flux-core knows the four keys of a jobspec and lets no other one pass, "
        "so that a misspelt key is noticed. What is for people or tools goes into "
        "attributes.user.",
        "further keys|refuses a jobspec",
    ),
    _Why(
        (FLUX,),
        r"tasks\[[0-9]+\]\.count",
        "flux-core starts so many tasks in each slot, or so many in all. It does not count other "
        "resources to know how many to start.",
        "per_slot and total",
    ),
    _Why(
        (CANONICAL,),
        r"resources|tasks\[[0-9]+\]\.slot",
        "A slot is where a task runs, and its content is what the task gets. Without a slot the "
        "resources are there and nothing can be started on them.",
        "hold no slot",
    ),
    _Why(
        _ANY,
        rf"{_VERTEX}(\.label)?",
        "The tasks name the slot they run in by its label, so each slot has one, and no two "
        "resources the same.",
        "label",
    ),
    _Why(
        _ANY,
        rf"{_VERTEX}(\.with)?",
        "What is under a resource is a list of resources: for a slot it is what each task gets, "
        "and so cannot be left out.",
        r"\bwith\b",
    ),
    _Why(
        (CANONICAL,),
        _VERTEX,
        "RFC 14 names all keys that a resource may have. What a site needs beyond them belongs "
        "into the attributes.",
        "no key",
    ),
    _Why(
        _ANY,
        rf"{_VERTEX}(\.type)?",
        "A resource says what it is and how many there are; nothing else can be told from its "
        "place in the tree.",
        "type|count",
    ),
    _Why(
        (CANONICAL, "RFC 45", "RFC 22"),
        rf"{_VERTEX}\.count.*",
        "A count is a number, an idset of numbers or a range from min on. A range goes up to max "
        "by steps of operator and operand, which belong together and have to make it grow.",
    ),
    _Why(
        _ANY,
        rf"{_VERTEX}\.exclusive",
        "Exclusive says whether anybody else may use the resource. Where it is left out, a slot "
        "and what is in it are the job's own, and all else may be shared.",
    ),
    _Why(
        _ANY,
        rf"{_VERTEX}\.(unit|id)",
        "Units and ids are names, which are strings even where they are made of digits.",
    ),
    _Why(
        _ANY,
        _VERTEX,
        "The resources are a list of trees: each resource is a dictionary that says what it is, "
        "how many there are and what is under it.",
        "resource",
    ),
    _Why(
        _ANY,
        r"tasks\[[0-9]+\]\.slot",
        "A task runs in a slot of the resources and names it by its label; the two have to be the "
        "same text.",
    ),
    _Why(
        _ANY,
        r"tasks\[[0-9]+\]\.command.*",
        "The words are given to the program as they are, without a shell between, so each is a "
        "string of its own and the first is the program.",
    ),
    _Why(
        _ANY,
        r"tasks\[[0-9]+\]\.count.*",
        "How many tasks there are is said in one way, for two could contradict each other.",
    ),
    _Why(
        _ANY,
        r"tasks(\[[0-9]+\])?",
        "A task is what is run: its command, the slot it runs in, and how often. A job without "
        "one would hold its resources and do nothing.",
    ),
    _Why(
        _ANY,
        r"attributes\..*environment.*",
        "Variables of the environment are texts to the program that reads them; null takes one "
        "away.",
    ),
    _Why(
        _ANY,
        rf"{_SYSTEM}\.cwd",
        "The job starts on another machine, where a relative path would start from no one knows "
        "where.",
    ),
    _Why(
        _ANY,
        rf"{_SYSTEM}\.(duration|preemptible-after)",
        "Times in a jobspec are plain numbers of seconds. Units as in 1h are for the command "
        "line, which turns them into seconds.",
    ),
    _Why(
        (FLUX,),
        rf"{_SYSTEM}\.dependencies\[[0-9]+\]\.scheme",
        "Each scheme is a plugin of the job manager. A job that no plugin can ever release would "
        "wait for good, so it is refused.",
        "scheme",
    ),
    _Why(
        _ANY,
        rf"{_SYSTEM}\.dependencies.*",
        "A dependency is something that has to come true before the job may run: a scheme says "
        "what kind of thing, its value which one (RFC 26).",
    ),
    _Why(
        (FLUX,),
        rf"{_SYSTEM}\.constraints.*",
        "These characters are the signs of queries, so a property with one of them in its name "
        "could not be asked for.",
        "in its name",
    ),
    _Why(
        (FLUX,),
        rf"{_SYSTEM}\.constraints.*",
        "The scheduler turns the text into a set of nodes; one that cannot be read would match "
        "none, or others than were meant.",
        "reads no",
    ),
    _Why(
        (CANONICAL, FLUX, "RFC 31"),
        rf"{_SYSTEM}\.constraints.*",
        "A constraint is a tree: an operator with the list of its values, or and, or and not with "
        "further constraints.",
    ),
    _Why(
        ("RFC 20",),
        rf"{_SYSTEM}\.constraints.*",
        "These characters are the signs of queries, so a property with one of them in its name "
        "could not be asked for.",
    ),
    _Why(
        ("RFC 22", "RFC 29"),
        rf"{_SYSTEM}\.constraints.*",
        "The scheduler turns the text into a set of nodes; one that cannot be read would match "
        "none, or others than were meant.",
    ),
    _Why(
        _ANY,
        rf"{_SYSTEM}\.(queue|bank|project|job.*)",
        "These are names that Flux and the site look up, and names are strings.",
    ),
    _Why(
        _ANY,
        r"attributes(\..*)?",
        "Attributes have two parts: system, which Flux reads, and user, which is for anybody "
        "else. Keeping them apart lets new system attributes appear without taking a name that is "
        "in use.",
    ),
    _Why(
        (CANONICAL, FLUX),
        r"",
        "A jobspec says four things: which rules it follows, what it needs, what it runs, and all "
        "else that is to be known of the job.",
    ),
)


def explain(problem: Problem) -> str | None:
    """Why the rule of a problem is there, for one of `jobspec.check` or `accept.check`.

    One or two sentences; None where the message says all there is to say.
    """
    path = problem.path or ""
    for why in _REASONS:
        fits = problem.rule in why.rules and re.fullmatch(why.path, path)
        if fits and re.search(why.message, problem.message):
            return why.text
    return None
