"""A library of examples to start from: the use cases of the RFCs, and fluxtui's own.

Each has a short explanation, and opens as a jobspec, a shape or a constraint.
"""

from fluxtui.library.example import Equivalent, Example, entries
from fluxtui.library.search import find

__all__ = ["Equivalent", "Example", "entries", "find"]
