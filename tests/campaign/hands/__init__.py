"""The real program in a pseudo-terminal: under random hands, and ended at any moment."""
