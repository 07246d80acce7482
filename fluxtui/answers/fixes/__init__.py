"""Changes that fix a problem of a jobspec, and the reasons for the rules."""
