"""Constraints on nodes (RFC 31), typed as JSON or as a query (RFC 35)."""
