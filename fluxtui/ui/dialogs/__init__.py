"""Dialogs: open, save, copy, help."""
