"""The floors of the interface: each file is above all that it imports, for a type too."""

from functools import cache
from graphlib import TopologicalSorter

import grimp

UI = "fluxtui.ui"
MOST = 9


def test_the_interface_has_few_floors() -> None:
    graph = grimp.build_graph("fluxtui")
    imported = {
        file: {name for name in graph.find_modules_directly_imported_by(file) if f"{UI}." in name}
        for file in graph.find_descendants(UI)
    }
    tuple(TopologicalSorter(imported).static_order())  # fails where there is a circle

    @cache
    def floor(file: str) -> int:
        return 1 + max(map(floor, imported[file]), default=0)

    assert max(map(floor, imported)) <= MOST
