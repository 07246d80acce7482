"""What contains what in a cluster: from the cluster down to its cores."""
