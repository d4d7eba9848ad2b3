"""Pages of models, modes and compared runs, films, and the page that is served or in a notebook."""

from __future__ import annotations

import html
import http.client
import os
import socket
import stat
import sys
import threading
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from models.drawn_models import SOFT, centres, everything, page_of, simulated, things
from supple.analyses.linear.mode_figures import mode_scene
from supple.visualization.drawing import draw
from supple.visualization.page import peaks
from supple.visualization.scene import REACH
from supple.visualization.server import MOST_CONNECTIONS, Server, Shown


@pytest.fixture(scope="module")
def run() -> sp.results.Result:
    return simulated(everything(), 0.1)


def test_largest_values_are_those_of_all_vertices_at_all_times(run: sp.results.Result) -> None:
    scene = draw(run)
    (beam,) = things(scene, "arm <script>")
    stress = np.array([beam.von_mises(k).max() for k in range(len(scene.t))])
    moved = np.array([np.linalg.norm(beam.vertices(k, 2.0) - beam.vertices(k), axis=1).max()
                      for k in range(len(scene.t))])  # fmt: skip
    found = peaks(scene.things, scene.t)
    assert stress.max() > 0.0
    for what, values in (("stress", stress), ("strain", stress / SOFT.E), ("displacement", moved)):
        assert found[what].value == pytest.approx(values.max(), rel=1e-9)
        assert found[what].t == scene.t[values.argmax()] and found[what].name == "arm <script>"
    with_rounding = replace(beam, amplitudes=beam.still + 1e-12 * (beam.amplitudes - beam.still))
    assert peaks([with_rounding], scene.t)["stress"].value == 0.0
    early = peaks(scene.things, scene.t, slice(0, 2))["stress"].value
    assert early == pytest.approx(stress[:2].max(), rel=1e-9)


