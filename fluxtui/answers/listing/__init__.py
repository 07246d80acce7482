"""The nodes of a cluster in rows: ordered, filtered, sorted and folded."""
