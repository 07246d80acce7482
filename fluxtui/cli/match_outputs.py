"""The matching nodes as a document, for ``fluxtui match -o R`` and ``-o csv``."""

from fluxtui.answers.export import csv_lines, notes, subset
from fluxtui.cli.output import print_json, print_records, remark, report
from fluxtui.model.resources.resource_set import Resources


def write(output: str, mask: int, resources: Resources, *, matrix: bool, with_graph: bool) -> None:
    """Print the nodes of a mask, as an R document on one line if output is ``R``, else as CSV.

    For an empty mask there is no R document; the table has only the names of its columns.
    """
    if output == "csv":
        print_records(csv_lines(resources, mask, matrix=matrix))
    elif mask:
        document = subset(resources, mask, graph=with_graph)
        report(notes(resources, mask, document if with_graph else None))
        print_json(document, indent=None)
    if not mask:
        remark("no rank matches")
