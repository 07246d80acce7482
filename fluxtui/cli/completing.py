"""Completion of command lines: verbs, options, and values from the documents that a line names.

This reads argparse's declarations, since argparse cannot parse an unfinished line. Libraries for
completion do not support expressions that begin with a dash
(`fluxtui.cli.options.parse_expression`). Words of expressions are completed as in the workbench.
"""

import argparse
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from fluxtui.cli import verbs
from fluxtui.notation import shellwords
from fluxtui.notation.problem import is_printable

if TYPE_CHECKING:
    from fluxtui.cli.options import Parser
    from fluxtui.model.constraint.completion import Names
    from fluxtui.notation.problem import Completion
    from fluxtui.workbench import Cluster

#: The maximum number of completions.
MOST = 500
#: Verbs whose arguments are one expression, which may begin with a dash.
_EXPRESSIONS = ("match", "query")
_PLAIN = frozenset("_-+./:=,@%^")  # not special in any shell, like letters and digits


class Offer(NamedTuple):
    """A completion, as a whole word, and its meaning."""

    word: str
    means: str = ""


@dataclass(frozen=True, slots=True)
class Offers:
    """The completions at the cursor.

    files    whether a file name is possible too
    goes_on  whether a completed word may continue, so that no space is added after it
    """

    words: Iterable[Offer] = ()
    files: bool = False
    goes_on: bool = False


@dataclass(slots=True)
class Line:
    """A command line up to the cursor, as parsed for completing its last word.

    current  the last word
    given    the values of the options and arguments before it, by their ``dest`` of argparse
    at       the option or argument whose value the last word is; None if it is an option itself
    """

    verb: str
    parser: "Parser"
    current: str
    given: dict[str, list[str]] = field(default_factory=dict)
    at: argparse.Action | None = None


def answer(text: str, shell: str, breaks: str = "") -> Iterator[tuple[str, ...]]:
    """Yield the lines of the answer to a command line up to the cursor; see `completion`."""
    words = shellwords.split(text).value
    at_end = bool(words) and words[-1].span.end == len(text)
    typed = text[words[-1].span.start :] if at_end else ""
    found = offers([word.text for word in words] + ([] if at_end else [""]))
    flags = ["files"] * found.files + ["nospace"] * found.goes_on
    yield (" ".join(flags) or "words",)
    current = words[-1].text if at_end else ""
    matching = (
        offer
        for offer in found.words
        if offer.word.startswith(current) and is_printable(offer.word)
    )
    for word, means in islice(matching, MOST):
        if shell == "bash":
            yield (_for_bash(word, typed, breaks),)
        else:
            yield (word, means) if means else (word,)


def _for_bash(word: str, typed: str, breaks: str) -> str:
    """The replacement for the part of the word that bash completes, quoted for bash.

    That part begins at an open quote, or else after the last character at which bash splits words.
    """
    quote, opened = "", 0
    for place, sign in enumerate(typed):
        if quote and sign == quote:
            quote = ""
        elif not quote and sign in "'\"":
            quote, opened = sign, place
    kept = shellwords.split(typed[:opened]).value if quote else ()
    if quote:
        rest = word[len(kept[0].text) if kept else 0 :]
        if quote == "'":
            return rest.replace("'", r"'\''")
        # A shell at a prompt expands '!' within double quotes too.
        return re.sub(r'[$`"\\]', r"\\\g<0>", rest).replace("!", r'"\!"')
    first = max((typed.rfind(sign) + 1 for sign in breaks), default=0)
    before = shellwords.split(typed[:first]).value
    rest = word[len(before[0].text) if before else 0 :]
    return "".join(sign if sign.isalnum() or sign in _PLAIN else f"\\{sign}" for sign in rest)


def offers(words: list[str]) -> Offers:
    """Return the completions of the last word of a command line."""
    while len(words) > 1 and not os.path.basename(words[0]).startswith(("fluxtui", "flux-tui")):
        del words[0]  # assignments of variables before the command
    *before, current = words[1:] or [""]
    verb = before[0] if before and before[0] in verbs.NAMES else ""
    line = Line(verb, verbs.module_of(verb or "root").parser(), current)
    _read(line, before[1:] if verb else before)
    if line.at is None:
        return Offers(_options(line))
    prefix = ""
    if current.startswith("--") and "=" in current:
        prefix, line.current = current[: current.index("=") + 1], current.partition("=")[2]
    found = _values(line)
    if not verb and not before and not line.at.option_strings:
        found = Offers([*_verbs(), *found.words], files=True)
    return Offers((Offer(prefix + w, m) for w, m in found.words), found.files, found.goes_on)


def _read(line: Line, before: list[str]) -> None:
    """Parse the words before the last one into line.given, and set line.at."""
    options = {name: action for action in line.parser.declared() for name in action.option_strings}
    places = line.parser.places()
    waiting: argparse.Action | None = None
    for word in before:
        name, equals, value = word.partition("=")
        if waiting is not None:
            line.given.setdefault(waiting.dest, []).append(word)
            waiting = None
        elif word in options:
            waiting = options[word] if options[word].nargs != 0 else None
        elif equals and name in options:
            line.given.setdefault(options[name].dest, []).append(value)
        elif places:
            line.given.setdefault(places[0].dest, []).append(word)
            if places[0].nargs not in ("*", "+"):
                del places[0]
    name, equals, _ = line.current.partition("=")
    if waiting is None and equals and name in options:
        waiting = options[name]
    is_option = line.current.startswith("--" if line.verb in _EXPRESSIONS else "-")
    if waiting is None and not is_option and places:
        waiting = places[0]
    line.at = waiting


