"""What flux-core 0.88 makes of ``resource.config``, by ``flux R parse-config``.

A case is its name, the entries, and the nodes by rank: host, cores, gpus, and properties in the
order of their names; None where Flux refuses it.
"""

from typing import Any

Node = tuple[str, str, str, str]

CASES: list[tuple[str, list[dict[str, Any]], list[Node] | None]] = [
    (
        "one entry",
        [{"hosts": "n[0-2]", "cores": "0-3"}],
        [("n0", "0-3", "", ""), ("n1", "0-3", "", ""), ("n2", "0-3", "", "")],
    ),
    (
        "entries add up",
        [
            {"hosts": "n[1-4]", "cores": "0-7"},
            {"hosts": "n[1,2]", "gpus": "0-1"},
            {"hosts": "n[1-3]", "properties": ["batch"]},
            {"hosts": "n4", "properties": ["debug"]},
        ],
        [
            ("n1", "0-7", "0-1", "batch"),
            ("n2", "0-7", "0-1", "batch"),
            ("n3", "0-7", "", "batch"),
            ("n4", "0-7", "", "debug"),
        ],
    ),
    (
        "ranks in the order of first mention",
        [
            {"hosts": "z1", "cores": "0"},
            {"hosts": "a1", "cores": "0-1"},
            {"hosts": "m[3,1]", "cores": "0"},
        ],
        [("z1", "0", "", ""), ("a1", "0-1", "", ""), ("m3", "0", "", ""), ("m1", "0", "", "")],
    ),
    (
        "a host of a later entry that names a known one too",
        [{"hosts": "b", "properties": ["p"]}, {"hosts": "a,b", "cores": "0-1"}],
        [("b", "0-1", "", "p"), ("a", "0-1", "", "")],
    ),
    (
        "known and new hosts in one range",
        [{"hosts": "n[3-5]", "cores": "0-3"}, {"hosts": "n[1-4],m", "gpus": "0"}],
        [
            ("n3", "0-3", "0", ""),
            ("n4", "0-3", "0", ""),
            ("n5", "0-3", "", ""),
            ("n1", "", "0", ""),
            ("n2", "", "0", ""),
            ("m", "", "0", ""),
        ],
    ),
    (
        "cores in two parts",
        [{"hosts": "a", "cores": "0-3"}, {"hosts": "a", "cores": "4-7"}],
        [("a", "0-7", "", "")],
    ),
    (
        "the same cores twice",
        [{"hosts": "a", "cores": "0-3"}, {"hosts": "a", "cores": "3-7"}],
        None,
    ),
    (
        "the same gpus twice",
        [{"hosts": "a", "cores": "0-3", "gpus": "0"}, {"hosts": "a", "gpus": "0"}],
        None,
    ),
    ("a host twice in an entry with cores", [{"hosts": "a,a", "cores": "0-3"}], None),
    (
        "a host twice in an entry with properties alone",
        [{"hosts": "a", "cores": "0-3"}, {"hosts": "a,a", "properties": ["x"]}],
        [("a", "0-3", "", "x")],
    ),
    ("a host in two ranges of an entry", [{"hosts": "a[1-3],a[2-4]", "cores": "0-3"}], None),
    ("a host with nothing", [{"hosts": "a[0-1]", "cores": "0"}, {"hosts": "b[0-2]"}], None),
    ("a host with properties alone", [{"hosts": "b", "properties": ["x"]}], None),
    (
        "a host with gpus alone",
        [{"hosts": "b[0-2]", "gpus": "0"}, {"hosts": "b0", "cores": "0"}],
        [("b0", "0", "0", ""), ("b1", "", "0", ""), ("b2", "", "0", "")],
    ),
    ("no cores by an empty idset", [{"hosts": "a", "cores": ""}], None),
    (
        "no cores by an empty idset, and gpus",
        [{"hosts": "a", "cores": "", "gpus": "0"}],
        [("a", "", "0", "")],
    ),
    ("no host by an empty text", [{"hosts": "", "cores": "0"}], None),
    ("no host by a comma", [{"hosts": ",", "cores": "0"}], None),
    (
        "an empty name between two",
        [{"hosts": "a,,b", "cores": "0"}],
        [("a", "0", "", ""), ("b", "0", "", "")],
    ),
    ("a letter in brackets", [{"hosts": "a[p]", "cores": "0"}], None),
    ("hosts that run backwards", [{"hosts": "a[3-1]", "cores": "0"}], None),
    ("cores without an end", [{"hosts": "a", "cores": "0-"}], None),
    ("cores out of order", [{"hosts": "a", "cores": "4,0-1"}], None),
    ("cores that overlap", [{"hosts": "a", "cores": "0-3,2-5"}], None),
    ("cores in brackets", [{"hosts": "a", "cores": "[0-3]"}], [("a", "0-3", "", "")]),
    ("cores with blanks", [{"hosts": "a", "cores": " 0-3 "}], None),
    (
        "hosts with blanks",
        [{"hosts": "a, b c", "cores": "0"}],
        [("a", "0", "", ""), ("b", "0", "", ""), ("c", "0", "", "")],
    ),
    ("no hosts", [{"cores": "0"}], None),
    ("hosts as a number", [{"hosts": 5, "cores": "0"}], None),
    ("hosts as an array", [{"hosts": ["a", "b"], "cores": "0"}], None),
    ("cores as a number", [{"hosts": "a", "cores": 4}], None),
    ("another key", [{"hosts": "a", "cores": "0", "nodes": 5}], None),
    ("properties as a text", [{"hosts": "a", "cores": "0", "properties": "x"}], None),
    ("properties as numbers", [{"hosts": "a", "cores": "0", "properties": [1]}], None),
    ("a property with ^", [{"hosts": "a", "cores": "0", "properties": ["de^bug"]}], None),
    ("a property with |", [{"hosts": "a", "cores": "0", "properties": ["a|b"]}], None),
    (
        "a property with !",
        [{"hosts": "a", "cores": "0", "properties": ["!x"]}],
        [("a", "0", "", "!x")],
    ),
    (
        "a property with a blank",
        [{"hosts": "a", "cores": "0", "properties": ["a b"]}],
        [("a", "0", "", "a b")],
    ),
    (
        "a property twice",
        [
            {"hosts": "a", "cores": "0", "properties": ["x", "x"]},
            {"hosts": "a", "properties": ["x"]},
        ],
        [("a", "0", "", "x")],
    ),
    (
        "a property without a name",
        [{"hosts": "a", "cores": "0", "properties": [""]}],
        [("a", "0", "", "")],
    ),
    (
        "properties of an instance and of a resource",
        [{"hosts": "a", "cores": "0", "properties": ["+x", "p@gpu"]}],
        [("a", "0", "", "+x p@gpu")],
    ),
    ("no properties", [{"hosts": "a", "cores": "0", "properties": []}], [("a", "0", "", "")]),
    (
        "leading zeroes",
        [
            {"hosts": "a[008-010]", "cores": "0"},
            {"hosts": "a10,a010,a8,a008", "gpus": "0"},
            {"hosts": "a8,a10", "cores": "0"},
        ],
        [
            ("a008", "0", "0", ""),
            ("a009", "0", "", ""),
            ("a010", "0", "0", ""),
            ("a10", "0", "0", ""),
            ("a8", "0", "0", ""),
        ],
    ),
    (
        "names with domains",
        [{"hosts": "my-host.example.org,x_y", "cores": "0"}],
        [("my-host.example.org", "0", "", ""), ("x_y", "0", "", "")],
    ),
    (
        "many of one kind",
        [
            {"hosts": "n[0-5],m[0-1]", "cores": "0-3", "properties": ["one", "two"]},
            {"hosts": "n[3-5],m[0-1]", "gpus": "0-1", "properties": ["two", "three"]},
            {"hosts": "m[0-1]", "cores": "4-7"},
        ],
        [
            ("n0", "0-3", "", "one two"),
            ("n1", "0-3", "", "one two"),
            ("n2", "0-3", "", "one two"),
            ("n3", "0-3", "0-1", "one three two"),
            ("n4", "0-3", "0-1", "one three two"),
            ("n5", "0-3", "0-1", "one three two"),
            ("m0", "0-7", "0-1", "one three two"),
            ("m1", "0-7", "0-1", "one three two"),
        ],
    ),
    ("no entry", [], None),
]
