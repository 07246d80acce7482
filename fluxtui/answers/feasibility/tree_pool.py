"""Whether a job fits by the rules of TreePool, the pool of sched-simple that knows sockets.

It replaces the flat pool (`sched_simple`) if R has the topologies of nodes (RFC 49). The cores and
gpus of a slot come from one domain, the innermost that has enough, and a slot may be one whole
domain. It takes nodes best fit first: those with fewest cores, then fewest gpus, then the lowest
rank. Everything is computed for groups of equal nodes, never for single nodes.
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
from fluxtui.answers.feasibility.sched_simple import allowed_by_constraint, holding, read_loosely
from fluxtui.answers.feasibility.sched_simple_reading import CountRange
from fluxtui.answers.feasibility.tree_pool_case import Case, named, names_inside
from fluxtui.model.jobspec.request import RequestVertex, ResourceRequest, parse
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem, listed, nearest
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
    """Return TreePool's own answer to whether a job can ever run, without a placement.

    words are as in `sched_simple.check_feasibility`.
    """
    if not resources.topologies:
        return _NOT_LOADED
    found = read_loosely(_NAME, jobspec, resources, request, by_tree=True)
    if isinstance(found, Feasibility):
        return found
    parsed, _, allowed = found
    case = Case.of(parsed, resources, allowed)
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
    """Return whether TreePool starts a job on an idle cluster, by RFC 31 for its constraint.

    If it would accept the job but never start it, feasible is True with a reason and no placement.
    If it would start the job with less than requested, feasible is False. with_placement is as for
    `sched_simple.check_strictly`.
    """
    if not resources.topologies:
        return _NOT_LOADED
    request = request or parse(jobspec.get("resources"))
    if allowed is None:
        allowed, errors = allowed_by_constraint(jobspec, resources)
        if errors:
            return Feasibility(_NAME, False, reasons=errors)
    domain = _domain_in(request, resources, allowed)
    parsed = reading.read_tree_plain(request)
    if parsed is None:
        return _read_in_part(request, domain, resources, allowed, with_nearest=with_placement)
    case = Case.of(parsed, resources, allowed)
    if not case.fits:
        words = case.refusal()
        near = case.nearest(request.roots) if with_placement else None
        if with_placement and domain is not None and domain[1] != parsed.domain:
            near = _intended(request, *domain, resources, allowed)
        feasible = not words and not case.starts
        reasons = tuple(case.reasons())
        return Feasibility(
            _NAME, feasible, words, reasons, fits=0, nearest=near, domain=parsed.domain
        )
    if not with_placement:
        return Feasibility(_NAME, True, domain=parsed.domain)
    closer = tuple(_closer_changes(case, request))
    return Feasibility(
        _NAME,
        True,
        reasons=tuple(_apart_warnings(case, closer)),
        placement=case.place(),
        fits=case.jobs(),
        largest=tuple(case.largest()),
        closer=closer,
        counted=_counted(case, request),
        domain=parsed.domain,
    )


def gives_less(request: ResourceRequest, resources: Resources, usable: int) -> bool:
    """Return whether a job that does not fit is started on usable nodes anyway, with less."""
    try:
        return Case.of(reading.read_tree(request), resources, usable).starts
    except reading.RefusedError:
        return False


def _read_in_part(
    request: ResourceRequest,
    domain: tuple[RequestVertex, str] | None,
    resources: Resources,
    allowed: int,
    *,
    with_nearest: bool,
) -> Feasibility:
    """Return the verdict on a request of which TreePool ignores a part, or that it refuses."""
    kind = domain[1] if domain is not None else ""
    near = _intended(request, *domain, resources, allowed) if with_nearest and domain else None
    reasons: tuple[Problem, ...] = (_left_out(request, domain),)
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


def _left_out(request: ResourceRequest, domain: tuple[RequestVertex, str] | None) -> Problem:
    """Return what TreePool does not read of a request."""
    if domain is not None:
        vertex, kind = domain
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
    """Return a request as TreePool reads it, or the nearest to that which fits.

    It has a slot: a request without one has been refused before.
    """
    wanted, slots = case.request, [*request.slots()]
    sizes = (("core", wanted.cores), ("gpu", wanted.gpus))
    inner = [{"type": kind, "count": one.least} for kind, one in sizes if one.least]
    label = {"label": slots[-1].label} if slots[-1].label else {}
    resources: list[dict[str, Any]] = [
        {
            "type": "slot",
            "count": _count(wanted.slots),
            **label,
            "with": [_whole(wanted.domain)] if wanted.domain else inner,
        }
    ]
    if wanted.nodes is not None:
        whole = {"exclusive": True} if wanted.exclusive else {}
        resources = [{"type": "node", "count": _count(wanted.nodes), **whole, "with": resources}]
    read = Case.read(resources, case.resources, case.allowed)
    if read is None:
        return None
    known = {vertex.type for vertex in parse(resources).walk()}
    ignored = dict.fromkeys(one.type for one in request.walk() if one.type not in known)
    without = ", of the last slot" if len(slots) > 1 else ""
    if ignored:
        without = f", without {', '.join(filter(None, ignored))}"
    if read.fits:
        return Nearest(tuple(resources), f"{read.holding()}{without}")
    lower = read.nearest(parse(resources).roots)
    return None if lower is None else replace(lower, change=f"{lower.change}{without}")


def _domain_in(
    request: ResourceRequest, resources: Resources, allowed: int
) -> tuple[RequestVertex, str] | None:
    """Return the innermost vertex of a request that means a domain of these nodes, and its name.

    Case is ignored, and an unknown type means the domain with the closest name. A whole domain that
    none of the nodes has means the innermost one that they have.
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


