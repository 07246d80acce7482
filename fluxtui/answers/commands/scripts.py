"""Finds command lines and batch scripts in a pasted text, and writes scripts.

The directives of scripts are ``#flux:`` (RFC 36), ``#SBATCH``, ``#PBS`` and ``#BSUB`` lines.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem, Severity, Span, is_printable, shortened
from fluxtui.notation.shellwords import Word

Kind = Literal["flux", "SBATCH", "PBS", "BSUB"]

#: How memory is requested; see `Command`.
Memory = Literal["nodes", "slots", "none"]

#: The span that represents a whole command line in notes and problems.
WHOLE = Span(0, 0)


@dataclass(slots=True)
class Script:
    """A batch script, which begins at offset of a text, with the words of all its directives.

    directives  the words of each directive line; all systems but Flux parse the lines separately
    body        whether it holds more than directives, comments and blank lines
    """

    text: str
    kind: Kind
    offset: int = 0
    words: list[Word] = field(default_factory=list)
    directives: list[list[Word]] = field(default_factory=list)
    body: bool = False
    problems: list[Problem] = field(default_factory=list)

    def problem(
        self, span: Span, message: str, *expected: str, severity: Severity = "error"
    ) -> None:
        """Add a problem with a directive."""
        rule = "RFC 36" if self.kind == "flux" else f"#{self.kind}"
        self.problems.append(Problem(message, span, None, expected, rule, severity))

    def lines(self) -> Iterator[tuple[str, Span]]:
        """Each line without its line break, and its span."""
        place = self.offset
        for line in self.text.split("\n"):
            kept = line.removesuffix("\r")
            yield kept, Span(place, place + len(kept))
            place += len(line) + 1


@dataclass(frozen=True, slots=True)
class Command:
    """One command line of a program such as ``flux submit``, with the words after its name.

    assigned  variables set before it, as ``NAME=value``
    trailing  the span of a pipe, a redirection or another command after it, if there is one
    script    the batch script that it runs, if its text is known
    memory    ``nodes`` requests memory per node as that of a whole node, ``slots`` as a share of
              each slot, ``none`` requests no memory, as in version 1 jobspecs (RFC 25)
    """

    program: str
    words: Sequence[Word] = ()
    span: Span = Span(0, 0)
    assigned: tuple[Word, ...] = ()
    trailing: Span | None = None
    script: Script | None = None
    problems: tuple[Problem, ...] = ()
    memory: Memory = "nodes"


_PROGRAM = (
    r"(?:\S{0,200}/)?"
    r"(?:flux\s+(?:submit|run|batch|alloc|bulksubmit|mini)|srun|sbatch|salloc|qsub|bsub|jsrun)"
)
_ASSIGNED = r"[A-Za-z_]\w*=(?:'[^'\n]*'|\"[^\"\n]*\"|[^\s'\"])*"

# A prompt, such as '$ ' or 'user@host:~> ', then variables, then a program.
_COMMAND = re.compile(
    rf"^(?P<prompt>[ \t]{{0,40}}(?:[^\n$%#>]{{0,80}}[$%#>❯][ \t]+)?)"
    rf"(?:(?:env|exec|time|nohup|sudo)[ \t]+)?"
    rf"(?:{_ASSIGNED}[ \t]+)*{_PROGRAM}(?=\s|$)",
    re.MULTILINE,
)
_DIRECTIVE = re.compile(
    r"^(?:#(?:SBATCH|PBS|BSUB)(?:\s|$)|[^\w\n]*(?:flux|FLUX):\s*-)", re.MULTILINE
)

# A line, including line breaks that are escaped or quoted; it ends before an unclosed quote.
_LINE = re.compile(
    r"""(?:[^\n\\'"]|\\(?:\r\n|.|\Z)|'[^']*'|"(?:[^"\\]|\\(?:\r\n|.))*+")*""", re.DOTALL
)
_OPERATOR = re.compile(r"\|\|?|&&?|;|[0-9]?>{1,2}(?:&[0-9])?.*|[0-9]?<.*|&>.*")


