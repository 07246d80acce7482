"""The field of what a job waits for: words of RFC 26 <-> the list of dependencies."""

from collections.abc import Mapping
from typing import Any

from fluxtui.model.form.field import MISSING, NOWHERE, Context, Field, all_of, read_json
from fluxtui.model.form.place import system
from fluxtui.notation import dependency, shellwords
from fluxtui.notation.json_compare import identical
from fluxtui.notation.json_text import dump
from fluxtui.notation.problem import Completion, Parsed, Problem, Span
from fluxtui.notation.shellwords import Word

_PATH = "attributes.system.dependencies"
_place = system("dependencies")
_name = system("job", "name")


def _read(text: str, context: Context) -> Parsed[Any]:
    """Words of RFC 26, objects among them where no word says them; or the whole list as JSON."""
    if not text.strip():
        return Parsed(MISSING)
    if text.lstrip()[0] == "[":
        return _read_list(text)
    split = shellwords.split(text)
    problems = [problem._replace(path=_PATH) for problem in split.problems]
    if not split.ok:
        return Parsed(MISSING, tuple(problems))
    entries = []
    for number, word in enumerate(split.value):
        read = _read_word(word)
        problems += [p._replace(path=f"{_PATH}[{number}]") for p in read.problems]
        if read.value is not None:
            entries.append(read.value)
            problems += _nameless(read.value, word.span, context)
    good = len(entries) == len(split.value)
    return Parsed(entries if good else MISSING, tuple(problems))


def _read_word(word: Word) -> Parsed[dict[str, Any] | None]:
    """One dependency, as a word or as a JSON object."""
    if word.text.startswith("{"):
        found = read_json(word.text, _PATH)
        if found.ok:
            return _judged(found.value, word.span)
        spans = [word.part(*p.span) if p.span else word.span for p in found.problems]
        return Parsed(None, tuple(map(_moved, found.problems, spans)))
    if len(word.text) == word.span.end - word.span.start:
        return dependency.parse(word.text, word.span.start)
    read = dependency.parse(word.text)
    return Parsed(read.value, tuple(p._replace(span=word.span) for p in read.problems))


def _moved(problem: Problem, span: Span) -> Problem:
    return problem._replace(span=span)


def _judged(entry: Any, span: Span) -> Parsed[dict[str, Any] | None]:
    """An object of JSON as a dependency."""
    if not _legal(entry):
        message = "a dependency has a scheme and a value, both of them strings"
        expected = '{"scheme":"afterok","value":"ƒ2oLkTLb"}'
        return Parsed(None, (Problem(message, span, None, (expected,), dependency.RULE),))
    return Parsed(entry, tuple(dependency.check(entry, span)))


def _read_list(text: str) -> Parsed[Any]:
    """The whole list as JSON, as it is shown where it is empty or malformed."""
    found = read_json(text, _PATH)
    span = all_of(text)
    if not found.ok:
        return found
    read = [_judged(entry, span) for entry in found.value]
    problems = [p._replace(path=_PATH) for one in read for p in one.problems]
    if not read:
        message = "an empty list waits for nothing; a blank line says so too"
        problems.append(Problem(message, span, _PATH, (), dependency.RULE, "warning"))
    good = all(one.value is not None for one in read)
    return Parsed(found.value if good else MISSING, tuple(problems))


def _legal(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    return isinstance(entry.get("scheme"), str) and isinstance(entry.get("value"), str)


def _nameless(entry: Mapping[str, Any], span: Span, context: Context) -> list[Problem]:
    """A singleton waits for jobs of its name, and so needs one."""
    if entry["scheme"] != "singleton" or isinstance(_name.get(context.document), str):
        return []
    message = "flux-core refuses a singleton without a job name; type one above"
    return [Problem(message, span, _PATH, ("a job name",), "flux-core", "warning")]


def _write(value: Any) -> str:
    if value is MISSING:
        return ""
    if not isinstance(value, list) or not all(map(_legal, value)):
        raise ValueError("not a list of dependencies")
    return " ".join(map(_word, value)) if value else "[]"


def _word(entry: Mapping[str, Any]) -> str:
    """A dependency as a word, in JSON where no word of RFC 26 says it."""
    try:
        text = dependency.format(entry)
    except ValueError:
        text = dump(entry)
    if not text.isprintable() or text[0] in "{[":  # which begin what is read as JSON
        text = dump(entry)
    return _bare(text)


def _bare(text: str) -> str:
    """A word with the quotes it needs; signs that a URI is made of need none here."""
    plain = text.replace("?", "").replace("&", "").replace(";", "").replace("ƒ", "")
    return text if shellwords.quote_value(plain) == plain else shellwords.quote_value(text)


def _put(document: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """The document with these dependencies; those that say the same stay the same objects."""
    old = _place.get(document)
    if isinstance(value, list) and isinstance(old, list):
        value = [next((was for was in old if _same(was, now)), now) for now in value]
        if len(value) == len(old) and all(map(_same, old, value)):
            value = old
    return _place.put(document, value)


def _same(one: Any, other: Any) -> bool:
    """The same dependency, whatever the order of its keys."""
    if not isinstance(one, dict) or not isinstance(other, dict) or one.keys() != other.keys():
        return False
    return all(identical(one[key], other[key]) for key in one)


def _describe(value: Any, context: Context = NOWHERE) -> str:
    if not isinstance(value, list) or not all(map(_legal, value)):
        return ""
    words = [dependency.describe(entry) for entry in value]
    return "" if not words else words[0] if len(words) == 1 else f"{words[0]}, +{len(words) - 1}"


def _complete(text: str, cursor: int, context: Context) -> list[Completion]:
    """Schemes, and behind the '?' of those that need them their keys and values."""
    before = text[:cursor]
    words = shellwords.split(before).value
    word = words[-1] if words and words[-1].span.end == len(before) else None
    begun = word.text if word else ""
    scheme, question, query = begun.partition("?")
    if not question:
        span = word.span if word else Span(len(before), len(before))
        return [
            Completion(offer, span, f"waits {known.meaning}")
            for name, known in dependency.SCHEMES.items()
            if (offer := f"{name}:" if known.value else name).startswith(begun) and offer != begun
        ]
    if scheme.partition(":")[0] not in dependency.WITH_KEYS:
        return []
    last = query.rpartition("&")[2]
    key, equals, _ = last.partition("=")
    span = Span(len(before) - len(last), len(before))
    if equals:
        found = {f"{key}={name}": what for name, what in dependency.KEYS.get(key, {}).items()}
    else:
        found = {"type=": "in, out or inout", "scope=": "user or global"}
    return [
        Completion(offer, span, meaning)
        for offer, meaning in found.items()
        if offer.startswith(last) and offer != last and (equals or offer not in query)
    ]


DEPENDENCIES = Field(
    "dependencies",
    "Dependencies",
    "Limits",
    "afterok:ƒ2oLkTLb · blank: waits for no job",
    "What has to happen before the job may start: afterok:ID waits until that job has ended well; "
    "there are afterany, afternotok, afterexcept and afterstart too. Several with blanks between "
    "them all have to happen.",
    _PATH,
    _read,
    _write,
    _describe,
    _complete,
    _place.get,
    _put,
)
