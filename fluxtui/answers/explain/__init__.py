"""Why a constraint matches what it matches, and what to change (RFC 31)."""
