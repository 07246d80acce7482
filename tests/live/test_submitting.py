"""A job submitted to a running Flux, as it was recorded, and queues that are acted on."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from fluxtui import opening, workbench
from fluxtui.bridge.chosen import Chosen
from fluxtui.bridge.live import job
from fluxtui.bridge.live.connection import SUBMIT, connect, problem_of
from fluxtui.bridge.live.job import Event
from fluxtui.notation.problem import printable
from fluxtui.ui.live.follow import _Log
from fluxtui.ui.live.log import MOST, JobLog, Tail
from tests import hostile
from tests.each import for_each, the
from tests.live.conftest import Following, is_asked, told
from tests.live.conversation import RECORDINGS
from tests.live.instance import JOBSPEC, REFUSED
from tests.ui.seen import screen_lines


def test_the_end_of_a_log_is_told(play: Callable[[str], None]) -> None:
    play("submit-owner")
    connection = the(connect().value)
    heard: SimpleQueue[list[job.Event] | None] = SimpleQueue()
    job.follow(connection, connection.submit(JOBSPEC).value, job.OUTPUT, heard.put)
    heard_all = list(iter(partial(heard.get, timeout=30), None))
    printed = [event.printed for events in heard_all for event in events or () if event.printed]
    assert sorted(printed) == [("stderr", "oh\n"), ("stdout", "[b]hi\n")]
    connection.close()


async def test_a_batch_script_is_shown_with_its_command(following: Following) -> None:
    async with following("submit-owner", "slot/core") as (app, pilot):
        app.submitting.submit_script()  # of a shape alone, which says no command
        await pilot.until(lambda: app.workspace.active("job") == "form")
        await pilot.until(lambda: "no command yet" in told(app))
        app.edit(opening.edit_of(json.loads(JOBSPEC)))
        app.submitting.submit_script()
        await pilot.until(lambda: is_asked(app))
        assert "$ flux batch script.sh" in app.screen.query_one("#confirm-command").render().plain
        await pilot.settle()
        assert "# flux: -n1" in app.screen.query_one("#confirm-shown").plain


async def test_a_job_is_submitted_and_followed_to_its_end(
    following: Following, tmp_path: Path
) -> None:
    async with following("submit-owner") as (app, pilot):
        app.preferences.store = Chosen(tmp_path / "chosen.json")
        app.edit(opening.edit_of(json.loads(JOBSPEC)))
        app.go_to("map")
        await pilot.settle()
        await pilot.press("S")
        await pilot.until(lambda: is_asked(app))
        assert "$ flux job submit" in app.screen.query_one("#confirm-command").render().plain
        await pilot.press("escape")  # nothing is submitted
        await pilot.settle()
        assert not app.preferences.store.load("submitted jobs")
        await pilot.press("S")
        await pilot.until(lambda: is_asked(app))
        await pilot.press("enter")
        await pilot.until(lambda: isinstance(app.screen, JobLog) and app.screen.is_mounted)
        log = app.screen.query_one(Tail)
        await pilot.until(lambda: "clean" in "\n".join(line.plain for line in log.lines))
        # What is printed comes by another log than the events, and in any order.
        await pilot.until(lambda: {"oh", "[b]hi"} <= {line.plain for line in log.lines})
        assert "finish     exit 3" in "\n".join(line.plain for line in log.lines)
        box = app.screen.query_one("#box")
        await pilot.until(lambda: "cancels" not in str(box.border_subtitle))  # as it has ended
        assert "exit 3" in str(box.border_title)
        await pilot.until(lambda: app.state.selected == 1)  # the node that it had
        (kept,) = app.preferences.store.load("submitted jobs")
        assert json.loads(kept)["name"] == "sh"
        assert (tmp_path / "chosen.json").stat().st_mode & 0o777 == 0o600
        await pilot.press("escape")
        app.submitting.show_list()
        await pilot.done()
        await pilot.press("enter")
        await pilot.until(lambda: isinstance(app.screen, JobLog) and app.screen.is_mounted)


async def test_a_job_that_prints_much_shows_its_last_lines_and_that_there_were_more(
    following: Following,
) -> None:
    async with following("submit-owner") as (app, pilot):
        window = JobLog(app.live, 1)
        await app.push_screen(window)
        log = window.query_one(Tail)
        await pilot.until(lambda: bool(log.plain))  # what there is instead of this job's events
        put_off: list[Callable[[], object]] = []
        stream = _Log(put_off.append, lambda: None)
        stream.listeners[window._take_output] = None
        for number in range(2 * MOST):
            data = f"{number} " + "x" * 200 * (number == 2 * MOST - 1)
            stream.hear([Event(0, "data", {"stream": "stdout", "data": f"{data}\n"})])
        assert len(put_off) == 1  # not one for each
        while put_off:
            put_off.pop()()
        await pilot.settle()
        assert len(log.lines) == MOST
        assert "Earlier lines are left out: flux job attach" in log.lines[0].plain
        assert log.lines[-1].plain.endswith("xxx")  # which is parted, and in sight
        assert log.is_vertical_scroll_end
        # The reader stays where they are, as more comes.
        log.scroll_to(y=100, animate=False)
        await pilot.settle()
        there = log.lines[100].plain
        stream.hear([Event(0, "data", {"data": "".join(f"more {n}\n" for n in range(9))})])
        put_off.pop()()
        await pilot.settle()
        assert log.lines[round(log.scroll_y)].plain == there
        # Whatever a job prints is shown, and does nothing.
        for text in (*hostile.UNSEEN.values(), *hostile.MARKUP.values()):
            window._take_output([Event(0, "data", {"stream": "stderr", "data": f"{text}\n"})])
            assert printable(text.expandtabs()) in log.lines[-1].plain or "\n" in text
        log.scroll_end(animate=False)
        await pilot.settle()
        assert not hostile.raw("".join(screen_lines(app)))
        # Of an instance that is gone nothing is made up.
        window._take_events([Event(0, "start", {})])
        window._take_events(None)
        await pilot.settle()
        assert "is not there any more" in log.lines[-1].plain
        assert "cancels" not in str(window.query_one("#box").border_subtitle)


async def test_a_job_that_is_refused_is_shown_with_what_flux_has_by_now(
    following: Following,
) -> None:
    async with following("submit-owner", "node=9/slot/core") as (app, pilot):
        app.edit(workbench.ChooseQueue("debug"))
        app.go_to("map")
        await pilot.settle()
        await pilot.press("S")  # one that breaks a rule is not submitted
        await pilot.until(lambda: bool(app.screen.query("#verdict-list")))
        assert "queue debug allows at most 4" in told(app)
        assert "RFC 33" in told(app)
        assert app.screen.query_one("#verdict-list").plain  # type: ignore[attr-defined]
        await pilot.press("escape")
        app.edit(opening.edit_of(json.loads(REFUSED)))
        await pilot.settle()
        await pilot.press("S")
        await pilot.until(lambda: is_asked(app))
        await pilot.press("ctrl+c")
        assert "esc goes back" in told(app)
        await pilot.press("enter")  # by now the queue is disabled, which was not foreseen
        foreseen = "queue debug accepts no jobs: noon"
        await pilot.until(
            lambda: foreseen in "".join(one.plain for one in app.screen.query("#verdict-list"))
        )
        assert "job submission to debug is disabled: noon (RFC 33)" in told(app)


@for_each("number, words, rule", [
    (22, "requested nnodes (4) exceeds policy limit of 3 for queue debug", "RFC 33 live-refused"),
    (1, "Invalid queue 'debug' specified", "RFC 33 live-refused"),
    (22, "dependency scheme 'foo' not supported", "RFC 26 live-refused"),
    (22, "cannot find user/bank or user/default bank entry for: x", " live-refused"),
    (1, "signer=0 != requestor=4242", " live-denied"),
    (1, "Operation not permitted", " live-denied"),
    (32, "Broken pipe", " live-lost"),
])  # fmt: skip
def test_what_flux_says_of_a_job_is_kept_with_its_rule(number: int, words: str, rule: str) -> None:
    problem = problem_of({"errno": number, "message": words}, SUBMIT)
    assert f"{problem.rule} {problem.code}" == rule
    assert words in problem.message or problem.code != "live-refused"


async def test_the_owner_disables_a_queue_with_a_reason(following: Following) -> None:
    async with following("submit-owner") as (app, pilot):
        app.acting.ask("debug")
        await pilot.press("ctrl+c")
        assert "esc goes back" in told(app)
        await pilot.press("d")
        await pilot.until(lambda: is_asked(app))
        await pilot.press("ctrl+c")
        assert "esc goes back" in told(app)
        await pilot.press(*"noon")
        await pilot.settle()
        command = app.screen.query_one("#confirm-command").render().plain  # type: ignore[union-attr]
        assert "$ flux queue disable --message=noon debug" in command
        await pilot.press("enter")
        await pilot.until(lambda: "Queue debug is disabled" in told(app))


async def test_escape_stops_the_wait_for_a_queue(following: Following, tmp_path: Path) -> None:
    known = (RECORDINGS / "submit-owner.jsonl").read_text("utf-8")
    unanswered = {"in": {"id": 999, "topic": "job-manager.drain", "payload": {}}}
    (tmp_path / "waits.jsonl").write_text(f"{known}{json.dumps(unanswered)}\n", "utf-8")
    async with following(str(tmp_path / "waits")) as (app, pilot):
        app.go_to("map")
        app.acting.ask("debug")
        await pilot.press("w")
        await pilot.until(lambda: is_asked(app))
        notes = [note.render().plain for note in app.screen.query("Static.note")]  # type: ignore[attr-defined]
        assert "esc stops waiting" in notes[-1]
        await pilot.press("enter")
        await pilot.until(lambda: "esc stops" in str(app.views.map.border_subtitle))
        await pilot.press("escape")
        await pilot.until(lambda: "No longer waiting for flux queue drain" in told(app))
