"""The same job as command lines and scripts of Flux, Slurm, PBS and LSF (see `translation`)."""
