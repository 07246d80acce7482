"""``fluxtui match`` explaining itself: in lines for a person, and in JSON."""

import json
import subprocess
import sys

import pytest

from fluxtui import cli


def test_explain(match_demo):
    code, out, err = match_demo("gpu&bigmem&-debug", "-o", "explain")
    assert (code, err) == (1, "")
    assert (
        out
        == """\
matches   0 of 196 nodes
funnel    196, gpu 24, bigmem 0, not debug 0; nothing is left after 'bigmem'

alone   left
    0      0  and
    0      0  ├ and
   24     24  │ ├ gpu
    8      0  │ └ bigmem   nothing is left
  174      0  └ not debug

notes     'gpu' and 'bigmem' have no node in common

more      leave out 'bigmem': 18 nodes
            gpu&-debug
          leave out 'gpu': 8 nodes
            bigmem&-debug
"""
    )


def test_what_was_not_tried_is_said(match_demo):
    text = "&".join(f"(nosuch{number}|nosuch)" for number in range(800))
    _, out, _ = match_demo(text, "-o", "explain")
    assert out.endswith(
        """
          and 781 more

more      no change of one part helps; two changes at once are tried for up to
          1,500 parts only
"""
    )
    _, out, _ = match_demo("nosuch&other", "-o", "json", "--explain")
    assert json.loads(out)["explain"]["untried"] is None
    _, out, _ = match_demo(text, "-o", "json", "--explain")
    told = json.loads(out)["explain"]
    assert told["relaxations"] == []
    assert told["untried"] == "two changes at once are tried for up to 1,500 parts only"


def test_explain_where_something_matches(match_demo):
    code, out, err = match_demo("--explain", "gpu|ssd", "-debug")
    assert (code, err) == (0, "")
    assert (
        out
        == """\
matches   100 of 196 nodes:
          dune-login[1-4],dune[001-032,097-128],dunegpu[01-24],...
funnel    196, gpu or (ssd and not debug) 100

alone   left
  100    100  or
   24     24  ├ gpu   adds 24
   94     94  └ and   adds 76
  100    100    ├ ssd
  174     94    └ not debug

notes     'gpu|ssd -debug' reads as 'gpu|(ssd -debug)'; write '(gpu|ssd) -debug'
          if you mean that
          'not debug' changes nothing here: all that the other terms leave
          satisfies it

more      leave out 'ssd': 180 nodes
            gpu|-debug
"""
    )


def test_pairs_where_nothing_else_helps(match_demo):
    _, out, _ = match_demo("gpu&login&bigmem", "-o", "explain")
    assert out.endswith("""\
more      leave out 'login' and 'bigmem': 24 nodes
            gpu
          leave out 'gpu' and 'login': 8 nodes
            bigmem
          leave out 'gpu' and 'bigmem': 4 nodes
            login
""")


@pytest.mark.parametrize(
    "text",
    [
        "&".join(f"-rank:{number}" for number in range(60)),
        "not " * 40 + "gpu",
        "host:" + ",".join(f"n{number}x" for number in range(900)),
        "|".join(f"'property number {number}'" for number in range(30)),
    ],
)
def test_explanations_fit_eighty_columns(match_demo, text):
    _, out, _ = match_demo(text, "-o", "explain", "--why", "3")
    lines = [line for line in out.splitlines() if line.strip() not in text]
    for line in lines:
        assert len(line) <= 80 or line.startswith(" " * 12), line  # an expression to type


def test_no_control_characters(match_demo):
    text = '{"and": [{"properties": ["a\\u001b[31m\\n"]}, {"properties": ["gpu"]}]}'
    _, out, _ = match_demo(text, "--explain", "--why=0")
    assert "\x1b" not in out
    assert "a\\x1b[31m\\n" in out


# Why.


