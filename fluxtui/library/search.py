"""Searching the examples for words."""

import functools
import json
import re
from dataclasses import dataclass

from fluxtui.library.example import Example, entries

# The score of a word, by where it is found.
_NAMED = 100  # it is the id, or the number of the use case
_PLACE = 40
_TITLE = 30
_REQUEST = 12  # the shape, the constraint, the command lines
_TEXT = 8
_PROGRAM = 1  # the tasks and attributes of a jobspec, which differ little between examples
_BEGINS = 4  # added if a word there begins with it


@dataclass(frozen=True, slots=True)
class _Place:
    """A searched text, in lower case, and the score of a word found in it."""

    text: str
    score: int


@dataclass(frozen=True, slots=True)
class _Card:
    """The searched texts of one example."""

    example: Example
    names: tuple[str, ...]
    places: tuple[_Place, ...]


def find(words: str) -> tuple[Example, ...]:
    """Return the examples that contain all words, the best match first; all for no words.

    Words are separated by blanks; case is ignored, and parts of words match. A match in the id
    scores highest, then the RFC and section, the title, the request, the text, and the tasks and
    attributes of the jobspec. Examples with equal scores are in the order of the library.
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
    commands = (f"{other.system} {other.command}" for other in example.equivalents)
    document = example.document or {}
    program = [document[key] for key in ("tasks", "attributes") if key in document]
    request = "\n".join((example.shape, example.requires, constraint, *commands))
    places = (
        _Place(f"{example.id} {example.rfc} {example.section}".casefold(), _PLACE),
        _Place(example.title.casefold(), _TITLE),
        _Place(request.casefold(), _REQUEST),
        _Place(example.text.casefold(), _TEXT),
        _Place(json.dumps(program).casefold(), _PROGRAM),
    )
    return _Card(example, (example.id.casefold(), number.casefold()), places)


def _score(card: _Card, words: list[str]) -> int:
    """The score of an example; 0 if one of the words does not occur."""
    total = 1
    for word in words:
        if word in card.names:
            total += _NAMED
            continue
        best = max(_word_score(place, word) for place in card.places)
        if not best:
            return 0
        total += best
    return total


def _word_score(place: _Place, word: str) -> int:
    if word not in place.text:
        return 0
    begins = re.search(rf"(?<!\w){re.escape(word)}", place.text) is not None
    return place.score + _BEGINS * begins
