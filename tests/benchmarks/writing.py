"""From a key to its painted answer while a job is written, with a small and a large jobspec.

As in `keys`: a driver renders every frame and throws it away. An answer is something that only the
frame with what the key means holds: for the shape the YAML, for the YAML itself and the tree,
for a field the line below the form that says what it means, for a form of the text its own words.

A busy machine and a collection of garbage make some keys late. What counts is therefore not the
median alone, but the key that is slower than nineteen of twenty as well.
"""

import asyncio
import re
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import events

from fluxtui import workbench
from fluxtui.model.form import fields
from fluxtui.ui.app import FluxTUI
from tests.benchmarks.keys import PATIENCE, Sink, _settle, _when_running
from tests.benchmarks.measure import report
from tests.ui.helpers import demo

ROUNDS = 3
TIMES = 7  # that the keys are typed in each round, after once to warm up
LARGE = 500  # vertices
LIMIT = 0.016  # seconds that no key may take longer than

# What is typed behind: a count that stands in the tree and in the YAML as well.
FIRST = "[node=12/slot{b}/core=900"
DIGITS = "123"
SMALL_SHAPE = FIRST + ";node=4/slot{a}/[core=8;gpu]]"
LARGE_SHAPE = (
    FIRST + "".join(f";node/slot{{s{i}}}/[core=8;gpu]" for i in range(LARGE // 4 - 1)) + "]"
)

_ESCAPE = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")


class Words(Sink):
    """As a sink, for answers of several words that are drawn in more than one colour.

    Where they come in several frames, it is the last of these that holds the answer.
    """

    awaited: ClassVar[set[str]] = set()

    def write(self, data: str) -> None:
        now = time.perf_counter()
        Sink.last_write = now
        if self.awaited:
            shown = _ESCAPE.sub("", data)
            self.awaited.difference_update([words for words in self.awaited if words in shown])
            if not self.awaited:
                Sink.answered = now


async def _type(
    app: FluxTUI, keys: str, answers: Callable[[str], str | set[str]], reset: Callable[[], None]
) -> list[float]:
    """The seconds from each key to the frame with its answer, the keys typed again and again."""
    times: list[float] = []
    for turn in range(TIMES + 1):
        reset()
        await _settle()
        for end, character in enumerate(keys, 1):
            answer = answers(keys[:end])
            Sink.answered = None
            Words.awaited |= {answer} if isinstance(answer, str) else answer
            start = time.perf_counter()
            app.post_message(events.Key(character, character))
            Sink.last_write = start
            while Sink.answered is None:
                assert time.perf_counter() - start < PATIENCE, f"no answer {Words.awaited}"
                await asyncio.sleep(0.0005)
            await _settle()
            if turn:
                times.append(Sink.answered - start)
    return times


async def _shape(app: FluxTUI, shape: str) -> list[float]:
    """Digits at the end of the first count; the answer is in the YAML, which is shown last."""
    entry = app.shape_bar.entry
    entry.focus()

    def reset() -> None:
        entry.value = shape
        entry.cursor_position = len(FIRST)

    return await _type(app, DIGITS, lambda typed: f"count: 900{typed}", reset)


async def _field(app: FluxTUI, shape: str) -> list[float]:
    """Digits of the duration; the answer is what they mean, below the form."""
    app.bring("form")
    await asyncio.sleep(0.5)
    row = app.form_pane.rows["duration"]
    row.entry.focus()

    def reset() -> None:
        row.entry.value = ""

    meaning = fields.by_name("duration").describe
    return await _type(app, DIGITS, lambda typed: meaning(float(typed)), reset)


async def _in_editor(app: FluxTUI, shape: str, form: str, key: str) -> list[float]:
    """Digits of the same count in the YAML or the JSON; the answer is there and in the tree."""
    app.workspace.bring_to_front("text")
    while app.text_pane.form != form:
        app.action_text_form()
    await asyncio.sleep(0.3)
    pane = app.text_pane
    await pane.action_edit_text()
    assert pane.editor is not None
    editor = pane.editor

    def reset() -> None:
        app.edit(workbench.EditShape(shape))
        lines = editor.text.splitlines()
        row = next(n for n, line in enumerate(lines) if line.strip(" ,") == f"{key}900")
        editor.move_cursor((row, lines[row].index("900") + 3))
        editor.scroll_cursor_visible(animate=False)

    def answers(typed: str) -> set[str]:
        return {f"{key}900{typed}", f"core 900{typed}"}

    return await _type(app, DIGITS, answers, reset)


async def _as_text(app: FluxTUI, shape: str, form: str, before: str) -> list[float]:
    """Digits in the shape; the answer is behind what stands before them in a form of the text."""
    app.workspace.bring_to_front("text")
    while app.text_pane.form != form:
        app.action_text_form()
    app.action_zoom()  # or the answer would be out of sight
    await asyncio.sleep(0.3)
    app.text_pane.view.scroll_home(animate=False)
    entry = app.shape_bar.entry
    entry.focus()

    def reset() -> None:
        entry.value = shape
        entry.cursor_position = len(FIRST)

    return await _type(app, DIGITS, lambda typed: f"{before}{typed}", reset)


PLACES: dict[str, Callable[[FluxTUI, str], Awaitable[list[float]]]] = {
    "shape": _shape,
    "field": _field,
    "YAML": lambda app, shape: _in_editor(app, shape, "yaml", "count: "),
    "JSON": lambda app, shape: _in_editor(app, shape, "json", '"count": '),
    "flux": lambda app, shape: _as_text(app, shape, "flux", "slot{task}/core=900"),
    "stored": lambda app, shape: _as_text(app, shape, "stored", "count: 900"),
}


async def _measure(place: str, shape: str) -> list[float]:
    app = FluxTUI(workbench.start(demo(), shape))
    app.driver_class = Words
    times: list[float] = []

    async def type_it() -> None:
        app.shape_bar.entry.cursor_blink = app.ask_bar.entry.cursor_blink = False
        Sink.last_write = time.perf_counter()
        await _settle()
        try:
            with app._context():
                times.extend(await PLACES[place](app, shape))
        finally:  # a key without an answer ends it too
            app.exit()

    task = asyncio.create_task(_when_running(app, type_it))
    await app.run_async(headless=False, size=(120, 40))
    await task
    return times


def run() -> bool:
    """Measure and report; whether every key is answered in time."""
    times: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for place in PLACES:
            for size, shape in (("8", SMALL_SHAPE), (f"{LARGE}", LARGE_SHAPE)):
                name = f"{place}, {size} vertices"
                times.setdefault(name, []).extend(asyncio.run(_measure(place, shape)))
    medians = {name: statistics.median(found) for name, found in times.items()}
    slow = {name: late(found) for name, found in times.items()}
    base = next(iter(medians))
    report("From a key to the frame with its answer, writing a job, at 120x40", medians, base, {})
    report("The same, slower than nineteen of twenty keys", slow, base, {})
    missed = [name for name in times if max(medians[name], slow[name]) > LIMIT]
    print(f"\n  the limit is {LIMIT * 1000:.0f} ms; missed by: {', '.join(missed) or 'none'}")
    return not missed


def late(times: list[float]) -> float:
    """The time that nineteen of twenty keys do not take longer than."""
    return statistics.quantiles(times, n=20, method="inclusive")[-1]