def test_the_strain_of_a_rod_in_tension_is_its_force_over_its_stiffness() -> None:
    m = sp.Model()
    stiff = sp.Material(E=2e11, G=8e10, density=1.0)
    nodes = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (3, 0, 0)}
    pair = [sp.Member("a", "b", sp.Circle(0.02), SOFT), sp.Member("b", "c", sp.Circle(0.01), stiff)]
    rod = m.add(sp.FrameStructure("rod", nodes, pair, modes=sp.reduction.AttachmentModes(1)))
    m.add(sp.Fixed("wall", m.ground.at(0), rod.at("a")))
    m.add(sp.Force("pull", rod.at("c"), (7.0, 0, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = sp.statics(m)
    (one,) = things(draw(result), "rod")
    strain = one.von_mises(0) / one.modulus
    for inside, E, d in ((one.points[:, 0] < 0.99, SOFT.E, 0.02),
                         (one.points[:, 0] > 1.01, stiff.E, 0.01)):  # fmt: skip
        np.testing.assert_allclose(strain[inside], 7.0 / (E * np.pi * d**2 / 4), rtol=1e-6)


def test_modes_are_drawn_as_their_places_move(tmp_path: Path) -> None:
    """With dampers the places of a mode move on ellipses, not in phase."""
    m = sp.Model(gravity=(0, 0, -9.81), name="<i>modes")
    beam = m.add(sp.Beam("beam <b>", 1.0, sp.Rectangle(0.03, 0.02), SOFT, modes=3))
    form = sp.Cuboid(size=(0.1, 0.05, 0.05))
    bob = m.add(sp.RigidBody("bob", 0.5, (0.05, 0, 0), 1e-3, shape=form))
    m.add(sp.Revolute("pin", m.ground.at(0), beam.at(0), axis="y"))
    m.add(sp.Spherical("ball", beam.at(1.0), bob.at(0)))
    # of no length, so that it has no direction
    m.add(sp.Bushing("mount", m.ground.at(0.7), beam.at(0.7), stiffness=1.0))
    m.add(sp.SpringDamper("leg", m.ground.at(0.5, 0, -1), beam.at(0.5), 300.0, 40.0, length=1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        linear = sp.linearize(m, "initial")
    scene = mode_scene(linear, 6)
    modes = [*linear.rigid_modes, *(mode for mode in linear.modes if not mode.rigid)][:6]
    assert len(scene.chapters) == len(modes) and len(linear.rigid_modes) > 0
    assert max(np.abs(np.imag(mode.shape)).max() for mode in modes) > 0.05
    (rod,), (block,) = things(scene, "beam <b>"), things(scene, "bob")
    coil = things(scene, "leg")[0]
    low, high = coil.points[:, 2].argmin(), coil.points[:, 2].argmax()
    places = [(rod, v, beam.at(float(rod.points[v, 0]))) for v in centres(rod)[::8]]
    places += [(block, v, bob.at(*map(float, block.points[v]))) for v in (0, 11, 23)]
    for k, (mode, chapter) in enumerate(zip(modes, scene.chapters, strict=True)):
        first = int(np.searchsorted(scene.t, chapter.begin))
        for share in (0, 5, 16):
            phase = np.exp(2j * np.pi * (scene.t[first + share] - chapter.begin))
            drawn, exact = [], []
            for one, vertex, frame in places:
                rest = one.p[0] + one.R[0] @ one.points[vertex]
                drawn.append(one.vertices(first + share)[vertex] - rest)
                exact.append(np.real(mode.at(frame).translation * phase))
            drawn, exact = np.array(drawn), np.array(exact)
            factor = (drawn * exact).sum() / (exact**2).sum()
            assert factor > 0.0
            slack = 1e-6 * np.abs(drawn).max()
            np.testing.assert_allclose(drawn, factor * exact, atol=slack, err_msg=f"mode {k}")
        moved = coil.vertices(first + 3) - coil.vertices(first + 8)
        tip = rod.vertices(first + 3) - rod.vertices(first + 8)
        assert np.abs(moved[low]).max() <= 0.05 * np.abs(tip).max()  # it stands on the ground
        assert np.isfinite(moved[high]).all()
    for one in scene.things:
        assert np.abs(one.fields).max(initial=0.0) < 2.0 * REACH * scene.size, one.name
    text = linear.to_html(tmp_path / "modes.html", 3).read_text(encoding="utf-8")
    data, _ = page_of(text)
    assert [c["title"].split()[0] for c in data["chapters"]] == ["1:", "2:", "3:"]
    assert "<i>modes" not in text and "beam <b>" not in text and data["modes"]
    with pytest.raises(sp.ModelError, match="modes: count is 0, expected a number of modes"):
        linear.to_html(tmp_path / "modes.html", 0)


def test_a_model_is_shown_where_runs_begin_and_open_if_it_cannot_be_closed(tmp_path) -> None:
    m = everything()
    data, _ = page_of(m.to_html(tmp_path / "m.html").read_text(encoding="utf-8"))
    assert data["verdict"] == m.counts and data["grade"] == "plain"
    assert {one["name"] for one in data["things"]} >= {*m.bodies, *m.joints, *m.forces}
    assert data["chapters"][0]["begin"] == data["chapters"][0]["end"] == 0.0
    assert (m.picture(tmp_path / "m.png"), (tmp_path / "m.png").stat().st_size)[1] > 10_000
    far = sp.Model(name="far")
    link = far.add(sp.RigidBody("link", 1.0, inertia=1.0))
    far.add(sp.Revolute("pin", far.ground.at(0), link.at(0), axis="z"))
    far.add(sp.Distance("rope", far.ground.at(5, 0, 0), link.at(1, 0, 0), 1.0))
    data, _ = page_of(far.to_html(tmp_path / "far.html").read_text(encoding="utf-8"))
    assert data["grade"] == "bad" and data["verdict"].startswith("as it is written, not assembled:")


def test_two_runs_and_paths_of_points_are_in_one_page(run: sp.results.Result, tmp_path) -> None:
    other = simulated(everything(), 0.05)
    beam = run.bodies["arm <script>"]
    paths = ["bob", beam.at(1.0)]
    text = run.to_html(tmp_path / "two.html", "slide", other=other, paths=paths).read_text("utf-8")
    data, block = page_of(text)
    assert "arm <script>" not in text
    assert [one["label"] for one in data["runs"]] == ["run 1", "run 2"]
    assert {one["run"] for one in data["things"]} == {0, 1}
    assert data["chapters"][0]["end"] == pytest.approx(0.1)
    (first, *_), panel = data["traces"], data["panels"][0]
    _, start, size = first["places"]
    places = np.frombuffer(block, "<f4", size, start).reshape(-1, 3) + data["offset"]
    np.testing.assert_allclose(places, run["bob"].position, atol=1e-6)
    assert len(data["traces"]) == 4 and first["name"] == "run 1: bob"
    mine, theirs = panel["lines"]
    assert theirs["label"] == f"{mine['label']}, run 2" and theirs["dashed"]
    assert (mine["t"][2], theirs["t"][2]) == (len(run.t), len(other.t))
    for wrong, told in (
        ({"other": 3}, "pictures: other is 3, expected a result"),
        ({"paths": ["gimbal"]}, "paths is 'gimbal', expected bodies, point masses or frames"),
        ({"paths": ["bobb"]}, "nothing named 'bobb', did you mean 'bob'"),
    ):
        with pytest.raises(sp.SuppleError, match=told):
            run.to_html(tmp_path / "two.html", **wrong)


def place_of(server: Server) -> str:
    """The path in its address."""
    return "/" + server.address.split("/", 3)[3]


def answered(server: Server, path: str, **headers: str) -> http.client.HTTPResponse:
    name = server.address.split("/")[2]
    link = http.client.HTTPConnection(name, timeout=10)
    link.request("GET", path, headers=headers)
    return link.getresponse()


def ask(server: Server, path: str, **headers: str) -> tuple[int, bytes]:
    answer = answered(server, path, **headers)
    return answer.status, answer.read()


def test_a_page_is_served_to_this_computer_only_and_shown_in_a_cell() -> None:
    text = '<!DOCTYPE html><p>a "page" of <b> & ä'
    server = Server(text)
    try:
        assert server.address.startswith("http://127.0.0.1:")
        assert server._server.server_address[0] == "127.0.0.1"
        here, name = place_of(server), server.address.split("/")[2]
        assert ask(server, here) == (200, text.encode())
        assert ask(server, here, Origin=f"http://{name}") == (200, text.encode())
        for path, headers in (
            ("/../etc/passwd", {}), ("/x", {}), ("/", {}), ("/index.html", {}), (here[:-1], {}),
            (here.upper(), {}), (here + "x", {}), (here, {"Host": "elsewhere.org"}),
            (here, {"Origin": "http://elsewhere.org"}), (here, {"Origin": "null"}),
        ):  # fmt: skip
            status, answer = ask(server, path, **headers)
            assert status == 404 and b'page"' not in answer
    finally:
        server.stop()
    with pytest.raises(OSError):
        ask(server, here)
    cell = Shown(text)._repr_html_()
    assert 'sandbox="allow-scripts"' in cell and "<b>" not in cell
    assert html.unescape(cell.partition('srcdoc="')[2].rpartition('"></iframe>')[0]) == text


def test_addresses_of_pages_cannot_be_guessed_nor_read_from_elsewhere() -> None:
    servers = [Server("<p>page"), Server("<p>page")]
    try:
        assert len({place_of(server) for server in servers}) == 2
        assert all(len(place_of(server)) > 30 for server in servers)
        for path in (place_of(servers[0]), "/"):
            headers = answered(servers[0], path).headers
            policy = headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
            assert headers["Access-Control-Allow-Origin"] is None
            assert "Python" not in headers["Server"]
    finally:
        for server in servers:
            server.stop()


def test_connections_that_say_nothing_are_bounded() -> None:
    """Some of them; the page is there for others, and again for all when they have left."""
    server = Server("<p>page")
    address = ("127.0.0.1", int(server.address.split(":")[2].partition("/")[0]))
    before = threading.active_count()
    try:
        silent = [socket.create_connection(address, timeout=10) for _ in range(MOST_CONNECTIONS)]
        closed = socket.create_connection(address, timeout=10)
        assert closed.recv(1) == b""
        assert threading.active_count() <= before + MOST_CONNECTIONS
        for one in (*silent, closed):
            one.close()
        for _ in range(100):
            try:
                assert ask(server, place_of(server))[0] == 200
                break
            except OSError:
                time.sleep(0.05)
        else:
            pytest.fail("no connection became free")
    finally:
        server.stop()


def test_view_ends_by_ctrl_c(run: sp.results.Result, monkeypatch, capsys) -> None:
    from supple.visualization import server as serving

    seen = []

    def look(server: Server) -> None:
        seen.append(ask(server, place_of(server))[1])
        server.stop()

    monkeypatch.setattr(serving.Server, "wait", look)
    run.view("slide", run, browser=False)
    everything().view(browser=False)
    told = [page_of(one.decode())[0]["verdict"] for one in seen]
    assert told == [run.verdict, everything().counts]
    assert "http://127.0.0.1:" in capsys.readouterr().err
    with pytest.raises(sp.SuppleError, match="view: there are 2 other runs, expected one"):
        run.view(run, other=run, browser=False)


@pytest.mark.slow
def test_films_last_as_long_as_they_should(
    run: sp.results.Result, tmp_path: Path, monkeypatch
) -> None:
    from PIL import Image

    run = run.between(every=2)
    path = run.film(tmp_path / "run.gif", speed=0.1, rate=8.0)
    with Image.open(path) as film:
        times, pictures = [], []
        for k in range(film.n_frames):
            film.seek(k)
            times.append(film.info["duration"])
            pictures.append(np.asarray(film.convert("L"), dtype=int))
    assert len(times) == len(run.t) == 3
    assert sum(times) == pytest.approx(1125, abs=10)  # ms: 9 pictures, 8 a second
    assert all(np.mean(np.abs(a - pictures[0]) > 8) > 1e-3 for a in pictures[1:])
    with pytest.raises(sp.FileError, match=r"its ending is '.avi', expected .gif or .mp4"):
        run.film(tmp_path / "run.avi")
    with pytest.raises(sp.SuppleError, match=r"film: it lasts 1e.06 s with 20 pictures in"):
        run.film(tmp_path / "run.gif", speed=1e-7)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(sp.FileError, match="the program ffmpeg is not found, expected it, or a"):
        run.film(tmp_path / "run.mp4")
    fake = tmp_path / "ffmpeg"  # keeps what it is given
    fake.write_text(f"#!{sys.executable}\nimport sys\nd = sys.stdin.buffer.read()\n"
                    "assert '6' == sys.argv[sys.argv.index('-r') + 1], sys.argv\n"
                    "open(sys.argv[-1], 'wb').write(d)\n")  # fmt: skip
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    content = run.film(tmp_path / "run.mp4", speed=0.05, rate=6).read_bytes()
    assert len(content) == 13 * 3 * pictures[0].size  # 2 s, and the last one
    fake.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no such codec')\n")
    with pytest.raises(sp.FileError, match="ffmpeg says 'no such codec'"):
        run.film(tmp_path / "other.mp4")
    assert os.listdir(tmp_path).count("other.mp4") == 0


def test_notebooks_show_tables_with_names_as_text(run: sp.results.Result, tmp_path: Path) -> None:
    model = everything()
    unfinished = sp.Model(name="<script>alert(1)")
    unfinished.add(sp.RigidBody("<script>", 1.0))
    quantities = sp.cases.get("richard-graph").run()
    saved = sp.files.load_result(run.save(tmp_path / "run.nc"))
    shown = {
        "model": model._repr_html_(),
        "result": run._repr_html_(),
        "saved": saved._repr_html_(),
        "monitor": run.monitor._repr_html_(),
        "energy": run.energy._repr_html_(),
        "momentum": run.momentum._repr_html_(),
        "doctor": model.doctor()._repr_html_(),
        "unfinished": unfinished._repr_html_(),
        "sick": unfinished.doctor()._repr_html_(),
        "case": sp.cases.get("huang-rigid")._repr_html_(),
        "quantities": quantities._repr_html_(),
    }
    for what, text in shown.items():
        assert "<script" not in text and "<b> &" not in text and "<!--" not in text, what
        assert text.count("<table>") == text.count("</table>") >= (what != "momentum"), what
    for what in ("model", "result", "monitor"):
        assert "arm &lt;script&gt;" in shown[what]
    for what in ("model", "result"):
        assert "data:image/png;base64," in shown[what]
    assert html.escape(run.verdict) in shown["result"]
    assert "has no path of joints to the ground" in shown["unfinished"]
    assert f"{len(quantities)} quantities, 0 of them off" in shown["quantities"]
