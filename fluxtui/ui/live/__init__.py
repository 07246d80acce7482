"""Working with a running Flux: follow it, query it, submit jobs to it and change it."""
