"""Edits of a shape text through its tree, which keep what the edit does not change (RFC 46).

Spaces, order, quotes, brackets and the spelling of counts and keys stay as they were typed
wherever they are not what changes. `rewrite` gives the text of any other tree, `revise` that of
another resources list (RFC 14). The other functions make one edit each, of the vertex at a path:
(0, 1) is the second child of the first vertex at the top, which a jobspec calls
``resources[0].with[1]`` (`path_of`). They give an `Edited`: the text, which reads back as the
edited tree, and where the cursor goes; or the old text, and why nothing was done.
"""

from fluxtui.notation.shape.edit.compose import rewrite
from fluxtui.notation.shape.edit.counts import set_count, step_count
from fluxtui.notation.shape.edit.moves import (
    add_child,
    add_sibling,
    delete,
    duplicate,
    indent,
    lift,
    move,
    outdent,
    wrap,
)
from fluxtui.notation.shape.edit.revise import revise
from fluxtui.notation.shape.edit.tree import Edited, Path, document_path, path_of
from fluxtui.notation.shape.edit.vertex import (
    edit_vertex,
    own_text,
    remove_key,
    set_key,
    set_label,
    set_type,
    toggle_exclusive,
)

__all__ = [
    "Edited",
    "Path",
    "add_child",
    "add_sibling",
    "delete",
    "document_path",
    "duplicate",
    "edit_vertex",
    "indent",
    "lift",
    "move",
    "outdent",
    "own_text",
    "path_of",
    "remove_key",
    "revise",
    "rewrite",
    "set_count",
    "set_key",
    "set_label",
    "set_type",
    "step_count",
    "toggle_exclusive",
    "wrap",
]
