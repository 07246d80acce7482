"""What a person does with a running Flux: following it, asking it, changing it."""
