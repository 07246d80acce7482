"""Why the project differs from flux-core on purpose: one reason for each kind of case.

Every case that differs has to have one; the table in DIFFERENCES.md has a row for each.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple


class Reason(NamedTuple):
    """A rule that flux-core does not follow, or a text that no rule settles.

    area    the notation or document
    what    what kind of input it is about
    why     the rule, and what it asks
    open    the RFC can be read either way, and this reading is ours
    beside  an example of a text, flux-core's answer and ours, where no recorded case has it
    """

    area: str
    what: str
    why: str
    open: bool = False
    beside: tuple[str, str, str] | None = None


#: Every reason by its key, in the order of the table.
REASONS = {
    key: Reason(**reason)
    for key, reason in tomllib.loads(
        Path(__file__).with_name("reasons.toml").read_text(encoding="utf-8")
    ).items()
}
