"""The page of a result in a real browser: it plays, obeys its controls and reports no error."""

from __future__ import annotations

import base64
import shutil
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import supple as sp

pytestmark = pytest.mark.slow
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    browser = next((found for b in BROWSERS if (found := shutil.which(b))), None)
    if browser is None:
        pytest.skip(f"there is no browser: none of {', '.join(BROWSERS)}")
    m = sp.Model(gravity=(0, 0, -9.81), name="a <b>swing<b>")
    soft = sp.Material(E=2e9, G=0.8e9, density=1200)
    beam = m.add(sp.Beam("arm <i>", 1.0, sp.Rectangle(0.03, 0.02), soft, modes=2))
    m.add(sp.Revolute("pin", m.ground.at(0), beam.at(0), axis="y"))
    m.add(sp.SpringDamper("spring", m.ground.at(1, 0, 1), beam.at(1.0), 20.0, 0.1, length=0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = sp.simulate(m, 1.0).to_html(tmp_path_factory.mktemp("page") / "swing.html")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        opened = started.new_page(viewport={"width": 1000, "height": 640})
        opened.said = []
        opened.on("console", lambda message: opened.said.append(message.text))
        opened.on("pageerror", lambda error: opened.said.append(str(error)))
        opened.on("request", lambda request: opened.said.append(request.url))
        opened.goto(file.as_uri())
        opened.wait_for_function("() => window.viewer && viewer.pictures > 0", timeout=60_000)
        assert opened.said.pop(0) == file.as_uri()
        yield opened
        started.close()


PIXELS = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const c = document.getElementById("view"), gl = c.getContext("webgl2");
  const all = new Uint8Array(4 * c.width * c.height);
  gl.readPixels(0, 0, c.width, c.height, gl.RGBA, gl.UNSIGNED_BYTE, all);
  let text = "";
  for (let k = 0; k < all.length; k += 4) text += String.fromCharCode(all[k]);
  done([c.width, c.height, btoa(text)]);
})))"""


def picture(page: Any) -> np.ndarray:
    """Red of all pixels, from below."""
    width, height, values = page.evaluate(PIXELS)
    return np.frombuffer(base64.b64decode(values), np.uint8).astype(int).reshape(height, width)


def slide(page: Any, name: str, value: float) -> None:
    page.evaluate(
        "([name, value]) => { const s = document.getElementById(name); s.value = value; "
        "s.dispatchEvent(new Event('input')); }",
        [name, value],
    )


def test_the_page_plays_and_obeys(page: Any) -> None:
    first = picture(page)
    assert np.std(first) > 1.0 and len(np.unique(first)) > 50  # not blank
    slide(page, "time", 300)
    later = picture(page)
    moved = np.mean(np.abs(later - first) > 8)
    assert moved > 0.002
    assert page.inner_text("#clock").startswith("0.30")
    slide(page, "magnify", 1.0)
    assert page.inner_text("#times") == "\u00d710"
    bent = picture(page)
    assert np.mean(np.abs(bent - later) > 8) > 0.001
    page.select_option("#colouring", "displacement")
    assert page.is_visible("#legend") and page.inner_text("#most") != ""
    coloured = picture(page)
    assert np.mean(np.abs(coloured - bent) > 8) > 0.001
    page.uncheck("#show-forces")
    assert np.mean(np.abs(picture(page) - coloured) > 8) > 0.0005
    page.mouse.move(300, 300)
    page.mouse.down()
    page.mouse.move(420, 330)
    page.mouse.up()
    assert np.mean(np.abs(picture(page) - coloured) > 8) > 0.01  # the camera turned
    assert page.said == []


def test_the_page_shows_names_as_text_and_goes_on_playing(page: Any) -> None:
    assert page.inner_text("h1") == "a <b>swing<b>"
    assert "arm <i>" in page.inner_text("#names")
    assert page.query_selector("#names i i") is None and page.query_selector("h1 b") is None
    assert "energy" in page.inner_text("#plots")
    slide(page, "time", 0)
    page.click("#play")
    page.wait_for_function("() => window.viewer.now > 0.02")
    page.click("#play")
    paused = page.evaluate("window.viewer.now")
    page.wait_for_timeout(100)
    assert page.evaluate("window.viewer.now") == paused
    assert page.said == []


def test_the_page_follows_the_size_of_its_window(page: Any) -> None:
    before = page.evaluate("window.viewer.pictures")
    page.set_viewport_size({"width": 700, "height": 500})
    page.wait_for_function(f"() => window.viewer.pictures > {before}")
    small = picture(page)
    assert small.shape[1] == page.evaluate("document.getElementById('stage').clientWidth")
    assert len(np.unique(small)) > 50
    assert page.said == []
