"""From a key to its painted answer while a job is written, with a small and a large jobspec.

As in `keys`: a driver renders every frame and throws it away. An answer is something that only the
frame with all that the key means holds: for the shape and the YAML both of them and the tree, for
a field the line below the form that says what it means.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable

from textual import events

from fluxtui import workbench
from fluxtui.model import fields
from fluxtui.ui.app import FluxTUI
from tests.benchmarks.keys import FRAME, PATIENCE, Sink, _settle, _when_running
from tests.benchmarks.measure import report
from tests.ui.helpers import demo

ROUNDS = 3
LARGE = 500  # vertices

# What is typed behind: a count that stands in the tree and in the YAML as well.
FIRST = "[node=12/slot{b}/core=900"
DIGITS = "123"
SMALL_SHAPE = FIRST + ";node=4/slot{a}/[core=8;gpu]]"
LARGE_SHAPE = (
    FIRST + "".join(f";node/slot{{s{i}}}/[core=8;gpu]" for i in range(LARGE // 4 - 1)) + "]"
)


async def _type(
    app: FluxTUI, keys: str, answers: Callable[[str], str], reset: Callable[[], None]
) -> list[float]:
    """The seconds from each key to the frame with its answer, the keys typed twice."""
    times: list[float] = []
    for warming in (True, False):
        reset()
        await _settle()
        for end, character in enumerate(keys, 1):
            Sink.answer, Sink.answered = answers(keys[:end]), None
            start = time.perf_counter()
            app.post_message(events.Key(character, character))
            Sink.last_write = start
            while Sink.answered is None:
                assert time.perf_counter() - start < PATIENCE, f"no answer {Sink.answer!r}"
                await asyncio.sleep(0.0005)
            await _settle()
            if not warming:
                times.append(Sink.answered - start)
    return times


async def _shape(app: FluxTUI, shape: str) -> list[float]:
    """Digits at the end of the first count; the answer is there, in the tree and in the YAML."""
    entry = app.shape_bar.entry
    entry.focus()

    def reset() -> None:
        entry.value = shape
        entry.cursor_position = len(FIRST)

    Sink.places = 3
    return await _type(app, DIGITS, lambda typed: f"900{typed}", reset)


async def _field(app: FluxTUI, shape: str) -> list[float]:
    """Digits of the duration; the answer is what they mean, below the form."""
    app.bring("form")
    await asyncio.sleep(0.5)
    row = app.form_pane.rows["duration"]
    row.entry.focus()

    def reset() -> None:
        row.entry.value = ""

    Sink.places = 1
    meaning = fields.by_name("duration").describe
    return await _type(app, DIGITS, lambda typed: meaning(float(typed)), reset)


async def _yaml(app: FluxTUI, shape: str) -> list[float]:
    """Digits of the same count in the YAML; the answer is there, in the tree and in the shape."""
    app.workspace.bring_to_front("text")
    await asyncio.sleep(0.3)
    pane = app.text_pane
    await pane.action_edit_text()
    assert pane.editor is not None
    editor = pane.editor

    def reset() -> None:
        app.edit(workbench.EditShape(shape))
        lines = editor.text.splitlines()
        row = next(n for n, line in enumerate(lines) if line.strip() == "count: 900")
        editor.move_cursor((row, len(lines[row])))
        editor.scroll_cursor_visible(animate=False)

    Sink.places = 3
    return await _type(app, DIGITS, lambda typed: f"900{typed}", reset)


PLACES: dict[str, Callable[[FluxTUI, str], Awaitable[list[float]]]] = {
    "shape": _shape,
    "field": _field,
    "YAML": _yaml,
}


async def _measure(place: str, shape: str) -> list[float]:
    app = FluxTUI(workbench.start(demo(), shape))
    app.driver_class = Sink
    times: list[float] = []

    async def type_it() -> None:
        app.shape_bar.entry.cursor_blink = app.ask_bar.entry.cursor_blink = False
        Sink.last_write = time.perf_counter()
        await _settle()
        with app._context():
            times.extend(await PLACES[place](app, shape))
        app.exit()

    task = asyncio.create_task(_when_running(app, type_it))
    await app.run_async(headless=False, size=(120, 40))
    await task
    return times


def run() -> bool:
    """Measure and report; whether every key is answered within a frame."""
    times: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for place in PLACES:
            for size, shape in (("8", SMALL_SHAPE), (f"{LARGE}", LARGE_SHAPE)):
                name = f"{place}, {size} vertices"
                times.setdefault(name, []).extend(asyncio.run(_measure(place, shape)))
    medians = {name: statistics.median(found) for name, found in times.items()}
    base = next(iter(medians))
    report("From a key to the frame with its answer, writing a job, at 120x40", medians, base, {})
    print(f"\n  one frame is {FRAME * 1000:.1f} ms")
    return all(time < FRAME for time in medians.values())
