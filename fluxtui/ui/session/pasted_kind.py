"""What a pasted text is, so far as a glance at it tells: no key waits for a look at all of it."""

import re

# Where the keys stand that tell what a document is; those of a large one come early.
BEGINNING = 1 << 16

_JSON = (
    ("R document", re.compile(r'"(execution|scheduling|R_lite)"\s*:')),
    (
        "jobspec",
        re.compile(r'"resources"\s*:.*"tasks"\s*:|"tasks"\s*:.*"resources"\s*:', re.DOTALL),
    ),
    ("resource graph", re.compile(r'"(nodes|edges)"\s*:\s*\[')),
    ("configuration", re.compile(r'"(queues|policy|resource)"\s*:\s*\{')),
)
_TOML = re.compile(
    r"^[ \t]*\[\[?[ \t]*(queues|policy|resource)\b[^\n]*\][ \t]*(#.*)?$", re.MULTILINE
)
_YAML = re.compile(r"^(resources|tasks):[ \t]*(#.*)?$", re.MULTILINE)


def kind_of(text: str) -> str | None:
    """What a text is as a whole, by how it begins; None where it is no document."""
    head = text[:BEGINNING].lstrip("\ufeff \t\r\n")
    if head.startswith("{"):
        return next((name for name, pattern in _JSON if pattern.search(head)), None)
    if "\n" in head.strip():
        if _TOML.search(head) is not None:
            return "configuration"
        if len(set(_YAML.findall(head))) == 2:
            return "jobspec"
    return None
