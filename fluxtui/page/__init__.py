"""A list of constraints as one page that a browser shows and that answers further ones."""
