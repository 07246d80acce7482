"""A draft: all of a user's work in a workbench, and its form in a file."""

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from functools import lru_cache
from typing import Any

from fluxtui.bridge.stamps import Stamp
from fluxtui.model.documents.document import not_json

KIND, VERSION = "fluxtui draft", 1

FORMS = ("yaml", "json")


@dataclass(frozen=True, slots=True)
class SavedFile:
    """The file of a job, as it was when last read or written."""

    path: str
    stamp: Stamp
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What is needed to continue where the user left off.

    shape, requires  the texts of the two bars, valid or not
    queue            the chosen queue; None if the choice is left to Flux
    document         the whole jobspec; None if there are only the texts
    typed            by field: its text, if the document does not represent it
    written          by form (yaml, json): the text that the document was read from
    raw              a text of the jobspec that could not be read, and its form
    own              whether the constraint is the job's own, and not that of the bar
    path             the file that the job belongs to
    file             that file as it was when last read or written
    unsaved          whether the work differs from the file
    cluster          the display name of the open cluster
    resources        the path of its R document; None if it has none
    config           the path of its configuration; None if none was given
    """

    shape: str = ""
    requires: str = ""
    queue: str | None = None
    document: Mapping[str, Any] | None = None
    typed: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)
    raw: tuple[str, str] | None = None
    own: bool = False
    path: str | None = None
    file: SavedFile | None = None
    unsaved: bool = True
    cluster: str = ""
    resources: str | None = None
    config: str | None = None

    @property
    def blank(self) -> bool:
        """Whether there is nothing to restore."""
        texts = self.shape.strip() or self.requires.strip() or self.raw
        return not texts and self.document is None and self.queue is None

    @property
    def work(self) -> "Draft":
        """The draft without its cluster and the state of its file, to compare the work itself."""
        return replace(self, file=None, unsaved=True, cluster="", resources=None, config=None)

    def to_json(self) -> dict[str, Any]:
        """The draft as a JSON object."""
        file = self.file
        return {
            "shape": self.shape,
            "requires": self.requires,
            "queue": self.queue,
            "document": self.document,
            "typed": dict(self.typed),
            "written": dict(self.written),
            "raw": list(self.raw) if self.raw is not None else None,
            "own": self.own,
            "path": self.path,
            "file": None if file is None else [file.path, list(astuple(file.stamp)), file.text],
            "unsaved": self.unsaved,
            "cluster": self.cluster,
            "resources": self.resources,
            "config": self.config,
        }


def to_text(draft: Draft, head: Mapping[str, Any]) -> str:
    """Return the JSON text of a draft, with the keys of head, which is not empty, before it.

    Long texts that do not change while the user types are encoded only once, so that writing the
    draft of a large job often is no slower than that of a small one.
    """
    parts = draft.to_json()
    written, file = parts.pop("written"), parts.pop("file")
    # Closing brackets are cut off where more members follow.
    pieces = [json.dumps(head)[:-1], ', "draft": ', json.dumps(parts)[:-1], ', "written": {']
    for number, (form, text) in enumerate(written.items()):
        pieces += [", " * bool(number), f"{json.dumps(form)}: ", _encoded(text)]
    pieces.append('}, "file": ')
    if file is None:
        pieces.append("null")
    else:
        pieces += [json.dumps(file[:-1])[:-1], ", ", _encoded(file[-1]), "]"]
    return "".join([*pieces, "}}"])


@lru_cache(maxsize=4)
def _encoded(text: str) -> str:
    return json.dumps(text)


def from_json(found: object) -> Draft | None:
    """Return the draft in a JSON object; None if it is not a draft."""
    if not isinstance(found, dict) or not_json(found, only_text=False) is not None:
        return None
    try:
        return Draft(
            _text(found["shape"]),
            _text(found["requires"]),
            _text_or_none(found["queue"]),
            None if found["document"] is None else dict(_texts(found["document"], object)),
            _texts(found["typed"]),
            {form: text for form, text in _texts(found["written"]).items() if form in FORMS},
            _raw(found["raw"]),
            found["own"] is True,
            _text_or_none(found["path"]),
            _file(found["file"]),
            found["unsaved"] is True,
            _text(found["cluster"]),
            _text_or_none(found["resources"]),
            _text_or_none(found["config"]),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)


def _texts(value: object, kind: type = str) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(v, kind) for v in value.values()):
        raise TypeError
    return value


def _raw(value: object) -> tuple[str, str] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise TypeError
    text, form = map(_text, value)
    if form not in FORMS:
        raise ValueError
    return text, form


def _file(value: object) -> SavedFile | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise TypeError
    path, stamp, text = value
    inode, size, mtime_ns, digest = stamp
    if not all(type(number) is int for number in (inode, size, mtime_ns)):
        raise TypeError
    return SavedFile(_text(path), Stamp(inode, size, mtime_ns, _text(digest)), _text(text))
