"""What a listing of nodes is asked for, and how it is found: sorted, filtered, folded."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from fluxtui.answers.listing.listing import FoldedListing, Listing, folded
from fluxtui.answers.listing.node_rows import Nodes
from fluxtui.answers.listing.sorting import Key, Sorter
from fluxtui.model.cancellation import Stop, going_on
from fluxtui.model.resources.resource_set import Resources

if TYPE_CHECKING:
    from fluxtui.answers.listing.filtering import Filter, Filtered
    from fluxtui.answers.listing.folding import Folds


# Texts of a filter whose nodes are kept: people take back what they typed.
_TEXTS = 16


class Wanted(NamedTuple):
    """What is to be listed.

    key     what the nodes are sorted by
    text    what is typed in the filter; all nodes where it is blank
    only    those nodes alone that match
    folded  nodes that are alike have one row
    """

    key: Key = Key()
    text: str = ""
    only: bool = False
    folded: bool = False


class Lister:
    """Lists the nodes of one document. What was found for one listing is kept for the next."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._sorter = Sorter(resources)
        self._by_text: Filter | None = None
        self._filtered: dict[str, Filtered] = {}  # the last texts
        self._folds: Folds | None = None

    @property
    def _filter(self) -> "Filter":
        """What finds nodes by a text; made for the first one."""
        if self._by_text is None:
            from fluxtui.answers.listing.filtering import Filter

            self._by_text = Filter(self._resources)
        return self._by_text

    def filtered(self, text: str) -> "Filtered | None":
        """What a filter's text was taken for; None where it is blank, or not looked at lately."""
        return self._filtered.get(text)

    def at_once(self, wanted: Wanted, good: int) -> Listing | None:
        """The listing, where it takes a few operations on masks; None where it takes longer.

        good are the nodes that match.
        """
        if wanted.folded:
            return None
        if wanted.text.strip() and wanted.text not in self._filtered and not self._filter.is_quick:
            return None
        keep = self._kept(wanted, good)
        if not self._sorter.is_quick(wanted.key, keep):
            return None
        return Listing(self._sorter.sort(wanted.key, keep, good))

    def find(self, wanted: Wanted, good: int, stop: Stop = going_on) -> Listing:
        """The listing, however long it takes; raises Stopped where stop says so."""
        keep = self._kept(wanted, good, stop)
        nodes = self._sorter.sort(wanted.key, keep, good, stop)
        return self._folded(nodes, wanted.key, stop) if wanted.folded else Listing(nodes)

    def _kept(self, wanted: Wanted, good: int, stop: Stop = going_on) -> int:
        """The nodes that are listed; all where what is typed in the filter means nothing."""
        keep, text = self._resources.everything, wanted.text
        if text.strip():
            found = self._filtered.get(text) or self._filter.nodes(text, stop)
            for old in list(self._filtered)[: 1 - _TEXTS]:  # another thread may do so as well
                self._filtered.pop(old, None)
            self._filtered[text] = found
            keep &= found.mask if found.problem is None else keep
        return keep & good if wanted.only else keep

    def _folded(self, nodes: Nodes, key: Key, stop: Stop) -> FoldedListing:
        if self._folds is None:
            from fluxtui.answers.listing.folding import fold

            self._folds = fold(self._resources, stop=stop)
        return folded(nodes, self._folds, stop, self._each(key, self._folds), down=key.down)

    def _each(self, key: Key, folds: "Folds") -> Sequence[int] | None:
        """What a node of each class counts, where rows are sorted by what they have together."""
        match key.by:
            case "size":
                return [1] * folds.count
            case "all-cores":
                return [self._resources.cores_at(index) for index in folds.firsts]
            case "all-gpus":
                return [self._resources.gpus_at(index) for index in folds.firsts]
            case _:
                return None
