"""The constraint: its explanation, and the properties it can require."""
