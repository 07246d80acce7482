"""A document, such as a jobspec, as YAML or JSON text."""

import functools
import json
import re
from typing import Any, Literal

# Plain in YAML 1.1, which PyYAML writes, and a number to readers of YAML 1.2.
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+")

# Ends a line in YAML 1.1 and not in 1.2: two readers of a block would take it for two texts, and
# PyYAML marks the end of the document after a block that it ends.
_BREAK = re.compile("[\x85\u2028\u2029]")


def dump(document: object, form: Literal["yaml", "json"] = "yaml") -> str:
    """The document as text that ends with a line break; keys keep their order.

    YAML is in block style, without anchors, with quotes only where a plain word would read as
    something else in YAML 1.1 or 1.2. Text of several lines stands in a literal block.
    """
    if form == "json":
        return _whole(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"
    import yaml

    text: str = yaml.dump(
        document,
        Dumper=_dumper(),
        sort_keys=False,
        default_flow_style=False,
        allow_unicode=True,
        width=1 << 20,
    )
    # A document that is one plain word is followed by a line that ends it, which is no part of it.
    return text[: -len("...\n")] if text.endswith("\n...\n") else text


@functools.cache
def _dumper() -> Any:
    """PyYAML's safe dumper, the fast one where it is there, without anchors."""
    import yaml

    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Dumper(base):  # type: ignore[misc]
        """Writes equal parts out each time, and strings so that they stay strings."""

        def ignore_aliases(self, data: object) -> bool:
            return True

    Dumper.add_representer(str, _text)
    return Dumper


def _whole(text: str) -> str:
    """The text with halves of characters, which JSON can hold and UTF-8 cannot, as ``?``."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _text(dumper: Any, value: str) -> Any:
    value = _whole(value)
    quoted = _BREAK.search(value) or _NUMBER.fullmatch(value)
    style = '"' if quoted else "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)
