"""A page shown at once: served to this computer only until Ctrl-C, or in the cell of a notebook."""

from __future__ import annotations

import html
import os
import secrets
import sys
import threading
import webbrowser
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from supple.foundation.progress import in_notebook

HOST = "127.0.0.1"
HEIGHT = 560  # px, in a notebook
MOST_CONNECTIONS = 16  # at once: a browser has a few
PATIENCE = 10.0  # s for a request to arrive
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


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


class _Bounded(ThreadingHTTPServer):
    """A server with so many connections at once; further ones are closed."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__((HOST, 0), handler)
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, if one is free."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and let another one come."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: whoever asked has left."""


class Server:
    """Serves one page at a free port of the loopback interface, to those who know its address.

    The address has a random word, so that other programs and pages on this computer do not find
    the page, and headers keep what is in it from other origins.
    """

    def __init__(self, text: str) -> None:
        content = text.encode("utf-8")
        place = f"/{secrets.token_urlsafe(24)}/"
        names: set[str] = set()

        class Answer(BaseHTTPRequestHandler):
            server_version, sys_version = "supple", ""
            timeout = PATIENCE

            def do_GET(self) -> None:
                """Answer with the page; other addresses and names of this computer are refused."""
                asked, origin = self.path.encode(), self.headers.get("Origin")
                known = secrets.compare_digest(asked, place.encode())
                known &= self.headers.get("Host") in names
                known &= origin is None or origin in {f"http://{name}" for name in names}
                body = content if known else b"there is nothing here\n"
                kind = "text/html" if known else "text/plain"
                self.send_response(200 if known else 404)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                for name, value in HEADERS.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = _Bounded(Answer)
        port = self._server.server_address[1]
        names |= {f"{HOST}:{port}", f"localhost:{port}"}
        self.address = f"http://{HOST}:{port}{place}"
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
    """True if a browser would open a window: one of a terminal would take that terminal."""
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
