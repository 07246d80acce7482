"""Dialogs: help, documentation, commands, themes, plain text."""
