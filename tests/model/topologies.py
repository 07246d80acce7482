"""R documents of nodes whose inside is known (RFC 49)."""

from collections.abc import Mapping
from typing import Any

from fluxtui.notation.sets import idset
from tests.model.clusters import document, lite

Topo = Mapping[str, Any]


def domains(number: int, cores: int, first: int = 0, gpus: int = 1, **more: Any) -> list[Topo]:
    """Domains side by side with so many cores and gpus each; first is the number of the first."""

    def ids(each: int, place: int) -> str:
        start = (first + place) * each
        return str(start) if each == 1 else f"{start}-{start + each - 1}"

    return [
        {"cores": ids(cores, place), **({"gpus": ids(gpus, place)} if gpus else {}), **more}
        for place in range(number)
    ]


#: The node of Cluster A of RFC 49: two sockets of four numa domains.
XEON: Topo = {
    "storage": [{"path": "/mnt/nvme", "capacity": 2, "unit": "TiB"}],
    "socket": [{"numa": domains(4, 15)}, {"numa": domains(4, 15, 4)}],
}

#: That of Cluster B: four sockets.
APU: Topo = {
    "storage": [{"path": "/l/ssd", "capacity": 200, "unit": "GiB"}],
    "socket": domains(4, 24, memory=126),
}

#: One with domains of different sizes: cores 0-7 with a gpu, and cores 8-19.
UNEVEN: Topo = {"numa": [{"cores": "0-7", "gpus": "0", "memory": 64}, {"cores": "8-19"}]}


def tree(*nodes: tuple[str, Topo, str, str], **more: Any) -> dict[str, Any]:
    """An R document of (ranks, topology, cores, gpus); hosts are n0 and so on."""
    count = sum(idset.parse(ranks).value.count for ranks, _, _, _ in nodes)
    more.setdefault("nodelist", [f"n[0-{count - 1}]" if count > 1 else "n0"])
    lites = [lite(ranks, cores, gpus or None) for ranks, _, cores, gpus in nodes]
    children = [{"ranks": ranks, "topo": topo} for ranks, topo, _, _ in nodes]
    return {
        **document(*lites, **more),
        "scheduling": {"writer": "TreePool", "children": children},
    }


def xeon(ranks: str = "0-15", **more: Any) -> dict[str, Any]:
    """Cluster A of RFC 49."""
    return tree((ranks, XEON, "0-119", "0-7"), **more)


def apu(ranks: str = "0-1151", **more: Any) -> dict[str, Any]:
    """Cluster B of RFC 49."""
    return tree((ranks, APU, "0-95", "0-3"), **more)
