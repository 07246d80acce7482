"""The request in plain words."""

from fluxtui.model.jobspec.words import summary
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from tests.each import for_each


@for_each(
    "case",
    [
        ("slot=4/node", "4 slots of 1 node: 4 nodes in all"),
        ("node=4/slot/[core=8;gpu]",
         "4 nodes, each with 1 slot of 8 cores and 1 gpu: 32 cores, 4 gpus in all"),
        ("slot=10/core=2", "10 slots of 2 cores: 20 cores in all"),
        ("node=2+/slot/core=2-8", "2 or more nodes, each with 1 slot of 2 to 8 cores"),
        ("slot/node", "1 slot of 1 node: 1 node in all"),
        ("slot=1000/core=2", "1000 slots of 2 cores: 2,000 cores in all"),
        ("slot=2/[core=4;memory=2{unit:GB}]", "2 slots of 4 cores and 2 GB of memory"),
        ("slot=2/core=2,4,8", "2 slots of 2, 4 or 8 cores"),
        ("[node=2/slot/core=1;slot=3/core]",
         "2 nodes, each with 1 slot of 1 core and 3 slots of 1 core: 5 cores in all"),
        ("slot=2/flux-capacitor=3", "2 slots of 3 flux-capacitor: 6 flux-capacitor in all"),
        ("[" + ";".join(["core"] * 21) + "]", " and ".join(["1 core"] * 20) + " and 1 more"),
    ],
)  # fmt: skip
def test_summary(case: tuple[str, str]) -> None:
    text, words = case
    assert summary(to_resources(parse_shape(text))) == words
