"""Why a constraint matches what it matches, and what to change (RFC 31).

``explanation.explain`` reads a constraint on a cluster; every other question takes its answer:
``marks`` (what contradicts itself, changes nothing or is no name), ``why`` (what keeps a node
out), ``relax`` (what to change so that more nodes match).
"""
