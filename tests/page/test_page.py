"""The page as text: what it forbids, its colours, its size, and how the command line writes it."""

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from fluxtui.bridge import themes
from fluxtui.model.constraint import requires
from fluxtui.model.resources import document
from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.page.cluster import cluster_json
from fluxtui.page.colours import READABLE, VISIBLE, Colours, contrast
from fluxtui.page.page import SCRIPTS
from fluxtui.ui.terminal.themed import built_in
from tests import big
from tests.cli.transcripts import run
from tests.each import for_each
from tests.page import pages


def test_it_has_no_script_and_no_style_but_its_own_and_asks_for_nothing() -> None:
    html = pages.written(pages.demo(), "gpu")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    for name, text in (("style", style), ("script", script)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "<!--" not in script
    assert "-->" not in script
    # What would be asked for, or run beside the script.
    found = re.findall(r"\s(?:src|href|style|on\w+)=|url\(|@import|\bfetch\(|\beval\(", html)
    assert not found
    assert "http" not in html.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


def _named() -> list[tuple[str, Colours]]:
    found = [(name, pages.colours(name)) for name in themes.theme_paths(shipped=True)]
    for name in ("textual-light", "solarized-light", "flexoki", "atom-one-light", "dracula"):
        dark, colors = built_in(name)
        found.append((name, Colours(dark, colors, {})))
    return found


@for_each("name, colours", _named(), lambda case: case[0])
def test_every_theme_can_be_read(name: str, colours: Colours) -> None:
    found = dict(colours.variables())
    drawn = {"unlit", "frame"}
    for ground in ("ground", "surface"):
        for text in found.keys() - {"ground", "surface", "panel"}:
            least = VISIBLE if text in drawn else READABLE
            assert contrast(found[text], found[ground]) >= least, (text, ground)
    if colours.roles:  # one that can be read as it is stays as it is
        assert found["match"] == colours.roles["match"]
        assert found["ground"] == colours.colors["background"]


def test_a_million_nodes_take_no_more_room_than_their_text() -> None:
    small, large = (document.read(big.grouped(count)) for count in (1_000, 1_000_000))
    one, other = (len(pages.written(each, "batch")) for each in (small, large))
    assert abs(one - other) < 200
    script = sum(len((pages.ROOT / f"fluxtui/page/{name}.js").read_text()) for name in SCRIPTS)
    assert one < script + 20_000


@for_each("name", (*pages.ODD, "fragmented"))
def test_the_hosts_of_a_page_are_kept_as_they_were_grouped(name: str) -> None:
    found = document.read(big.fragmented(3000)) if name == "fragmented" else pages.odd(name)
    said = json.loads(cluster_json(found))
    again = hostlist.parse(said["hosts"])
    assert again.ok
    assert again.value == found.hosts
    assert len(again.value.rows[0]) <= len(found.hosts.rows[0])
    assert [*HostIndex(again.value).families] == [*found.host_index.families]


def test_the_place_of_a_problem_behind_an_operator_with_two_pieces() -> None:
    """The piece before the gap has the operator too, which is no part of the operand."""
    for text, wrong in (("rank:a: '3'", "a"), ("properties:a: 'b,c|d'", "|")):
        spans = [problem.span for problem in requires.read(text).problems if problem.span]
        assert wrong in [text[slice(*span)] for span in spans], text


LIST = """\
title: Two questions
steps:
- title: GPUs
  constraint: gpu&-debug
- title: Cannot be read
  constraint: gpu&
"""


def test_the_command_line_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Path("list.yaml").write_text(LIST)
    code, out, err = run(["--stage", "list.yaml", "--export", "page.html", "--theme", "dusk"])
    said = "page.html: 2 constraints on 196 nodes, 13,888 cores, 160 gpus"
    # One of them has an error, which is written too.
    assert (code, out.startswith(said), "list.yaml, line 6" in err) == (1, True, True)
    html = Path("page.html").read_text()
    assert "prefers-color-scheme:" not in html.split("</style>")[0]
    assert pages.colours("dusk").colors["background"] in html
    assert html.count("<section ") == 2
    assert "<strong>18</strong> of 196 nodes" in html
    assert "nothing follows &#x27;&amp;&#x27;" in html
    Path("R.json").write_text(json.dumps(big.grouped(10)))
    code, html, _ = run(["-r", "R.json", "-q", "batch", "--export", "-"])
    parts = ("prefers-color-scheme:dark", "<strong>5</strong> of 10 nodes", "RFC 31 by example")
    assert (code, [part for part in parts if part not in html]) == (0, [])


@for_each("arguments, said, code", [
    (("--theme", "ansi-dark"), "colours of a terminal", 1),
    (("--theme", "none-such"), "there is no theme none-such", 1),
    (("-r", "missing.json"), "missing.json", 1),
    (("--stage", "missing.yaml"), "missing.yaml", 1),
    (("--restore",), "--export takes one cluster", 2),
    (("-r", "demo", "-r", "demo"), "--export takes one cluster", 2),
])  # fmt: skip
def test_what_it_refuses(arguments: tuple[str, ...], said: str, code: int) -> None:
    found, _, err = run([*arguments, "--export", "/none-such/page.html"])
    assert (found, said in err) == (code, True), err
