"""Every recorded case has the answer that counts, or differs for a reason that is written down."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from fluxtui.model.resources import document
from tests.conformance import corpora
from tests.conformance.__main__ import FILE, table
from tests.conformance.cases import FOLDER, missing
from tests.conformance.corpora import CORPORA
from tests.conformance.reasons import REASONS
from tests.each import for_each

ROOT = Path(__file__).parents[2]
#: The verdicts on a corpus, which several tests are about.
verdicts = cache(corpora.verdicts)

NAMES = [] if missing() else list(CORPORA)

needed = pytest.mark.skipif(bool(missing()), reason=missing() or "the recorded answers are there")


@needed
@pytest.mark.parametrize("name", NAMES)
def test_is_explained(name: str) -> None:
    assert [v for v in verdicts(name) if v.outcome == "unexplained"] == []


@needed
@for_each(
    "path", sorted({*FOLDER.glob("rsets/**/*.json"), *FOLDER.glob("graphs/*.json")}) or [None]
)
def test_the_documents_of_the_cases_are_whole(path: Path) -> None:
    found = document.read_text(path.read_text(encoding="utf-8"))
    assert found.ok, found.problems
    assert found.node_count == found.hosts.count > 0
    assert found.whole.cores > 0


@needed
def test_the_table_of_differences_is_current() -> None:
    # Counts and examples may be others where more is recorded; the reasons may not.
    text = table({name: verdicts(name) for name in CORPORA})
    assert _listed(FILE.read_text(encoding="utf-8")) == _listed(text), (
        f"python -m tests.conformance --differences > {FILE.relative_to(ROOT)}"
    )


def _listed(text: str) -> list[str]:
    """What each row of the table is about."""
    return [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| ")]


@needed
def test_every_reason_explains_something() -> None:
    used = {verdict.reason for name in CORPORA for verdict in verdicts(name)}
    assert used >= {key for key, reason in REASONS.items() if not reason.beside}


def test_the_command_says_where_there_are_no_answers(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.conformance"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={"FLUXTUI_CONFORMANCE": str(tmp_path), "PATH": ""},
    )
    assert done.returncode == 2
    assert str(tmp_path) in done.stderr
