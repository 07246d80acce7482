"""What differs from one cluster to another."""
