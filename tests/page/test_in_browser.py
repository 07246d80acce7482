"""The page in a real browser: it answers what fluxtui answers, and its keys, box and maps work."""

import base64
import json
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fluxtui.model.resources import document
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.stage import Stage, Step
from fluxtui.page.cluster import cluster_json
from fluxtui.page.page import page
from tests.page import pages

PROGRAM = shutil.which("chromium") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium on this machine")

#: Lit pixels of the map that is in sight: those with the colour of a match.
_LIT = """
(() => {
    const canvas = [...document.querySelectorAll("canvas")].find((one) => one.clientWidth);
    const wanted = getComputedStyle(document.documentElement).getPropertyValue("--match");
    const parts = [1, 3, 5].map((at) => parseInt(wanted.slice(at, at + 2), 16));
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let at = 0; at < data.length; at += 4)
        if (data[at + 3] === 255 && parts.every((part, n) => part === data[at + n])) found++;
    return found;
})()
"""
_SHOWN = """[...document.querySelectorAll("main > section")].find((one) => !one.hidden).innerText"""
#: The answer to each step as HTML, by the list and by the script; a map has its legend once drawn.
_BOTH = """
[...document.querySelectorAll("main > section:not(#asked)")].map((section) => {
    const written = section.querySelector(".answer").cloneNode(true);
    const text = written.querySelector(".constraint").dataset.text;
    written.querySelectorAll("figcaption").forEach((one) => one.replaceChildren());
    written.querySelectorAll("canvas").forEach((one) => {
        for (const name of ["width", "height"]) one.removeAttribute(name);
    });
    const {cluster} = thePage;
    return [written.outerHTML, answerElement(answer(text, cluster), cluster).outerHTML];
})
"""


@asynccontextmanager
async def browsing(folder: Path, html: str) -> AsyncIterator[Any]:
    """A browser that shows a page; it must report no error, such as what the page forbids."""
    pytest.importorskip("aiohttp", reason="textual-serve is not installed")
    from tests.chromium import Chromium

    class Reader(Chromium):
        faults: list[Any]

        def heard(self, event: str, parameters: dict[str, Any]) -> None:
            if event == "Runtime.exceptionThrown" or event == "Log.entryAdded":
                self.faults.append(parameters)
            elif event == "Page.loadEventFired":
                self.is_loaded = True

    file = folder / "page.html"
    file.write_text(html, encoding="utf-8")
    async with Reader(PROGRAM, folder / "chromium") as browser:
        from tests.chromium import until

        browser.faults, browser.is_loaded = [], False
        for domain in ("Page", "Runtime", "Log"):
            await browser.ask(f"{domain}.enable")
        await browser.ask("Page.navigate", url=file.as_uri())
        await until(lambda: browser.is_loaded)
        yield browser
        assert not browser.faults


async def test_it_answers_all_recorded_cases_as_fluxtui_does(tmp_path: Path) -> None:
    asked = [*dict.fromkeys(pages.texts())]
    clusters: dict[str, Resources] = {name: pages.cluster(name) for name, _ in asked}
    data = {name: cluster_json(resources) for name, resources in clusters.items()}
    script = f"{pages.SCRIPT}({json.dumps(data)}, {json.dumps(asked)})"
    async with browsing(tmp_path, pages.written(pages.demo(), "gpu")) as browser:
        said = await browser.evaluate(script)
    assert len(said) == len(asked) > 1500
    wrong = []
    for (name, text), theirs in zip(asked, said, strict=True):
        ours = pages.answered(text, clusters[name])
        ours["parts"] = ours["parts"][:200] if "parts" in ours else None
        theirs.setdefault("parts", None)
        if theirs != ours:
            wrong.append((name, text, [key for key in ours if ours[key] != theirs.get(key)]))
    assert not wrong, wrong[:20]


async def test_what_is_typed_is_answered_as_what_is_in_the_list(tmp_path: Path) -> None:
    steps = ("gpu&-debug", "gpu -gpu", "gpu&(debug|host:n[1-", "gup|\nbigmem", "", '{"not": [{}]}')
    async with browsing(tmp_path, pages.written(pages.demo(), *steps)) as browser:
        for ours, theirs in await browser.evaluate(_BOTH):
            assert ours == theirs
        assert "18 of 196 nodes" in await browser.evaluate(_SHOWN)
        lit = await browser.evaluate(_LIT)
        await browser.press("ArrowRight", 39)
        assert "no node is left after" in await browser.evaluate(_SHOWN)
        assert await browser.evaluate("location.hash") == "#2"
        assert await browser.evaluate(_LIT) == 0
        await browser.type("/gpu -debug -bigmem")
        shown = await browser.evaluate(_SHOWN)
        assert "18 of 196 nodes" in shown
        assert await browser.evaluate(_LIT) == lit
        await browser.type("&")
        shown = await browser.evaluate(_SHOWN)
        assert "cannot be read" in shown
        assert "nothing follows '&'" in shown
        assert await browser.evaluate(_LIT) > 0  # the last map stays
        await browser.press("Escape", 27)
        assert "Step 2" in await browser.evaluate(_SHOWN)
        await browser.press("End", 35)
        assert "Step 6" in await browser.evaluate(_SHOWN)


HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><b>'&lt;\u202e\x07"


async def test_nothing_that_a_document_says_becomes_markup(tmp_path: Path) -> None:
    execution = {
        "R_lite": [{"rank": "0-1", "children": {"core": "0"}}],
        "nodelist": ["<s>[0-1]"],
        "properties": {"</script><u>": "0", "<%--": "1"},
    }
    resources = document.read_text(json.dumps({"version": 1, "execution": execution}))
    assert resources.ok, resources.problems
    steps = (Step(HOSTILE, f"'{HOSTILE}' '</script><u>'", HOSTILE), Step("", "'<%--'|<s>0"))
    theme = pages.colours("dusk")
    html = page(Stage(HOSTILE, steps), resources, HOSTILE, [theme], theme)
    async with browsing(tmp_path, html) as browser:
        title = await browser.evaluate("document.title")
        assert title == HOSTILE.replace("\u202e", "\\u202e").replace("\x07", "\\x07")
        tags = "img, b:not(.problems b), s, u, script"
        found = await browser.evaluate(
            f'[...document.querySelectorAll("{tags}")].map((one) => one.tagName)'
        )
        assert found == ["SCRIPT", "SCRIPT"]
        assert "<s>0" in await browser.evaluate("document.querySelectorAll('section')[1].innerText")
        await browser.type("/<img src=x>")
        assert await browser.evaluate("document.querySelector('img')") is None


async def test_paper_has_one_constraint_on_each_sheet_with_its_map(tmp_path: Path) -> None:
    async with browsing(tmp_path, pages.written(pages.demo(), "gpu", "bigmem", "debug")) as browser:
        await browser.evaluate("dispatchEvent(new Event('beforeprint'))")
        drawn = await browser.evaluate(
            "[...document.querySelectorAll('canvas')].map((one) => one.width > 300)"
        )
        assert drawn == [True, True, True]
        await browser.evaluate("dispatchEvent(new Event('afterprint'))")
        printed = await browser.ask("Page.printToPDF", preferCSSPageSize=True)
    found = re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed["data"]))
    assert len(found) == 3
