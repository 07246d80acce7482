"""The dialog of examples: search the library, and preview an example before it is opened."""

import json
from collections.abc import Sequence

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
from fluxtui.ui.kit.text import DOT, styled_line

OWN = "Starting points"  # the heading of examples that come from no RFC
HINT = "words, such as gpu, memory gb, srun, dependencies, 2.1"


def examples_picker(style: Palette, templates: Sequence[Example] = ()) -> Picker[Example]:
    """Return a dialog that asks for an example and previews the highlighted one.

    templates are examples from the user's settings; they come first.
    """

    def item(example: Example) -> Item[Example]:
        right = example.section.removeprefix("Use case ")
        group = OWN if example.rfc == "fluxtui" else example.rfc
        return Item(example, example.title, right=right, group=group)

    def find(words: str) -> list[Item[Example]]:
        typed, found = words.casefold().split(), list[Example]()
        for template in templates:
            parts = (
                *(template.rfc, template.title, template.text),
                *(template.shape, template.requires),
            )
            if all(word in " ".join(parts).casefold() for word in typed):
                found.append(template)
        return [item(example) for example in (*found, *library.find(words))]

    return Picker(
        "Examples",
        [item(example) for example in (*templates, *library.entries())],
        enter="opens",
        hint=HINT,
        nothing="No example has all of these words.",
        preview=lambda example: preview(example, style),
        find=find,
    )


def preview(example: Example, style: Palette) -> list[Text]:
    """Return the lines of an example: what it teaches, and everything that it opens."""
    kind = "a shape" if example.shape else "a constraint"
    kind = "a whole jobspec" if example.document is not None else kind
    parts: dict[str, list[Text]] = {}
    if example.shape:
        tokens = parse_shape(example.shape).tokens
        parts["Shape"] = [in_colours(example.shape, tokens, style)]
    if example.requires:
        read = requires.read(example.requires)
        written = styled_line((json.dumps(example.constraint), style.string))
        query = [] if read.is_json else [in_colours(example.requires, read.tokens, style)]
        parts["Requires"] = [*query, written]
    if example.equivalents:
        width = max(len(one.system) for one in example.equivalents)
        parts["Elsewhere"] = [
            styled_line((f"{one.system:<{width}}  ", style.quiet), (one.command, style.plain))
            for one in example.equivalents
        ]
    if example.document is not None:
        problems = jobspec.check(example.document).v1_problems
        why = [styled_line((printable(one.message), style.quiet)) for one in problems[:1]]
        title = DOT.join(("Jobspec", "beyond V1" if problems else "V1 ✓"))
        parts[title] = [
            *why,
            *(colour(line, style) for line in dump(example.document).splitlines()),
        ]
    lines = [
        styled_line((example.title, style.strong)),
        styled_line((DOT.join((example.rfc, example.section, kind)), style.quiet)),
        styled_line(),
        styled_line((example.text, style.plain)),
    ]
    for title, content in parts.items():
        lines += [styled_line(), styled_line((title, style.label))]
        lines += [styled_line("  ").append_text(line) for line in content]
    return lines
