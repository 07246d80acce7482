"""The job: its shape, tree, form and text, whether it fits and which queues accept it."""
