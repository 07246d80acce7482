"""The constraint: how it is read and explained, and the properties it may ask for."""
