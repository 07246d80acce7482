"""The same job as command lines and scripts of Flux, Slurm and PBS (see `translation`)."""
