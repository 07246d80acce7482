"""fluxtui: a terminal workbench for people who ask a Flux cluster for resources."""

__version__ = "0.1.0"
