"""Resources of a request in words, as the sentences on room need them."""

from collections.abc import Mapping, Sequence

from fluxtui.answers.feasibility.fluxion.request import Want

_SAME = frozenset(("chassis", "memory", "storage"))


class Nouns:
    """Says how much of a type; units are what is counted of those whose vertices hold many."""

    def __init__(self, units: Mapping[str, str]) -> None:
        self.units = units

    def many(self, kind: str, count: int) -> str:
        """``1 core``, ``1,234 cores``, ``16 GB of memory``."""
        if kind in self.units:
            unit = "unit" if self.units[kind] == "units" and count == 1 else self.units[kind]
            return f"{count:,} {unit} of {kind}"
        return f"{count:,} {kind if count == 1 else plural(kind)}"

    def wanted(self, want: Want) -> str:
        """A want with what is below it: ``2 sockets with 8 cores each``."""
        text = self.many(want.type, want.least)
        if not want.kids:
            return text
        if want.slot:
            return f"{text} of {self.all(want.kids)}"
        return self.holding(want, text)

    def holding(self, want: Want, text: str) -> str:
        """So many of a want, in words, with what is below each of them."""
        inner = self.all(want.kids)
        if want.least == 1:
            return f"{text} with {inner}"
        return (
            f"{text}, each with {inner}" if inner.endswith("each") else f"{text} with {inner} each"
        )

    def all(self, wants: Sequence[Want]) -> str:
        """Several wants: ``8 cores and 1 gpu``."""
        return listed([self.wanted(want) for want in wants])


def plural(kind: str) -> str:
    """The plural of a type."""
    return kind if kind in _SAME else f"{kind}s"


def a(kind: str) -> str:
    """A type with its article."""
    return f"{'an' if kind[:1] in ('a', 'e', 'i', 'o', 'u') or kind == 'ssd' else 'a'} {kind}"


def listed(words: Sequence[str], joint: str = "and") -> str:
    """``a, b and c``."""
    return f" {joint} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
