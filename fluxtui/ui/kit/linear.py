"""What is drawn as text that can be read aloud: no sign without a word, no column without a comma.

A screen reader says the characters of a line from left to right. It passes over signs such as ✓,
or spells them out, and columns lose the titles that are above them.
"""

import re
from collections.abc import Mapping

from rich.text import Text

from fluxtui.notation.problem import printable

#: What a sign says where it is a word of its own; those whose meaning stands beside them say
#: nothing more.
SIGNS: Mapping[str, str] = {
    "✓": "yes", "✗": "no", "!": "note", "?": "not known", "≈": "", "=": "",
    "∅": "nothing is left", "±": "both", "›": "chosen", "▣": "placed", "◧": "in use", "●": "",
    "…": "", "·": "", "■": "", "□": "", "▤": "", "▽": "", "▼": "", "▲": "", "◪": "", "◆": "",
    "◇": "", "~": "", "-": "",
}  # fmt: skip

#: Those that are an answer to what stands before them.
ANSWERS = ("✓", "✗")

#: Signs within a text, which are words of their own there.
WORDS: Mapping[str, str] = {"≤": "at most", "×": "times", "→": "to", "←": "from", "…": "and more"}

_TIMES = re.compile(r"×(?=[0-9])")
_APART = re.compile(r"\s{2,}| · ")


def in_words(line: Text | str) -> str:
    """A line that is drawn as one that can be read aloud; empty where it has nothing but signs.

    A sign before or after a text becomes a word with a colon: ``✓ V1  ✗ debug`` is ``yes: V1, no:
    debug``. Signs within other words stay: they are those of a document.
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
    if within:  # as in a row with a title: ``free now ✓ 3 such jobs``
        title, rest = " ".join(words[:within]), " ".join(words[within + 1 :])
        words = [f"{title}: {SIGNS[words[within]]},", rest]
    said = " ".join(WORDS.get(word, word) for word in words)
    said = _TIMES.sub("times ", said).replace(",…", ", and more").removesuffix("…").rstrip()
    return ": ".join(filter(None, (lead, said, last)))
