"""Says at the end of a run where there were no recorded answers to compare with."""

from typing import Any

from tests.conformance.cases import missing


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if why := missing():
        terminalreporter.write_line(f"conformance: {why}")
