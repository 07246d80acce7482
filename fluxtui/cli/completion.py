"""``fluxtui completion``: a script with which a shell completes command lines."""

from pkgutil import get_data

from fluxtui.cli.options import Parser
from fluxtui.cli.output import print_rows, print_text

_DESCRIPTION = """\
Print a script with which the shell completes verbs, options, file names, themes,
and, of the documents that the command line names so far, properties, hosts,
queues and jobs."""

_EPILOG = """\
examples:
  eval "$(fluxtui completion bash)"          in ~/.bashrc
  eval "$(fluxtui completion zsh)"           in ~/.zshrc, after compinit
  fluxtui completion fish | source           in ~/.config/fish/config.fish

The script asks 'fluxtui completion SHELL --line LINE' at each tab. The answer has
a line with 'files', where a file may be named too, and 'nospace', where the word
may go on; then the words, each with a tab and what it means."""

_EXITS = {0: "fine"}

SHELLS = ("bash", "zsh", "fish")
_TIMEOUT = 10  # seconds to answer a tab


def parser() -> Parser:
    """The parser of the verb."""
    usage = "fluxtui completion {bash,zsh,fish}"
    declared = Parser("fluxtui completion", _DESCRIPTION, _EPILOG, _EXITS, None, usage)
    add = declared.add_argument
    add("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")
    add("--line", metavar="LINE", help="instead: what may end this command line, for the script")
    add("--breaks", metavar="TEXT", default="", help="the characters at which bash parts words")
    return declared


def run(arguments: list[str]) -> int:
    """Print the script, or the completions of a line, and return the exit code."""
    options = parser().parse_args(arguments)
    if options.line is None:
        print_text(script(options.shell).removesuffix("\n"))
        return 0
    import signal

    from fluxtui.cli.completing import answer

    if hasattr(signal, "SIGALRM"):
        signal.alarm(_TIMEOUT)  # by default ends the process
    print_rows(answer(options.line, options.shell, options.breaks))
    if hasattr(signal, "SIGALRM"):
        signal.alarm(0)  # the caller may not exit, as in tests
    return 0


def script(shell: str) -> str:
    """The completion script of a shell."""
    return (get_data("fluxtui.cli", f"shells/fluxtui.{shell}") or b"").decode()
