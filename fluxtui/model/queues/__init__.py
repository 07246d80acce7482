"""Queues and policy of a Flux configuration (RFC 33)."""
