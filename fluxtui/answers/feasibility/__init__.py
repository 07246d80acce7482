"""Whether a job fits the cluster, where, and what is missing, by the rules of each scheduler."""
