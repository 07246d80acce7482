"""Jobspecs to and from command lines and scripts of Flux, Slurm, PBS and LSF."""
