"""The controllers of a session: documents, drafts, saving, exporting, comparing, watching."""
