"""Flux's own TreePool, as the wheel ``flux-python`` carries it, where no Flux is installed.

It is plain Python but for sets of ids and lists of hosts, which are those of Flux's C library: in
their place are ours. It runs in a process of its own, as it wants to be imported as ``flux``.
"""

import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

from fluxtui.notation.sets import hostlist, idset
from tests.live.instance import flux

_ASK = """
import json, sys
from flux.resource.TreePool import TreePool
for line in sys.stdin:
    asked = json.loads(line)
    said, request = {"words": "", "takes": None}, None
    if asked["R"] is not None:  # else what was granted before is in use
        pool = None
        try:
            pool = TreePool(asked["R"])
        except ValueError as error:
            print(json.dumps({"words": str(error), "takes": None}))
            continue
        pool.mark_up("all")
    try:
        request = pool.impl.parse_resource_request(asked["jobspec"])
        pool.impl.check_feasibility(request)
    except Exception as error:
        said["words"] = str(error)
    try:
        ranks = pool.impl.alloc(asked["id"], request)._ranks
        said["takes"] = {
            rank: [sorted(one["cores"]), sorted(one["gpus"])] for rank, one in ranks.items()
        }
    except Exception:
        pass
    print(json.dumps(said))
"""


def ask(cases: Sequence[tuple[Any, Any]]) -> list[dict[str, Any]] | None:
    """What the pool says to jobspecs one after the other; an R with one begins anew.

    It is that of the flux command where there is one; None where there is no wheel either.
    """
    command = flux()
    if command is None and _wheel() is None:
        return None
    ours = [sys.executable, "-c", f"from tests.reference import pool\npool.stand_in()\n{_ASK}"]
    asked = [{"R": one, "jobspec": wanted, "id": n} for n, (one, wanted) in enumerate(cases)]
    told = subprocess.run(
        [command, "python", "-c", _ASK] if command else ours,
        input="".join(json.dumps(one) + "\n" for one in asked),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    said = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(said) == len(cases)
    return said


def _wheel() -> str | None:
    """Where the wheel has ``flux.resource``."""
    try:
        files = importlib.metadata.files("flux-python") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = (file for file in files if file.as_posix() == "flux/resource/TreePool.py")
    return next((str(file.locate().parent) for file in found), None)  # type: ignore[attr-defined]


class _IDset(list[int]):
    """A set of ids, as far as the pool uses it."""

    def __init__(self, ids: "str | Iterable[object]" = "") -> None:
        parsed = idset.parse(ids if isinstance(ids, str) else ",".join(map(str, sorted(ids))))
        if parsed.problems:
            raise ValueError(parsed.problems[0].message)
        super().__init__(parsed.value)

    def __str__(self) -> str:
        return str(idset.IdSet.of(self))

    def encode(self, flags: int = 0) -> str:
        return str(self)

    def first(self) -> int:
        return self[0]

    def last(self) -> int:
        return self[-1]


class _Hostlist(list[str]):
    def __init__(self, hosts: "str | Iterable[str]" = "") -> None:
        super().__init__(hostlist.parse(hosts).value if isinstance(hosts, str) else hosts)

    def __str__(self) -> str:
        return ",".join(self)


class _JobID(int):
    f58 = ""


class _NotNowError(Exception):
    """Resources are in use."""


def stand_in() -> None:
    """Have ``flux.resource.TreePool`` imported from the wheel, and nothing else of it run."""
    path = _wheel()
    assert path is not None

    def module(name: str, **names: Any) -> None:
        sys.modules[name] = made = ModuleType(name)
        vars(made).update(names)

    module("flux", __path__=[])
    module("flux.idset", IDset=_IDset, IDSET_FLAG_BRACKETS=1, IDSET_FLAG_RANGE=2)
    module("flux.hostlist", Hostlist=_Hostlist)
    module("flux.job", JobID=_JobID)
    module("flux.resource", __path__=[path], InsufficientResources=_NotNowError)
