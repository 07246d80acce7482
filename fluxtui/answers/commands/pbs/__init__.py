"""The same job as ``qsub``."""
