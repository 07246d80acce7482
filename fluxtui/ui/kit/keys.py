"""Key bindings, which the footer, the help and the palette all read."""

from collections.abc import Callable, Collection, Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages

from textual.actions import parse
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from fluxtui import ui
from fluxtui.notation.problem import is_digits

# How a key is written where Textual's name of it is not what keyboards and manuals say.
_WRITTEN = {
    "escape": "esc",
    "slash": "/",
    "question_mark": "?",
    "colon": ":",
    "full_stop": ".",
    "comma": ",",
    "exclamation_mark": "!",
    "plus": "+",
    "ampersand": "&",
    "vertical_line": "|",
    "minus": "-",
    "asterisk": "*",
    "equals_sign": "=",
    "underscore": "_",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "right_angle_bracket": ">",
    "left_angle_bracket": "<",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "pageup": "page up",
    "pagedown": "page down",
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
}

#: The keys in force of all bindings that are loaded, by their ids.
BOUND: dict[str, str] = {}

#: Those that they have without a keymap.
OWN: dict[str, str] = {}

_keymap: Callable[[str, str], str] | None = None


def use_keymap(in_force: Callable[[str, str], str]) -> None:
    """Have the keys of bindings changed: by its id and its own keys, the keys of each.

    To be called before the widgets are loaded: so the keys in force are the only ones there are, in
    the footer, the help and the palette too, and none costs more than it would by itself.
    """
    global _keymap  # noqa: PLW0603  # one program has one keymap
    _keymap = in_force


def keys_in_force(id: str, keys: str) -> str:
    """The keys of a binding after the keymap."""
    OWN[id] = keys
    found = BOUND[id] = keys if _keymap is None else _keymap(id, keys)
    return found


def load_all() -> Mapping[str, str]:
    """The keys in force of all bindings there are.

    Every widget is loaded for that, which is not for the event loop.
    """
    for module in walk_packages(ui.__path__, f"{ui.__name__}."):
        import_module(module.name)
    return BOUND


def bind(
    id: str,
    keys: str,
    action: str,
    label: str,
    help: str = "",
    *,
    footer: bool = False,
    first: bool = False,
) -> Binding:
    """One binding.

    id is its name in a keymap, such as ``map.zoom_in``; keys are comma-separated, the one that is
    shown first. label is one or two words for the footer, empty for moving about, which nobody
    looks for by its name; help a sentence. footer puts it among the few that the footer shows. With
    first it comes before what the widget with the focus would do with the key.
    """
    return Binding(
        keys_in_force(id, keys),
        action,
        label,
        show=footer and bool(label),
        priority=first,
        id=id,
        tooltip=help,
    )


# Keys that write a character which Textual does not find by their names.
_SIGNS = ("plus", "minus", "slash", "at", "backslash", "underscore")


def writes(key: str, character: str | None) -> bool:
    """Whether a key is printable, for `Widget.check_consume_key` of inputs."""
    return key in _SIGNS or (character is not None and character.isprintable())


def written(key: str) -> str:
    """A key as keyboards and manuals write it: ``F10``, ``^q``, ``esc``, ``?``."""
    if key.startswith("ctrl+"):
        return "^" + written(key.removeprefix("ctrl+"))
    if key.startswith("shift+"):
        return "shift+" + written(key.removeprefix("shift+"))
    if key[:1] == "f" and is_digits(key[1:]):
        return key.upper()
    return _WRITTEN.get(key, key)


def key_of(id: str, own: str) -> str:
    """The first key in force of a binding as messages name it: ``ctrl+f``; own without one."""
    keys = BOUND.get(id, "").split(",")
    modifiers, plus, last = (keys[0] or own).rpartition("+")
    return f"{modifiers}{plus}{_WRITTEN.get(last, last)}"


def bindings_of(node: DOMNode) -> Iterator[Binding]:
    """The bindings of a node that are named, each once, in the order of its classes.

    Their keys are those in force, be they of a keymap; several keys of one binding are
    comma-separated.
    """
    keys: dict[str, list[str]] = {}
    known: dict[str, Binding] = {}
    for key, binding in node._bindings:
        if binding.id:
            keys.setdefault(binding.id, []).append(key)
            known.setdefault(binding.id, binding)
    for id, binding in known.items():
        yield Binding(
            ",".join(keys[id]),
            binding.action,
            binding.description,
            show=binding.show,
            priority=binding.priority,
            id=id,
            tooltip=binding.tooltip,
        )


def is_bound(widget: Widget | None, keys: Collection[str]) -> bool:
    """Whether a widget or one of its ancestors has an active binding for one of the keys."""
    if widget is None:
        return False
    around = (node for node in widget.ancestors_with_self if isinstance(node, Widget))
    return any(
        node.check_action(*parse(binding.action)[1:])
        for node in around
        if not isinstance(node, Screen)
        for key in keys
        for binding in node._bindings.key_to_bindings.get(key, ())
    )
