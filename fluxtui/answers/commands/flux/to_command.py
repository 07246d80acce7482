"""A jobspec as ``flux submit``, ``run``, ``batch`` and ``alloc`` lines (flux-core 0.88).

A line is exact when the program makes the same resources, tasks and attributes of it. What that
leaves open is written down in `fluxtui.answers.commands.same`: a line says nothing of the
environment, the working directory and the resource limits where the jobspec does not, and then
Flux takes those of the shell; it numbers the version 1, and calls the slot of the only task
``task``. On a terminal ``flux alloc`` adds the shell option ``pty.interactive``.

Each text is read back by the reader of `hear`, which is tested against Flux itself; what differs
then is what the notes say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fluxtui.answers.commands import same
from fluxtui.answers.commands.flux import from_command
from fluxtui.answers.commands.flux.attributes import Attributes
from fluxtui.answers.commands.flux.build import SCRIPT
from fluxtui.answers.commands.flux.words import Asked
from fluxtui.answers.commands.request import Request
from fluxtui.answers.commands.saying import Known, Saying, saying
from fluxtui.answers.commands.scripts import headed, shell_script
from fluxtui.notation import shellwords

#: What the script of a job is called in a command line, where it does not say.
SCRIPT_NAME = "script.sh"


def sayings(request: Request, names: Sequence[str], known: Known | None = None) -> list[Saying]:
    """What these of the four programs take for a request, in the order of ``names``.

    known is what is kept of the request before.
    """
    asked = Asked(request, known)
    if asked.trouble is not None:
        return [Saying(name, None, notes=(asked.trouble,)) for name in names]
    said = _Sayings(request, asked)
    return [said.of(name) for name in names]


def _after_options(command: Sequence[str]) -> list[str]:
    """The command, kept apart from the options where it could be taken for one."""
    return ["--", *command] if command[0].startswith("-") or not command[0] else list(command)


class _Sayings:
    """The sayings of one request, which share what is found out about its resources."""

    def __init__(self, request: Request, asked: Asked) -> None:
        self.request = request
        self.document = request.document
        self.asked = asked
        self.program = self._program()

    def of(self, name: str) -> Saying:
        """What one program takes."""
        if name == "flux batch":
            return self._batch()
        if name == "flux alloc":
            return self._alloc()
        text = self.program.text
        if name == "flux submit" or text is None:
            return replace(self.program, name=name)
        return replace(self.program, name=name, text=text.replace("submit", "run", 1))

    def attributes(self, program: str) -> Attributes:
        return Attributes(self.document.get("attributes"), program)

    def _counted(self, attributes: Attributes, *, instance: bool = False) -> list[str]:
        """The words for the resources, and for the tasks of a node where an option says them."""
        option = attributes.options.get("per-resource")
        if option is not None and not instance:
            words = self.asked.words(option=option)
            if words is not None:
                del attributes.options["per-resource"]
                return words
        return self.asked.words(instance=instance) or []

    def _program(self) -> Saying:
        """``flux submit``: any jobspec of one task."""
        attributes = self.attributes("submit")
        words = ["flux", "submit", *self._counted(attributes), *attributes.placing()]
        words += [*attributes.shell(), *_after_options(self.request.command)]
        return self._judged("flux submit", words)

    def _read_back(
        self, words: list[str], wanted: Mapping[str, Any], script: str | None = None
    ) -> tuple[tuple[same.Difference, ...], str | None]:
        """Where what Flux makes of some words differs from what is wanted, or why it refuses."""
        shapes = {self.asked.text: self.asked.resources}
        made, problems = from_command.words_document(words[1], words[2:], script, shapes)
        if problems:
            return (), f"no {words[0]} {words[1]} line says it: {problems[0].message}"
        found = same.differences(wanted, made, resources=self.asked.layout is not None)
        return (*self.asked.differences, *found), None

    def _judged(
        self, name: str, words: list[str], *, script: str | None = None, header: str | None = None
    ) -> Saying:
        """The saying of some words, exact when they read back as the jobspec."""
        found, refused = self._read_back(words, self.document, script)
        if refused is not None:
            return Saying(name, None, notes=(refused,))
        told = (*self.request.notes(), *same.sentences(found))
        return saying(name, words, header, not found, told)

    def _batch(self) -> Saying:
        """``flux batch``: the script of the job, or the program wrapped in one."""
        name = "flux batch"
        if self.request.script is not None:
            return self._script(self.request.script)
        if not self.request.inner:
            return Saying(name, None, notes=("flux batch runs a script, and there is none",))
        attributes = self.attributes("batch")
        options = [*self._counted(attributes, instance=True), *attributes.placing()]
        steps, shell = self._steps(attributes, self.request.inner)
        options += shell
        line = shellwords.join(steps)
        header = headed(shell_script(steps), "# flux: ", options)
        if steps[0].startswith("-"):
            steps = ["--", *steps]
        elif line.split(" ") != steps:
            steps = [line]
        words = ["flux", "batch", *options, "--wrap", *steps]
        return self._nested(name, words, _instance(self.document, [SCRIPT]), header)

    def _script(self, script: str) -> Saying:
        """``flux batch`` with the script that the job carries."""
        name = "flux batch"
        if not script.startswith("#!"):
            return Saying(name, None, notes=("flux batch wants a script with a #! line",))
        ending = [SCRIPT_NAME, *self.request.inner]
        bare = self._judged(name, ["flux", "batch", *ending], script=script)
        if bare.exact:
            return replace(bare, script=script)
        attributes = self.attributes("batch")
        if attributes.system.get("files") == {"script": from_command.script_entry(script)}:
            del attributes.system["files"]
        options = [*self._counted(attributes, instance=True), *attributes.placing()]
        options += attributes.shell()
        options += [f"--broker-opts={word}" for word in self.request.broker_options]
        header = headed(script, "# flux: ", options)
        words = ["flux", "batch", *options, *ending]
        return self._judged(name, words, script=script, header=header)

    def _alloc(self) -> Saying:
        """``flux alloc``: a Flux instance, or one that runs the program."""
        request = self.request
        attributes = self.attributes("alloc")
        if request.script is not None:
            attributes.system.pop("files", None)
        words = ["flux", "alloc", *self._counted(attributes, instance=True)]
        words += attributes.placing()
        if request.kind == "alloc":
            words += attributes.shell()
            words += [f"--broker-opts={word}" for word in request.broker_options]
            dashed = request.inner[:1] != ("--",) and "".join(request.inner[:1]).startswith("-")
            words += ["--", *request.inner] if dashed else request.inner
            return self._judged("flux alloc", words)
        start = () if request.script is None else (f"./{SCRIPT_NAME}",)
        steps, shell = self._steps(attributes, (*start, *request.inner))
        words += [*shell, *steps]
        return self._nested("flux alloc", words, _instance(self.document, steps))

    def _steps(self, attributes: Attributes, inner: Sequence[str]) -> tuple[list[str], list[str]]:
        """What runs within a new instance: the words, and the options the instance has instead.

        A program needs its own ``flux run`` there, with all that concerns its tasks.
        """
        if self.request.kind != "program":
            return list(inner), attributes.shell()
        own = self.attributes("run")
        words = ["flux", "run", *self._counted(own), *own.shell()]
        return [*words, *_after_options(inner)], []

    def _nested(
        self, name: str, words: list[str], wanted: Mapping[str, Any], header: str | None = None
    ) -> Saying:
        """The saying of a program that starts a Flux instance first, which is never exact."""
        found, refused = self._read_back(words, wanted)
        if refused is not None:
            return Saying(name, None, notes=(refused,))
        kind = self.request.kind
        lead = {
            "program": f"{name} starts a Flux instance first, and the program runs inside it",
            "start": f"{name} starts 'flux broker' on each node in place of this command",
            "alloc": f"{name} copies what the instance runs into a script",
            "batch": f"{name} runs the script where it lies, and copies nothing",
        }[kind]
        # What the 'flux run' loses that runs a program within the instance.
        lost = self.program.notes if kind == "program" else self.request.notes()
        told = [d for d in found if not d.path.startswith(_INSTANCE_PATHS)]
        notes = dict.fromkeys((lead, *lost, *same.sentences(told)))
        return saying(name, words, header, False, tuple(notes))


def _instance(document: Mapping[str, Any], inner: Sequence[str]) -> dict[str, Any]:
    """The document as it is when a Flux instance runs something in its place."""
    task = dict(document["tasks"][0])
    task["command"] = ["flux", "broker", *inner]
    return {**document, "tasks": [task]}


#: What an instance has that a program does not, or the other way round.
_INSTANCE_PATHS = (
    "tasks[0].command",
    "tasks[0].count",
    "attributes.system.job",
    "attributes.system.shell",
    "attributes.system.files",
)
