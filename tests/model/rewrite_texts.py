"""Texts as people may write them, by chance: with comments, in every style; and changes of them."""

import json
from random import Random
from typing import Any

from hypothesis import strategies as st

from tests import json_values

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
    keys = st.sampled_from(KEYS)
    inner = json_values.values(st.sampled_from([*WORDS, *ODD, *TEXTS, *PLAIN]), keys)
    return st.dictionaries(keys, inner, min_size=1, max_size=4) | inner


def randoms() -> st.SearchStrategy[Random]:
    """Chances for all that is not a value: small to draw, and the same for the same number."""
    return st.integers(0, 2**32).map(Random)


def changed(random: Random, value: Any) -> Any:
    """A value with something in it changed, which shares the rest."""
    if isinstance(value, str) and "\n" in value and random.random() < 0.5:
        return f"{value}z\n"
    if not isinstance(value, dict | list) or not value or random.random() < 0.2:
        return _some(random)
    is_map = isinstance(value, dict)
    items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    place, other = random.randrange(len(items)), random.randrange(len(items) + 1)
    key, held = items[place]
    name = random.choice(KEYS)
    chance = random.random()
    if chance < 0.5:
        items[place] = key, changed(random, held)
    elif chance < 0.65:
        del items[place]
    elif chance < 0.85:
        new = held if not is_map and random.random() < 0.5 else _some(random)
        items.insert(other, (name, new))
    elif not is_map:
        items.insert(other, items.pop(place))
    elif name not in value:
        items[place] = name, held
    return dict(items) if is_map else [item for _, item in items]


def _some(random: Random) -> Any:
    one, other = (random.choice([*WORDS, *ODD, *TEXTS, *PLAIN]) for _ in range(2))
    key = random.choice(KEYS)
    return random.choice([one, one, [one, other], {key: one}, [{key: one}, [other]], {}, []])


def json_text(random: Random, value: Any) -> str:
    """A JSON text in one style."""
    text = json.dumps(
        value,
        indent=random.choice([2, "\t", 0, None]),
        separators=(random.choice([", ", ",", " ,"]), random.choice([": ", ":", " : "])),
        ensure_ascii=random.random() < 0.5,
    )
    return (text + random.choice(["", "\n"])).replace("\n", random.choice(["\n", "\r\n"]))


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
        random, (start, end) = self.random, "[]" if isinstance(value, list) else "{}"
        parts = [self.flow(item, column) for item in value] if start == "[" else []
        for key, item in value.items() if isinstance(value, dict) else ():
            parts.append(f"{self.word(key)}: {'' if item is None else self.flow(item, column)}")
        if random.random() < 0.75 or not parts:
            between = random.choice([", ", ", ", " , ", f",\n{' ' * (column + 3)}"])
            space = random.choice(["", " "])
            trailing = random.choice(["", "", ","]) if parts else ""
            return start + space + between.join(parts) + trailing + space + end
        margin = " " * (column + random.choice([1, 2, 4]))
        lines = [start + self.behind()]
        for number, text in enumerate(parts, 1):
            if random.random() < self.comments / 2:
                lines.append(margin + self.comment())
            comma = "," if number < len(parts) or random.random() < 0.3 else ""
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
            keeps = value.endswith("\n\n") or value == "\n"
            end = "+" if keeps else "" if value[-1] == "\n" else "-"
            lines = value.removesuffix("\n").split("\n")
            body = [" " * (column + inner) + line if line else "" for line in lines]
            return f" {random.choice('||>')}{indent}{end}{self.behind()}", body
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


# A jobspec as people write them: comments, quotes, brackets, numbers of their own spelling.
JOB = """\
# Four nodes for an hour.
version: 1

resources:           # see the manual
  - type: node       # whole ones
    count: 4
    with:
      - type: slot
        count: 1
        label: default
        with:
          # two cores each
          - {type: core, count: 2}
          # - {type: gpu, count: 1}

tasks:
  - command: [ "app", "-v" ]   # say much
    slot: default
    count:
      per_slot: 1

attributes:
  system:
    duration: 3600.  # an hour
    cwd: "/home/flux"

    # what the program needs
    environment:
      HOME: "/home/flux"
      LANG: C
  user:
    note:
"""

JSON_JOB = """\
{
    "version": 1,
    "tasks": [
        {"command": ["app","-v"], "slot": "default"}
    ],
    "attributes": {
        "system": {
            "duration": 3.6e3,
            "queue": "b\\u00e4tch"
        },
        "user": {}
    }
}
"""

SCRIPT = """\
files:
  run: |   # the script
    #!/bin/sh
      app
    echo done

  note: >-
    a long text
    in two lines

    and more

end: true
"""

WIDE = """\
a:
    b:
      -   c: 1
          d: 2
    e:

      f: 3
    g:
        "long one"   # here
"""

BRACKETS = """\
command: [
  app,     # the program
  # loud
  "-v",
  -n, 4    # tasks
]  # all
"""

ANCHORS = """\
base: &base   # shared
  x: 1
one: *base    # the same
two:
  <<: *base
  y: 2
three: 3      # no part of it
"""

SAMPLES = {
    "JOB": JOB,
    "JSON_JOB": JSON_JOB,
    "SCRIPT": SCRIPT,
    "WIDE": WIDE,
    "BRACKETS": BRACKETS,
    "ANCHORS": ANCHORS,
    "LIST": "- one     # first\n\n# about two\n- two     # second\n- three   # third\n",
}
