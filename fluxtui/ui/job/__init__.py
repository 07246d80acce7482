"""The job: its shape, tree, form, text, and whether it fits and is taken."""
