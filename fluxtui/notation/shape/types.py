"""The resource types that shapes usually name (RFC 14, RFC 46)."""

#: The usual types, and what they are.
TYPES = {
    "node": "a compute node",
    "slot": "where tasks run; holds what each of them gets",
    "core": "a processor core",
    "gpu": "a graphics processor",
    "memory": "memory; give its unit, as in memory=4{unit:GB}",
    "socket": "a processor socket",
    "numa": "a memory domain",
    "pu": "a hardware thread",
    "ssd": "a solid state drive",
    "storage": "storage",
    "rack": "a rack of nodes",
    "chassis": "a chassis of nodes",
    "switch": "a network switch",
    "cluster": "a whole cluster",
}
