"""A list of constraints on a cluster as one page that a browser shows without a network.

Each constraint has a map, counts and an explanation; further ones can be typed into a box, which
the page answers as the workbench does. The content of documents is always escaped, never markup,
and the page's policy forbids all scripts and styles but its own.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from pkgutil import get_data

from fluxtui.answers.explain import names
from fluxtui.answers.explain.explanation import Explanation, Line, explain, lines
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.stage import Stage, Step
from fluxtui.notation.problem import (
    Problem,
    Span,
    Token,
    counted,
    marked_line,
    printable,
    replaced_signs,
)
from fluxtui.page.cluster import cluster_json
from fluxtui.page.colours import Colours

#: The maximum number of lines in an explanation, and of ranges in a list of hosts or ranks.
MOST_PARTS = 200
RANGES = 60
#: The width of a whole bar, in its own units.
_WHOLE = 1000

# Lone surrogates, which cannot be encoded.
_HALF = re.compile("[\ud800-\udfff]")

#: The parts of the script, each after those it depends on.
SCRIPTS = ("text", "sets", "query", "constraint", "names", "answer", "page")


def page(
    stage: Stage, resources: Resources, name: str, colours: Sequence[Colours], printed: Colours
) -> str:
    """Return the page as HTML.

    name is that of the document of the cluster. colours are those of one theme, or of a light and a
    dark one, between which the browser chooses by the reader's preference; printed is for paper.
    """
    style = _style(colours, printed)
    script = "\n".join(_part(f"{part}.js") for part in SCRIPTS)
    policy = (
        f"default-src 'none'; style-src 'sha256-{_digest(style)}'; "
        f"script-src 'sha256-{_digest(script)}'; base-uri 'none'; form-action 'none'"
    )
    title = _text(stage.title)
    where = " · ".join((_text(name), *resources.whole.words()))
    shown = "\n".join(
        _section(stage, number, resources, name) for number in range(len(stage.steps))
    )
    return "".join(
        (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="generator" content="fluxtui">\n',
            f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n",
            f'<header>\n<p class="name"><strong>{title}</strong> <span>{where}</span></p>\n',
            _BOX,
            f'</header>\n<main id="steps">\n{shown}\n</main>\n',
            _navigation(stage.steps),
            f'<script type="application/json" id="cluster">{cluster_json(resources)}</script>\n',
            f"<script>{script}</script>\n</body>\n</html>\n",
        )
    )


_BOX = """\
<form id="ask" role="search">
<label for="box">Requires</label>
<input id="box" type="text" autocomplete="off" autocapitalize="off" autocorrect="off" \
spellcheck="false" enterkeyhint="done" aria-describedby="keys" placeholder="try another constraint">
<output id="short" for="box"></output>
</form>
"""


def _part(name: str) -> str:
    return (get_data("fluxtui.page", name) or b"").decode()


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _style(colours: Sequence[Colours], printed: Colours) -> str:
    """The stylesheet, with the colours for the screen and for paper."""
    first, *others = colours
    rules = [f":root{{{first.css()}}}"]
    for other in others:
        scheme = "dark" if other.dark else "light"
        rules.append(f"@media (prefers-color-scheme:{scheme}){{:root{{{other.css()}}}}}")
    paper = printed.css()
    rules += [f"@media print{{:root{{{paper}}}}}", f":root.printing{{{paper}}}"]
    return "\n".join((*rules, _part("page.css")))


def _text(text: str) -> str:
    """Escape a text of a document for HTML, with control characters as escapes."""
    return escape(printable(text))


def _navigation(steps: Sequence[Step]) -> str:
    """The navigation bar: the position in the list, and the way to the other constraints."""
    options = "".join(
        f'<option value="{number}">{number}. {_text(step.title) or "(no title)"}</option>'
        for number, step in enumerate(steps, 1)
    )
    return (
        '<nav aria-label="Constraints">\n<button id="back" type="button">‹ back</button>\n'
        f'<select id="list" aria-label="Go to">{options}</select>\n'
        '<button id="next" type="button">next ›</button>\n'
        '<p id="keys"><kbd>←</kbd> <kbd>→</kbd> step <kbd>/</kbd> ask <kbd>esc</kbd> back</p>\n'
        "</nav>\n"
    )


def _section(stage: Stage, number: int, resources: Resources, name: str) -> str:
    """The section of one constraint: its title, its note and its answer."""
    step = stage.steps[number]
    at = f"{number + 1} of {len(stage.steps)}"
    note = "".join(f"<p>{_text(row)}</p>" for row in step.note.splitlines() if row.strip())
    return (
        f'<section id="s{number + 1}" aria-labelledby="t{number + 1}">\n'
        f'<p class="place">{at}<span> · {_text(stage.title)} · {_text(name)}</span></p>\n'
        f'<h2 id="t{number + 1}" tabindex="-1">{_text(step.title)}</h2>\n'
        f'<div class="note">{note}</div>\n'
        f"{answer(step.constraint, resources)}\n</section>"
    )


def answer(text: str, resources: Resources) -> str:
    """Return what a constraint matches on a cluster, as HTML; the page's script makes the same."""
    reading = requires.read(text)
    hints: tuple[Problem, ...] = ()
    if reading.constraint is not None:
        hints = reading.located(names.hints(reading.constraint, resources))
    found = explain(reading, resources)
    otherwise = resources.everything if reading.blank else None
    mask = found.mask if found is not None else otherwise
    return "".join(
        (
            '<div class="answer">',
            _constraint(reading),
            _count(found, mask, resources),
            _problems((*reading.problems, *hints), text),
            '<div class="sight">',
            _map(mask, resources),
            _explanation(found),
            "</div>",
            _named(mask, resources),
            "</div>",
        )
    )


