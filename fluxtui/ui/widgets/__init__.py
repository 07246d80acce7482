"""What the panes are made of: widgets that know how to draw, and nothing of the workbench."""
