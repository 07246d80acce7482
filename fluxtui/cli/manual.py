"""``fluxtui --man``: the manual page, generated from the parsers with the macros of man(7)."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fluxtui import __version__
from fluxtui.cli.verbs import VERBS, parsers

if TYPE_CHECKING:
    from fluxtui.cli.options import Parser

_ENVIRONMENT = (
    ("FLUX_URI", "the Flux that runs here, which opens automatically"),
    ("FLUXTUI_CONFIG", "the configuration file, instead of your own"),
    ("FLUXTUI_FLUX", "the flux command, where it is not on the search path"),
    ("EDITOR, VISUAL", "what ctrl+e opens"),
    ("PAGER", "what 'fluxtui docs' uses to show a topic"),
    ("NO_COLOR", "no colours"),
)

_FILES = (
    ("~/.config/fluxtui/config.toml", "the configuration; 'fluxtui config' tells what is in force"),
    ("~/.config/fluxtui/themes/", "themes of your own"),
    ("~/.local/state/fluxtui/", "history, drafts, the layout and the log of a crash"),
)


def manual() -> str:
    """The manual page fluxtui(1), without a line break at its end."""
    lines = list(_page())
    # A section heading begins a paragraph anyway.
    after = zip(["", *lines], lines, strict=False)
    return "\n".join(
        line for last, line in after if line != ".PP" or not last.startswith((".SH", ".SS"))
    )


def _page() -> Iterator[str]:
    declared = parsers()
    program = declared.pop("")
    yield f'.TH FLUXTUI 1 "" "fluxtui {__version__}" "User Commands"'
    yield ".SH NAME"
    yield r"fluxtui \- a terminal workbench for people who request resources on a Flux cluster"
    yield ".SH SYNOPSIS"
    yield from _usage(program)
    yield ".SH DESCRIPTION"
    yield from _prose(program.description or "")
    yield ".SH OPTIONS"
    yield from _options(program)
    yield from _prose(program.epilog or "")
    yield from _exits(program, ".SH EXIT STATUS")
    yield ".SH VERBS"
    yield "Each of them has these pages as \\-\\-help as well."
    for verb in VERBS:
        parser = declared[verb.name]
        yield f'.SS "{_escaped(f"fluxtui {verb.name}: {verb.summary}")}"'
        yield from _usage(parser)
        yield from _prose(parser.description or "")
        yield from _options(parser)
        yield from _prose(parser.epilog or "")
        yield from _exits(parser, ".PP")
    for title, pairs in (("ENVIRONMENT", _ENVIRONMENT), ("FILES", _FILES)):
        yield f".SH {title}"
        for name, means in pairs:
            yield from (".TP", f"\\fB{_escaped(name)}\\fR", _escaped(means))
    yield ".SH SEE ALSO"
    yield r"\fBflux\fR(1), \fBfluxtui docs\fR"


def _usage(parser: "Parser") -> Iterator[str]:
    lead = "usage: "
    lines = parser.format_usage().rstrip().split("\n")
    yield from _as_written([line[len(lead) :] for line in lines])


def _options(parser: "Parser") -> Iterator[str]:
    """Options and arguments with their help."""
    for action in parser.declared():
        if action.help == argparse.SUPPRESS:
            continue
        value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
        if action.choices is not None and action.metavar is None:
            value = "|".join(action.choices)
        names = ", ".join(f"\\fB{_escaped(name)}\\fR" for name in action.option_strings)
        shown = " ".join(part for part in (names, value and f"\\fI{_escaped(value)}\\fR") if part)
        yield from (".TP", shown, _escaped(action.help or ""))


def _exits(parser: "Parser", head: str) -> Iterator[str]:
    yield from (head, "Exit codes:") if head == ".PP" else (head,)
    for code, means in sorted(parser.exits.items()):
        yield from (".TP 4", f"\\fB{code}\\fR", _escaped(means))


def _prose(text: str) -> Iterator[str]:
    """Paragraphs of a text; indented lines keep their layout."""
    for paragraph in text.strip("\n").split("\n\n"):
        lines = paragraph.split("\n")
        plain = [line for line in lines if not line.startswith("  ")]
        yield ".PP"
        yield from map(_escaped, plain)
        if len(plain) < len(lines):
            yield from _as_written([line for line in lines if line.startswith("  ")])


def _as_written(lines: list[str]) -> Iterator[str]:
    yield from (".PP", ".nf", ".RS 2", *(_escaped(line.removeprefix("  ")) for line in lines))
    yield from (".RE", ".fi")


def _escaped(text: str) -> str:
    """Escape a text so that roff finds no requests or special characters in it."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga")
    text = text.replace("^", r"\(ha").replace("~", r"\(ti")
    return rf"\&{text}" if text.startswith((".", r"\(aq")) else text
