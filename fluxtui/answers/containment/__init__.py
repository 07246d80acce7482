"""The containment hierarchy of a cluster, from the cluster down to its cores."""
