"""Some nodes of a cluster as a document: an R document (RFC 20) or a table."""
