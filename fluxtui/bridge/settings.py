"""The user's configuration: ``config.toml`` in, checked settings out.

It is TOML, like Flux's own configuration: Python reads that without a library, in a third of the
time that YAML takes, and the dotted id of a binding is a valid key. The file::

    theme = "paper"
    preset = "ide"                      # or "default"; "auto" asks the terminal
    resources = "~/clusters/R.json"     # opened if no -r is given
    config = "/etc/flux/system/conf.d"  # opened if no -c is given
    live = true                         # open the local Flux first; false: only if it is named

    [start]
    pane = "table"                      # one of PANES
    maximized = true

    [layout]                            # percent of the screen, until a border is dragged
    job = 40

    [keymap]                            # the id of a binding = its keys
    map.zoom_in = "plus,equals_sign"
    save = ["ctrl+s", "alt+s"]

    [[templates]]                       # jobs to start from
    name = "Two nodes"
    shape = "node=2/slot/core=8"        # or jobspec = "FILE"
    requires = "gpu"
    form = {duration = "1h", queue = "batch"}

Every fault is a problem with its place, and the rest of the file still counts. Paths are relative
to the folder of the file.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from fluxtui.bridge import files, paths
from fluxtui.bridge.files import Source
from fluxtui.model.documents import document
from fluxtui.model.documents.report import Report
from fluxtui.notation.problem import Problem, at, is_digits, position

#: The environment variable that names another file.
VARIABLE = "FLUXTUI_CONFIG"

#: The names of the panes, as ``start.pane`` has them.
PANES = (
    *("tree", "form", "text", "commands", "jobs"),
    *("map", "table", "graph"),
    *("node", "explain", "properties", "queues", "fit"),
)

#: Shares of the screen in percent: the widths of two zones, and the height of the cluster when the
#: details are below it.
SHARES = ("job", "details", "cluster")
LEAST_SHARE, MOST_SHARE = 15, 85

PRESETS = ("auto", "default", "ide")

#: Keys that terminals inside IDEs keep for the IDE, in addition to all F keys.
TAKEN_BY_IDES = frozenset(f"ctrl+{letter}" for letter in "befgjknopqw")

#: Additional keys inside IDEs for the essential bindings, by binding id.
IN_IDES = {
    "commands": ("ctrl+underscore",),
    "edit_outside": ("X",),
    "fix": ("ctrl+t",),
    "open": ("L",),
    "quit": ("Q",),
}

_KEYS = ("theme", "preset", "resources", "config", "live", "start", "layout", "keymap", "templates")
_TEMPLATE_KEYS = ("name", "description", "shape", "requires", "form", "jobspec")
_MODIFIERS = ("ctrl", "alt", "shift", "super", "hyper", "meta")
_NAMED_KEYS = (
    *("enter", "tab", "escape", "space", "backspace", "delete", "insert"),
    *("home", "end", "pageup", "pagedown", "up", "down", "left", "right"),
    *(f"f{number}" for number in range(1, 25)),
)
# The characters whose keys Textual does not name after the Unicode name.
_SIGNS = {"/": "slash", "\\": "backslash", "@": "at", "-": "minus", "+": "plus", "_": "underscore"}


class Template(NamedTuple):
    """A job of the site to start from: a shape, a constraint and fields, or a file.

    form maps names of fields to their texts; jobspec is the path of a file; place is the path of
    the template within the configuration.
    """

    name: str
    description: str = ""
    shape: str = ""
    requires: str = ""
    form: Mapping[str, str] = {}
    jobspec: str | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the configuration; None for what it does not set.

    keymap  the id of a binding -> its keys, separated by commas
    layout  shares of the screen in percent, by the names of `SHARES`
    source  the text of the file; None if it does not exist or cannot be read
    places  the id of a binding -> its path in the file
    """

    theme: str | None = None
    preset: str = "auto"
    resources: str | None = None
    config: str | None = None
    live: bool | None = None
    pane: str | None = None
    maximized: bool = False
    layout: Mapping[str, int] = field(default_factory=dict)
    keymap: Mapping[str, str] = field(default_factory=dict)
    templates: tuple[Template, ...] = ()
    problems: tuple[Problem, ...] = ()
    source: Source | None = None
    places: Mapping[str, str] = field(default_factory=dict)

    def located(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Return problems with the file name and the line that their path has in the file."""
        source = self.source or Source("", "config.toml")
        found = document.read_toml(source.text).located(problems)
        return tuple(files.in_file(problem, source) for problem in found)

    def line(self, path: str) -> int | None:
        """The line that sets the value of a path; None if the file does not set it."""
        if self.source is None:
            return None
        read = document.read_toml(self.source.text)
        span, depth = read.reacher()(path)
        whole = span is not None and depth == len(document.steps(path))
        return position(self.source.text, span.start)[0] if span is not None and whole else None

    def check_templates(self) -> tuple[Problem, ...]:
        """Return the problems of the texts in templates, which `parse` does not check.

        This imports the parsers for them, which would delay the first frame.
        """
        from fluxtui.model.constraint import requires
        from fluxtui.model.form import fields
        from fluxtui.model.form.field import NOWHERE
        from fluxtui.notation.shape.parser import parse_shape

        report = Report("")
        names = tuple(field.name for field in fields.FIELDS)
        for template in self.templates:
            form = at(template.place, "form")
            report.check_keys(template.form, "the form", form, *names)
            if template.shape:
                report.take(parse_shape(template.shape).problems, at(template.place, "shape"))
            if template.requires:
                found = requires.read(template.requires).problems
                report.take(found, at(template.place, "requires"))
            for name, text in template.form.items():
                if name in names:
                    read = fields.by_name(name).read(text, NOWHERE)
                    report.take(read.problems, at(form, name))
        return self.located(report.problems)

    def check_keymap(
        self, bound: Mapping[str, str], defaults: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[Problem, ...]:
        """Return the problems of the keymap: unknown binding ids, and keys bound twice.

        bound maps all ids to their keys, defaults to the keys that they have without a keymap. A
        key that two bindings share by default is intended, as in a dialog. The part of an id before
        the dot is its pane: bindings of different panes do not conflict; bindings without a pane,
        and the digits (``pane.1``), are in force everywhere.
        """
        report = Report("")
        for name, keys in self.keymap.items():
            if name not in bound:
                hint = report.hint(name, bound)
                report.error(f"no binding has the id '{name}'{hint}", self.places[name])
                continue
            for other, others in bound.items():
                shared = [key for key in keys.split(",") if key in others.split(",")]
                shared = [key for key in shared if key not in defaults.get(name, "").split(",")]
                if shared and other != name and _may_conflict(name, other):
                    report.warning(f"'{shared[0]}' is the key of {other} too", self.places[name])
        return self.located(report.problems)


def _may_conflict(binding: str, other: str) -> bool:
    """Whether two bindings, given by id, may be in force at the same time."""
    panes = [name.rpartition(".")[0].replace("pane", "") for name in (binding, other)]
    return panes[0] == panes[1] or "" in panes


def path(environ: Mapping[str, str]) -> Path:
    """The path of the configuration file, which need not exist."""
    named = environ.get(VARIABLE)
    if named:
        return files.expanded(named)
    from platformdirs import user_config_path

    return user_config_path("fluxtui", appauthor=False) / "config.toml"


def load(environ: Mapping[str, str]) -> Settings:
    """Read the configuration. Never raises; a missing file sets nothing."""
    file = path(environ)
    if not file.exists() and not environ.get(VARIABLE):
        other = next((file.with_suffix(s) for s in (".yaml", ".yml") if _is_there(file, s)), None)
        if other is None:
            return Settings()
        message = f"'{other}' is not read: the configuration is TOML"
        return Settings(problems=(Problem(message, None, None, (str(file),), "", "warning"),))
    if file.is_fifo():
        return Settings(problems=(Problem(f"cannot read '{file}': it is a pipe"),))
    read = files.read_text(str(file))
    if read.value is None:
        return Settings(problems=read.problems)
    return parse(read.value, file.parent)


def _is_there(file: Path, suffix: str) -> bool:
    return file.with_suffix(suffix).exists()


def parse(source: Source, folder: Path) -> Settings:
    """Return the settings of a text; relative paths in it start at folder."""
    read = document.read_toml(source.text)
    if not read.readable:
        problems = (files.in_file(problem, source) for problem in read.problems)
        return Settings(problems=tuple(problems), source=source)
    checker = _Checker(read.value, folder)
    settings = checker.settings()
    problems = (files.in_file(p, source) for p in read.located(checker.report.problems))
    return replace(settings, problems=tuple(problems), source=source)


class _Checker:
    """Collects the valid settings of a table, and reports the others."""

    def __init__(self, table: Mapping[str, Any], folder: Path) -> None:
        self.table = table
        self.folder = folder
        self.report = Report("")

    def settings(self) -> Settings:
        """The settings of the table."""
        self.report.check_keys(self.table, "the configuration", "", *_KEYS)
        start = self._section("start", "pane", "maximized")
        keymap = dict(self._bindings(self._section("keymap"), "keymap"))
        return Settings(
            theme=self._string(self.table, "theme"),
            preset=self._choice(self.table, "preset", PRESETS) or "auto",
            resources=self._document("resources"),
            config=self._document("config"),
            live=self._is_true(self.table, "live") if "live" in self.table else None,
            pane=self._choice(start, "pane", PANES, "start"),
            maximized=self._is_true(start, "maximized", "start"),
            layout=self._layout(),
            keymap={name: keys for name, (keys, _) in keymap.items()},
            templates=tuple(self._templates()),
            places={name: place for name, (_, place) in keymap.items()},
        )

    def _section(self, name: str, *keys: str) -> Mapping[str, Any]:
        """A table of the file; if keys are given, others in it are reported."""
        value = self.table.get(name, {})
        if not self.report.is_dictionary(value, name, name, ""):
            return {}
        if keys:
            self.report.check_keys(value, name, name, *keys)
        return value

    def _string(self, table: Mapping[str, Any], key: str, around: str = "") -> str | None:
        """The text of a key; None if it is missing, or if it is blank or no text (a problem)."""
        value = table.get(key)
        where = at(around, key)
        if value is None or not self.report.is_string(value, key, where, ""):
            return None
        if not value.strip():
            self.report.error(f"{key} is empty", where, "a text", "no such line")
            return None
        return value

    def _choice(
        self, table: Mapping[str, Any], key: str, choices: Sequence[str], around: str = ""
    ) -> str | None:
        """The text of a key if it is one of choices; None if it is missing or not (a problem)."""
        value = self._string(table, key, around)
        if value is None or value in choices:
            return value
        message = f"there is no {key} '{value}'{self.report.hint(value, choices)}"
        self.report.error(message, at(around, key), *choices)
        return None

    def _is_true(self, table: Mapping[str, Any], key: str, around: str = "") -> bool:
        value = table.get(key, False)
        if not isinstance(value, bool):
            self.report.wrong(f"{key} is true or false", value, at(around, key), "true", "false")
            return False
        return value

    def _document(self, key: str) -> str | None:
        """The path of a document, or ``demo``."""
        value = self._string(self.table, key)
        if value is None or value == files.DEMO:
            return value
        if value == "-":
            expected = ("a path", "demo")
            self.report.error(f"{key} cannot be standard input", key, *expected)
            return None
        return self._readable(value, key, folders=True)

    def _readable(self, name: str, where: str, *, folders: bool = False) -> str | None:
        """The path of a readable file, or of a folder with a configuration or a record."""
        found = str(self.folder / files.expanded(name))
        reason = paths.why_unreadable(found)
        if folders and paths.is_folder(found):
            has_files = paths.has_configuration(found) or files.is_instance(found)
            reason = None if has_files else "a directory without a *.toml file"
        if reason is None:
            return found
        self.report.error(f"cannot read '{found}': {reason.lower()}", where)
        return None

    def _layout(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for name, share in self._section("layout", *SHARES).items():
            if name not in SHARES:
                continue
            is_number = isinstance(share, int) and not isinstance(share, bool)
            if is_number and LEAST_SHARE <= share <= MOST_SHARE:
                found[name] = share
            else:
                expected = f"a whole number from {LEAST_SHARE} to {MOST_SHARE}"
                what = f"{name} is its share of the screen in percent"
                self.report.wrong(what, share, at("layout", name), expected)
        both = found.get("job", 0) + found.get("details", 0)
        if both > 100 - LEAST_SHARE:
            message = f"job and details take {both}% of the width and leave too little"
            expected = f"at most {100 - LEAST_SHARE} together"
            self.report.error(message, at("layout", "details"), expected)
            del found["details"]
        return found

    def _bindings(
        self, table: Mapping[str, Any], around: str, lead: str = ""
    ) -> Iterator[tuple[str, tuple[str, str]]]:
        """Yield ids of bindings with their keys and paths; TOML nests dotted ids as tables."""
        for name, value in table.items():
            where, binding = at(around, name), f"{lead}{name}"
            if isinstance(value, dict):
                yield from self._bindings(value, where, f"{binding}.")
                continue
            words = value.split(",") if isinstance(value, str) else value
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                what = f"the keys of {binding} are a text or a list of texts"
                self.report.wrong(what, value, where, '"ctrl+s,f8"', '["ctrl+s", "f8"]')
                continue
            keys = [key for key in (self._key(word.strip(), where) for word in words) if key]
            if keys:
                yield binding, (",".join(dict.fromkeys(keys)), where)
            elif not words or words == [""]:
                self.report.error(f"{binding} has no key", where, "at least one")

    def _key(self, word: str, where: str) -> str | None:
        """A key in Textual's notation: modifiers, then a letter or the name of a key."""
        if not word:
            return None
        head, _, key = word.rpartition("+")
        key = key or "+"
        modifiers = [modifier.lower() for modifier in head.split("+") if modifier]
        for modifier in modifiers:
            if modifier not in _MODIFIERS:
                message = f"'{word}' has no such modifier{self.report.hint(modifier, _MODIFIERS)}"
                self.report.error(message, where, *_MODIFIERS)
                return None
        if len(key) == 1:
            letter = key.lower() if modifiers else key
            name = letter if letter.isalnum() else key_of_sign(letter)
        else:
            name, known = key.lower(), _known_keys()
            if name not in known:
                message = f"there is no key '{key}'{self.report.hint(name, known)}"
                self.report.error(message, where, "a letter", "ctrl+LETTER", "enter", "f5")
                return None
        return "+".join((*modifiers, name))

    def _templates(self) -> Iterator[Template]:
        value = self.table.get("templates", [])
        if not isinstance(value, list):
            self.report.wrong("templates is a list of tables", value, "templates", "[[templates]]")
            return
        for number, entry in enumerate(value):
            where = at("templates", number)
            if self.report.is_dictionary(entry, "a template", where, ""):
                template = self._template(entry, where)
                if template is not None:
                    yield template

    def _template(self, entry: Mapping[str, Any], where: str) -> Template | None:
        self.report.check_keys(entry, "a template", where, *_TEMPLATE_KEYS)
        name = self._string(entry, "name", where)
        if name is None:
            if "name" not in entry:
                self.report.error("a template has a name", where, 'name = "..."')
            return None
        file = self._string(entry, "jobspec", where)
        if file is not None:
            file = self._readable(file, at(where, "jobspec"))
            if file is None:
                return None
            for key in ("shape", "requires", "form"):
                if key in entry:
                    message = f"the job is that of the file: {key} does not count"
                    self.report.warning(message, at(where, key), "either jobspec or a shape")
        elif "shape" not in entry:
            if "jobspec" not in entry:
                self.report.error("a template has a shape or a jobspec", where, "shape", "jobspec")
            return None
        return Template(
            name,
            self._string(entry, "description", where) or "",
            "" if file else self._string(entry, "shape", where) or "",
            "" if file else self._string(entry, "requires", where) or "",
            {} if file else dict(self._form(entry, where)),
            file,
            where,
        )

    def _form(self, entry: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
        """Yield the names of a template's fields with their texts."""
        table, where = entry.get("form", {}), at(where, "form")
        if not self.report.is_dictionary(table, "form", where, ""):
            return
        for name, value in table.items():
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                what = f"{name} is a text, as it is typed into the form"
                self.report.wrong(what, value, at(where, name), "a text")
            else:
                yield name, str(value)


def key_of_sign(sign: str) -> str:
    """Textual's name for the key of a character: ``question_mark`` for ``?``."""
    return _SIGNS.get(sign) or unicodedata.name(sign, sign).lower().replace("-", "_").replace(
        " ", "_"
    )


def _known_keys() -> frozenset[str]:
    signs = (chr(code) for code in range(33, 127))
    return frozenset((*_NAMED_KEYS, *(key_of_sign(sign) for sign in signs if not sign.isalnum())))


# What is in force


class InForce(NamedTuple):
    """A value, None if not set, and where it comes from, such as ``config.toml:3``."""

    value: str | None
    origin: str


def theme_in_force(
    option: str | None, chosen: str | None, settings: Settings, default: str
) -> InForce:
    """The theme: of the option, else the one chosen in the program, the file's, or the default.

    A choice made in the program overrides the file, which only sets the theme to start with.
    """
    if option is not None:
        return InForce(option, "option --theme")
    if chosen is not None:
        return InForce(chosen, "chosen in the workbench")
    if settings.theme is not None:
        return InForce(settings.theme, origin(settings, "theme"))
    return InForce(default, "default")


def preset_in_force(settings: Settings, environ: Mapping[str, str]) -> InForce:
    """The preset of the keys; ``auto`` means ``ide`` if the terminal says that it is in one."""
    if settings.preset != "auto":
        return InForce(settings.preset, origin(settings, "preset"))
    for name, value in (("TERM_PROGRAM", "vscode"), ("TERMINAL_EMULATOR", "JetBrains-JediTerm")):
        if environ.get(name) == value:
            return InForce("ide", f"environment {name}={value}")
    return InForce("default", "default")


def live_in_force(settings: Settings, environ: Mapping[str, str]) -> InForce:
    """Whether the local Flux opens without being named: ``true`` or ``false``.

    If the file does not set this, it opens if FLUX_URI is set and the file names no resources.
    """
    if settings.live is not None:
        return InForce("true" if settings.live else "false", origin(settings, "live"))
    if environ.get("FLUX_URI") and settings.resources is None:
        return InForce("true", "environment FLUX_URI")
    return InForce("false", "default")


def origin(settings: Settings, where: str) -> str:
    """Where the file sets the value of a path: ``config.toml:3``; ``default`` if it does not."""
    line = settings.line(where)
    name = settings.source.name if settings.source is not None else ""
    return f"{name}:{line}" if line is not None else "default"


def keys_in_force(settings: Settings, preset: str | None, name: str, keys: str) -> str:
    """The keys of a binding, given its id and its default keys, separated by commas.

    The preset ``ide`` adds keys to the essential bindings and moves those that IDEs take to the
    end: they are not the ones shown, but work if they reach the program. The file overrides both.
    """
    if name in settings.keymap:
        return settings.keymap[name]
    if preset != "ide" or not keys:
        return keys
    ordered = sorted(keys.split(","), key=is_taken)
    return ",".join(dict.fromkeys((*IN_IDES.get(name, ()), *ordered)))


def is_taken(key: str) -> bool:
    """Whether terminals inside IDEs keep a key for the IDE."""
    last = key.rpartition("+")[2]
    return key in TAKEN_BY_IDES or (last[:1] == "f" and is_digits(last[1:]))
