"""What a document or an argument says is shown literally: no terminal code reaches the terminal."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import fluxtui.cli
from tests.cli.transcripts import run
from tests.hostile import raw

# A title, a colour, a colour by C1, the bell, DEL, a line of Unicode, text turned round, and what
# nobody sees: of no width, a selector without a base, a tag and a filler.
CODES = "\x1b]0;title\x07\x1b[31m\x9b31m\x7f\u2028\u202e\x85\x08\u200b\ufe0f\U000e0041\u3164"

R: dict[str, Any] = {
    "version": 1,
    "execution": {
        "R_lite": [{"rank": "0-3", "children": {"core": "0-3", f"gpu{CODES}": "0"}}],
        "nodelist": ["n[0-3]"],
        "properties": {f"p{CODES}": "0-1", "q": "2", f"bad&{CODES}": "3"},
        "starttime": 0,
        CODES: CODES,
    },
    "attributes": {CODES: CODES},
}
OTHER = {
    **R,
    "execution": {**R["execution"], "nodelist": [f"x{CODES}[0-3]"], "properties": {CODES: "0"}},
}
JOB: dict[str, Any] = {
    "version": 1,
    "resources": [
        {"type": f"node{CODES}", "count": 2, "with": [
            {"type": "slot", "count": 1, "label": CODES, "with": [{"type": "core", "count": 1}]}
        ]}
    ],
    "tasks": [{"command": [CODES], "slot": CODES, "count": {"per_slot": 1}, CODES: CODES}],
    "attributes": {
        "system": {
            "duration": CODES,
            "queue": f"q{CODES}",
            "constraints": {"properties": [f"p{CODES}"], "hostlist": [CODES]},
            "dependencies": [{"scheme": CODES, "value": CODES}],
        },
        CODES: 1,
    },
    CODES: CODES,
}  # fmt: skip
#: The status of a queue that is stopped.
OFF = {"enable": True, "start": False, "stop_reason": CODES, "disable_reason": CODES}


def toml(text: str) -> str:
    """A TOML string."""
    return json.dumps(text)


CONFIG = f"""
[queues.{toml("q" + CODES)}]
requires = [{toml("p" + CODES)}]
[queues.{toml("q" + CODES)}.policy.limits]
job-size.max.nnodes = 1
{toml(CODES)} = 1
[queues.{toml("r" + CODES)}]
requires = [{toml("nobody" + CODES)}]
[policy.jobspec.defaults.system]
queue = {toml("q" + CODES)}
[access]
{toml(CODES)} = {toml(CODES)}
"""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    found = {
        "R.json": json.dumps(R),
        "other.json": json.dumps(OTHER),
        "job.json": json.dumps(JOB),
        "job.yaml": yaml.safe_dump(JOB),
        "flux.toml": CONFIG,
        "broken.toml": CONFIG + CODES,
        "broken.json": json.dumps(R)[:-1] + CODES,
        "disabled.json": json.dumps({f"q{CODES}": {**OFF, "enable": False}}),
        "stopped.json": json.dumps({f"q{CODES}": OFF, CODES: {**OFF, "blocked": CODES}}),
        "stage.yaml": yaml.safe_dump({"title": CODES, "steps": [{"requires": CODES, CODES: 1}]}),
        f"{CODES}.json": "{",
    }
    for name, text in found.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return {name: str(tmp_path / name) for name in found}


def test_nothing_of_a_document_reaches_the_terminal(files: dict[str, str]) -> None:
    r, config, job = files["R.json"], files["flux.toml"], files["job.json"]
    odd = files["other.json"]
    asked = f"p{CODES}|q"
    calls = [
        *(["check", path] for path in files.values()),
        ["check", *files.values()],
        ["check", "-o", "json", *files.values()],
        ["check", str(Path(r).parent)],
        *(["match", "-r", r, "-o", form, "q"] for form in ("ranks", "hosts", "json", "R", "csv")),
        *(["match", "-r", r, "-o", form, asked] for form in ("ranks", "json", "explain", "csv")),
        ["match", "-r", r, "-o", "csv", "--matrix", "-q"],
        ["match", "-r", r, "-o", "explain", "--why", f"n{CODES}", "-q"],
        ["match", "-r", r, "--why", "0", f"host:n{CODES}0&q"],
        ["match", "-r", r, "--shortest", "rank:0-1"],
        *(["match", "-r", odd, "-o", form, "-q"] for form in ("ranks", "hosts", "R", "csv")),
        ["match", "-r", f"{CODES}.json", "q"],
        ["fit", "-r", r, "-c", config, job],
        ["fit", "-r", r, "-c", config, "-o", "json", job],
        *(
            ["fit", "-r", r, "-c", config, "--status", files[name], "--queue", f"q{CODES}", job]
            for name in ("disabled.json", "stopped.json")
        ),
        ["fit", "-r", r, job],
        ["fit", "-r", r, "--queue", CODES, "-s", "node/slot/core"],
        ["fit", "-r", r, "--user", CODES, "-c", config, "-s", "node/slot/core"],
        ["compare", r, odd],
        ["compare", "--by", "host", r, odd],
        ["compare", "-o", "json", r, odd],
        *(["shape", "-o", form, f'node/slot{{"a{CODES}"}}/core'] for form in ("json", "yaml")),
        *(["shape", "-o", form, f"node/{CODES}"] for form in ("json", "yaml", "shape")),
        *(["shape", "-o", form, "node{a:'\x1b'}/slot/core"] for form in ("json", "shape")),
        ["query", asked],
        ["query", f"'{CODES}"],
        ["shape", "--output", CODES, "core"],
        ["shape", f"--{CODES}", "core"],
        ["match", "-r", r, f"--{CODES}=1", "q"],
        ["match", "-r", r, "-o", CODES, "q"],
        [f"{CODES}.json"],
        ["-j", f"{CODES}.json"],
        [f"--{CODES}"],
    ]
    for arguments in calls:
        _, out, err = run(arguments)
        assert out + err, arguments
        assert not raw(out + err), arguments
    # They are said in printable characters.
    path = files[f"{CODES}.json"]
    out = run(["check", "-o", "json", path])[1]
    assert "\\u007f" in out
    assert json.loads(out)["file"] == path
    for more in ([], ["--matrix"]):
        assert "\\x1b]0;title\\x07" in run(["match", "-r", r, "-o", "csv", *more, "{}"])[1]


def test_one_module_prints() -> None:
    """`cli.output` alone, and `cli` for what it says of the program itself."""
    folder = Path(fluxtui.cli.__file__).parent
    writes = re.compile(r"\bprint\(|std(out|err)\.write")
    found = {p.name for p in folder.glob("*.py") if writes.search(p.read_text(encoding="utf-8"))}
    assert found == {"__init__.py", "output.py"}
