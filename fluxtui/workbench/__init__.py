"""The workbench: one frozen state, and the edits that make the next one.

Nothing here draws, reads or writes. The user interface and the headless verbs pass in edits
and show the resulting state, so every behaviour can be tested without a terminal.
"""

from fluxtui.workbench.authoring import (
    Unread,
    constraint_text,
    field_text,
    job_text,
    missing_from_job,
    unread,
)
from fluxtui.workbench.authoring import context as field_context
from fluxtui.workbench.cluster import Cluster, Source
from fluxtui.workbench.comparing import Comparison, Kept
from fluxtui.workbench.documents import Compared, Document
from fluxtui.workbench.edits import (
    ChooseQueue,
    CloseDocument,
    CompareDocuments,
    Edit,
    EditRequires,
    EditShape,
    FindRoom,
    Fix,
    GoToDocument,
    KeepConstraint,
    LeaveField,
    LookAtQueue,
    MoveCursor,
    OpenCluster,
    OpenJob,
    RefreshCluster,
    ReloadCluster,
    ReplaceJob,
    SaveJob,
    Select,
    SwapConstraints,
    TurnQueue,
    TypeField,
    TypeJobspec,
    TypeRequires,
    TypeShape,
)
from fluxtui.workbench.history import HISTORY_LIMIT, History
from fluxtui.workbench.job import Job, Raw
from fluxtui.workbench.outlook import Outlook, Submission
from fluxtui.workbench.prospects import find_outlook, looked, prospect, warm_up
from fluxtui.workbench.selecting import constraint_for
from fluxtui.workbench.state import Ask, Build, State, Surroundings
from fluxtui.workbench.steps import start, step

__all__ = [
    "HISTORY_LIMIT",
    "Ask",
    "Build",
    "ChooseQueue",
    "CloseDocument",
    "Cluster",
    "CompareDocuments",
    "Compared",
    "Comparison",
    "Document",
    "Edit",
    "EditRequires",
    "EditShape",
    "FindRoom",
    "Fix",
    "GoToDocument",
    "History",
    "Job",
    "KeepConstraint",
    "Kept",
    "LeaveField",
    "LookAtQueue",
    "MoveCursor",
    "OpenCluster",
    "OpenJob",
    "Outlook",
    "Raw",
    "RefreshCluster",
    "ReloadCluster",
    "ReplaceJob",
    "SaveJob",
    "Select",
    "Source",
    "State",
    "Submission",
    "Surroundings",
    "SwapConstraints",
    "TurnQueue",
    "TypeField",
    "TypeJobspec",
    "TypeRequires",
    "TypeShape",
    "Unread",
    "constraint_for",
    "constraint_text",
    "field_context",
    "field_text",
    "find_outlook",
    "job_text",
    "looked",
    "missing_from_job",
    "prospect",
    "start",
    "step",
    "unread",
    "warm_up",
]
