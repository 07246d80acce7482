"""One queue in words: what it requires, allows and adds, where that comes from, how it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rich.text import Text

from fluxtui.answers import matching
from fluxtui.model.constraint.tree import read
from fluxtui.model.queues import Config, Queue, Setting, effective
from fluxtui.notation import duration
from fluxtui.notation.problem import at, counted, printable
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.wording import problem_words
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.admission import Refusal

PROBLEMS_SHOWN = 20
OVERLAPS_SHOWN = 6
WHAT_IF = "what if"

_SIZES = {"nnodes": "node", "ncores": "core", "ngpus": "gpu"}


def problems(config: Config, style: Palette) -> list[Text]:
    """What is wrong with a configuration."""
    return [
        _line(style, ("! ", style.problem), (problem_words(problem), style.plain))
        for problem in config.problems[:PROBLEMS_SHOWN]
    ]


def short(refusal: Refusal) -> str:
    """Why a queue refuses a job, in as few words as a row has room for."""
    bound, _, size = refusal.kind.partition(" ")
    if size in _SIZES:
        asked = counted(refusal.asked, _SIZES[size])
        return f"{asked}, at {'most' if bound == 'max' else 'least'} {refusal.allowed:,}"
    if refusal.kind == "duration":
        asked = "no duration" if refusal.asked is None else duration.format(refusal.asked)
        return f"{asked}, at most {duration.format(refusal.allowed)}"
    words = {"access": "not for this user", "disabled": "disabled", "counts": "cannot be counted"}
    return words.get(refusal.kind, printable(refusal.problem.message))


def what_ifs(state: State, config: Config) -> dict[str, str]:
    """How those queues stand, by name, that would not stand so but for what was set by hand."""
    if not state.submission.what_if:
        return {}
    found: dict[str, str] = {}
    for name, really in effective(config, state.submission.statuses).items():
        status = state.outlook.statuses.get(name, really)
        words = []
        if status.enabled != really.enabled:
            words.append("enabled" if status.enabled else "disabled")
        if status.started != really.started:
            words.append("started" if status.started else "stopped")
        if words:
            found[name] = " ".join(words)
    return found


def details(state: State, config: Config, queue: Queue, style: Palette) -> list[Text]:
    """What is known of a queue, with the place in the configuration that each value comes from."""
    lines = [_line(style, *_status(state, queue, what_ifs(state, config), style))]
    answer = state.outlook.admission(queue.name)
    if answer is not None and not state.build.blank:
        lines += [_line(style, *_refused(refusal, style)) for refusal in answer.refusals]
        lines += [_line(style, (printable(note.message), style.quiet)) for note in answer.notes]
    if queue.requires is not None:
        words = read(queue.requires).value
        said = matching.describe(words) if words is not None else "what is unclear"
        key = "hosts" if queue.hosts is not None else "requires"
        source = at("queues", queue.parent or queue.name, key)
        lines.append(_value(style, f"adds {printable(said)} to every job", source))
    lines += [_value(style, *pair) for pair in _policy(queue)]
    children = [printable(child.name) for child in config.children(queue.name)]
    if children:
        lines.append(_value(style, f"behind {', '.join(children)}", "virtual queues"))
    lines += _overlaps(state, config, queue, style)
    return lines


def _refused(refusal: Refusal, style: Palette) -> Iterator[tuple[str, object]]:
    """A refusal in our words, and in those of Flux where it has any."""
    yield printable(refusal.problem.message), style.problem
    if refusal.words:
        yield f"  Flux: {printable(refusal.words)}", style.quiet


def _status(
    state: State, queue: Queue, supposed: Mapping[str, str], style: Palette
) -> Iterator[tuple[str, object]]:
    """The name, and whether the queue takes and schedules jobs, or would by what is supposed."""
    yield printable(queue.name), style.strong
    status = state.outlook.statuses.get(queue.name)
    if status is None:
        return
    look = style.quiet if status.enabled else style.problem
    why = f" ({printable(status.disable_reason)})" if status.disable_reason else ""
    yield f"  {'enabled' if status.enabled else 'disabled'}{why}", look
    look = style.quiet if status.started else style.warning
    why = status.stop_reason or (f"blocked by {status.blocked}" if status.blocked else "")
    yield f"  {'started' if status.started else 'stopped'}", look
    if why:
        yield f" ({printable(why)})", look
    said = f"{status.disable_reason or ''} {why}"
    if queue.name in supposed and WHAT_IF not in said:  # nothing gives a reason for what is open
        yield f"  {WHAT_IF} {supposed[queue.name]}", style.warning


def _policy(queue: Queue) -> Iterator[tuple[str, str]]:
    """Limits, defaults and access in words, each with the path it comes from."""
    for key, setting in queue.under("limits").items():
        yield f"{_limit(key, setting)}", setting.path
    for key, setting in queue.under("defaults").items():
        value = setting.value
        shown = duration.format(value) if isinstance(value, float | int) else str(value)
        yield f"{key} {printable(shown)} where the job has none", setting.path
    for key, whom in (("access.allow-user", "users"), ("access.allow-group", "groups")):
        found = queue.policy.get(key)
        if found is not None:
            names = ", ".join(map(printable, found.value)) or "none"
            yield f"only {whom} {names}", found.path
    if "scheduler" in queue.policy:
        yield "options for the scheduler", queue.policy["scheduler"].path


def _limit(key: str, setting: Setting) -> str:
    """One limit: ``at most 1d``, ``at least 2 nodes``, ``any number of cores``."""
    value = setting.value
    if key == "duration":
        return f"at most {duration.format(value)}" if value else "any duration"
    bound, _, size = key.removeprefix("job-size.").partition(".")
    noun = _SIZES.get(size, size)
    if value < 0:
        return f"any number of {noun}s"
    return f"at {'most' if bound == 'max' else 'least'} {counted(value, noun)}"


def _overlaps(state: State, config: Config, queue: Queue, style: Palette) -> list[Text]:
    """The other queues that cover some of the same nodes."""
    cluster = state.cluster
    own = cluster.covered(queue.name)
    shared = []
    for other in config.queues:
        mask = own & cluster.covered(other.name)
        if mask and not queue.is_kin(other):
            shared.append(f"{printable(other.name)} {mask.bit_count():,}")
    if not shared:
        return []
    more = f" and {len(shared) - OVERLAPS_SHOWN} more" if len(shared) > OVERLAPS_SHOWN else ""
    words = ", ".join(shared[:OVERLAPS_SHOWN]) + more
    return [_value(style, f"shares nodes with {words}", "")]


def _value(style: Palette, words: str, source: str) -> Text:
    return _line(style, (words, style.plain), (f"  {printable(source)}", style.faint))


def _line(style: Palette, *parts: tuple[str, object]) -> Text:
    return Text.assemble(*parts, style=style.plain, no_wrap=True, end="")  # type: ignore[arg-type]
