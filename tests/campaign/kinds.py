"""All kinds of input, by name."""

from tests.campaign import documents, notations, programs
from tests.campaign.laws import Kind

#: Every kind: the notations, the documents, what a person sees.
KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (*notations.KINDS, *documents.KINDS, *programs.KINDS)
}
