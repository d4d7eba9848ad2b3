"""Pages in a real browser: they play, obey their controls and report no error."""

from __future__ import annotations

import base64
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple as sp
from supple.results.pictures import page_of
from supple.visualization.drawing import draw
from supple.visualization.server import Server, Shown

pytestmark = pytest.mark.slow
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next((found for b in BROWSERS if (found := shutil.which(b))), None)
    if found is None:
        pytest.skip(f"there is no browser: none of {', '.join(BROWSERS)}")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pages and their pictures are kept: that of the environment, or one of pytest."""
    asked = os.environ.get("SUPPLE_TEST_PICTURES")
    return Path(asked) if asked else tmp_path_factory.mktemp("pages")


def swing(stiffness: float = 20.0) -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81), name="a <b>swing<b>")
    soft = sp.Material(E=2e9, G=0.8e9, density=1200)
    beam = m.add(sp.Beam("arm <i>", 1.0, sp.Rectangle(0.03, 0.02), soft, modes=2))
    m.add(sp.Revolute("pin", m.ground.at(0), beam.at(0), axis="y"))
    m.add(sp.SpringDamper("spring", m.ground.at(1, 0, 1), beam.at(1.0), stiffness, 0.1, length=0.5))
    return m


@pytest.fixture(scope="module")
def runs() -> tuple[sp.results.Result, sp.results.Result]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sp.simulate(swing(), 1.0), sp.simulate(swing(60.0), 1.0)


class Page:
    """A page in a browser, what it said, and what it shows."""

    def __init__(self, browser: Any, address: str, folder: Path, name: str) -> None:
        self.tab = browser.new_page(viewport={"width": 1000, "height": 640})
        self.said: list[str] = []
        self.tab.on("console", lambda message: self.said.append(message.text))
        self.tab.on("pageerror", lambda error: self.said.append(str(error)))
        self.tab.on("request", lambda request: self.said.append(request.url))
        self.tab.goto(address)
        self.tab.wait_for_function("() => window.viewer && viewer.pictures > 0", timeout=60_000)
        assert self.said.pop(0) == address
        self._folder, self._name = folder, name

    def pixels(self, canvas: str = "view") -> np.ndarray:
        """Red of all pixels of a canvas."""
        width, height, values = self.tab.evaluate(PIXELS, canvas)
        return np.frombuffer(base64.b64decode(values), np.uint8).astype(int).reshape(height, width)

    def slide(self, name: str, value: float) -> None:
        self.tab.evaluate(
            "([name, value]) => { const s = document.getElementById(name); s.value = value; "
            "s.dispatchEvent(new Event('input')); }",
            [name, value],
        )

    def text(self, name: str) -> str:
        return self.tab.inner_text(f"#{name}")

    def close(self) -> None:
        """Keep a picture; nothing may have been said or asked for."""
        self.tab.screenshot(path=self._folder / f"{self._name}.png")
        self.tab.close()
        assert self.said == []


PIXELS = """(name) => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => {
  const from = document.getElementById(name), c = document.createElement("canvas");
  c.width = from.width; c.height = from.height;
  const pen = c.getContext("2d"); pen.drawImage(from, 0, 0);
  const all = pen.getImageData(0, 0, c.width, c.height).data;
  let text = "";
  for (let k = 0; k < all.length; k += 4) text += String.fromCharCode(all[k]);
  done([c.width, c.height, btoa(text)]);
})))"""


def changed(a: np.ndarray, b: np.ndarray) -> float:
    """Part of the pixels that differ."""
    return float(np.mean(np.abs(a - b) > 8))


def test_a_run_plays_and_obeys(browser: Any, folder: Path, runs: Any) -> None:
    run, _ = runs
    file = run.to_html(folder / "run.html", paths=[run.bodies["arm <i>"].at(1.0)])
    page = Page(browser, file.as_uri(), folder, "run")
    first = page.pixels()
    assert np.std(first) > 1.0 and len(np.unique(first)) > 50  # not blank
    page.slide("time", 300)
    later = page.pixels()
    assert changed(later, first) > 0.002
    assert page.text("clock").startswith("0.30")
    assert page.text("traces").startswith("arm <i>@(1, 0, 0)")
    path = page.pixels("over")
    page.tab.click("#traces button")
    assert changed(path, page.pixels("over")) > 0.0005 and page.pixels("over").max() == 0
    page.slide("magnify", 1.0)
    assert page.text("times") == "\u00d710"
    bent = page.pixels()
    assert changed(bent, later) > 0.001
    page.tab.uncheck("#show-forces")
    assert changed(page.pixels(), bent) > 0.0005
    before = page.pixels()
    page.tab.check("#show-reactions")
    assert changed(page.pixels(), before) > 0.0002
    before = page.pixels()
    page.tab.mouse.move(300, 300)
    page.tab.mouse.down()
    page.tab.mouse.move(420, 330)
    page.tab.mouse.up()
    assert changed(page.pixels(), before) > 0.01  # the camera turned
    assert page.tab.query_selector("#traces span") is None  # which is no click
    page.slide("time", 0)
    page.tab.click("#play")
    page.tab.wait_for_function("() => window.viewer.now > 0.02")
    page.tab.click("#play")
    paused = page.tab.evaluate("window.viewer.now")
    page.tab.wait_for_timeout(100)
    assert page.tab.evaluate("window.viewer.now") == paused
    drawn = page.tab.evaluate("window.viewer.pictures")
    page.tab.set_viewport_size({"width": 700, "height": 500})
    page.tab.wait_for_function(f"() => window.viewer.pictures > {drawn}")
    small = page.pixels()
    assert small.shape[1] == page.tab.evaluate("document.getElementById('stage').clientWidth")
    assert len(np.unique(small)) > 50
    page.close()


def test_colours_tell_the_largest_value_and_a_click_draws_a_path(
    browser: Any, folder: Path, runs: Any
) -> None:
    run, _ = runs
    scene = draw(run)
    one = next(one for one in scene.things if one.name == "arm <i>")
    k = int(np.argmin(np.abs(scene.t - 0.4)))
    stress = one.von_mises(k)
    moved = np.linalg.norm(one.vertices(k, 2.0) - one.vertices(k), axis=1)
    page = Page(browser, run.to_html(folder / "colours.html").as_uri(), folder, "colours")
    page.tab.evaluate("(t) => viewer.seek(t)", float(scene.t[k]))
    plain = page.pixels()
    for what, value in (("displacement", moved.max()), ("strain", stress.max() / one.modulus[0]),
                        ("stress", 1e-6 * stress.max())):  # fmt: skip
        page.tab.select_option("#colouring", what)
        assert changed(page.pixels(), plain) > 0.001
        assert page.tab.is_visible("#legend") and page.text("most") != ""
        told = page.text("now").split()
        assert float(told[1].rstrip(",")) == pytest.approx(value, rel=6e-3)  # three digits
        assert page.text("now").endswith("arm <i>")
    # the largest of the run: a click on it goes there
    page.tab.click("#greatest")
    every = [one.von_mises(n).max() for n in range(len(scene.t))]
    now = page.tab.evaluate("window.viewer.now")
    assert now == pytest.approx(scene.t[int(np.argmax(every))], abs=1e-6)
    page.pixels()  # two pictures later it is drawn there
    # a click on the end of the arm draws its path
    vertex = int(np.argmax(one.points[:, 0]))
    place = one.vertices(int(np.argmax(every)))[vertex]
    x, y = page.tab.evaluate(
        "(p) => project(viewer.parts[0], sub(p, viewer.scene.offset), devicePixelRatio, "
        "viewer.marks.height).slice(0, 2)",
        place.tolist(),
    )
    page.tab.mouse.click(x, y)
    assert page.text("traces").startswith("arm <i> (1, ")
    # what the page draws is where the scene is
    found = page.tab.evaluate("(k) => placeOf(viewer.marks.traces[0].thing, "
                              "viewer.marks.traces[0].vertex, k, 0, 3)", k)  # fmt: skip
    chosen = page.tab.evaluate("viewer.marks.traces[0].vertex")
    offset = np.array(page.tab.evaluate("viewer.scene.offset"))
    np.testing.assert_allclose(offset + found, one.vertices(k, 3.0)[chosen], atol=1e-4)
    page.close()


def test_two_runs_are_shown_as_ghost_and_side_by_side(
    browser: Any, folder: Path, runs: Any
) -> None:
    server = Server(page_of(runs[0], other=runs[1]))
    page = Page(browser, server.address, folder, "two")
    page.slide("time", 500)
    ghost = page.pixels()
    page.tab.select_option("#beside", "off")
    alone = page.pixels()
    assert changed(alone, ghost) > 0.002
    page.tab.select_option("#beside", "beside")
    both = page.pixels()
    half = both.shape[1] // 2
    left, right = both[:, :half], both[:, half : 2 * half]
    assert changed(left, right) > 0.005 and min(np.std(left), np.std(right)) > 1.0
    assert "run 2" in page.text("plots")
    assert page.tab.inner_text("header").count("run ") >= 2
    page.close()
    server.stop()


def test_modes_and_models_are_shown_and_names_are_text(browser: Any, folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        linear = sp.linearize(swing())
    page = Page(browser, linear.to_html(folder / "modes.html").as_uri(), folder, "modes")
    assert f"{linear.frequencies[0]:.4g} Hz" in page.text("title")
    page.tab.wait_for_function("() => window.viewer.now > 0.05")  # it plays at once
    page.tab.click("#play")
    page.tab.select_option("#chapter", "1")
    assert f"{linear.frequencies[1]:.4g} Hz" in page.text("title")
    page.slide("time", 0)
    one = page.pixels()
    page.slide("time", 500)
    assert changed(page.pixels(), one) > 0.002
    page.tab.select_option("#colouring", "displacement")
    page.pixels()
    assert page.text("now").startswith("now 1 in arm <i>")  # the largest, at half a cycle
    page.close()
    page = Page(browser, swing().to_html(folder / "model.html").as_uri(), folder, "model")
    assert not page.tab.is_visible("footer") and len(np.unique(page.pixels())) > 50
    assert page.tab.inner_text("h1") == "a <b>swing<b>"
    assert "arm <i>" in page.text("names")
    assert page.tab.query_selector("#names i i") is None and page.tab.query_selector("h1 b") is None
    page.close()


def test_a_page_plays_in_the_cell_of_a_notebook(browser: Any, folder: Path, runs: Any) -> None:
    cell = Shown(page_of(runs[0]))._repr_html_()
    (folder / "cell.html").write_text(f"<meta charset=utf-8><body>{cell}", encoding="utf-8")
    tab = browser.new_page(viewport={"width": 1000, "height": 640})
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.goto((folder / "cell.html").as_uri())
    frame = tab.frames[1]
    frame.wait_for_function("() => window.viewer && viewer.pictures > 0", timeout=60_000)
    assert frame.inner_text("h1") == "a <b>swing<b>"
    with pytest.raises(Exception, match="origin"):  # nothing else is reached
        frame.evaluate("window.parent.document.title")
    tab.screenshot(path=folder / "cell.png")
    tab.close()
    assert said == []


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process on Windows")
def test_a_file_is_shown_until_ctrl_c(tmp_path: Path) -> None:
    sp.files.write_model(swing(), tmp_path / "swing.yaml", t_end=0.1)
    for options in ([], ["--modes"], ["--model"]):
        command = [sys.executable, "-m", "supple", "view", "swing.yaml", "--no-browser", *options]
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True,
                              stdout=subprocess.DEVNULL) as process:  # fmt: skip
            assert process.stderr is not None
            address = None
            while address is None and (line := process.stderr.readline()):
                address = re.search(r"http://127\.0\.0\.1:\d+/[\w-]+/", line)
            try:
                assert address is not None
                with urllib.request.urlopen(address[0], timeout=20) as answer:
                    assert b"a &lt;b&gt;swing&lt;b&gt;" in answer.read()
                process.send_signal(signal.SIGINT)
                assert process.wait(20) == 0
            finally:
                process.kill()
