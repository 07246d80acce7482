"""R documents (RFC 20), resource graphs (JGF), and nodes that a configuration lists."""
