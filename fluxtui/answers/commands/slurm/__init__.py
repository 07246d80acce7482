"""The same job as ``srun``, ``sbatch`` and ``salloc``."""
