"""Written notations: text in, a value or a problem out, by the standard library alone."""
