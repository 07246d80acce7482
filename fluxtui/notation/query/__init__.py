"""Constraint queries such as ``gpu&-debug|host:n[1-3]`` (RFC 35, in flux-core's reading)."""
