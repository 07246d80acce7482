"""The terminal: its driver, pastes and signals, and the colours of its themes."""
