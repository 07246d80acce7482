"""The documentation that ships with fluxtui: topics, each a Markdown file beside this one."""

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pkgutil import get_data

#: The names of the topics, in reading order.
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
_SENTENCE = re.compile(r".*?[^0-9 ]\.(?= |$)")
_MARKED = re.compile(r"`([^`]*)`|\*{1,2}([^*]+)\*{1,2}")  # code, and emphasis


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a topic under one heading: its Markdown without that, and the heading's line."""

    topic: str
    title: str
    text: str
    line: int

    @property
    def first(self) -> str:
        """The first sentence, without Markdown; empty if the text begins with code or a table."""
        paragraph = " ".join(self.text.partition("\n\n")[0].split())
        if paragraph.startswith((_FENCE, "|", "<!--")):
            return ""
        text = _MARKED.sub(r"\1\2", _LINK.sub(r"\1", paragraph))
        sentence = _SENTENCE.match(text)
        return sentence[0] if sentence else text


@dataclass(frozen=True, slots=True)
class Topic:
    """One file: its name, title, summary in one sentence, and Markdown."""

    name: str
    title: str
    about: str
    text: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that contains every word searched for, and the line with most of them."""

    section: Section
    line: str


@functools.cache
def topics() -> tuple[Topic, ...]:
    """Return all topics, in reading order."""
    return tuple(_topic(name) for name in NAMES)


def topic(name: str) -> Topic | None:
    """Return the topic of this name, or None."""
    return next((one for one in topics() if one.name == name), None)


def find(words: Iterable[str]) -> tuple[Hit, ...]:
    """Return the sections that contain every word, those with words in their title first.

    Case is ignored, and parts of words match.
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
    """Return the line of a section that contains most of the words."""
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
