"""The workbench: one frozen state, and the edits that make the next one.

Nothing here draws, reads or writes. The user interface and the headless verbs hand in edits
and show what comes out, so every behaviour can be tested without a terminal.
"""

from fluxtui.workbench.history import HISTORY_LIMIT, History
from fluxtui.workbench.state import (
    Ask,
    Build,
    Cluster,
    Edit,
    MoveCursor,
    OpenCluster,
    Source,
    State,
    TypeRequires,
    TypeShape,
    start,
    step,
)

__all__ = [
    "HISTORY_LIMIT",
    "Ask",
    "Build",
    "Cluster",
    "Edit",
    "History",
    "MoveCursor",
    "OpenCluster",
    "Source",
    "State",
    "TypeRequires",
    "TypeShape",
    "start",
    "step",
]
