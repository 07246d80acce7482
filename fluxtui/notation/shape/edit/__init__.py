"""Edits of a shape text through its tree, which keep what the edit does not change (RFC 46)."""
