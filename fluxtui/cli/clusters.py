"""The cluster that a verb is asked about."""

from fluxtui.cli.output import report, usable
from fluxtui.model.resources.document import read, read_text
from fluxtui.model.resources.resource_set import Resources


def resources_of(name: str) -> Resources | None:
    """The cluster of an R document, or of a configuration that lists its nodes.

    Its problems are printed, None where nothing is usable.
    """
    from fluxtui.bridge import config_files, files, paths

    if name in ("-", files.DEMO) or not paths.is_folder(name):
        found = files.read_source(name, lambda done, size: None)
        source = found.value
        if source is None:
            report(found.problems)
            return None
        if not config_files.is_one(source):
            large = source.document is not None
            resources = read(source.document) if large else read_text(source.text)
            return resources if usable(resources, source.name, source.text) else None
    else:
        source = None
    from fluxtui.opening.configured import open_configured

    opened = open_configured(name, None, source=source)
    report(opened.problems)
    if opened.cluster is None:
        return None
    return opened.cluster.resources if usable(opened.cluster.resources, "") else None
