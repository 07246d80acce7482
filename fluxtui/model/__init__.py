"""What the documents mean: constraints, jobspecs, R, queues, resource graphs."""
