"""``fluxtui shape``: the jobspec resources of a shape (RFC 46, RFC 14)."""

from typing import TYPE_CHECKING, Any, Literal

from fluxtui.cli.output import answer_lines, print_json, print_text, refusal, report_typed, text_of
from fluxtui.notation.count import Style
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import Shape, to_resources

if TYPE_CHECKING:
    from fluxtui.cli.options import Parser

_DESCRIPTION = """\
Print the resources list of a jobspec (RFC 14) that a shape (RFC 46) stands for."""

_EPILOG = """\
examples:
  fluxtui shape slot=4/node
  fluxtui shape 'node=2-4/slot/[core=8;gpu]' -o yaml
  fluxtui shape - < shapes.txt

With '-', each line of standard input is a shape, or {"shape": "..."}, and is
answered by a line with {"resources": [...]} or {"problems": [...]}."""

_EXITS = {
    0: "fine",
    1: "the shape is wrong (of '-': any of them)",
}
_ANSWERS = {"": "shape", "-o json": "shape", "-": "shape_line"}


class _Options:
    """The parsed command line."""

    shape: str
    output: Literal["json", "yaml", "shape"] | None = None
    slot_label: str = "default"
    counts: Style = "dict"


def parser() -> "Parser":
    """The parser of the verb."""
    from fluxtui.cli.options import Parser

    declared = Parser("fluxtui shape", _DESCRIPTION, _EPILOG, _EXITS, _ANSWERS)
    add = declared.add_argument
    add("shape", metavar="SHAPE", help="a shape, or '-' for one per line on standard input")
    add(
        "-o",
        "--output",
        choices=("json", "yaml", "shape"),
        help="how to print it (json); shape is the shape itself in its shortest form",
    )
    add("--slot-label", metavar="L", default="default", help="the label of the slot (default)")
    add(
        "--counts",
        choices=("dict", "string"),
        default="dict",
        help="ranges as RFC 14 dictionaries or as RFC 45 strings (dict)",
    )
    return declared


def _parse(arguments: list[str]) -> _Options:
    options = _Options()
    if len(arguments) == 1 and not arguments[0].startswith("-"):
        options.shape = arguments[0]  # without argparse, which takes as long as everything else
        return options
    declared = parser()
    declared.parse_args(arguments, options)
    if options.shape == "-" and options.output not in {None, "json"}:
        declared.error("'-' answers in JSON Lines and takes no other output")
    return options


def run(arguments: list[str]) -> int:
    """Answer one shape or many, and return the exit code."""
    options = _parse(arguments)
    if options.shape == "-":
        return answer_lines(lambda line: _answer(line, options))
    parsed = parse_shape(options.shape)
    report_typed(parsed.problems, parsed.text, "shape")
    if not _ok(parsed):
        return 1
    if options.output == "shape":
        from fluxtui.notation.shape.format import format_shape

        print_text(format_shape(parsed.vertices))
        return 0
    resources = to_resources(parsed.vertices, options.slot_label, options.counts)
    if options.output == "yaml":
        import yaml

        print_text(yaml.safe_dump(resources, sort_keys=False).removesuffix("\n"))
    else:
        print_json(resources)
    return 0


def _ok(parsed: Shape) -> bool:
    return not any(problem.severity == "error" for problem in parsed.problems)


def _answer(line: str, options: _Options) -> dict[str, Any]:
    text, problems = text_of(line, "shape")
    if problems:
        return refusal(problems)
    parsed = parse_shape(text)
    if not _ok(parsed):
        return refusal(parsed.problems)
    return {"resources": to_resources(parsed.vertices, options.slot_label, options.counts)}
