"""A headless Chromium, driven over its DevTools protocol."""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import websocket

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60  # seconds; a busy machine may start a browser slowly


def find_chromium() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of a headless Chromium; `messages` are the errors and warnings of its console and of its network."""

    def __init__(self, profile: Path) -> None:
        chromium = find_chromium()
        assert chromium is not None, "no Chromium is installed"
        command = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
        flags = ["--no-first-run", "--disable-dev-shm-usage", "--remote-allow-origins=*", "--hide-scrollbars"]
        self._process = subprocess.Popen(
            [*command, *flags, f"--user-data-dir={profile}", "about:blank"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        port = self._wait(lambda: (profile / "DevToolsActivePort").read_text().splitlines()[0])
        pages = self._wait(lambda: [page for page in _json(f"http://127.0.0.1:{port}/json/list") if page["type"] == "page"])
        self._socket = websocket.create_connection(pages[0]["webSocketDebuggerUrl"], timeout=PATIENCE)
        self._numbers = itertools.count(1)
        self.messages: list[str] = []
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _wait(self, attempt: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                if found := attempt():
                    return found
            time.sleep(0.05)
        raise TimeoutError("Chromium does not answer")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == number:
                if "error" in answer:  # such as that the page is just being left; who waits for something asks again
                    raise ConnectionError(answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        parameters, method = event.get("params", {}), event.get("method")
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        if method == "Runtime.consoleAPICalled" and parameters["type"] not in ("error", "warning", "assert"):
            return
        told = {"Runtime.exceptionThrown": "exceptionDetails", "Log.entryAdded": "entry", "Runtime.consoleAPICalled": "args"}
        if method in told:
            self.messages.append(json.dumps(parameters[told[method]]))

    def open(self, page: Path, *, width: int = 1440, dark: bool = False) -> None:
        mobile = width < 600
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=mobile)
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.until("document.readyState === 'complete'")

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def all(self, selector: str, expression: str = "e.textContent") -> list[Any]:
        """The value of a JavaScript expression on each element `e` that a selector finds."""
        found: list[Any] = self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => {expression})")
        return found

    def until(self, condition: str) -> None:
        assert self._wait(lambda: self.run(f"Boolean({condition})")), condition

    def close(self) -> None:
        self.call("Browser.close")  # told so, it removes its temporary files
        self._socket.close()
        self._process.wait(timeout=PATIENCE)


def _json(address: str) -> Any:
    with urlopen(address, timeout=PATIENCE) as answer:
        return json.load(answer)
