"""Turn drawn lines into text that can be read aloud: words for signs, commas between columns.

A screen reader reads the characters of a line from left to right. It skips signs such as ✓ or
spells out their names, and columns lose the titles above them.
"""

import re
from collections.abc import Mapping

from rich.text import Text

from fluxtui.notation.problem import printable

#: The words for signs that are separated by spaces; empty if the text next to them says the same.
SIGNS: Mapping[str, str] = {
    "✓": "yes", "✗": "no", "!": "note", "?": "not known", "≈": "", "=": "",
    "∅": "nothing is left", "±": "both", "›": "chosen", "▣": "placed", "◧": "in use", "●": "",
    "…": "", "·": "", "■": "", "□": "", "▤": "", "▽": "", "▼": "", "▲": "", "◪": "", "◆": "",
    "◇": "", "~": "", "-": "",
}  # fmt: skip

#: Signs that answer the text before them.
ANSWERS = ("✓", "✗")

#: The words for signs within a text, between other words.
WORDS: Mapping[str, str] = {"≤": "at most", "×": "times", "→": "to", "←": "from", "…": "and more"}

_TIMES = re.compile(r"×(?=[0-9])")
_APART = re.compile(r"\s{2,}| · ")


def in_words(line: Text | str) -> str:
    """Return a drawn line as text to read aloud; empty if it has nothing but signs without words.

    A sign before or after a text becomes a word and a colon: ``✓ V1  ✗ debug`` becomes ``yes: V1,
    no: debug``. Signs inside a word are kept, because they come from a document.
    """
    text = str(line).replace("\N{NO-BREAK SPACE}", " ")
    pieces = _APART.split(printable(text).strip())
    return ", ".join(filter(None, map(_piece, pieces)))


def _piece(text: str) -> str:
    words = text.split()
    lead = last = ""
    if words and words[0] in SIGNS:
        lead = SIGNS[words.pop(0)]
    if words and words[-1] in SIGNS and words[-1] not in WORDS:
        last = SIGNS[words.pop()]
    within = next((at for at, word in enumerate(words) if word in ANSWERS), None)
    if within:  # such as a row with a title: ``free now ✓ 3 such jobs``
        title, rest = " ".join(words[:within]), " ".join(words[within + 1 :])
        words = [f"{title}: {SIGNS[words[within]]},", rest]
    rest = " ".join(WORDS.get(word, word) for word in words)
    rest = _TIMES.sub("times ", rest).replace(",…", ", and more").removesuffix("…").rstrip()
    return ": ".join(filter(None, (lead, rest, last)))
