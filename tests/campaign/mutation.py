"""Hostile texts: those that the tests know, changed by letters, by tokens, and as trees of JSON."""

import json
import random
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal

from fluxtui.model.documents import document

#: What separates the parts of an input; no part holds it.
BETWEEN = "\x1e"
#: The longest part of an input.
LONGEST = 200_000

Form = Literal["text", "json", "yaml", "toml"]

NASTY = (
    "\x00", "\r", "\r\n", "\n", "\t", "\x1b[31m", "\x07", "\x7f", "\x85", "\x9b2J", "\u2028",
    "\u202e", "\u2066", "\u200b", "\ufeff", "\ufffe", "\ud800", "\udc80", "\udfff\ud800", "a\u0301",
    "\u0301" * 9, "é", "漢", "😀", "👩\u200d👩", "²", "٣", "𝟙", "İ", "ß", "0", "-0", "00", "1e999",
    *"'\"\\`%#&*!~@[]{}()<>|;:,=+-./^? ", "$x", "${", "--", "  ", "NaN", "inf", "0x1f", "w" * 2500,
    "9" * 20, "9" * 400, "4294967295", "18446744073709551616", "0-4294967295", "[[", "]]",
    "n[0-999999999999]", "=1+1", "{{id}}", "<<: *a", "&a", "*a", "!!python/object:x {}", "---\n",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**53 + 1, 2**63, 2**64, 10**30, int("9" * 400), 0.0, -0.0,
    1.5, 1e308, 1e-308, float("inf"), float("-inf"), float("nan"), "", " ", "0", "0-3", "3-0",
    "1.5", "0-4294967295", "0,2,4", "n[0-3]", "n[0-999999999]", "a,b", "\x00", "\x1b[31m", "\ud800",
    "\u202e", "é漢", "=1+1", "true", "null", "a b", "it's", "l\nm", "x" * 300, "y" * 3000,
    [], {}, [[]], [{}], {"": {}}, {"a": None}, [None], ["a", 1], {"min": 1, "max": 0},
    {"and": [{}]}, {"not": []},
)  # fmt: skip
_NUMBER = re.compile(r"[0-9]+")
TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
MEMBER = re.compile(r'"(?:[^"\\]|\\.)*"\s*:\s*(?:-?[0-9.]+|"(?:[^"\\]|\\.)*"|true|false|null)')
_NEST = "@nested"  # stands for what is nested deeper than Python writes


