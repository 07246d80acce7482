"""What is measured of the page of a list of constraints: its size, and the time of an answer."""

import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from fluxtui.model.resources import document
from tests import big
from tests.page import pages
from tests.page.test_in_browser import PROGRAM, browsing

# Milliseconds that an answer takes, without and with the first look at names: medians of five.
_ANSWERS = """
((...texts) => texts.map((text) => {
    const times = [1, 2, 3, 4, 5].map(() => {
        thePage.box.value = text;
        const start = performance.now();
        thePage.ask();
        return performance.now() - start;
    });
    return times.sort((a, b) => a - b)[2];
}))
"""
SMALL, LARGE = 1_000, 1_000_000
MORE = 1_000  # characters that a million grouped nodes may take more than a thousand


def page() -> bool:
    """The page of a thousand and of a million nodes, grouped and as fragmented as can be."""
    print(
        f"\nA page of one constraint{'' if PROGRAM else '; there is no Chromium for the answers'}"
    )
    sizes: dict[tuple[str, int], int] = {}
    for form in (big.grouped, big.fragmented):
        for count in (SMALL, LARGE):
            made = form(count)
            resources = document.read(made)
            resources.prepare()
            one, other, *_ = resources.properties
            began = time.perf_counter()
            html = pages.written(resources, f"{one}|{other}")
            took = time.perf_counter() - began
            sizes[form.__name__, count] = len(html)
            said = f"  {count:>9,} nodes, {form.__name__:<10}  {len(html) / 1e6:6.2f} MB of an R of"
            said += f" {len(json.dumps(made)) / 1e6:5.2f} MB, made in {took:5.2f} s"
            if PROGRAM:
                opened, times = asyncio.run(_measured(html, f"{one}&-{other}", "rank:5-700"))
                answers = ", ".join(f"{each:.0f}" for each in times)
                said += f"; opens in {opened / 1000:.1f} s, answers in {answers} ms"
            print(said)
    return sizes["grouped", LARGE] - sizes["grouped", SMALL] < MORE


async def _measured(html: str, *texts: str) -> tuple[float, Any]:
    """Milliseconds until the page is there, and those of the answers to some texts."""
    with tempfile.TemporaryDirectory() as folder:
        async with browsing(Path(folder), html) as browser:
            ends = "performance.getEntriesByType('navigation')[0].loadEventEnd"
            opened: float = await browser.evaluate(ends)
            listed = ", ".join(map(json.dumps, texts))
            return opened, await browser.evaluate(f"{_ANSWERS}({listed})")
