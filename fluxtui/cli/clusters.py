"""The cluster that a verb is asked about."""

from typing import TYPE_CHECKING, NamedTuple

from fluxtui.cli.output import report, usable
from fluxtui.model.resources.resource_set import Resources

if TYPE_CHECKING:
    from fluxtui.model.live.nodes import NodeStates
    from fluxtui.notation.problem import Problem
    from fluxtui.workbench import Cluster


class Asked(NamedTuple):
    """The nodes that a verb is asked about, and how they are on a running instance.

    cluster  None of what has no configuration
    """

    resources: Resources
    nodes: "NodeStates | None" = None
    cluster: "Cluster | None" = None


def resources_of(name: str) -> Resources | None:
    """The resources of `asked_of`."""
    found = asked_of(name)
    return found.resources if found is not None else None


def asked_of(
    name: str, beside: "Cluster | None" = None, *, configured: bool = False
) -> Asked | None:
    """The cluster of an R document, of a configuration that lists its nodes, or of an instance.

    A configuration may be for the nodes of another cluster, beside it. With configured the demo
    has its queues. Problems are printed, None where nothing is usable.
    """
    from fluxtui.bridge import files

    if name == files.DEMO and configured:
        from fluxtui.opening.clusters import open_cluster

        return _of(*open_cluster(name, None))
    if not files.is_instance(name):
        return _in_files(name, beside)
    from fluxtui.opening.recording import open_instance

    return _of(*open_instance(name))


def _of(cluster: "Cluster | None", problems: "tuple[Problem, ...]") -> Asked | None:
    report(problems)
    if cluster is None:
        return None
    return Asked(cluster.resources, cluster.snapshot.nodes if cluster.snapshot else None, cluster)


def _in_files(name: str, beside: "Cluster | None") -> Asked | None:
    from fluxtui.bridge import config_files, files, paths

    if name in ("-", files.DEMO) or not paths.is_folder(name):
        found = files.read_source(name, lambda done, size: None)
        source = found.value
        if source is None:
            report(found.problems)
            return None
        if source.may_be_snapshot:
            from fluxtui.opening.live import in_source

            taken = in_source(source)
            if taken is not None:
                return _of(*taken)
        is_named = beside is not None and name.endswith(".toml")  # whatever is wrong with it
        if not is_named and not config_files.is_one(source):
            from fluxtui.opening import kinds

            resources = kinds.resources_of(source)
            return Asked(resources) if usable(resources, source.name, source.text) else None
    else:
        source = None
    from fluxtui.opening.configured import edited, open_configured

    if beside is not None:
        return _edited(*edited(name, beside, source))
    opened = open_configured(name, None, source=source)
    report(opened.problems)
    if opened.cluster is None:
        return None
    resources = opened.cluster.resources
    return Asked(resources, None, opened.cluster) if usable(resources, "") else None


def _edited(cluster: "Cluster | None", problems: "tuple[Problem, ...]") -> Asked | None:
    """A configuration for other nodes; what Flux refuses in it is part of the answer."""
    from fluxtui.model.config_keys import refusals

    config = cluster.config if cluster is not None else None
    refused = {one.message for one in refusals(config)} if config is not None else set()
    return _of(cluster, tuple(one for one in problems if one.message not in refused))
