"""Which nodes satisfy a constraint (RFC 31), and finding nodes by name."""
