"""What ``flux batch`` makes of a script: a Flux instance with the script among its files."""

from typing import Any, Final

#: Where the job finds its script (RFC 37); Flux fills in the directory.
SCRIPT: Final = "{{tmpdir}}/script"

#: The file that the output of the script goes to.
OUTPUT: Final = "flux-{{id}}.out"

#: The mode of a plain file that only its owner reads, writes and runs (POSIX stat).
MODE: Final = 0o100700


def script_entry(text: str) -> dict[str, Any]:
    """The RFC 37 file entry of a script."""
    return {"mode": MODE, "data": text, "encoding": "utf-8"}


def instance_options() -> dict[str, Any]:
    """The shell options of every Flux instance that is started as a job.

    It has one broker on each node, needs no MPI, and outlives the first broker that ends.
    """
    return {"per-resource": {"type": "node"}, "mpi": "none", "exit-timeout": "none"}
