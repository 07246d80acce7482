"""Changes that repair a problem of a jobspec, and why the rule exists."""