def _constraint(reading: Requires) -> str:
    """The coloured text; each unprintable character is replaced by a visible one."""
    marks = [p.span for p in reading.problems if p.severity == "error" and p.span is not None]
    code = "".join(_coloured(reading.text, reading.tokens, marks)) or "(every node)"
    kept = escape(_HALF.sub("\N{REPLACEMENT CHARACTER}", reading.text))
    kept = kept.replace("\n", "&#10;").replace("\r", "&#13;")  # HTML parsers normalise line breaks
    return f'<pre class="constraint" data-text="{kept}"><code>{code}</code></pre>'


def _coloured(text: str, tokens: Sequence[Token], marks: Iterable[Span]) -> Iterator[str]:
    """Yield the text in runs of one style each: of one token, with or without a problem."""
    cuts = {0, len(text)}
    spans = [*marks]
    for start, end in (*spans, *(token.span for token in tokens)):
        cuts |= {min(start, len(text)), min(end, len(text))}
    places = sorted(cuts)
    at = 0
    for start, end in pairwise(places):
        while at < len(tokens) and tokens[at].span.end <= start:
            at += 1
        token = tokens[at] if at < len(tokens) and tokens[at].span.start <= start else None
        wrong = any(first <= start and end <= last for first, last in spans)
        classes = ([token.kind] if token else []) + (["wrong"] if wrong else [])
        run = escape(_visible(text[start:end]))
        yield f'<span class="{" ".join(classes)}">{run}</span>' if classes else run


def _visible(text: str) -> str:
    """Replace each invisible character except line breaks by a visible one."""
    return replaced_signs(text, "\n")


def _count(found: Explanation | None, mask: int | None, resources: Resources) -> str:
    if mask is None:
        return '<p class="count none"><strong>cannot be read</strong></p>'
    totals = resources.totals(mask)
    whole = counted(resources.node_count, "node")
    more = ""
    if totals.nodes:
        parts = [counted(totals.cores, "core")]
        parts += [counted(totals.gpus, "gpu")] if totals.gpus else []
        more = f'<span class="with">{" · ".join(parts)}</span>'
    emptied = found.emptied_by if found is not None and len(found.funnel) > 1 else None
    if emptied is not None:
        more = f'<span class="with">no node is left after {_text(emptied.words)}</span>'
    look = "count" if totals.nodes else "count none"
    return f'<p class="{look}"><strong>{totals.nodes:,}</strong> of {whole} {more}</p>'


