"""What flux-core 0.88 makes of ``resource.config``, by ``flux R parse-config``."""

#: The entries, and the nodes by rank: their hosts, cores, gpus, and properties by their names.
TAKEN = """
[{"hosts": "n[0-2]", "cores": "0-3"}]
    n0 n1 n2: 0-3 -
entries add up
    {"hosts": "n[1-4]", "cores": "0-7"}
    {"hosts": "n[1,2]", "gpus": "0-1"}
    {"hosts": "n[1-3]", "properties": ["batch"]}
    {"hosts": "n4", "properties": ["debug"]}
    n1 n2: 0-7 0-1 batch
    n3: 0-7 - batch
    n4: 0-7 - debug
ranks in the order of first mention
    {"hosts": "z1", "cores": "0"}
    {"hosts": "a1", "cores": "0-1"}
    {"hosts": "m[3,1]", "cores": "0"}
    z1: 0 -
    a1: 0-1 -
    m3 m1: 0 -
[{"hosts": "b", "properties": ["p"]}, {"hosts": "a,b", "cores": "0-1"}]
    b: 0-1 - p
    a: 0-1 -
[{"hosts": "n[3-5]", "cores": "0-3"}, {"hosts": "n[1-4],m", "gpus": "0"}]
    n3 n4: 0-3 0
    n5: 0-3 -
    n1 n2 m: - 0
[{"hosts": "a", "cores": "0-3"}, {"hosts": "a", "cores": "4-7"}]
    a: 0-7 -
[{"hosts": "a", "cores": "0-3"}, {"hosts": "a,a", "properties": ["x"]}]
    a: 0-3 - x
[{"hosts": "b[0-2]", "gpus": "0"}, {"hosts": "b0", "cores": "0"}]
    b0: 0 0
    b1 b2: - 0
[{"hosts": "a", "cores": "", "gpus": "0"}]
    a: - 0
[{"hosts": "a,,b", "cores": "0"}]
    a b: 0 -
[{"hosts": "a", "cores": "[0-3]"}]
    a: 0-3 -
[{"hosts": "a, b c", "cores": "0"}]
    a b c: 0 -
[{"hosts": "a", "cores": "0", "properties": ["!x"]}]
    a: 0 - !x
[{"hosts": "a", "cores": "0", "properties": ["a b"]}]
    a: 0 - a b
[{"hosts": "a", "cores": "0", "properties": ["x", "x"]}, {"hosts": "a", "properties": ["x"]}]
    a: 0 - x
[{"hosts": "a", "cores": "0", "properties": [""]}]
    a: 0 -
[{"hosts": "a", "cores": "0", "properties": ["+x", "p@gpu"]}]
    a: 0 - +x p@gpu
[{"hosts": "a", "cores": "0", "properties": []}]
    a: 0 -
leading zeroes
    {"hosts": "a[008-010]", "cores": "0"}
    {"hosts": "a10,a010,a8,a008", "gpus": "0"}
    {"hosts": "a8,a10", "cores": "0"}
    a008: 0 0
    a009: 0 -
    a010 a10 a8: 0 0
[{"hosts": "my-host.example.org,x_y", "cores": "0"}]
    my-host.example.org x_y: 0 -
many of one kind
    {"hosts": "n[0-5],m[0-1]", "cores": "0-3", "properties": ["one", "two"]}
    {"hosts": "n[3-5],m[0-1]", "gpus": "0-1", "properties": ["two", "three"]}
    {"hosts": "m[0-1]", "cores": "4-7"}
    n0 n1 n2: 0-3 - one two
    n3 n4 n5: 0-3 0-1 one three two
    m0 m1: 0-7 0-1 one three two
"""

#: Entries that Flux refuses.
REFUSED = """
[{"hosts": "a", "cores": "0-3"}, {"hosts": "a", "cores": "3-7"}]
[{"hosts": "a", "cores": "0-3", "gpus": "0"}, {"hosts": "a", "gpus": "0"}]
[{"hosts": "a,a", "cores": "0-3"}]
[{"hosts": "a[1-3],a[2-4]", "cores": "0-3"}]
[{"hosts": "a[0-1]", "cores": "0"}, {"hosts": "b[0-2]"}]
[{"hosts": "b", "properties": ["x"]}]
[{"hosts": "a", "cores": ""}]
[{"hosts": "", "cores": "0"}]
[{"hosts": ",", "cores": "0"}]
[{"hosts": "a[p]", "cores": "0"}]
[{"hosts": "a[3-1]", "cores": "0"}]
[{"hosts": "a", "cores": "0-"}]
[{"hosts": "a", "cores": "4,0-1"}]
[{"hosts": "a", "cores": "0-3,2-5"}]
[{"hosts": "a", "cores": " 0-3 "}]
[{"cores": "0"}]
[{"hosts": 5, "cores": "0"}]
[{"hosts": ["a", "b"], "cores": "0"}]
[{"hosts": "a", "cores": 4}]
[{"hosts": "a", "cores": "0", "nodes": 5}]
[{"hosts": "a", "cores": "0", "properties": "x"}]
[{"hosts": "a", "cores": "0", "properties": [1]}]
[{"hosts": "a", "cores": "0", "properties": ["de^bug"]}]
[{"hosts": "a", "cores": "0", "properties": ["a|b"]}]
[]
"""
