"""Make the moving picture of the README from the real app: ``python screenshots/film.py``.

Keys are pressed and the screen is drawn to SVG by Textual after each. The frames become one SVG
whose rows are shared, so that it stays small. Whoever prefers no motion sees the last frame.
"""

import asyncio
import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from fluxtui import opening, workbench
from fluxtui.ui.app import FluxTUI

FILE = Path(__file__).with_name("film.svg")
SIZE = (110, 32)
THEME = "dusk"
SETTLED = 0.4  # seconds, in which what is found beside the event loop is there

#: Keys, and how long their frame is seen; a text is typed a few characters a frame.
KEY, LETTERS, LOOK, STUDY = 0.5, 0.12, 1.6, 2.6
STORY: tuple[tuple[str | tuple[str, ...], float], ...] = (
    ((), LOOK),
    ("node=4/slot/[core=8;gpu]", LOOK),
    (("tab",), KEY),
    ("gpu&-debug", STUDY),
    (("shift+tab", "end", "left", "left", "left", "left", "left"), KEY),
    ("000", STUDY),
    (("ctrl+f",), STUDY),
    (("escape", "6"), STUDY),
    (("9",), STUDY),
)

_STYLE = re.compile(r"\.terminal-\d+-(r\d+) \{ ([^}]*) \}")
_TEXT = re.compile(
    r'<text class="terminal-\d+-(r\d+)" x="([\d.]+)" y="[\d.]+" textLength="([\d.]+)" '
    r'clip-path="url\(#terminal-\d+-line-(\d+)\)">(.*?)</text>'
)
_RECT = re.compile(
    r'<rect fill="(#\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" '
)
WIDE, HIGH = 12.2, 24.4  # of a cell, as Rich draws it

_HEAD = """\
<svg viewBox="0 0 {width:.1f} {height:.1f}" xmlns="http://www.w3.org/2000/svg">
<title>A shape becomes a job, a constraint finds its nodes, and what does not fit is fixed</title>
<style>
text {{ font: 20px ui-monospace, "DejaVu Sans Mono", Menlo, monospace; white-space: pre; }}
rect {{ shape-rendering: crispEdges; }}
.f {{ visibility: hidden; animation: {total:.2f}s steps(1, end) infinite; }}
.f:last-child {{ visibility: visible; }}
@media (prefers-reduced-motion: reduce) {{
.f {{ animation: none; }}
}}
"""


class Frame(NamedTuple):
    """A screen as SVG, and the seconds it is seen."""

    svg: str
    seconds: float


async def frames() -> list[Frame]:
    """Play the story; each frame as Textual draws it."""
    found: list[Frame] = []
    cluster, _ = opening.open_cluster("demo", None)
    app = FluxTUI(workbench.start(cluster), THEME)
    async with app.run_test(size=SIZE) as pilot:
        app.shape_bar.entry.cursor_blink = app.ask_bar.entry.cursor_blink = False

        async def press(*keys: str) -> None:
            for key in keys:
                await pilot.press(key)
            await pilot.pause()
            await asyncio.sleep(SETTLED)

        for step, seconds in STORY:
            typed = [step[i : i + 3] for i in range(0, len(step), 3)] if step else [()]
            for keys in typed if isinstance(step, str) else [step]:
                await press(*keys)
                found.append(Frame(app.export_screenshot(), LETTERS))
            found[-1] = found[-1]._replace(seconds=seconds)
    return found


def rows_of(svg: str, styles: dict[str, str]) -> list[str]:
    """The rows of a screen as SVG at the height 0, with styles by names that all frames share."""
    own = {name: styles.setdefault(css, f"s{len(styles)}") for name, css in _STYLE.findall(svg)}
    rows = [""] * SIZE[1]
    for fill, x, y, width, height in _RECT.findall(svg):
        row = round((float(y) - 1.5) / HIGH)
        if 0 <= row < len(rows):
            rows[row] += f'<rect fill="{fill}" x="{x}" width="{width}" height="{height}"/>'
    for name, x, width, row, text in _TEXT.findall(svg):
        if text.replace("&#160;", "").strip():
            rows[int(row)] += (
                f'<text class="{own[name]}" x="{x}" y="18.5" textLength="{width}">{text}</text>'
            )
    return rows


def film(shown: list[Frame]) -> Iterator[str]:
    """The lines of one SVG that shows the frames again and again."""
    styles: dict[str, str] = {}
    known: dict[str, str] = {}
    screens = [
        [known.setdefault(row, f"a{len(known)}") for row in rows_of(frame.svg, styles)]
        for frame in shown
    ]
    ends = list(accumulate(frame.seconds for frame in shown))
    total = ends[-1]
    yield _HEAD.format(width=SIZE[0] * WIDE, height=SIZE[1] * HIGH, total=total)
    for number, end in enumerate(ends):
        begin = end - shown[number].seconds
        first = "" if number == 0 else "0% { visibility: hidden } "
        yield (
            f"@keyframes k{number} {{ {first}{begin / total:.3%} {{ visibility: visible }} "
            f"{end / total:.3%}, 100% {{ visibility: hidden }} }}"
        )
    yield from (f".{name} {{ {css} }}" for css, name in styles.items())
    yield "</style>\n<defs>"
    yield from (f'<g id="{name}">{row}</g>' for row, name in known.items())
    yield "</defs>"
    for number, names in enumerate(screens):
        uses = "".join(
            f'<use href="#{name}" y="{row * HIGH:.1f}"/>' for row, name in enumerate(names)
        )
        yield f'<g class="f" style="animation-name: k{number}">{uses}</g>'
    yield "</svg>\n"


def main() -> None:
    """Make the picture."""
    FILE.write_text("\n".join(film(asyncio.run(frames()))), encoding="utf-8")
    print(FILE)


if __name__ == "__main__":
    main()
