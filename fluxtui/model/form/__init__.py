"""The fields of a job: one line of a form each, as text and as a part of the jobspec."""