# What a script holds besides plain words: escapes, comments, quotes, here-documents and line ends.
_PIECES = re.compile(
    r"""\\. | (?<![^\s;&|()`])\#[^\n]* | <<<
    |   (?P<quotes>\$?'(?:(?<=\$')(?:[^'\\]|\\.)*+|[^']*)' | "(?:[^"\\]|\\.)*+")
    |   <<(?P<tabs>-?)[ \t]*(?:(?P<quote>['"])(?P<quoted>[^'"\n]+)(?P=quote)
            | \\?(?P<bare>[A-Za-z_][\w.-]*))
    |   (?P<line>\n)""",
    re.DOTALL | re.VERBOSE,
)


def literals(text: str, *, short: bool = False) -> list[tuple[str, Span]]:
    """What a shell takes as text in a script: ``quotes`` over several lines, ``here-document``.

    The span of quotes includes them; that of a here-document is its lines without the last one,
    and one that is never closed is none. With short, there are also quotes within a line.
    """
    out: list[tuple[str, Span]] = []
    ends: dict[tuple[str, str], list[int]] = {}  # of lines alike, those without tabs and all
    for found in re.finditer(r"^(\t*)(.*?)\r?$", text, re.MULTILINE) if "<<" in text else ():
        for tabs in ("", "-") if not found[1] else ("-",):
            ends.setdefault((found[2], tabs), []).append(found.start())
    place, waiting = 0, []
    while (piece := _PIECES.search(text, place)) is not None:
        place = piece.end()
        if piece["quotes"] is not None and (short or "\n" in piece[0]):
            out.append(("quotes", Span(*piece.span())))
        elif (name := piece["quoted"] or piece["bare"]) is not None:
            waiting.append((name, piece["tabs"]))
        elif piece["line"]:
            for ending in waiting:
                lines = ends.get(ending, [])
                number = bisect_left(lines, place)
                if number < len(lines):
                    out.append(("here-document", Span(place, lines[number])))
                    place = text.find("\n", lines[number]) + 1 or len(text)
            waiting = []
    return out


def blanked(text: str, *, lines: bool = False, quotes: bool = True) -> str:
    """The script with underscores for `literals`, as long as it was; lines keeps its line breaks.

    Without lines, quotes over several lines become one word; without quotes, they stay.
    """
    pieces, place = [], 0
    for kind, (start, end) in literals(text):
        if kind == "here-document" or quotes:
            pattern = r"[^\n]" if lines or kind == "here-document" else r"[\s\S]"
            pieces += [text[place:start], re.sub(pattern, "_", text[start:end])]
            place = end
    return "".join([*pieces, text[place:]])


def directive_in(text: str) -> Span | None:
    """The span of the sign of the first directive of any system, such as ``#SBATCH``."""
    found = _DIRECTIVE.search(text)
    return found and Span(found.start(), found.start() + len(found[0].rstrip("\n\t -")))


def looks_like_command(text: str) -> bool:
    """Whether a pasted text may be a command line or a script with directives; a quick check."""
    head = text[:65_536]
    return _COMMAND.search(head) is not None or _DIRECTIVE.search(head) is not None


def find(text: str) -> tuple[Command | None, list[Span]]:
    """The first command line of a text, and the spans of the others."""
    first: Command | None = None
    others: list[Span] = []
    is_script = text.startswith("#!")
    searched = blanked(text) if is_script else text
    place = 0
    while (found := _COMMAND.search(searched, place)) is not None:
        start = found.end("prompt")
        place = found.end()
        if is_script and "#" in found["prompt"]:
            continue
        line = _LINE.match(text, start)
        end = len(text) if line is None else line.end()
        if text[end : end + 1] not in ("", "\n"):
            # An unclosed quote must not swallow the lines after it.
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
        if first is not None:
            others.append(Span(start, end))
        elif (first := _command(text, start, end)) is not None and first.script is not None:
            end = first.script.offset + len(first.script.text)
        place = max(end, place)
    return first, others


