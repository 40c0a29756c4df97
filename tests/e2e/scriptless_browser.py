"""A page in Chromium without JavaScript, which is switched off over its debugger: with
`chromium --dump-dom`, which asks the page by a script, nothing would be printed.
"""

import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_LIMIT_SECONDS = 90.0
_PHONE = 600
"""Below this width, in CSS pixels, the browser lays out as a phone does."""
_LISTENING = re.compile(r"DevTools listening on ws://(127\.0\.0\.1:\d+)/")
_MAX_SCREENSHOT_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response that the page is made of: the page itself, a picture, a style sheet, a script."""

    url: str
    kind: str
    status: int
    media_type: str


@dataclass(frozen=True, slots=True)
class Seen:
    """The page once it has loaded; ``width`` and ``height`` are in CSS pixels."""

    html: str
    fetched: tuple[Fetched, ...]
    png: bytes
    width: int
    height: int


def installed_chromium() -> str | None:
    """The browser on this machine's PATH, or None."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


def look_at(url: str, program: str, profile: Path, *, width: int = 1200) -> Seen:
    """Open the page in a fresh browser of this width whose files live in ``profile``."""
    with _chromium(program, profile) as authority, _tab(authority) as tab:
        for domain in ("Page", "Network"):
            tab.call(f"{domain}.enable")
        tab.call("Emulation.setScriptExecutionDisabled", value=True)
        tab.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=800,
            deviceScaleFactor=1,
            mobile=width < _PHONE,
        )
        tab.call("Page.navigate", url=url)
        tab.until("Page.loadEventFired")
        root = tab.call("DOM.getDocument")["root"]["nodeId"]
        html = tab.call("DOM.getOuterHTML", nodeId=root)["outerHTML"]
        png = base64.b64decode(tab.call("Page.captureScreenshot")["data"])
        size = tab.call("Page.getLayoutMetrics")["cssContentSize"]
        return Seen(html, tuple(_fetched(tab.heard)), png, size["width"], size["height"])


class _Tab:
    """One tab, over the DevTools protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self.heard: list[dict[str, Any]] = []
        self._socket = socket
        self._calls = 0

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self._calls += 1
        self._socket.send(json.dumps({"id": self._calls, "method": method, "params": params}))
        while (told := self._next()).get("id") != self._calls:
            pass
        assert "error" not in told, f"{method}: {told}"
        return dict(told["result"])

    def until(self, method: str) -> None:
        while not any(event["method"] == method for event in self.heard):
            self._next()

    def _next(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self._socket.recv(_LIMIT_SECONDS))
        if "method" in told:
            self.heard.append(told)
        return told


def _fetched(heard: list[dict[str, Any]]) -> Iterator[Fetched]:
    for event in heard:
        if event["method"] == "Network.responseReceived":
            params = event["params"]
            told = params["response"]
            yield Fetched(told["url"], params["type"], told["status"], told["mimeType"])


@contextlib.contextmanager
def _chromium(program: str, profile: Path) -> Iterator[str]:
    """A browser without a window; the authority at which its debugger listens."""
    process = subprocess.Popen(
        (
            *(program, "--headless=new", "--disable-gpu", "--disable-dev-shm-usage"),
            *("--no-first-run", "--hide-scrollbars", "--window-size=1200,1000"),
            # Root, as in a container, has no sandbox; the only page it opens is ours.
            *(("--no-sandbox",) if os.geteuid() == 0 else ()),
            *(f"--user-data-dir={profile}", "--remote-debugging-port=0", "about:blank"),
        ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    overdue = threading.Timer(_LIMIT_SECONDS, process.kill)
    overdue.start()
    try:
        assert process.stderr is not None
        printed = []
        for line in process.stderr:
            printed.append(line)
            if listening := _LISTENING.search(line):
                yield listening.group(1)
                break
        else:
            raise AssertionError(f"{program} did not start: {''.join(printed)}")
    finally:
        overdue.cancel()
        process.kill()
        process.communicate()


@contextlib.contextmanager
def _tab(authority: str) -> Iterator[_Tab]:
    with urllib.request.urlopen(f"http://{authority}/json/list") as answer:
        (url,) = (tab["webSocketDebuggerUrl"] for tab in json.load(answer) if tab["type"] == "page")
    with connect(url, max_size=_MAX_SCREENSHOT_BYTES, open_timeout=_LIMIT_SECONDS) as socket:
        yield _Tab(socket)
