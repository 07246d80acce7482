"""The documentation that ships with fluxtui: topics, each a Markdown file beside this one."""

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pkgutil import get_data

#: In the order in which one reads them.
NAMES = (
    "start",
    "screen",
    "job",
    "asking",
    "cluster",
    "fit",
    "live",
    "scripts",
    "configuration",
    "themes",
    "install",
    "sources",
    "contributing",
)

_HEADING = re.compile(r"^#+ ")
_FENCE = "```"
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_SENTENCE = re.compile(r".*?[^\d ]\.(?= |$)")
_MARKED = re.compile(r"`([^`]*)`|\*{1,2}([^*]+)\*{1,2}")  # code, and emphasis


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a topic, under one heading; text is Markdown without that, line the heading's."""

    topic: str
    title: str
    text: str
    line: int

    @property
    def first(self) -> str:
        """Its first sentence, without Markdown; empty if it begins with code or a table."""
        paragraph = " ".join(self.text.partition("\n\n")[0].split())
        if paragraph.startswith((_FENCE, "|", "<!--")):
            return ""
        text = _MARKED.sub(r"\1\2", _LINK.sub(r"\1", paragraph))
        sentence = _SENTENCE.match(text)
        return sentence[0] if sentence else text


@dataclass(frozen=True, slots=True)
class Topic:
    """One file: its name, its title, what it is about in a line, and its Markdown."""

    name: str
    title: str
    about: str
    text: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A section in which each of the words that were searched is, and the line that shows them."""

    section: Section
    line: str


@functools.cache
def topics() -> tuple[Topic, ...]:
    """All topics, in their order."""
    return tuple(_topic(name) for name in NAMES)


def topic(name: str) -> Topic | None:
    """The topic of this name."""
    return next((one for one in topics() if one.name == name), None)


def find(words: Iterable[str]) -> tuple[Hit, ...]:
    """The sections in which each word is, those with the words in their title first.

    Small and capital letters are alike, and a part of a word will do.
    """
    wanted = [word.casefold() for word in words]
    hits: list[tuple[int, Hit]] = []
    for one in topics():
        for section in one.sections:
            title = f"{one.name} {section.title}".casefold()
            if all(word in title or word in section.text.casefold() for word in wanted):
                worth = sum(word in title for word in wanted)
                hits.append((-worth, Hit(section, _line(section, wanted))))
    hits.sort(key=lambda hit: hit[0])
    return tuple(hit for _, hit in hits)


def _line(section: Section, wanted: list[str]) -> str:
    """The line of a section that has most of the words."""
    lines = [line for line in section.text.splitlines() if line and not line.startswith(_FENCE)]
    has = [sum(word in line.casefold() for word in wanted) for line in lines]
    return lines[has.index(max(has))].strip() if lines else ""


def _topic(name: str) -> Topic:
    text = (get_data("fluxtui.docs", f"{name}.md") or b"").decode()
    sections = tuple(_sections(name, text.splitlines()))
    return Topic(name, sections[0].title, sections[0].first, text, sections)


def _sections(name: str, lines: list[str]) -> Iterable[Section]:
    inside = False
    starts: list[int] = []
    for number, line in enumerate(lines):
        inside ^= line.startswith(_FENCE)
        if not inside and _HEADING.match(line):
            starts.append(number)
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        text = "\n".join(lines[start + 1 : end]).strip()
        yield Section(name, _HEADING.sub("", lines[start]), text, start)
