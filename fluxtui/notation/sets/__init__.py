"""Sets of ids and hosts: idsets (RFC 22), hostlists (RFC 29), bit sets and indexes."""
