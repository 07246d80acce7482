"""A list of constraints as one web page, which also answers constraints typed into it."""
