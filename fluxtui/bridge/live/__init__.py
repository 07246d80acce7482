"""A running Flux: the helper under Flux's own Python, the connection to it, and its requests."""
