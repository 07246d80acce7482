"""A running Flux: a helper under Flux's own Python, the pipe to it, and what is asked of it."""