class Source:
    """Where a part of an input comes from: seeds, and the form in which their trees are written."""

    def __init__(self, seeds: Callable[[], Sequence[str]], form: Form = "text") -> None:
        self._seeds, self.form = seeds, form

    @cached_property
    def seeds(self) -> tuple[str, ...]:
        """The texts that it begins with, each once."""
        return tuple(dict.fromkeys(text.replace(BETWEEN, "") for text in self._seeds())) or ("",)

    @cached_property
    def trees(self) -> tuple[str, ...]:
        """The values of the seeds, as JSON, where they have trees."""
        if self.form == "text":
            return ()
        found = (document.read(text) for text in self.seeds)
        return tuple(json.dumps(one.value) for one in found if isinstance(one.value, dict | list))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The words and signs of the seeds."""
        short = (token for text in self.seeds for token in TOKEN.findall(text[:2000]))
        return tuple(dict.fromkeys(token for token in short if len(token) < 40))[:2000] or ("",)

    def mutant(self, chance: random.Random, learnt: Sequence[str] = ()) -> str:
        """A text that is one of the seeds, or of those learnt since, with some changes."""
        if self.trees and chance.random() < 0.6:
            text = self.tree(chance)
            if chance.random() < 0.7:
                return text[:LONGEST]
        else:
            text = chance.choice(learnt if learnt and chance.random() < 0.4 else self.seeds)
        for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 5, 9))):
            text = self._changed(chance, text)
        return text.replace(BETWEEN, "\x1d")[:LONGEST]

    def _changed(self, chance: random.Random, text: str) -> str:
        size = len(text)
        a = chance.randint(0, size)
        b = min(size, a + chance.choice((0, 1, 1, 2, 3, 5, 9, 30)))
        match chance.randrange(14):
            case 0 | 1:
                return text[:a] + chance.choice(NASTY) + text[b:]
            case 2 | 3 | 4:
                token = chance.choice(self.tokens)
                return text[:a] + token + text[a if chance.random() < 0.5 else b :]
            case 5:
                return text[:a] + text[b:]
            case 6:
                times = chance.choice((2, 2, 3, 9, 9, 60, 300))
                return text[:a] + text[a:b] * (times if size * times < LONGEST else 2) + text[b:]
            case 7:
                c = chance.randint(0, size)
                return text[:c] + text[a:b] + text[c:]
            case 8:
                return text[:a] if chance.random() < 0.7 else text[a:]
            case 9:
                other = chance.choice(self.seeds)
                return text[:a] + other[chance.randint(0, len(other)) :]
            case 10:
                numbers = list(_NUMBER.finditer(text[:3000]))
                if not numbers:
                    return text + chance.choice("0123456789")
                found = chance.choice(numbers)
                n = int(found[0][:300])
                new = chance.choice((n + 1, n - 1, -n, n * 2, 0, 10**9, 2**64, "0" + found[0]))
                return f"{text[: found.start()]}{new}{text[found.end() :]}"
            case 11:
                opening, closing = chance.choice(("[]", "{}", "()", '""', "''"))
                depth = chance.choice((1, 1, 2, 9, 40, 200))
                return text[:a] + opening * depth + text[a:b] + closing * depth + text[b:]
            case 12:
                data = bytearray(text[:2000].encode("utf-8", "surrogatepass"))
                for _ in range(min(len(data), 3)):
                    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
                return data.decode("utf-8", "surrogateescape") + text[2000:]
            case _:
                members = list(MEMBER.finditer(text[:20000])) if '"' in text else []
                if not members:
                    code = chance.choice((chance.randrange(128), chance.randrange(0x3000)))
                    return text[:a] + chr(code) + text[b:]
                one, other = chance.choice(members), chance.choice(members)
                return f"{text[: one.start()]}{other[0]}, {one[0]}{text[one.end() :]}"

    def tree(self, chance: random.Random) -> str:
        """One of the trees with some of its parts changed, as a text."""
        value = json.loads(chance.choice(self.trees))
        for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
            value = self._grafted(chance, value)
        return self.written(chance, value)

    def written(self, chance: random.Random, value: Any) -> str:
        """A value in the form of these texts; parts of it may be nested very deep."""
        form = self.form if chance.random() < 0.9 else "json"
        try:
            if form == "toml" and isinstance(value, dict):
                text = "".join(f"{json.dumps(key)} = {_toml(one)}\n" for key, one in value.items())
            elif form == "yaml" and chance.random() < 0.5:
                text = document.dump(value)
            else:
                is_ascii, indent = chance.random() < 0.5, chance.choice((None, None, 1))
                text = json.dumps(value, ensure_ascii=is_ascii, indent=indent)
        except (RecursionError, ValueError, MemoryError):
            return chance.choice(self.seeds)
        if _NEST in text:
            depth = chance.choice((3, 20, 70, 200, 900, 3000))
            ways = (("[", "]"), ('{"a":', "}"), ('{"with":[', "]}"), ('{"not":[', "]}"))
            opening, closing = chance.choice(ways)
            text = text.replace(f'"{_NEST}"', opening * depth + "1" + closing * depth)
        return text

    def _grafted(self, chance: random.Random, value: Any) -> Any:
        """The value with a part of it changed, in place but where it is all of it."""
        around, key = None, None
        part = value
        while isinstance(part, dict | list) and part and chance.random() < 0.75:
            around, key = part, key_of(chance, part)
            part = around[key]
        if around is None:
            return self._other(chance, value)
        match chance.randrange(8):
            case 0:
                del around[key]
            case 1 if isinstance(around, dict):
                around[chance.choice(self.tokens)] = around.pop(key)
            case 2 if isinstance(around, list):
                times = chance.choice((1, 2, 9, 100))
                around[key:key] = [part] * (times if len(str(part)) < 1000 else 1)
            case 2 if isinstance(around, dict):
                for number in range(chance.choice((1, 3, 60))):
                    around[f"{key}{number}"] = part
            case 3:
                found = json.loads(chance.choice(self.trees))
                while isinstance(found, dict | list) and found and chance.random() < 0.8:
                    found = found[key_of(chance, found)]
                around[key] = found
            case 4 if isinstance(part, str):
                around[key] = self._changed(chance, part)
            case _:
                around[key] = self._other(chance, part)
        return value

    def _other(self, chance: random.Random, part: Any) -> Any:
        """What stands in the place of a value: something else, or the same as another type."""
        match chance.randrange(6):
            case 0:
                return [part]
            case 1:
                return {chance.choice(self.tokens): part}
            case 2:
                return str(part)[:200] if not isinstance(part, str) else _number(part)
            case 3:
                return _NEST if chance.random() < 0.3 else chance.choice(self.tokens)
            case _:
                value = chance.choice(VALUES)
                return json.loads(json.dumps(value)) if isinstance(value, dict | list) else value


def key_of(chance: random.Random, value: dict[str, Any] | list[Any]) -> Any:
    """One of the keys or places of a value."""
    return chance.choice(list(value) if isinstance(value, dict) else range(len(value)))


def _number(text: str) -> Any:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 300 else len(text)


def _toml(value: Any) -> str:
    """A value as TOML has it, in one line; null, which that lacks, is a string."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool | str):
        return json.dumps(value)
    return str(value).replace("None", '"null"')
