"""What a running Flux instance is at one moment: its nodes, its queues and its jobs."""
