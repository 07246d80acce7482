"""The attributes of a jobspec, from which a command line takes what it has options for.

Whatever is left at the end has no option of its own.
"""

import math
from collections.abc import Mapping
from typing import Any

#: The streams of a task: the shell option that names their file, and the stream.
STREAMS = {
    "input": ("input", "stdin"),
    "output": ("output", "stdout"),
    "error": ("output", "stderr"),
}


class Attributes:
    """Copies of the attributes of a jobspec.

    system   the system attributes but for the options of the job shell
    options  the options of the job shell
    others   all other attributes
    """

    def __init__(self, attributes: object) -> None:
        self.others: dict[Any, Any] = copied(attributes) if isinstance(attributes, Mapping) else {}
        system = self.others.pop("system", None)
        self.system: dict[Any, Any] = system if isinstance(system, dict) else {}
        shell = self.system.get("shell")
        options = shell.get("options") if isinstance(shell, dict) else None
        self.options: dict[Any, Any] = options if isinstance(options, dict) else {}
        if isinstance(options, dict):
            del self.system["shell"]["options"]

    def take_text(self, *path: str) -> str | None:
        """Take out a system attribute that is a string; None where it is not there or not one."""
        found = value_at(self.system, *path)
        if not isinstance(found, str):
            return None
        drop(self.system, *path)
        return found

    def drop_option(self, name: str, value: object) -> bool:
        """Take out an option of the shell if it has this value; whether it had."""
        if self.options.get(name) != value:
            return False
        del self.options[name]
        return True


def is_seconds(value: object) -> bool:
    """Whether a value is a finite number of seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value >= 0 and math.isfinite(value)


def value_at(tree: Any, *path: str) -> Any:
    """The value at a path of keys, None where there is none."""
    for key in path:
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree


def copied(value: Any) -> Any:
    """A value with all its dictionaries copied, so that parts of them can be taken out."""
    if isinstance(value, Mapping):
        return {key: copied(inner) for key, inner in value.items()}
    return value


def drop(tree: dict[Any, Any], *path: str) -> None:
    """Take out the value at a path, and the dictionaries that are empty after that."""
    inner = tree.get(path[0])
    if len(path) > 1 and isinstance(inner, dict):
        drop(inner, *path[1:])
    if len(path) == 1 or inner == {}:
        tree.pop(path[0], None)