def _problems(problems: Sequence[Problem], text: str) -> str:
    if not problems:
        return ""
    listed = "".join(_problem(problem, text) for problem in problems)
    return f'<ul class="problems">{listed}</ul>'


def _problem(problem: Problem, text: str) -> str:
    """A problem: the message, its line with carets under its span, and what was expected."""
    rule = f" <small>{_text(problem.rule)}</small>" if problem.rule else ""
    path = f"{_text(problem.path)}: " if problem.path else ""
    parts = [f"<p><b>{problem.severity}</b> {path}{_text(problem.message)}{rule}</p>"]
    if problem.span is not None:
        start, end = problem.span
        piece = _text(text[start:end]) or "the end"
        parts.append(f'<p class="read">at character {start + 1}: {piece}</p>')
        marked = marked_line(problem.span, text)
        carets = f"{' ' * marked.before}<i>{'^' * marked.under}</i>"
        parts.append(f'<pre aria-hidden="true">{escape(marked.text)}\n{carets}</pre>')
    if problem.expected:
        parts.append(f'<p class="expected">expected {", ".join(map(_text, problem.expected))}</p>')
    return f'<li class="{problem.severity}">{"".join(parts)}</li>'


def _map(mask: int | None, resources: Resources) -> str:
    if mask is None:
        return ""
    count = resources.totals(mask).nodes
    words = f"{count:,} of {counted(resources.node_count, 'node')} match"
    hosts = resources.hosts_of(mask, limit=RANGES) if count else ""
    label = escape(f"Map: {words}{': ' if hosts else ''}{hosts}")
    return (
        f'<figure class="map"><canvas role="img" aria-label="{label}"></canvas>'
        "<figcaption></figcaption></figure>"
    )


def _explanation(found: Explanation | None) -> str:
    """The funnel: how many nodes each part matches alone, and how many are left after it."""
    if found is None:
        return ""
    parts = list(lines(found.root))
    rows = "".join(_line(line, found) for line in parts[:MOST_PARTS])
    if len(parts) > MOST_PARTS:
        rows += f'<tr><td colspan="4">{counted(len(parts) - MOST_PARTS, "more part")}</td></tr>'
    return (
        '<table class="funnel"><caption class="read">What each part matches</caption><thead><tr>'
        '<th scope="col">matches</th><th scope="col">remaining</th><td></td>'
        f'<th scope="col">part</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _line(line: Line, found: Explanation) -> str:
    part, total = line.part, max(found.total, 1)
    alone, left = (
        max(_WHOLE * count // total, 1) if count else 0 for count in (part.alone, part.left)
    )
    none = "none" if part.empties or part is found.root else "left"
    look = "left" if part.left else none
    kind = "operator" if part.parts and line.words == part.label else "term"
    note = f" <small>{_text(line.note)}</small>" if line.note else ""
    bar = (
        f'<svg viewBox="0 0 {_WHOLE} 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="alone" width="{alone}" height="8"></rect>'
        f'<rect class="lit" width="{left}" height="8"></rect></svg>'
    )
    guide = f'<span aria-hidden="true">{line.guide}</span>' if line.guide else ""
    return (
        f'<tr><td>{part.alone:,}</td><td class="{look}">{part.left:,}</td>'
        f'<td class="bar">{bar}</td>'
        f'<td class="{kind}">{guide}{_text(line.words)}{note}</td></tr>'
    )


def _named(mask: int | None, resources: Resources) -> str:
    """The hosts and ranks of the nodes that match."""
    if not mask:
        return ""
    rows = [("hosts", resources.hosts_of(mask, limit=RANGES))] if resources.hosts else []
    rows.append(("ranks", resources.ranks_text(mask, limit=RANGES)))
    listed = "".join(f"<dt>{name}</dt><dd>{_text(text)}</dd>" for name, text in rows)
    return f'<dl class="named">{listed}</dl>'
