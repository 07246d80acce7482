"""Widgets and helpers that do not depend on the workbench."""
