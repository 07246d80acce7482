"""The nodes of the cluster: map, table, graph, and one node."""
