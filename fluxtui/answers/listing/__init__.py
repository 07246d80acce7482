"""Lists the nodes of a cluster, and the jobs of an instance: filtered, sorted and folded."""
