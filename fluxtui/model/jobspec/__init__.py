"""Jobspecs: RFC 14, RFC 25 (V1), and what flux-core accepts at submission."""
