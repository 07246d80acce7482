"""Opening the cluster that is named on the command line of a verb."""

from typing import TYPE_CHECKING, NamedTuple

from fluxtui.cli.output import report, usable
from fluxtui.model.resources.resource_set import Resources

if TYPE_CHECKING:
    from fluxtui.model.live.nodes import NodeStates
    from fluxtui.notation.problem import Problem
    from fluxtui.workbench import Cluster


class Opened(NamedTuple):
    """The resources of a cluster, and the states of its nodes on a running instance.

    cluster  None for an R document, which has no configuration
    """

    resources: Resources
    nodes: "NodeStates | None" = None
    cluster: "Cluster | None" = None


def resources_of(name: str) -> Resources | None:
    """Return the resources that `open_named` opens; None if nothing is usable."""
    found = open_named(name)
    return found.resources if found is not None else None


def open_named(
    name: str, base: "Cluster | None" = None, *, configured: bool = False
) -> Opened | None:
    """Open an R document, a configuration that lists its nodes, or an instance.

    With base, a configuration is applied to the nodes of that cluster. With configured, the demo
    has its queues. Problems are printed; the result is None if nothing is usable.
    """
    from fluxtui.bridge import files

    if name == files.DEMO and configured:
        from fluxtui.opening.clusters import open_cluster

        return _of(*open_cluster(name, None))
    if not files.is_instance(name):
        return _in_files(name, base)
    from fluxtui.opening.recording import open_instance

    return _of(*open_instance(name))


def _of(cluster: "Cluster | None", problems: "tuple[Problem, ...]") -> Opened | None:
    report(problems)
    if cluster is None:
        return None
    return Opened(cluster.resources, cluster.snapshot.nodes if cluster.snapshot else None, cluster)


def _in_files(name: str, base: "Cluster | None") -> Opened | None:
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
        is_toml = base is not None and name.endswith(".toml")  # even if its text is broken
        if not is_toml and not config_files.is_one(source):
            from fluxtui.opening import kinds

            resources = kinds.resources_of(source)
            return Opened(resources) if usable(resources, source.name, source.text) else None
    else:
        source = None
    from fluxtui.opening.configured import edited, open_configured

    if base is not None:
        return _edited(*edited(name, base, source))
    opened = open_configured(name, None, source=source)
    report(opened.problems)
    if opened.cluster is None:
        return None
    resources = opened.cluster.resources
    return Opened(resources, None, opened.cluster) if usable(resources, "") else None


def _edited(cluster: "Cluster | None", problems: "tuple[Problem, ...]") -> Opened | None:
    """Open the nodes of another cluster with a configuration.

    Settings that Flux refuses are not printed here, as they are part of the answer.
    """
    from fluxtui.model.config_keys import refusals

    config = cluster.config if cluster is not None else None
    refused = {refusal.message for refusal in refusals(config)} if config is not None else set()
    return _of(cluster, tuple(problem for problem in problems if problem.message not in refused))
