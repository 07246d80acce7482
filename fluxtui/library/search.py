"""Find examples by words."""

import functools
import json
import re
from dataclasses import dataclass

from fluxtui.library.example import Example, entries

# What a word is worth, by where it is found.
_NAMED = 100  # it is the id, or the number of the use case
_PLACE = 40
_TITLE = 30
_ASKED = 12  # the shape, the constraint, the command lines
_TEXT = 8
_PROGRAM = 1  # the tasks and attributes of a whole jobspec, which are much alike
_BEGINS = 4  # it begins a word there


@dataclass(frozen=True, slots=True)
class _Place:
    """A text that is searched, in small letters, and what a word in it is worth."""

    text: str
    worth: int


@dataclass(frozen=True, slots=True)
class _Card:
    """What is searched of one example."""

    example: Example
    names: tuple[str, ...]
    places: tuple[_Place, ...]


def find(words: str) -> tuple[Example, ...]:
    """The examples in which each of the words occurs, the best first; all of them for no words.

    Words are parted by blanks. Small and capital letters are alike, and a part of a word will do.
    A word counts for most in the id, then in the RFC and section, in the title, in what is asked
    for, in the text, and for least in the tasks and attributes of the jobspec. Examples that are
    equally good stay in the order of the library.
    """
    wanted = words.casefold().split()
    ranked = [(score, card.example) for card in _cards() if (score := _score(card, wanted))]
    ranked.sort(key=lambda pair: -pair[0])
    return tuple(example for _, example in ranked)


@functools.cache
def _cards() -> tuple[_Card, ...]:
    return tuple(_card(example) for example in entries())


def _card(example: Example) -> _Card:
    number = example.id.partition("-")[2]
    constraint = "" if example.constraint is None else json.dumps(example.constraint)
    commands = (f"{one.system} {one.command}" for one in example.equivalents)
    document = example.document or {}
    program = [document[key] for key in ("tasks", "attributes") if key in document]
    asked = "\n".join((example.shape, example.requires, constraint, *commands))
    places = (
        _Place(f"{example.id} {example.rfc} {example.section}".casefold(), _PLACE),
        _Place(example.title.casefold(), _TITLE),
        _Place(asked.casefold(), _ASKED),
        _Place(example.text.casefold(), _TEXT),
        _Place(json.dumps(program).casefold(), _PROGRAM),
    )
    return _Card(example, (example.id.casefold(), number.casefold()), places)


def _score(card: _Card, words: list[str]) -> int:
    """How well the words fit; 0 where one of them does not occur."""
    total = 1
    for word in words:
        if word in card.names:
            total += _NAMED
            continue
        best = max(_worth(place, word) for place in card.places)
        if not best:
            return 0
        total += best
    return total


def _worth(place: _Place, word: str) -> int:
    if word not in place.text:
        return 0
    begins = re.search(rf"(?<!\w){re.escape(word)}", place.text) is not None
    return place.worth + _BEGINS * begins
