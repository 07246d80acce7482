"""Choose an example to start from: search the library, and see each one before it is opened."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.style import Style
from rich.text import Text

from fluxtui import library
from fluxtui.library import Example
from fluxtui.model.constraint import requires
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.problem import printable
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.ui.kit.lines import colour, in_colours
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.picker import Item, Picker
from fluxtui.ui.kit.wording import DOT

OWN = "Starting points"  # the heading of examples from no RFC
HINT = "words, such as gpu, memory gb, srun, dependencies, 2.1"


def examples_picker(style: Palette, templates: Sequence[Example] = ()) -> Picker[Example]:
    """Ask for an example; the highlighted one is shown whole.

    templates are those of the person's configuration, which come first.
    """
    items = {
        example.id: Item(
            example,
            example.title,
            right=example.section.removeprefix("Use case "),
            group=OWN if example.rfc == "fluxtui" else example.rfc,
        )
        for example in (*templates, *library.entries())
    }

    def find(words: str) -> list[Item[Example]]:
        own = [example for example in templates if _has(example, words.casefold().split())]
        return [items[example.id] for example in (*own, *library.find(words))]

    return Picker(
        "Examples",
        list(items.values()),
        enter="opens",
        hint=HINT,
        nothing="No example has all of these words.",
        preview=lambda example: _preview(example, style),
        find=find,
    )


def _has(template: Example, words: Sequence[str]) -> bool:
    """Whether each of the words occurs in what a template says."""
    parts = (template.rfc, template.title, template.text, template.shape, template.requires)
    text = " ".join(parts).casefold()
    return all(word in text for word in words)


def _line(*parts: tuple[str, Style]) -> Text:
    return Text.assemble(*parts, end="")


def _preview(example: Example, style: Palette) -> list[Text]:
    """An example as lines: what it teaches, and all that it opens."""
    lines = [
        _line((example.title, style.strong)),
        _line((DOT.join((example.rfc, example.section, _kind(example))), style.quiet)),
        Text(),
        _line((example.text, style.plain)),
    ]
    if example.shape:
        tokens = parse_shape(example.shape).tokens
        lines += _part(("Shape",), [in_colours(example.shape, tokens, style)], style)
    if example.requires:
        read = requires.read(example.requires)
        asked = [] if read.is_json else [in_colours(example.requires, read.tokens, style)]
        written = _line((json.dumps(example.constraint), style.string))
        lines += _part(("Requires",), [*asked, written], style)
    if example.equivalents:
        width = max(len(one.system) for one in example.equivalents)
        commands = [
            _line((f"{one.system:<{width}}  ", style.quiet), (one.command, style.plain))
            for one in example.equivalents
        ]
        lines += _part(("Elsewhere",), commands, style)
    if example.document is not None:
        lines += _document(example.document, style)
    return lines


def _kind(example: Example) -> str:
    if example.document is not None:
        return "a whole jobspec"
    return "a shape" if example.shape else "a constraint"


def _document(document: Mapping[str, Any], style: Palette) -> list[Text]:
    """The jobspec as YAML; before it, whether it is V1 as well, or the first reason why not."""
    yaml = [colour(line, style) for line in dump(document).splitlines()]
    problems = jobspec.check(document).v1_problems
    if not problems:
        return _part(("Jobspec", "V1 ✓"), yaml, style)
    why = _line((printable(problems[0].message), style.quiet))
    return _part(("Jobspec", "beyond V1"), [why, *yaml], style)


def _part(title: Sequence[str], lines: Sequence[Text], style: Palette) -> list[Text]:
    head = _line((DOT.join(title), style.label))
    return [Text(), head, *(Text.assemble("  ", line, end="") for line in lines)]
