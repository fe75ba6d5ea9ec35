"""A headless Chromium, spoken to over its debugging pipe: no package is needed for that."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: Names that Chromium and what is made of it go by.
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome-headless-shell",
    "microsoft-edge",
)
VARIABLE = "MAXSIDECAR_BROWSER"
#: Seconds that one answer may take.
PATIENCE = 60.0

OPTIONS = (
    "--headless=new",
    "--remote-debugging-pipe",
    # Root and containers have no sandbox to be had; only pages of the tests are opened.
    "--no-sandbox",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-quic",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--window-size=1000,700",
)


def find_browser() -> str | None:
    """Return the program: what the variable names, else one of the usual names."""
    named = os.environ.get(VARIABLE)
    if named:
        return shutil.which(named)
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Page:
    """A page that is open in the browser.

    Attributes:
        requests: Addresses that were asked for.
        complaints: Errors of scripts, and what the console and the security policy complained of.
    """

    def __init__(self, process: subprocess.Popen[bytes], read: int, write: int) -> None:
        self.process, self.read, self.write = process, read, write
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask for something, and return the answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            answer = self._next(until)
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _next(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self.read], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self.read, 1 << 16)
            assert data, "the browser ended"
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def _note(self, event: dict[str, Any]) -> None:
        method, about = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(about["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning"):
            self.complaints.append(json.dumps(about["args"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.complaints.append(about["entry"]["text"])

    def open(self, path: Path) -> None:
        """Open a file, and wait until it says that it is ready."""
        self.requests.clear()
        self.complaints.clear()
        self.call("Page.navigate", url=path.as_uri())
        self.wait("document.body && document.body.dataset.ready === 'yes'")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        until = time.monotonic() + PATIENCE
        while not self.value(condition):
            message = self.value("document.body ? document.body.innerText : ''")
            assert time.monotonic() < until, (condition, message, self.complaints)
            time.sleep(0.05)

    def value(self, expression: str) -> Any:
        """Return what an expression of the page gives."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def click(self, x: float, y: float) -> None:
        """Click with the left button."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, area: tuple[float, ...], scale: float = 1.0) -> bytes:
        """Return a part of the page as PNG.

        Args:
            area: Left, top, width and height.
            scale: Pixels of the picture for one of the page.
        """
        clip = dict(zip(("x", "y", "width", "height"), area, strict=True), scale=scale)
        answer = self.call("Page.captureScreenshot", format="png", clip=clip)
        return base64.b64decode(answer["data"])


@contextmanager
def browser(program: str, folder: Path) -> Iterator[Page]:
    """Run the browser with a new profile in a folder."""
    to_browser, write = os.pipe()
    read, from_browser = os.pipe()

    def pipes() -> None:
        # The browser reads from descriptor 3 and writes to 4.
        first, second = os.dup(to_browser), os.dup(from_browser)
        os.dup2(first, 3)
        os.dup2(second, 4)

    with (folder / "browser.log").open("wb") as log:
        process = subprocess.Popen(
            [program, *OPTIONS, f"--user-data-dir={folder / 'profile'}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            close_fds=False,
            preexec_fn=pipes,  # noqa: PLW1509 - the tests run no threads here
        )
    os.close(to_browser)
    os.close(from_browser)
    try:
        yield Page(process, read, write)
    finally:
        os.close(write)  # without its pipe it ends by itself
        os.close(read)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
