"""Shapes: an RFC 14 resources list as a line that is quick to type (RFC 46)."""
