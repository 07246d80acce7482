"""Explain which nodes a constraint matches and why, and what to change (RFC 31)."""
