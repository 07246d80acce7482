"""Documents as text: JSON, YAML and TOML with positions, and rewriting in place."""
