"""The nodes that match as a document of their own, for ``fluxtui match -o R`` and ``-o csv``."""

import json
import sys
from collections.abc import Iterator

from fluxtui.answers import taking
from fluxtui.cli.output import report
from fluxtui.model.resources import Resources
from fluxtui.notation.source import printable

_END = "\r\n"  # of a record


def write(output: str, mask: int, resources: Resources, *, matrix: bool, with_graph: bool) -> None:
    """Print the nodes of a mask: an R document in one line where output is ``R``, else CSV.

    Of no nodes there is no R document; a table of none has the names of its columns.
    """
    if output == "csv":
        sys.stdout.writelines(_printable(taking.csv_lines(resources, mask, matrix=matrix)))
    elif mask:
        document = taking.subset(resources, mask, graph=with_graph)
        report(taking.notes(resources, mask, document if with_graph else None))
        print(json.dumps(document))
    if not mask:
        print("no rank matches", file=sys.stderr)


def _printable(records: Iterator[str]) -> Iterator[str]:
    """Records of CSV whose names a terminal only ever prints."""
    return (printable(record.removesuffix(_END)) + _END for record in records)
