"""Whether a queue takes a job, why not, and what Flux makes of the job (RFC 33)."""
