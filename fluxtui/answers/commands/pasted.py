"""Finds the command lines in a pasted text: prompts, variables set before them, line ends."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fluxtui.answers.commands.options import Found
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem, Span
from fluxtui.notation.shellwords import Word

_PROGRAM = (
    r"(?:\S{0,200}/)?(?:flux\s+(?:submit|run|batch|alloc|bulksubmit|mini)|srun|sbatch|salloc|qsub)"
)
_ASSIGNED = r"[A-Za-z_]\w*=(?:'[^'\n]*'|\"[^\"\n]*\"|[^\s'\"])*"

# A prompt, such as '$ ' or 'user@host:~> ', then variables, then a program.
_COMMAND = re.compile(
    rf"^(?P<prompt>[ \t]{{0,40}}(?:[^\n$%#>]{{0,80}}[$%#>❯][ \t]+)?)"
    rf"(?:(?:env|exec|time|nohup|sudo)[ \t]+)?"
    rf"(?:{_ASSIGNED}[ \t]+)*{_PROGRAM}(?=\s|$)",
    re.MULTILINE,
)
_DIRECTIVE = re.compile(r"^(?:#(?:SBATCH|PBS)(?:\s|$)|[^\w\n]*(?:flux|FLUX):\s*-)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Command:
    """One command line.

    program   ``flux submit``, ``srun`` and so on
    words     behind the program
    assigned  variables set before it, as rules such as ``NAME=value``
    behind    where a pipe, a redirection or another command follows, which is not part of it
    document  the text that ``<<`` gives to the command, and where it starts
    """

    program: str
    words: tuple[Word, ...]
    span: Span
    assigned: tuple[Found, ...] = ()
    behind: Span | None = None
    document: tuple[str, int] | None = None
    problems: tuple[Problem, ...] = ()


def looks_like_command(text: str) -> bool:
    """Whether a pasted text may be a command line or a script with directives.

    Cheap: it looks for the names of programs at the beginning of lines, no further than 65,536
    characters.
    """
    head = text[:65_536]
    return _COMMAND.search(head) is not None or _DIRECTIVE.search(head) is not None


def find(text: str) -> tuple[Command | None, list[Span]]:
    """The first command line of a text, and the places of those that follow."""
    first: Command | None = None
    others: list[Span] = []
    script = text.startswith("#!")
    place = 0
    while (found := _COMMAND.search(text, place)) is not None:
        start = found.end("prompt")
        place = found.end()
        if script and "#" in found["prompt"]:
            continue
        end = _line_end(text, start)
        if first is not None:
            others.append(Span(start, end))
        elif (first := _command(text, start, end)) is not None and first.document is not None:
            end = first.document[1] + len(first.document[0])
        place = max(end, place)
    return first, others


def _line_end(text: str, start: int) -> int:
    """Where a command line ends that starts here: escaped and quoted line breaks belong to it."""
    quote = ""
    place = start
    while place < len(text):
        sign = text[place]
        if sign == "\\" and quote != "'":
            place += 3 if text[place + 1 : place + 3] == "\r\n" else 2
            continue
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign == "\n":
            return place
        place += 1
    if quote:
        # A quote that is never closed does not swallow the lines that follow.
        newline = text.find("\n", start)
        return len(text) if newline < 0 else newline
    return len(text)


def _command(text: str, start: int, end: int) -> Command | None:
    parsed = shellwords.split(text[start:end], start)
    words = list(parsed.value)
    assigned: list[Found] = []
    while words and words[0].text in ("env", "exec", "time", "nohup", "sudo"):
        words.pop(0)
    while words and re.match(r"[A-Za-z_]\w*=", words[0].text):
        word = words.pop(0)
        # As a rule of --env, in which a '$' is filled in as the shell does.
        assigned.append(Found(word.text.partition("=")[0], word.text, word.span, word.span))
    if not words:
        return None
    program = words.pop(0).text.rpartition("/")[2]
    if program == "flux" and words:
        if words[0].text == "mini" and len(words) > 1:  # as these commands were called once
            words.pop(0)
        program = f"flux {words.pop(0).text}"
    kept, behind, here = _cut(text, words)
    document = None if here is None else _here(text, end, here)
    span = Span(start, end)
    return Command(program, kept, span, tuple(assigned), behind, document, parsed.problems)


_OPERATOR = re.compile(r"\|\|?|&&?|;|[0-9]?>{1,2}(?:&[0-9])?.*|[0-9]?<.*|&>.*")


def _cut(text: str, words: Sequence[Word]) -> tuple[tuple[Word, ...], Span | None, str | None]:
    """The words up to a comment, a pipe, a redirection or the next command; the word of ``<<``."""
    for number, word in enumerate(words):
        raw = text[word.span.start : word.span.end]
        if raw.startswith("#"):
            return tuple(words[:number]), None, None
        if _OPERATOR.fullmatch(raw):
            here = None
            if raw.startswith("<<") and not raw.startswith("<<<"):
                following = words[number + 1].text if number + 1 < len(words) else ""
                here = word.text[2:].lstrip("-") or following
            behind = None if here else Span(word.span.start, words[-1].span.end)
            return tuple(words[:number]), behind, here
        if raw.endswith(";") and raw == word.text:
            kept = Word(word.text[:-1], Span(word.span.start, word.span.end - 1))
            behind = Span(word.span.end - 1, words[-1].span.end)
            last = number + 1 == len(words)
            return (*words[:number], kept), None if last else behind, None
    return tuple(words), None, None


def _here(text: str, end: int, word: str) -> tuple[str, int] | None:
    """The lines below a command up to the word that ends them."""
    start = end + 1
    closing = re.compile(rf"^\t*{re.escape(word)}\s*$", re.MULTILINE).search(text, start)
    return None if closing is None else (text[start : closing.start()], start)