def _options(line: Line) -> Iterator[Offer]:
    """The options that are not given yet, or that can be repeated."""
    for action in line.parser.declared():
        is_new = action.dest not in line.given or isinstance(action, argparse._AppendAction)
        if is_new and action.help != argparse.SUPPRESS:
            short = (action.help or "").partition(";")[0]
            yield from (Offer(name, short) for name in reversed(action.option_strings))


def _verbs() -> Iterator[Offer]:
    return (Offer(verb.name, verb.summary) for verb in verbs.VERBS)


def _values(line: Line) -> Offers:
    """The values of the option or argument at the cursor: its choices, or those in `VALUES`."""
    assert line.at is not None
    if line.at.choices is not None:
        return Offers(map(Offer, line.at.choices))
    make = VALUES.get(line.at.dest)
    return make(line) if make is not None else Offers()


def _files(_: Line) -> Offers:
    return Offers(files=True)


def _documents(_: Line) -> Offers:
    words = Offer("demo", "the cluster that ships inside"), Offer("live", "the Flux that runs here")
    return Offers(words, files=True)


def _expression(line: Line) -> Offers:
    from fluxtui.model.constraint.completion import completions

    # An expression may have several words; completion replaces only the last one.
    earlier = line.given.get("expression", ()) if line.at in line.parser.places() else ()
    lead = "".join(f"{word} " for word in earlier)
    text = lead + line.current
    found = completions(text, len(text), _names(line))
    return Offers(_whole(line.current, found, len(lead)), goes_on=True)


def _shape(line: Line) -> Offers:
    from fluxtui.notation.shape.completion import completions

    found = completions(line.current, len(line.current))
    return Offers(_whole(line.current, found), goes_on=True)


def _why(line: Line) -> Offers:
    return _jobs(line) if line.verb == "jobs" else _hosts(line)


def _hosts(line: Line) -> Offers:
    from fluxtui.notation.sets.host_index import completions

    found = completions(line.current, len(line.current), _names(line).hosts)
    return Offers(_whole(line.current, found), goes_on=True)


def _jobs(line: Line) -> Offers:
    cluster = _cluster(line, "live")
    snapshot = cluster.snapshot if cluster is not None else None
    jobs = (snapshot.jobs if snapshot is not None else None) or {}
    return Offers(Offer(job.f58, f"{job.status} {job.user} {job.name}") for job in jobs.values())


def _queues(line: Line) -> Offers:
    cluster = _cluster(line, "demo")
    queues = cluster.config.queues if cluster is not None and cluster.config is not None else ()
    return Offers(Offer(queue.name) for queue in queues)


def _topics(_: Line) -> Offers:
    from fluxtui import docs

    return Offers(Offer(one.name, one.about) for one in docs.topics())


def _users(_: Line) -> Offers:
    import pwd

    return Offers(Offer(one.pw_name) for one in pwd.getpwall())


def _themes(_: Line) -> Offers:
    from textual.theme import BUILTIN_THEMES

    from fluxtui.bridge import themes

    return Offers(map(Offer, (*themes.theme_paths(), *BUILTIN_THEMES)))


#: The completions of options and arguments without choices, by ``dest``. A test checks that each is
#: here or in `FREE`.
VALUES: Mapping[str, Callable[[Line], Offers]] = {
    **dict.fromkeys(("config", "export", "files", "jobspec", "output", "record"), _files),
    **dict.fromkeys(("file", "stage", "status"), _files),
    **dict.fromkeys(("documents", "resources", "words"), _documents),
    **dict.fromkeys(("expression", "requires"), _expression),
    "queue": _queues,
    "shape": _shape,
    "theme": _themes,
    "topic": _topics,
    "user": _users,
    "why": _why,
}
FREE = frozenset({"breaks", "every", "filter", "line", "slot_label", "uri"})


def _whole(current: str, found: "Iterable[Completion]", lead: int = 0) -> list[Offer]:
    """Make whole words of completions, whose spans start lead characters before the word.

    Signs that may come next, such as a bracket, are offered only if no word is, because a shell
    fills in the common prefix of all offers.
    """
    words: list[Offer] = []
    signs: list[Offer] = []
    for completion in found:
        first, last = completion.span.start - lead, completion.span.end - lead
        if first >= 0:
            word = current[:first] + completion.text.rstrip() + current[last:]
            is_sign = bool(current) and first == last
            (signs if is_sign else words).append(Offer(word, completion.description))
    return words if any(offer.word.startswith(current) for offer in words) else signs


def _names(line: Line) -> "Names":
    """The names in the cluster that the line names; empty if it names none."""
    from fluxtui.cli.clusters import resources_of
    from fluxtui.model.constraint.completion import Names

    where = _where(line, None)
    resources = resources_of(where) if where is not None else None
    return Names.of(resources) if resources is not None else Names()


def _cluster(line: Line, default: str) -> "Cluster | None":
    """The cluster that the line names, with its queues, or the default one."""
    from fluxtui import opening

    where = _where(line, default)
    config = next(iter(line.given.get("config", ())), None)
    return opening.open_cluster(where, config)[0] if where is not None else None


def _where(line: Line, default: str | None) -> str | None:
    """The first document that the line names, or the default; None for standard input."""
    named = (*line.given.get("resources", ()), *line.given.get("words", ()))
    where = next(iter(named), default)
    return os.path.expanduser(where) if where not in (None, "-") else None