def _command(text: str, start: int, end: int) -> Command | None:
    parsed = shellwords.split(text[start:end], start)
    words = list(parsed.value)
    assigned: list[Word] = []
    while words and words[0].text in ("env", "exec", "time", "nohup", "sudo"):
        words.pop(0)
    while words and re.match(r"[A-Za-z_]\w*=", words[0].text):
        assigned.append(words.pop(0))
    if not words:
        return None
    program = words.pop(0).text.rpartition("/")[2]
    if program == "flux" and words:
        if words[0].text == "mini" and len(words) > 1:  # the former name: flux mini run
            words.pop(0)
        program = f"flux {words.pop(0).text}"
    kept, trailing, delimiter = _cut(text, words)
    if program == "bsub" and trailing is not None and text.startswith("<", trailing.start):
        # bsub reads a script from a file by a redirection.
        name = text[trailing.start + 1 : trailing.end].strip()
        kept = [*kept, Word("<", trailing), *([Word(name.split()[0], trailing)] if name else [])]
        trailing = None
    script = None
    if delimiter is not None:
        closing = re.compile(rf"^\t*{re.escape(delimiter)}\s*$", re.MULTILINE).search(text, end + 1)
        if closing is not None:
            others: dict[str, Kind] = {"qsub": "PBS", "bsub": "BSUB"}
            kind: Kind = "flux" if "flux" in program else others.get(program, "SBATCH")
            script = read(text[end + 1 : closing.start()], kind, end + 1)
    return Command(
        program, kept, Span(start, end), tuple(assigned), trailing, script, parsed.problems
    )


def _cut(text: str, words: Sequence[Word]) -> tuple[Sequence[Word], Span | None, str | None]:
    """The words of a command, the span of what follows, and the delimiter of a here-document."""
    for number, word in enumerate(words):
        raw = text[slice(*word.span)]
        if raw.startswith("#"):
            return words[:number], None, None
        if _OPERATOR.fullmatch(raw):
            delimiter = None
            if raw.startswith("<<") and not raw.startswith("<<<"):
                following = "".join(w.text for w in words[number + 1 :][:1])
                delimiter = word.text[2:].lstrip("-") or following
            trailing = None if delimiter else Span(word.span.start, words[-1].span.end)
            return words[:number], trailing, delimiter
        if raw.endswith(";") and raw == word.text:
            end = word.span.end - 1
            trailing = Span(end, words[-1].span.end)
            kept = Word(word.text[:-1], Span(word.span.start, end))
            return [*words[:number], kept], None if word is words[-1] else trailing, None
    return words, None, None


# Directives

_FLUX = re.compile(r"([^\w\n]*)(flux:|FLUX:)(.*)")
_OTHER = re.compile(r"#(SBATCH|PBS|BSUB)(?=\s|$)(.*)")


_KINDS: Mapping[str, Kind] = {"SBATCH": "SBATCH", "PBS": "PBS", "BSUB": "BSUB"}


def kind_of(text: str) -> Kind | None:
    """The kind of the first directive in a text, or None if it has no directives."""
    searched = blanked(text, lines=True) if text.startswith("#!") else text
    for line, visible in zip(text.split("\n"), searched.split("\n"), strict=True):
        if (other := _OTHER.match(visible)) is not None:
            return _KINDS[other[1]]
        # Flux knows no shells, and reads its directives in their quotes as well.
        # Without a comment sign before it, ``flux:`` may be a key of a YAML document.
        flux = _FLUX.match(line)
        if flux is not None and (flux[1] or flux[3].lstrip()[:1] in ("", "-", "#")):
            return "flux"
    return None