def test_why_of_a_host(match_demo):
    code, out, err = match_demo("gpu&(-debug|bigmem)", "--why", "dunegpu13")
    assert (code, err) == (0, "")
    assert (
        out
        == """\
dunegpu13 is out: it is in debug and not in bigmem

  no   and
  yes  ├ gpu
  no   └ or
  no     ├ not debug
  no     └ bigmem
"""
    )


def test_why_of_a_rank(match_demo):
    assert match_demo("gpu", "--why=170") == (0, "dunegpu07 matches: it is in gpu\n", "")
    assert match_demo("gpu&login", "--why", "0")[:2] == (
        1,
        "dune-login1 is out: it is not in gpu\n\n  no   and\n  no   ├ gpu\n  yes  └ login\n",
    )


def test_why_of_a_set(match_demo):
    code, out, err = match_demo("gpu&-debug", "--why", "dune[001-003],dunegpu[01-20]")
    assert (code, err) == (0, "")
    assert (
        out
        == """\
4 of 23 nodes are out because they are in debug
  dunegpu[13-16]
3 of 23 nodes are out because they are not in gpu
  dune[001-003]
"""
    )
    assert match_demo("gpu", "--why", "164-187")[1] == "all 24 gpu nodes match\n"


def test_why_of_nodes_that_share_a_host(capsys, tmp_path):
    document = {
        "version": 1,
        "execution": {
            "R_lite": [{"rank": "0-29", "children": {"core": "0"}}],
            "nodelist": ["n1," * 29 + "n2"],
            "properties": {"a": "1"},
        },
    }
    path = tmp_path / "R.json"
    path.write_text(json.dumps(document))
    assert cli.run(["match", "-r", str(path), "a", "--why", "n1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "n1 (rank 0) is out: it is not in a",
        "",
        "n1 (rank 1) matches: it is in a",
    ]
    assert lines[-1] == "and 9 more with this name"
    assert len(lines) == 41


def test_why_and_explain_together(match_demo):
    _, out, _ = match_demo("gpu", "-o", "explain", "--why", "0")
    assert out == (
        "matches   24 of 196 nodes: dunegpu[01-24]\nfunnel    196, gpu 24\n\n"
        "dune-login1 is out: it is not in gpu\n"
    )


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        ("500", "rank 500 is not in the cluster, which has 0-195; did you mean 195 (1 node)?\n"),
        ("dune1", "host 'dune1' is not in the cluster; did you mean dune001 (1 node)?\n"),
        ("a[", "the bracket '[' is not closed [RFC 29]\n  a[\n   ^\n"),
    ],
)
def test_why_of_what_is_not_there(match_demo, nodes, says):
    code, out, err = match_demo("gpu", "--why", nodes)
    assert (code, out) == (1, "")
    assert err.startswith(says)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["gpu", "--explain", "-o", "ranks"], "-o ranks leaves no room to explain"),
        (["gpu", "--why", "3", "-o", "hosts"], "-o hosts leaves no room to explain"),
        (["gpu", "--why"], "expected one argument"),
        (["-", "-o", "explain"], "JSON Lines"),
    ],
)
def test_wrong_usage(match_demo, arguments, says):
    code, out, err = match_demo(*arguments)
    assert (code, out) == (2, "")
    assert says in err


def test_what_follows_two_dashes_is_the_expression(match_demo):
    assert match_demo("-o", "ranks", "--", "-gpu", "--why")[0] in (0, 1)
    code, _, err = match_demo("gpu&", "--why", "3")
    assert code == 1
    assert "nothing follows '&'" in err


def test_an_answer_alone_loads_nothing_that_explains():
    code = (
        "import sys; from fluxtui import cli; cli.run(['match', '-r', 'demo', 'gpu']);"
        "sys.exit('fluxtui.answers.explain.explanation' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0


def test_a_note_is_told_once(match_demo):
    assert match_demo("gpu gpu gpu", "-o", "explain")[1].count("'gpu' appears 3 times") == 1
