"""Documents into the workbench: a cluster with its queues, a jobspec as its texts."""

import json

from fluxtui.bridge import files
from fluxtui.model import queues, resources
from fluxtui.notation import query, shape
from fluxtui.notation.source import Problem
from fluxtui.workbench import Cluster, Source


def open_cluster(where: str, config: str | None) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """The cluster of an R document with the queues of a configuration beside it.

    where is a path, ``-`` or ``demo``; config a TOML file or directory, None for the demo's own
    beside the demo and for none beside others. Without a readable document there is no cluster;
    the problems say why, or what is wrong with the configuration. Reads files: not for the event
    loop.
    """
    source, problems = files.read_source(where)
    if source is None:
        return None, problems
    found = resources.read_text(source.text)
    builtin = where == files.DEMO
    table: files.Table | None = None
    config_problems: tuple[Problem, ...] = ()
    if config is not None or builtin:
        table, config_problems = files.read_config(config or files.DEMO)
    read = queues.read_config(table.table) if table is not None else None
    if read is not None:
        found, missing = queues.membership(read, found)
        config_problems += missing
    found.prepare()
    name = f"{source.name} (built in)" if builtin else source.name
    path = str(source.path) if source.path is not None else None
    return Cluster.of(Source(name, path, builtin), found, read), config_problems


def jobspec_texts(path: str) -> tuple[str, str, tuple[Problem, ...]]:
    """The shape and the constraint of a jobspec file (YAML or JSON), as texts to start with.

    Both are empty where the file cannot be read; problems say what could not be taken over.
    """
    source, problems = files.read_source(path)
    if source is None:
        return "", "", problems
    document, problem = _load(source.text)
    if problem is not None:
        return "", "", (problem,)
    if not isinstance(document, dict) or not isinstance(document.get("resources"), list):
        found = Problem("this is no jobspec: it has no resources", rule="RFC 14")
        return "", "", (found,)
    vertices, problems = shape.from_resources(document["resources"])
    requires = ""
    attributes = document.get("attributes")
    system = attributes.get("system") if isinstance(attributes, dict) else None
    constraint = system.get("constraints") if isinstance(system, dict) else None
    if constraint:
        requires = query.from_constraint(constraint) or json.dumps(constraint)
    return shape.format(vertices), requires, problems


def _load(text: str) -> tuple[object, Problem | None]:
    """The document of a YAML text, of which JSON is a part."""
    import yaml

    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)), None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        what = getattr(error, "problem", None) or "the text cannot be read"
        return None, Problem(f"not YAML or JSON: {where}{what}", rule="YAML")
