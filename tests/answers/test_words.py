"""The request in plain words."""

from fluxtui.model.jobspec.words import summary
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from tests.each import for_each


def said(text: str) -> str:
    return summary(to_resources(parse_shape(text)))


@for_each(
    "case",
    [
        ("slot=4/node", "4 slots of 1 node: 4 nodes in all"),
        (
            "node=4/slot/[core=8;gpu]",
            "4 nodes, each with 1 slot of 8 cores and 1 gpu: 32 cores, 4 gpus in all",
        ),
        ("slot=10/core=2", "10 slots of 2 cores: 20 cores in all"),
        ("node=2+/slot/core=2-8", "2 or more nodes, each with 1 slot of 2 to 8 cores"),
        ("slot/node", "1 slot of 1 node: 1 node in all"),
        ("slot=1000/core=2", "1000 slots of 2 cores: 2,000 cores in all"),
    ],
)
def test_summary(case: tuple[str, str]) -> None:
    text, words = case
    assert said(text) == words


def test_parts_of_a_summary() -> None:
    assert said("slot=2/[core=4;memory=2{unit:GB}]").endswith("4 cores and 2 GB of memory")
    for text in ("slot=2/core=2,4,8", "node=2+/slot/core=4"):  # ranges have no totals
        assert "in all" not in said(text)
    several = said("[node=2/slot/core=1;slot=3/core]")
    assert several.count("each with") == 1
    assert "5 cores in all" in several
    assert summary([]) == ""
    assert said("slot=2/flux-capacitor=3").startswith("2 slots of 3 flux-capacitor")


def test_what_nobody_sees_is_not_said() -> None:
    resources = to_resources(parse_shape(f"[{';'.join(['node=4/core=8'] * 30)}]"))
    whole = summary(resources)
    for room in (0, 10, 60, 200):
        said = summary(resources, room)
        assert len(said) > room
        assert whole.startswith(said)
    assert summary(resources, len(whole)) == whole
