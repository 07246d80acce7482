"""Texts as people may write them, by chance: with comments, in every style; and changes of them."""

import json
from random import Random
from typing import Any

from hypothesis import strategies as st

# fmt: off
WORDS = [
    "", "a", "core", "3600", "yes", "no", "null", "~", "1:30", "0x1f", "1e3", "2024-01-01", "é",
    "-v", "-", "- x", "?", "? q", ":", "x:", "a: b", "a#b", "a #b", "# no", ", ", "[x", "{",
    "&x", "*y", "!z", "|", "%", "@", "`", "<<", "=", "---", "...", "it's", 'say "x"', " lead",
    "trail ", "C:\\x", "a\\nb",
]
ODD = [
    "tab\tin", "\u2028", "\ufeff", "\x07", "\x85", "\U0001f600",
]
TEXTS = [
    "a\nb\n", "a\nb", "#!/bin/sh\necho hi\n", " x\n y\n", "a\n\n  b\n", "a\n\n", "\na\n", "\n",
    "a\r\nb", "x \n y\n", "a\n \nb\n", "a\n  ", "# c\nb\n", "long words\nand\n\nmore\n",
    "\ta\nb\n", "a\n\n\n", "tab\t\nx\n", "a\n   \n",
]
KEYS = [
    "a", "b", "c", "d", "type", "count", "with", "x y", "yes", "1", "", "é", "a: b", "# k",
    "<<",
]
PLAIN = [
    None, True, False, 0, 1, -3, 10**19, 1.5, 3600.0, 1e+30, 1e-07,
]
# fmt: on


def values() -> st.SearchStrategy[Any]:
    """Values of documents; most are mappings."""
    inner = st.recursive(
        st.sampled_from([*WORDS, *ODD, *TEXTS, *PLAIN]),
        lambda part: (
            st.lists(part, max_size=4) | st.dictionaries(st.sampled_from(KEYS), part, max_size=4)
        ),
        max_leaves=12,
    )
    return st.dictionaries(st.sampled_from(KEYS), inner, min_size=1, max_size=4) | inner


def randoms() -> st.SearchStrategy[Random]:
    """Chances for all that is not a value: small to draw, and the same for the same number."""
    return st.integers(0, 2**32).map(Random)


def changed(random: Random, value: Any) -> Any:
    """A value with something in it changed, which shares the rest."""
    if isinstance(value, dict) and value and random.random() < 0.8:
        return _changed_mapping(random, value)
    if isinstance(value, list) and value and random.random() < 0.8:
        return _changed_list(random, value)
    if isinstance(value, str) and "\n" in value and random.random() < 0.5:
        return f"{value}z\n"
    return _some(random)


def _changed_mapping(random: Random, value: dict[str, Any]) -> Any:
    key = random.choice(list(value))
    chance = random.random()
    if chance < 0.55:
        return {k: changed(random, v) if k == key else v for k, v in value.items()}
    if chance < 0.7:
        return {k: v for k, v in value.items() if k != key}
    name = random.choice(KEYS)
    if chance < 0.9:
        items = list(value.items())
        items.insert(random.randrange(len(items) + 1), (name, _some(random)))
        return dict(items)
    return {(name if k == key and name not in value else k): v for k, v in value.items()}


def _changed_list(random: Random, value: list[Any]) -> Any:
    place = random.randrange(len(value))
    chance = random.random()
    if chance < 0.5:
        return [changed(random, v) if i == place else v for i, v in enumerate(value)]
    others = value[:place] + value[place + 1 :]
    if chance < 0.65:
        return others
    new = value[place] if random.random() < 0.5 else _some(random)
    if chance < 0.85:
        return [*value[:place], new, *value[place:]]
    others.insert(random.randrange(len(others) + 1), value[place])
    return others


def _some(random: Random) -> Any:
    one, other = (random.choice([*WORDS, *ODD, *TEXTS, *PLAIN]) for _ in range(2))
    key = random.choice(KEYS)
    return random.choice([one, one, [one, other], {key: one}, [{key: one}, [other]], {}, []])


def json_text(random: Random, value: Any) -> str:
    """A JSON text in one style."""
    unit = random.choice(["  ", "\t", "", ""])
    comma, colon = random.choice([", ", ","]), random.choice([": ", ":", " : "])
    escaped = random.random() < 0.5
    newline = random.choice(["\n", "\r\n"])

    def part(value: Any, margin: str) -> str:
        if not isinstance(value, dict | list) or not value:
            return json.dumps(value, ensure_ascii=escaped)
        inner = margin + unit
        parts = [
            part(item, inner) for item in (value if isinstance(value, list) else value.values())
        ]
        if isinstance(value, dict):
            keys = (json.dumps(key, ensure_ascii=escaped) for key in value)
            parts = [f"{key}{colon}{text}" for key, text in zip(keys, parts, strict=True)]
        start, end = "[]" if isinstance(value, list) else "{}"
        if unit and random.random() < 0.8:
            lines = f",{newline}{inner}".join(parts)
            return f"{start}{newline}{inner}{lines}{newline}{margin}{end}"
        return f"{start}{comma.join(parts)}{end}"

    return part(value, "") + random.choice(["", newline])


