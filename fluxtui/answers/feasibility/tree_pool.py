"""Whether a job fits by the rules of TreePool, the pool of sched-simple that knows sockets.

It takes the place of the flat pool (`sched_simple`) where R says what nodes have inside (RFC 49).
Cores and gpus of a slot come from one domain, the innermost that has them, and a slot may be one
whole domain. It takes nodes best fit first: those with fewest cores, then fewest gpus, then the
lowest rank. Nothing is done for single nodes, but for nodes that are alike.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fluxtui.answers.feasibility import sched_simple_reading as reading
from fluxtui.answers.feasibility.feasibility import (
    APART,
    Feasibility,
    Nearest,
    Scheduler,
    amount,
    number,
)
from fluxtui.answers.feasibility.sched_simple import holding, left_by_constraint, read_loosely
from fluxtui.answers.feasibility.sched_simple_reading import Asked
from fluxtui.answers.feasibility.tree_pool_case import Case, named, names_inside
from fluxtui.model.jobspec.request import RequestVertex, ResourceRequest, parse
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem, nearest
from fluxtui.notation.shape.tree import TYPES

_NAME: Scheduler = "TreePool"

_NOT_LOADED = Feasibility(
    _NAME,
    None,
    reasons=(Problem("TreePool does not load this R, so no job starts; fluxtui check says why"),),
)


def check_feasibility(
    jobspec: Mapping[str, Any], resources: Resources, *, request: ResourceRequest | None = None
) -> Feasibility:
    """What TreePool answers when it is asked whether a job can ever run; no placement.

    words are as of `sched_simple.check_feasibility`.
    """
    if not resources.topologies:
        return _NOT_LOADED
    found = read_loosely(_NAME, jobspec, resources, request, by_tree=True)
    if isinstance(found, Feasibility):
        return found
    asked, _, allowed = found
    case = Case.of(asked, resources, allowed)
    words = case.refusal()
    if not words:
        return Feasibility(_NAME, True)
    return Feasibility(_NAME, False, words, tuple(case.reasons()), fits=0)


def check_strictly(
    jobspec: Mapping[str, Any],
    resources: Resources,
    allowed: int | None = None,
    *,
    request: ResourceRequest | None = None,
    with_placement: bool = True,
) -> Feasibility:
    """Whether TreePool starts a job where nothing else runs, by RFC 31 for its constraint.

    Where it would keep the job waiting for ever, feasible is True and there is no placement but a
    reason. feasible is False where it would start the job with less than that asks for.
    with_placement is as of `sched_simple.check_strictly`.
    """
    if not resources.topologies:
        return _NOT_LOADED
    request = request or parse(jobspec.get("resources"))
    if allowed is None:
        allowed, errors = left_by_constraint(jobspec, resources)
        if errors:
            return Feasibility(_NAME, False, reasons=errors)
    about = _domain_in(request, resources, allowed)
    asked = reading.read_tree_plain(request)
    if asked is None:
        return _read_in_part(request, about, resources, allowed, with_nearest=with_placement)
    case = Case.of(asked, resources, allowed)
    if not case.fits:
        words = case.refusal()
        near = case.nearest(request.roots) if with_placement else None
        if with_placement and about is not None and about[1] != asked.domain:
            near = _meant(request, *about, resources, allowed)
        feasible = not words and not case.starts
        reasons = tuple(case.reasons())
        return Feasibility(
            _NAME, feasible, words, reasons, fits=0, nearest=near, domain=asked.domain
        )
    if not with_placement:
        return Feasibility(_NAME, True, domain=asked.domain)
    closer = tuple(_closer(case, request))
    return Feasibility(
        _NAME,
        True,
        reasons=tuple(_apart(case, closer)),
        placement=case.place(),
        fits=case.jobs(),
        largest=tuple(case.largest()),
        closer=closer,
        counted=_counted(case, request),
        domain=asked.domain,
    )


def gives_less(request: ResourceRequest, resources: Resources, usable: int) -> bool:
    """Whether a job that does not fit is started all the same on usable nodes, with less."""
    try:
        return Case.of(reading.read_tree(request), resources, usable).starts
    except reading.RefusedError:
        return False


def _read_in_part(
    request: ResourceRequest,
    about: tuple[RequestVertex, str] | None,
    resources: Resources,
    allowed: int,
    *,
    with_nearest: bool,
) -> Feasibility:
    """The verdict on a request of which TreePool does not read all, or nothing."""
    kind = about[1] if about is not None else ""
    near = _meant(request, *about, resources, allowed) if with_nearest and about else None
    reasons: tuple[Problem, ...] = (_left_out(request, about),)
    words = ""
    try:
        case = Case.of(reading.read_tree(request), resources, allowed)
    except reading.RefusedError as refused:
        words = refused.words
        reasons = reasons if near is not None else refused.problems
    else:
        if case.request.listed is not None:
            words, reasons = case.refusal(), tuple(case.reasons())
        elif with_nearest:
            near = near or _as_read(case, request)
    return Feasibility(_NAME, False, words, reasons, fits=0, nearest=near, domain=kind)


def _left_out(request: ResourceRequest, about: tuple[RequestVertex, str] | None) -> Problem:
    """What TreePool does not read of a request."""
    if about is not None:
        vertex, kind = about
        message = f"a slot gets cores and gpus, or one {kind}{{x}}"
        if vertex.exclusive and (vertex.number or 1) > 1:
            message = f"a slot gets one whole {kind}"
        return Problem(message, None, vertex.path_of("type"))
    known = ("node", "slot", "core", "gpu")
    met = set[str | None]()
    for vertex in request.walk():
        if vertex.type not in known:
            message = f"TreePool ignores {vertex.type}; a slot gets cores and gpus"
            return Problem(message, None, vertex.path_of("type"), known)
        if vertex.type in met:
            message = f"TreePool reads one {vertex.type}, the last of several"
            return Problem(message, None, vertex.path_of("type"))
        met.add(vertex.type)
    message = "TreePool reads a slot in or around a node, with cores and gpus or one whole domain"
    return Problem(message, None, request.roots[0].path if request.roots else None)


# Other forms of a request


def _as_read(case: Case, request: ResourceRequest) -> Nearest | None:
    """A request as TreePool reads it, or the nearest to that which fits.

    It has a slot: one without is refused before.
    """
    asked, slots = case.request, [*request.slots()]
    sizes = (("core", asked.cores), ("gpu", asked.gpus))
    inner = [{"type": kind, "count": one.least} for kind, one in sizes if one.least]
    label = {"label": slots[-1].label} if slots[-1].label else {}
    made: list[dict[str, Any]] = [
        {
            "type": "slot",
            "count": _count(asked.slots),
            **label,
            "with": [_whole(asked.domain)] if asked.domain else inner,
        }
    ]
    if asked.nodes is not None:
        whole = {"exclusive": True} if asked.exclusive else {}
        made = [{"type": "node", "count": _count(asked.nodes), **whole, "with": made}]
    read = Case.read(made, case.resources, case.allowed)
    if read is None:
        return None
    known = {vertex.type for vertex in parse(made).walk()}
    ignored = dict.fromkeys(one.type for one in request.walk() if one.type not in known)
    without = ", of the last slot" if len(slots) > 1 else ""
    if ignored:
        without = f", without {', '.join(filter(None, ignored))}"
    if read.fits:
        return Nearest(tuple(made), f"{read.holding()}{without}")
    lower = read.nearest(parse(made).roots)
    return None if lower is None else replace(lower, change=f"{lower.change}{without}")


def _domain_in(
    request: ResourceRequest, resources: Resources, allowed: int
) -> tuple[RequestVertex, str] | None:
    """The innermost vertex of a request that is a domain of these nodes, and which it is.

    A name in other case is that name; a type that no graph has either the one that it is nearly. A
    whole domain that none of the nodes has is the innermost that they have.
    """
    names = names_inside(resources, allowed)
    by_lower = {name.lower(): name for name in names}
    for vertex in reversed([*request.walk()]):
        kind = vertex.type or ""
        may_be = kind not in TYPES or kind in ("socket", "numa")
        name = kind if kind in names else by_lower.get(kind.lower())
        if name is None and kind not in TYPES:
            name = nearest(kind, sorted(names))
        if name is None and names and may_be and vertex.exclusive and vertex.above:
            name = names[-1]
        if name is not None:
            return vertex, name
    return None


def _meant(
    request: ResourceRequest, vertex: RequestVertex, name: str, resources: Resources, allowed: int
) -> Nearest | None:
    """What a request with a domain that TreePool does not read means: all of it, or some of it."""
    holder = next((one for one in reversed(vertex.above) if one.type in ("node", "slot")), None)
    if holder is None:
        return None
    several, slots = vertex.number or 1, holder.number if holder.type == "slot" else None
    forms: list[tuple[Sequence[Mapping[str, Any]], int]] = [([_whole(name)], 1)]
    if several > 1 and slots:
        forms.insert(0, ([_whole(name)], several))
    if vertex.children and not vertex.exclusive:
        forms.insert(0, ([_times(child.fields, several) for child in vertex.children], 1))
    for inner, times in forms:
        made = _with_inside(request.roots, holder, inner, times)
        case = Case.read(made, resources, allowed)
        if case is None:
            continue
        words = case.holding()
        if times > 1 and case.starts:
            words = f"{amount('slot', case.request.slots.least)} of {words}"
        if case.request.domain and vertex.type != name:
            words += f", not {vertex.type}"
        elif case.request.domain and several > times:
            words += f", not {several}"
        if case.starts:
            return Nearest(tuple(made), words)
        if (lower := case.nearest(parse(made).roots)) is not None:
            return Nearest(lower.resources, f"{words}; {lower.change}")
    return None


def _closer(case: Case, request: ResourceRequest) -> Iterator[Nearest]:
    """Changes after which each slot has its cores and gpus of one domain as small as can be.

    The smallest that takes no more than half of the cores away; none where it has them of that.
    """
    asked = case.request
    if asked.domain or not asked.gpus.least:
        return
    taken = case.taken.alike
    for level in range(max(len(one.levels) for one in taken) - 1):
        if case.is_local(level + 1):
            return
        found = case.nearest(request.roots, local=level + 1)
        core = next((one for one in request.walk() if one.type == "core"), None)
        name = next(filter(None, (one.name_at(level) for one in taken)), "")
        if not name or core is None or core.parent is None or found is None:
            continue
        sizes = [size for one in taken for size in named(one.node, name)]
        least, gpus = (min(size[at].bit_count() for size in sizes) for at in (0, 1))
        forms = [(found.resources, found.change)]
        if 2 * least > asked.cores.least and gpus >= asked.gpus.least:
            whole = _with_inside(request.roots, core.parent, [_whole(name)])
            forms.append((tuple(whole), f"a whole {name}, of {holding(least, gpus)}"))
        for resources, change in forms:
            other = Case.read(resources, case.resources, case.allowed)
            if other is not None and other.starts:
                effect = "; ".join([f"each slot in one {name}", *_costs(case, other)])
                yield Nearest(resources, change, effect)
        return


def _apart(case: Case, closer: Sequence[Nearest]) -> Iterator[Problem]:
    """What to say of slots whose gpus may be of another domain than their cores."""
    asked = case.request
    if asked.domain or not asked.gpus.least:
        return
    message = "the gpus of a slot may be apart from its cores"
    if not closer and case.is_local(-1):
        return
    if not closer:
        message += f": too few domains have room for {case.holding()}"
    yield Problem(message, None, asked.gpus.path, severity="warning", code=APART)


def _counted(case: Case, request: ResourceRequest) -> Nearest | None:
    """A request for whole domains of one size as one for their cores and gpus."""
    name = case.request.domain
    holder = next((one.parent for one in request.walk() if one.type == name), None)
    sizes = {
        (cores.bit_count(), gpus.bit_count())
        for one in case.taken.alike
        for cores, gpus in (named(one.node, name) if name else ())
    }
    if holder is None or len(sizes) != 1:
        return None
    inner = [
        {"type": kind, "count": count}
        for kind, count in zip(("core", "gpu"), *sizes, strict=True)
        if count
    ]
    made = _with_inside(request.roots, holder, inner)
    other = Case.read(made, case.resources, case.allowed)
    if other is None or not other.starts:
        return None
    return Nearest(tuple(made), other.holding())


def _costs(before: Case, after: Case) -> Iterator[str]:
    """What one request takes in place of another: slots on each node, and nodes."""
    taken, instead = before.taken, after.taken
    slots, now = ({one.slots_on(alike) for alike in one.alike} for one in (taken, instead))
    if max(slots) != max(now):
        up_to = "" if len(now) == 1 else "up to "
        yield f"{up_to}{amount('slot', max(now))} on each node, not {number(max(slots))}"
    nodes, others = (one.allowed.bit_count() for one in (taken, instead))
    is_ranged = (before.request.nodes or before.request.slots).ranged
    if nodes != others and not is_ranged:
        yield f"needs {amount('node', others)}, not {number(nodes)}"


def _times(fields: Mapping[str, Any], number: int | None) -> Mapping[str, Any]:
    """A vertex so many times; one whose count is no number is left as it is."""
    count = fields.get("count")
    return {**fields, "count": count * (number or 1)} if isinstance(count, int) else fields


def _count(asked: Asked) -> int | str:
    return counts.format(counts.Range(asked.least, asked.most)) if asked.ranged else asked.least


def _whole(name: str) -> Mapping[str, Any]:
    return {"type": name, "count": 1, "exclusive": True}


def _with_inside(
    vertices: Sequence[RequestVertex],
    holder: RequestVertex,
    inner: Sequence[Mapping[str, Any]],
    times: int = 1,
) -> list[dict[str, Any]]:
    """The vertices with something else in one of them, and that one so many times."""
    made = []
    for one in vertices:
        found = inner if one is holder else _with_inside(one.children, holder, inner, times)
        fields = _times(one.fields, times if one is holder else 1)
        made.append({**fields, **({"with": list(found)} if found else {})})
    return made
