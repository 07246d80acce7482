"""Widgets and helpers that know nothing of the workbench."""