class YamlText:
    """Writes a value as YAML, in one indentation and in many styles, with comments in between.

    Each comment has a number. What comes out may say something else, or nothing: what it says is
    for its reader to find out.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.step = random.choice([2, 2, 4, 3, 1])
        self.lists = random.choice([0, 0, 2, self.step])
        self.dash = random.choice([2, 2, 4])
        self.comments = random.choice([0, 0.15, 0.4])
        self.brackets = random.choice([0, 0.2, 0.5])
        self.blanks = random.choice([0, 0.2])
        self.count = 0

    def text(self, value: Any) -> str:
        """The whole text."""
        random = self.random
        lines = self.between(0) + (["---" + self.behind()] if random.random() < 0.1 else [])
        if isinstance(value, dict | list) and value and random.random() < 0.9:
            lines += self.block(value, 0)
        else:
            lines.append(self.flow(value, 0))
        text = "\n".join(lines + self.between(0)) + random.choice(["\n", "\n", "\n", ""])
        return text.replace("\n", "\r\n") if random.random() < 0.2 else text

    def comment(self) -> str:
        self.count += 1
        return f"# c{self.count}." + self.random.choice(["", " why?", " a: b", ' "q', " - x", " ]"])

    def behind(self) -> str:
        """What may stand at the end of a line."""
        if self.random.random() < self.comments:
            return " " * self.random.choice([1, 3]) + self.comment()
        return self.random.choice(["", "", "  "])

    def between(self, column: int) -> list[str]:
        """What may stand on lines between others."""
        lines = []
        while self.random.random() < self.comments / 2:
            indent = self.random.choice([column, column, 0, column + 2, max(0, column - 2)])
            lines.append(" " * indent + self.comment())
        while self.random.random() < self.blanks:
            lines.append(self.random.choice(["", "  ", "        "]))
        return lines

    def word(self, value: Any) -> str:
        """A scalar on one line."""
        chance = self.random.random()
        if not isinstance(value, str):
            words = {None: ["null", "~"], True: ["true", "on"], False: ["false", "no"]}
            if value is None or isinstance(value, bool):
                return self.random.choice(words[value])
            return {3600.0: "3600.", 1e30: "1.0e+30", 1e-7: "1.0e-7"}.get(value, repr(value))
        if value.isalpha() and value not in {"yes", "no", "null"} and chance < 0.6:
            return value
        if value.isprintable() and chance < 0.8:
            return "'" + value.replace("'", "''") + "'"
        return json.dumps(value)

    def flow(self, value: Any, column: int) -> str:
        """A value between brackets, on one line or on several."""
        if not isinstance(value, dict | list):
            return self.word(value)
        start, end = "[]" if isinstance(value, list) else "{}"
        parts = [self.flow(item, column) for item in (value if start == "[" else value.values())]
        if isinstance(value, dict):
            parts = [
                f"{self.word(key)}: {'' if value[key] is None else text}"
                for key, text in zip(value, parts, strict=True)
            ]
        if self.random.random() < 0.75 or not parts:
            between = self.random.choice([", ", ", ", " , ", f",\n{' ' * (column + 3)}"])
            space = self.random.choice(["", " "])
            return (
                start
                + space
                + between.join(parts)
                + self.random.choice(["", "", ", "][: len(parts) + 1])
                + space
                + end
            )
        margin = " " * (column + self.random.choice([1, 2, 4]))
        lines = [start + self.behind()]
        for number, text in enumerate(parts, 1):
            if self.random.random() < self.comments / 2:
                lines.append(margin + self.comment())
            comma = "," if number < len(parts) or self.random.random() < 0.3 else ""
            lines.append(margin + text + comma + self.behind())
        return "\n".join([*lines, " " * (column + 1) + end])

    def value(self, value: Any, column: int, lists: int) -> tuple[str, list[str]]:
        """What stands behind a key or a dash in a column, and on the lines below."""
        random = self.random
        if isinstance(value, dict | list):
            if not value or random.random() < self.brackets:
                return " " + self.flow(value, column) + self.behind(), []
            inner = column + (lists if isinstance(value, list) else self.step)
            return self.behind(), self.between(inner) + self.block(value, inner)
        if isinstance(value, str) and "\n" in value and random.random() < 0.8:
            inner = random.choice([self.step, 2, 3])
            indent = str(inner) if value[0] in " \n\t" else ""
            end = (
                "+" if value.endswith("\n\n") or value == "\n" else "" if value[-1] == "\n" else "-"
            )
            lines = [" " * (column + inner) + line if line else "" for line in value.split("\n")]
            return f" {random.choice('||>')}{indent}{end}{self.behind()}", lines[
                : -1 if value[-1] == "\n" else None
            ]
        if value is None and random.random() < 0.5:
            return self.behind(), []
        lead = "\n" + " " * (column + 1) if random.random() < 0.05 else random.choice([" ", "   "])
        return lead + self.word(value) + self.behind(), []

    def block(self, value: Any, column: int) -> list[str]:
        """The lines of a mapping or a list in block style."""
        lines: list[str] = []
        for step, part in value.items() if isinstance(value, dict) else enumerate(value):
            lines += self.between(column)
            if isinstance(value, dict):
                head, body = self.value(part, column, self.lists)
                lines += [" " * column + f"{self.word(step)}:{head}", *body]
                continue
            if isinstance(part, dict | list) and part and self.random.random() < 0.6:
                first, *others = self.block(part, column + self.dash)
                if not first.strip().startswith("#") and first.strip():
                    lead = " " * column + "-" + " " * (self.dash - 1)
                    lines += [lead + first[len(lead) :], *others]
                    continue
            head, body = self.value(part, column, self.step)
            lines += [" " * column + f"-{head}", *body]
        return lines
