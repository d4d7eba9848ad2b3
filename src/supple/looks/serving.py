"""A page shown at once: served to this computer only until Ctrl-C, or in the cell of a notebook."""

from __future__ import annotations

import html
import os
import sys
import threading
import webbrowser
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from supple.waiting import in_notebook

HOST = "127.0.0.1"
HEIGHT = 560  # px, in a notebook


class Shown:
    """A page; where it is the value of a notebook's cell, it plays there."""

    def __init__(self, text: str, height: int = HEIGHT) -> None:
        self.text, self.height = text, height

    def _repr_html_(self) -> str:
        """The page in a frame of its own, from which nothing else of the notebook is reached."""
        style = f"width:100%;height:{self.height}px;border:1px solid #dfe4e8"
        page = html.escape(self.text, quote=True)
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'

    def __repr__(self) -> str:
        return f"<a page of {len(self.text) / 1e6:.2g} MB>"


class Server:
    """Serves one page at a free port of the loopback interface."""

    def __init__(self, text: str) -> None:
        content = text.encode("utf-8")
        names: set[str] = set()

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                """Answer with the page; other names of this computer are refused."""
                known = self.path in ("/", "/index.html") and self.headers.get("Host") in names
                body = content if known else b"there is one page here, at /\n"
                kind = "text/html; charset=utf-8" if known else "text/plain"
                self.send_response(200 if known else 404)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer((HOST, 0), Answer)
        self._server.daemon_threads = True
        port = self._server.server_address[1]
        names |= {f"{HOST}:{port}", f"localhost:{port}"}
        self.address = f"http://{HOST}:{port}/"
        serve = partial(self._server.serve_forever, poll_interval=0.05)
        self._thread = threading.Thread(target=serve, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Serve until Ctrl-C."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.5)
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    def stop(self) -> None:
        """Serve no longer."""
        self._server.shutdown()
        self._server.server_close()


def _has_windows() -> bool:
    """Whether a browser would open a window: one of a terminal would take that terminal."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return not sys.platform.startswith("linux") or any(map(os.environ.get, screens))


def show(text: str, browser: bool = True) -> Shown:
    """Show a page: in a notebook by its value, elsewhere in a browser until Ctrl-C."""
    shown = Shown(text)
    if in_notebook():
        return shown
    server = Server(text)
    opened = browser and _has_windows() and webbrowser.open(server.address)
    where = server.address if opened else f"{server.address} (open it in a browser)"
    print(f"supple: {where}; Ctrl-C ends it", file=sys.stderr, flush=True)
    server.wait()
    return shown
