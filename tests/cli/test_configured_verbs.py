"""The headless verbs on a configuration that lists nodes."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fluxtui import cli

CONFIG = """\
[resource]
exclude = "c0"
[[resource.config]]
hosts = "c[0-9],g[0-3]"
cores = "0-15"
[[resource.config]]
hosts = "g[0-3]"
gpus = "0-3"
properties = ["gpu"]
[queues.all]
[policy]
jobspec.defaults.system.queue = "all"
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("flux.toml").write_text(CONFIG)
    Path("conf.d").mkdir()
    Path("conf.d/a.toml").write_text(CONFIG)

    def answer(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return answer


@pytest.mark.parametrize("where", ["flux.toml", "conf.d", "-"])
def test_match(run: Run, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    with Path("flux.toml").open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        code, out, err = run("match", "-r", where, "gpu", "-o", "hosts")
    assert (code, out) == (0, "g[0-3]\n")
    assert "1 node is excluded" in err


def test_match_says_what_is_wrong(run: Run) -> None:
    Path("bad.toml").write_text('[[resource.config]]\nhosts = "a[0-1]"\ncores = "0"\ncore = 1\n')
    code, out, err = run("match", "-r", "bad.toml", "{}")
    assert (code, out) == (0, "0-1\n")
    assert "bad.toml, line 4, column 1: an entry has no key 'core'" in err
    Path("queues.toml").write_text("[queues.a]\n")
    code, out, err = run("match", "-r", "queues.toml", "gpu")
    assert (code, out) == (1, "")
    assert "'queues.toml' lists no nodes" in err


def test_check_and_fit_say_what_a_queue_requires_in_vain(run: Run) -> None:
    Path("flux.toml").write_text(CONFIG.replace("[queues.all]", "[queues.all]\nrequires = ['x']"))
    code, out, _ = run("check", "flux.toml")
    assert code == 0
    assert "flux.toml:11: warning: " in out
    assert "queue 'all' requires 'x', which no node has [RFC 33]" in out
    code, out, err = run("fit", "-r", "flux.toml", "-s", "slot/core")
    assert code == 1
    assert "queue all has no node: it requires 'x', which no node has" in out
    assert "meets the constraint" not in out
    assert "which no node has" in err


def test_fit_has_the_nodes_and_the_queues(run: Run) -> None:
    code, out, err = run("fit", "-r", "conf.d", "-s", "node=4/slot/[core=16;gpu=4]")
    assert code == 0, out
    assert "g[0-3]" in out
    assert "all takes it" in out
    assert err.count("1 node is excluded") == 1
    Path("other.toml").write_text("[queues.mine]\n")
    named = ("-c", "other.toml", "--queue", "mine")
    code, out, _ = run("fit", "-r", "flux.toml", *named, "-s", "slot/core")
    assert code == 0
    assert "mine takes it" in out


def test_check_judges_the_table(run: Run) -> None:
    code, out, _ = run("check", "flux.toml")
    assert code == 0
    assert out.rstrip().endswith("1 queue, default all; 14 nodes, 224 cores, 16 gpus")
    Path("flux.toml").write_text(CONFIG.replace('gpus = "0-3"', 'gpus = "3-0"'))
    code, out, _ = run("check", "flux.toml")
    assert code == 1
    assert "flux.toml:8: resource.config[1].gpus: gpus: range '3-0' runs backwards" in out
