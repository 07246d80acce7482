"""``fluxtui docs``: the documentation, by topic or by searching for words."""

from fluxtui import docs
from fluxtui.cli.options import Parser
from fluxtui.cli.output import page, print_text, remark

_DESCRIPTION = """\
Show a topic of the documentation, which ships with fluxtui, or the places where
words are in it. Without either, list the topics."""

_EPILOG = """\
examples:
  fluxtui docs
  fluxtui docs live
  fluxtui docs drained nodes

A topic is Markdown. On a terminal it is shown by $PAGER. In the workbench, the
help ('?') has the documentation too, formatted."""

_EXITS = {0: "fine", 1: "the words are nowhere"}


def parser() -> Parser:
    """The parser of the verb."""
    usage = "fluxtui docs [TOPIC | WORDS]"
    declared = Parser("fluxtui docs", _DESCRIPTION, _EPILOG, _EXITS, None, usage)
    declared.add_argument("topic", metavar="TOPIC", nargs="*", help="a topic, or words to find")
    return declared


def run(arguments: list[str]) -> int:
    """Show a topic, or search for words, and return the exit code."""
    words: list[str] = parser().parse_args(arguments).topic
    if not words:
        width = max(map(len, docs.NAMES))
        print_text("\n".join(f"{topic.name:{width}}  {topic.about}" for topic in docs.topics()))
        return 0
    found = docs.topic(words[0]) if len(words) == 1 else None
    if found is not None:
        page(found.text.removesuffix("\n"))
        return 0
    hits = docs.find(words)
    if not hits:
        message = f"no topic has {' and '.join(words)}; the topics are {', '.join(docs.NAMES)}"
        remark(f"fluxtui docs: {message}")
        return 1
    print_text(
        "\n".join(f"{hit.section.topic}: {hit.section.title}\n    {hit.line}" for hit in hits)
    )
    return 0