def read(text: str, kind: Kind, offset: int = 0) -> Script:
    """Read the directives of a script; spans count from the beginning of a text, see `Script`."""
    script = Script(text, kind, offset)
    script.body = any(
        line.strip() and not line.lstrip().startswith("#") and not _FLUX.match(line)
        for line, _ in script.lines()
    )
    if kind == "flux":
        _read_flux(script)
        return script
    ended = False
    searched = blanked(text, lines=True).split("\n")
    for (line, span), visible in zip(script.lines(), searched, strict=True):
        found = _OTHER.match(line) if visible[:1] == "#" else None
        if found is None or found[1] != kind:
            ended = ended or (bool(line.strip()) and not line.lstrip().startswith("#"))
        elif ended and kind != "BSUB":  # LSF reads directives anywhere
            message = f"#{kind} lines count only before the first command"
            script.problem(span, message, "the line further up", severity="warning")
        else:
            # A '#' at the beginning of a word outside of quotes begins a comment.
            signs = re.finditer(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|(?<=\s)#""", found[2])
            end = next((sign.start() for sign in signs if sign[0] == "#"), None)
            words, problems = shellwords.split(found[2][:end], span.start + found.start(2))
            script.words.extend(words)
            script.directives.append([*words])
            script.problems.extend(problems)
    return script


def _directives(script: Script) -> Iterator[tuple[str | None, int]]:
    """The text after ``flux:`` in each line and its position; None for other lines and the end."""
    sentinel, prefix, ended = None, "", False
    for line, span in script.lines():
        found = _FLUX.match(line)
        if found is None:
            yield None, span.start
            # A line with the same prefix as the directives is a comment among them.
            if sentinel is not None and line.strip():
                ended = ended or not line.startswith(prefix.rstrip())
        elif ended:
            message = "a directive comes after the first line that is not one"
            script.problem(span, message, "the line further up")
        elif sentinel not in (None, found[1] + found[2]):
            message = f"all directives begin with '{shortened(str(sentinel))}'"
            script.problem(span, message, str(sentinel))
        else:
            sentinel, prefix = found[1] + found[2], found[1]
            yield found[3], span.start + found.start(3)
    yield None, script.offset + len(script.text)


def _read_flux(script: Script) -> None:
    """Read ``flux:`` directives (RFC 36); a text in triple quotes may span several lines."""
    quotes, indent, start = "", "", 0
    literal: list[str] = []
    for value, place in _directives(script):
        if value is None:
            if quotes:
                script.problem(Span(start, place), f"the quotes {quotes} are not closed", quotes)
            quotes = ""
        elif quotes:
            literal.append(value.removesuffix(quotes).removeprefix(indent))
            if value.endswith(quotes):
                words = _split(literal[0], start, script)
                text = "\n".join(literal[1:])
                if words and literal[0][-1:].strip():
                    text = words.pop().text + text
                script.words += [*words, Word(text, Span(start, place + len(value)))]
                quotes = ""
        elif value[-3:] in ('"""', "'''") and value.count(value[-3:]) % 2:
            quotes, start = value[-3:], place
            indent = value[: len(value) - len(value.lstrip())]
            literal = [value[len(indent) : -3]]
        else:
            words = _split(value, place, script)
            if words and not words[0].text.startswith("-"):
                shown = shortened(words[0].text)
                message = f"a directive begins with an option; found '{shown}'"
                script.problem(words[0].span, message, "an option such as -N4")
            else:
                script.words += words


_PIECE = re.compile(
    r"""\\(?P<escaped>.?) | (?P<triple>"{3}|'{3})(?P<long>.*)(?P=triple)
    |   (?P<quote>["'])(?P<short>(?:\\.|(?!(?P=quote)).)*)(?P<closing>(?P=quote)?)
    |   (?P<plain>[^\s();<>|&#"'\\]+)""",
    re.DOTALL | re.VERBOSE,
)


def _split(value: str, place: int, script: Script) -> list[Word]:
    """Split a directive into words as a shell does, but ``#`` begins a comment anywhere.

    Outside of quotes, operators such as ``|`` are separate words. Within both kinds of quotes, a
    backslash escapes a quote or a backslash.
    """
    words: list[Word] = []
    at = 0
    while at < len(value) and value[at] != "#":
        found = re.compile(r"\s+|[();<>|&]+").match(value, at)
        start, word = at, "" if found is None else found[0]
        at = at if found is None else found.end()
        while found is None and (piece := _PIECE.match(value, at)):
            span, sign = Span(place + at, place + len(value)), piece["quote"]
            if piece["escaped"] == "":
                script.problem(span, "the backslash at the end escapes nothing")
            if sign and not piece["closing"]:
                script.problem(span, f"the quote {sign} is not closed", f"the closing {sign}")
            if piece["triple"]:
                word += piece["long"].replace("\\\\", "\\")
            elif sign:
                word += re.sub(rf"\\([\\{sign}])", r"\1", piece["short"])
            else:
                word += piece["escaped"] or piece["plain"] or ""
            at = piece.end()
        if word.strip() or found is None:
            words.append(Word(word, Span(place + start, place + at)))
    return words


def of_command(words: Sequence[str]) -> str:
    """A script that runs one command."""
    return f"#!/bin/sh\n{shellwords.join(words)}\n"


def with_directives(script: str, lead: str, words: Sequence[str]) -> str | None:
    """The script with directives after its first line, one option per line.

    Each directive begins with lead, such as ``#SBATCH``. None if the script already has such
    directives, or an option has line breaks or control characters, which cannot be escaped.
    """
    searched = blanked(script, lines=True).split("\n")
    is_there = any(line.startswith(lead.strip()) for line in searched)
    if is_there or not all(map(is_printable, words)):
        return None
    pieces: list[str] = []
    for word in words:
        quoted = _quoted(word) if lead.strip().endswith(":") else shellwords.quote(word)
        begins = word.startswith("-") or not pieces
        pieces += ["\n" if pieces else "", lead, quoted] if begins else [" ", quoted]
    head = "".join([*pieces, "\n"] if pieces else [])
    first, _, rest = script.partition("\n")
    if not first.startswith("#!"):
        first, rest = "#!/bin/sh", script
    return f"{first}\n{head}{rest}"


def without_directives(script: str, kinds: Collection[Kind]) -> str:
    """The script without the lines that are directives of these kinds."""
    kept = []
    # A script of Flux may be one of Python, with its directives in the quotes at the beginning.
    each = (script, blanked(script, lines=True), blanked(script, lines=True, quotes=False))
    for line, visible, with_quotes in zip(*(text.split("\n") for text in each), strict=True):
        other, flux = _OTHER.match(visible), _FLUX.match(with_quotes)
        if other is not None and other[1] in kinds:
            continue
        is_flux = flux is not None and flux[1].strip()
        if not (is_flux and "flux" in kinds):
            kept.append(line)
    return "\n".join(kept)


def with_further(script: str, lead: str, words: Sequence[str]) -> str | None:
    """The script with one more line of directives; None if that line cannot express an option."""
    if not all(map(is_printable, words)):
        return None
    quoted = [_quoted(w) if lead.strip().endswith(":") else shellwords.quote(w) for w in words]
    first, _, rest = script.partition("\n")
    return f"{first}\n{lead}{' '.join(quoted)}\n{rest}"


def _quoted(word: str) -> str:
    option = re.match(r"--[A-Za-z][A-Za-z-]*=", word)
    first = option[0] if option else ""
    rest = word[len(first) :]
    if re.fullmatch(r"[A-Za-z0-9_@%+=:,./*-]*", rest) and word:
        return word
    if "'" not in rest and "\\" not in rest:
        return f"{first}'{rest}'"
    escaped = rest.replace("\\", "\\\\").replace('"', '\\"')
    return f'{first}"{escaped}"'
