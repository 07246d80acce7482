"""The list of verbs, used by dispatch, the help, the man page, completion and ``--spec``.

Each verb is a module of this package of the same name, with ``run(arguments) -> int`` and
``parser() -> Parser``, which declares its options, exit codes and JSON answers.
"""

from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

if TYPE_CHECKING:
    from fluxtui.cli.options import Parser


class Verb(NamedTuple):
    """A verb as listed in the help of ``fluxtui``: its name, its arguments, and its purpose."""

    name: str
    takes: str
    summary: str


VERBS = (
    Verb("shape", "SHAPE", "the jobspec resources of a shape"),
    Verb("query", "EXPR", "the constraint object of a query"),
    Verb("match", "-r R EXPR", "the ranks that satisfy a query or a constraint, and why"),
    Verb("check", "FILE...", "whether jobspecs, R documents and configurations are valid"),
    Verb("fit", "-r R JOBSPEC", "whether a job fits and the queue accepts it"),
    Verb("convert", "--to SYSTEM FILE", "a script of Flux, Slurm, PBS or LSF for another of them"),
    Verb("compare", "A B", "what differs between two R documents"),
    Verb("config", "", "the configuration in force, and where its values come from"),
    Verb("jobs", "", "the active jobs of a running Flux; why one waits: --why ID"),
    Verb("snapshot", "-o FILE", "a running Flux as a document that opens anywhere"),
    Verb("docs", "[TOPIC]", "the documentation: a topic, or where words are in it"),
    Verb("completion", "SHELL", "a script with which bash, zsh or fish completes all this"),
)

NAMES = tuple(verb.name for verb in VERBS)


class Module(Protocol):
    """The interface of a verb's module."""

    def run(self, arguments: list[str]) -> int:
        """Run the verb, and return the exit code."""

    def parser(self) -> "Parser":
        """The parser of the verb."""


def module_of(name: str) -> Module:
    """The module of a verb, or of the program without a verb, which is ``root``."""
    from importlib import import_module

    return cast(Module, import_module(f"fluxtui.cli.{name}"))


def parsers() -> "dict[str, Parser]":
    """The parsers by the names of their verbs; first that of ``fluxtui`` itself, under ``""``."""
    found = {"": module_of("root").parser()}
    return found | {name: module_of(name).parser() for name in NAMES}
