"""From a key to its painted answer while a job is written, with a small and a large jobspec.

An answer is something that only the frame with what the key means holds: for the shape the YAML,
for the YAML itself and the tree, for a field the line below the form that says what it means, for a
form of the text its own words.

A busy machine and a collection of garbage make some keys late. What counts is therefore not the
median alone, but the key that is slower than nineteen of twenty as well.
"""

import asyncio
import statistics
from collections.abc import Awaitable, Callable

from fluxtui import workbench
from fluxtui.model.form import fields
from fluxtui.ui.app import FluxTUI
from tests.benchmarks.frames import in_app, keys_timed
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


async def _digits(
    app: FluxTUI, answers: Callable[[str], set[str]], reset: Callable[[], None]
) -> list[float]:
    """The times of the digits, by what is typed of them."""
    found = await keys_timed(app, DIGITS, lambda n: answers(DIGITS[: n + 1]), reset, TIMES)
    return [first for first, _ in found]


async def _shape(app: FluxTUI, shape: str, before: str = "count: 900") -> list[float]:
    """Digits at the end of the first count; the answer is in the text, which is shown last."""
    entry = app.shape_bar.entry
    entry.focus()

    def reset() -> None:
        entry.value = shape
        entry.cursor_position = len(FIRST)

    return await _digits(app, lambda typed: {f"{before}{typed}"}, reset)


async def _field(app: FluxTUI, shape: str) -> list[float]:
    """Digits of the duration; the answer is what they mean, below the form."""
    app.go_to("form")
    await asyncio.sleep(0.5)
    entry = app.panes["form"].rows["duration"].entry
    entry.focus()
    meaning = fields.by_name("duration").describe
    return await _digits(
        app, lambda typed: {meaning(float(typed))}, lambda: setattr(entry, "value", "")
    )


async def _turn_to(app: FluxTUI, form: str) -> None:
    app.workspace.bring_to_front("text")
    while app.panes["text"].form != form:
        app.action_text_form()
    await asyncio.sleep(0.3)


async def _in_editor(app: FluxTUI, shape: str, form: str, key: str) -> list[float]:
    """Digits of the same count in the YAML or the JSON; the answer is there and in the tree."""
    await _turn_to(app, form)
    await app.panes["text"].action_edit_text()
    editor = app.panes["text"].editor
    assert editor is not None

    def reset() -> None:
        app.edit(workbench.EditShape(shape))
        lines = editor.text.splitlines()
        row = next(n for n, line in enumerate(lines) if line.strip(" ,") == f"{key}900")
        editor.move_cursor((row, lines[row].index("900") + 3))
        editor.scroll_cursor_visible(animate=False)

    return await _digits(app, lambda typed: {f"{key}900{typed}", f"core 900{typed}"}, reset)


async def _as_text(app: FluxTUI, shape: str, form: str, before: str) -> list[float]:
    """Digits in the shape; the answer is behind what stands before them in a form of the text."""
    await _turn_to(app, form)
    app.action_zoom()  # or the answer would be out of sight
    await asyncio.sleep(0.3)
    app.panes["text"].view.scroll_home(animate=False)
    return await _shape(app, shape, before)


PLACES: dict[str, Callable[[FluxTUI, str], Awaitable[list[float]]]] = {
    "shape": _shape,
    "field": _field,
    "YAML": lambda app, shape: _in_editor(app, shape, "yaml", "count: "),
    "JSON": lambda app, shape: _in_editor(app, shape, "json", '"count": '),
    "flux": lambda app, shape: _as_text(app, shape, "flux", "slot{task}/core=900"),
    "stored": lambda app, shape: _as_text(app, shape, "stored", "count: 900"),
}


def _measure(place: str, shape: str) -> list[float]:
    app = FluxTUI(workbench.start(demo(), shape))
    times: list[float] = []

    async def type_it() -> None:
        times.extend(await PLACES[place](app, shape))

    in_app(app, type_it)
    return times


def run() -> bool:
    """Measure and report; whether every key is answered in time."""
    times: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for place in PLACES:
            for size, shape in (("8", SMALL_SHAPE), (f"{LARGE}", LARGE_SHAPE)):
                times.setdefault(f"{place}, {size} vertices", []).extend(_measure(place, shape))
    medians = {name: statistics.median(found) for name, found in times.items()}
    slow = {name: statistics.quantiles(found, n=20, method="inclusive")[-1]
            for name, found in times.items()}  # fmt: skip
    base = next(iter(medians))
    report("From a key to the frame with its answer, writing a job, at 120x40", medians, base, {})
    report("The same, slower than nineteen of twenty keys", slow, base, {})
    missed = [name for name in times if max(medians[name], slow[name]) > LIMIT]
    print(f"\n  the limit is {LIMIT * 1000:.0f} ms; missed by: {', '.join(missed) or 'none'}")
    return not missed