def _intended(
    request: ResourceRequest, vertex: RequestVertex, name: str, resources: Resources, allowed: int
) -> Nearest | None:
    """Return what a request means by a domain that TreePool does not read, wholly or in part."""
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
        resources_list = _with_inside(request.roots, holder, inner, times)
        case = Case.read(resources_list, resources, allowed)
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
            return Nearest(tuple(resources_list), words)
        if (lower := case.nearest(parse(resources_list).roots)) is not None:
            return Nearest(lower.resources, f"{words}; {lower.change}")
    return None


def _closer_changes(case: Case, request: ResourceRequest) -> Iterator[Nearest]:
    """Yield changes that put the cores and gpus of each slot into one domain, as small as possible.

    That is the smallest that takes away less than half of the cores; none if already so.
    """
    wanted = case.request
    if wanted.domain or not wanted.gpus.least:
        return
    core = next((one for one in request.walk() if one.type == "core"), None)
    for outer in reversed(range(1, max(len(one.levels) for one in case.taken.groups))):
        if case.is_local(outer):
            return
        found = case.nearest(request.roots, local=outer)
        if core is None or core.parent is None or found is None:
            continue
        local = Case.read(found.resources, case.resources, case.allowed)
        taken = local.taken.groups if local is not None else ()
        names = [*dict.fromkeys(filter(None, (one.name_inside(outer) for one in taken)))]
        if not names:
            continue
        name = names[0]
        forms = [(found.resources, found.change, listed(names, "or"))]
        sizes = [size for one in taken for size in named(one.node, name)]
        least, gpus = (min(size[at].bit_count() for size in sizes) for at in (0, 1))
        if 2 * least > wanted.cores.least and gpus >= wanted.gpus.least:
            whole = _with_inside(request.roots, core.parent, [_whole(name)])
            forms.append((tuple(whole), f"a whole {name}, of {holding(least, gpus)}", name))
        for resources, change, place in forms:
            other = Case.read(resources, case.resources, case.allowed)
            if other is not None and other.starts:
                effect = "; ".join([f"each slot in one {place}", *_costs(case, other)])
                yield Nearest(resources, change, effect)
        return


def _apart_warnings(case: Case, closer: Sequence[Nearest]) -> Iterator[Problem]:
    """Yield the warning about slots whose gpus may be in another domain than their cores."""
    wanted = case.request
    if wanted.domain or not wanted.gpus.least:
        return
    message = "the gpus of a slot may be apart from its cores"
    if not closer and case.is_local(1):
        return
    if not closer:
        message += f": too few domains have room for {case.holding()}"
    yield Problem(message, None, wanted.gpus.path, severity="warning", code=APART)


def _counted(case: Case, request: ResourceRequest) -> Nearest | None:
    """Return a request for whole domains of one size as one for cores and gpus."""
    name = case.request.domain
    holder = next((one.parent for one in request.walk() if one.type == name), None)
    sizes = {
        (cores.bit_count(), gpus.bit_count())
        for one in case.taken.groups
        for cores, gpus in (named(one.node, name) if name else ())
    }
    if holder is None or len(sizes) != 1:
        return None
    inner = [
        {"type": kind, "count": count}
        for kind, count in zip(("core", "gpu"), *sizes, strict=True)
        if count
    ]
    resources = _with_inside(request.roots, holder, inner)
    other = Case.read(resources, case.resources, case.allowed)
    if other is None or not other.starts:
        return None
    return Nearest(tuple(resources), other.holding())


def _costs(before: Case, after: Case) -> Iterator[str]:
    """Yield how one request differs from another in slots on each node, and in nodes."""
    old, new = before.taken, after.taken
    slots, now = ({one.slots_on(group) for group in one.groups} for one in (old, new))
    if max(slots) != max(now):
        up_to = "" if len(now) == 1 else "up to "
        yield f"{up_to}{amount('slot', max(now))} on each node, not {number(max(slots))}"
    nodes, others = (one.allowed.bit_count() for one in (old, new))
    is_ranged = (before.request.nodes or before.request.slots).ranged
    if nodes != others and not is_ranged:
        yield f"needs {amount('node', others)}, not {number(nodes)}"


def _times(fields: Mapping[str, Any], number: int | None) -> Mapping[str, Any]:
    """Return a vertex with its count multiplied; unchanged if the count is not a number."""
    count = fields.get("count")
    return {**fields, "count": count * (number or 1)} if isinstance(count, int) else fields


def _count(count: CountRange) -> int | str:
    return counts.format(counts.Range(count.least, count.most)) if count.ranged else count.least


def _whole(name: str) -> Mapping[str, Any]:
    return {"type": name, "count": 1, "exclusive": True}


def _with_inside(
    vertices: Sequence[RequestVertex],
    holder: RequestVertex,
    inner: Sequence[Mapping[str, Any]],
    times: int = 1,
) -> list[dict[str, Any]]:
    """Return the vertices with other contents in one of them, and its count multiplied."""
    changed = []
    for one in vertices:
        found = inner if one is holder else _with_inside(one.children, holder, inner, times)
        fields = _times(one.fields, times if one is holder else 1)
        changed.append({**fields, **({"with": list(found)} if found else {})})
    return changed
