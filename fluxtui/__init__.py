"""fluxtui: a terminal workbench for people who request resources on a Flux cluster."""

__version__ = "0.1.0"
