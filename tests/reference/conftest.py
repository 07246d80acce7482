"""Says at the end of a run where Flux's parsers are not there to compare with."""

from typing import Any

from tests.reference.flux import missing


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if why := missing():
        terminalreporter.write_line(f"reference: {why}")
