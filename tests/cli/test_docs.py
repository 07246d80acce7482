"""Each command in the documentation and the README is run, and what they show is recorded.

A block marked ``sh`` has commands, each with a comment that is for its reader; one marked
``console`` what they print as well, which ``pytest --snapshot-update`` writes anew. Those of a
block marked ``sh endless`` are not run. No line of another block begins with ``fluxtui``.
"""

import json
import re
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fluxtui import docs
from fluxtui.bridge.files import built_in
from fluxtui.bridge.live.record import Recorder
from fluxtui.ui.app import FluxTUI
from tests.cli import transcripts
from tests.model.jobspecs import job
from tests.recorded import Agree

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *(ROOT / "fluxtui" / "docs" / f"{name}.md" for name in docs.NAMES)]

_BLOCK = re.compile(r"^ *```(?P<mark>.*)\n(?P<body>(?s:.*?))^ *```$", re.MULTILINE)
_COMMENT = re.compile(r"\s{2,}# .*")

RUNNING = ROOT / "screenshots" / "running.json"
STAGE = """title: Our cluster
steps:
  - title: Where the GPUs are
    constraint: gpu&-debug
"""
LINES = {
    "queries.txt": ["gpu", "gpu&-debug"],
    "commands.txt": ["srun -N4 app", "bsub -nnodes 4 jsrun -n 16 app"],
    "documents.jsonl": [json.dumps(job("node=2/slot/core"))],
    "jobs.jsonl": [json.dumps({"jobspec": job("node=2/slot/core")})],
    "shapes.txt": ["slot=4/node"],
}


def pictures(folder: Path) -> None:
    """A record of two pictures in a folder, of 09:15 and 09:25."""
    now = json.loads(RUNNING.read_text())
    recorder = Recorder(folder)
    for at, drain in ((1_795_598_100.0, {}), (1_795_598_700.0, {"7": {"reason": "smoke"}})):
        asked = dict.fromkeys(now["asked"], at)
        recorder.keep({**now, "asked": asked, "status": {**now["status"], "drain": drain}})
    recorder.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, play: Callable[[str], None]) -> Path:
    """A folder with the files that the documentation names, beside a Flux that is recorded."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "FLUX_URI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    play("simple-owner")
    where = tmp_path / "here"
    where.mkdir()
    monkeypatch.chdir(where)
    cluster, queues = built_in("R.json"), built_in("flux.toml")
    texts = {
        **dict.fromkeys(("R.json", "old.json", "new.json"), cluster),
        **dict.fromkeys(("flux.toml", "conf.d/queues.toml"), queues),
        "new.d/queues.toml": queues.partition("# Jobs sent")[0].replace('"12h"', '"1d"'),
        "wrong.d/queues.toml": '[queues.batch]\nhosts = "n[1-3"\n',
        "edited.d/queues.toml": "[queues.night]\n",
        "job.yaml": json.dumps(job("node=4/slot/[core=8;gpu]")),
        "job.sh": "#!/bin/sh\n#SBATCH -N 3 --ntasks-per-node=2\nsrun app\n",
        "socket.yaml": json.dumps(job("node=2/socket/slot/core")),
        "site.json": RUNNING.read_text(),
        "questions.yaml": STAGE,
        **{name: "".join(f"{line}\n" for line in lines) for name, lines in LINES.items()},
    }
    for name, text in texts.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    pictures(where / "day")
    return where


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[FluxTUI]:
    """The workbenches that were started; of each all is read, and then it is left at once."""
    found: list[FluxTUI] = []

    def run(app: FluxTUI) -> None:
        found.append(app)

    monkeypatch.setattr(FluxTUI, "run", run)
    monkeypatch.setattr("fluxtui.ui.launch.no_terminal", lambda *_, **__: None)
    monkeypatch.setattr("fluxtui.bridge.terminal.keep_keys_apart", lambda: None)
    return found


def blocks(page: Path, mark: str) -> Iterator[str]:
    """The blocks of a page with a mark."""
    for found in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        if found["mark"] == mark:
            yield found["body"]


def answer(line: str) -> tuple[int, str, str]:
    """Run a line: fluxtui, or what is piped into it by a flux command or another program."""
    before, pipe, after = line.rpartition(" | ")
    typed = ""
    if pipe:
        if before.startswith("flux "):
            before = "cat R.json"
        typed = subprocess.run(
            ["sh", "-c", before], capture_output=True, text=True, check=True
        ).stdout
        line = after
    line, redirected, name = line.partition(" < ")
    if redirected:
        typed = Path(name.strip()).read_text(encoding="utf-8")
    program, *words = shlex.split(line)
    assert program == "fluxtui", line
    return transcripts.run(words, typed)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_run(page: Path, folder: Path, opened: list[FluxTUI]) -> None:
    for block in blocks(page, "sh"):
        for line in filter(None, map(str.strip, block.splitlines())):
            command = _COMMENT.sub("", line)
            if command.endswith("--restore"):
                continue  # there is nothing to restore
            code, out, err = answer(command)
            assert code in {0, 1}, (command, err)
            assert out or opened or code == 1, (command, err)
            assert "fault of its own" not in err, (command, err)
            assert not opened or not err, (command, err)
            opened.clear()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_is_shown_is_what_they_print(page: Path, folder: Path, agree: Agree) -> None:
    def shown(found: re.Match[str]) -> str:
        if found["mark"] != "console":
            return found[0]
        lines = []
        for line in found["body"].splitlines():
            if line.startswith("$ "):
                _, out, err = answer(line[2:])
                lines += [line, *f"{out}{err}".splitlines()]
        return "\n".join(["```console", *lines, "```"])

    agree(page, _BLOCK.sub(shown, page.read_text(encoding="utf-8")))


def test_no_command_is_left_out() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        marked = {"sh", "console", "sh endless"}
        for found in _BLOCK.finditer(text):
            lines = found["body"].splitlines()
            assert found["mark"] in marked or not any("fluxtui " in one[:12] for one in lines)
        outside = _BLOCK.sub("", text)
        assert not re.search(r"^ +(\$ )?fluxtui ", outside, re.MULTILINE), page


def test_topics_are_found_by_name_and_by_words() -> None:
    def answered(*words: str) -> tuple[int, str]:
        return transcripts.run(["docs", *words])[:2]

    assert [line.split()[0] for line in answered()[1].splitlines()] == list(docs.NAMES)
    assert answered("themes") == (0, (ROOT / "fluxtui/docs/themes.md").read_text())
    code, out = answered("TIME", "bar")
    assert (code, out.startswith("live: Snapshots and records\n    ")) == (0, True)
    assert answered("no-such-word")[0] == 1


def test_every_topic_says_what_it_is_about() -> None:
    for one in docs.topics():
        assert one.about.endswith("."), one.name
        assert len(one.about) < 100
        assert len({section.title for section in one.sections}) == len(one.sections)
    files = {path.stem for path in (ROOT / "fluxtui" / "docs").glob("*.md")}
    assert files == set(docs.NAMES)


def test_links_and_topics_that_are_named_exist() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"fluxtui docs ([a-z]+)`", text):
            assert name in docs.NAMES, (page.name, name)
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert (page.parent / target).exists(), (page.name, target)
