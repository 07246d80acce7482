"""The terminal: drivers, pastes, signals and themes."""
