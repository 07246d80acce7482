"""The panes. They do not know each other: the app hands each its slice of the state."""
