"""A headless Chromium that is controlled with the DevTools protocol over a pipe. Only the browser must be installed."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

FLAGS = """
    --headless --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update
    --disable-sync --disable-dev-shm-usage --hide-scrollbars --remote-debugging-pipe
"""
PATIENCE = 60
"""The time limit for a reply of the browser, in seconds. It allows for slow machines."""

Json = dict[str, Any]


def find() -> str:
    return next(filter(None, map(shutil.which, NAMES)), "")


@contextlib.contextmanager
def launch(executable: str) -> Iterator[Browser]:
    """A browser with a separate profile. The context manager ends the browser and removes the profile."""
    commands, told = os.pipe(), os.pipe()
    # The browser reads commands from descriptor 3 and writes replies to descriptor 4.
    handed = f'exec "$@" 3<&{commands[0]} 4>&{told[1]}'
    unboxed = ("--no-sandbox",) if os.geteuid() == 0 else ()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = (*FLAGS.split(), *unboxed, f"--user-data-dir={profile}")
        process = subprocess.Popen(
            ["bash", "-c", handed, "browser", executable, *flags, "about:blank"],
            pass_fds=(commands[0], told[1]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands[0])
        os.close(told[1])
        browser = Browser(commands[1], told[0])
        try:
            yield browser
        finally:
            with contextlib.suppress(OSError, TimeoutError, EOFError):
                browser.send("Browser.close")
            os.close(commands[1])
            os.close(told[0])
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@dataclass
class Browser:
    """The protocol: numbered commands that end with NUL, their replies, and events between the replies."""

    commands: int
    told: int
    events: list[Json] = field(default_factory=list)
    _last: int = 0
    _read: bytes = b""

    def send(self, method: str, session: str = "", **params: object) -> Json:
        """Send a command and wait for its reply. Events that arrive before the reply are stored in `events`."""
        self._last += 1
        command = {"id": self._last, "method": method, "params": params}
        os.write(self.commands, json.dumps(command | ({"sessionId": session} if session else {})).encode() + b"\0")
        while (message := self._next()).get("id") != self._last:
            self.events.append(message)
        assert "error" not in message, (method, message)
        return dict(message["result"])

    def wait(self, method: str, session: str) -> Json:
        """The next event of a kind; a stored event counts, too."""
        while True:
            for event in self.events:
                if (event.get("method"), event.get("sessionId")) == (method, session):
                    self.events.remove(event)
                    return dict(event["params"])
            self.events.append(self._next())

    def _next(self) -> Json:
        while b"\0" not in self._read:
            if not select.select([self.told], [], [], PATIENCE)[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.told, 1 << 16)
            if not piece:
                raise EOFError("the browser has ended")
            self._read += piece
        message, _, self._read = self._read.partition(b"\0")
        return dict(json.loads(message))

    @contextlib.contextmanager
    def open(
        self, file: Path, *, width: int = 1200, scheme: str = "light", scripts: bool = True, fragment: str = ""
    ) -> Iterator[Tab]:
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            tab.send(f"{domain}.enable")
        tab.resize(width)
        tab.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        tab.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        tab.send("Page.navigate", url=file.as_uri() + fragment)
        self.wait("Page.loadEventFired", session)
        try:
            yield tab
        finally:
            self.send("Target.closeTarget", targetId=target)


@dataclass
class Tab:
    browser: Browser
    session: str

    def send(self, method: str, **params: object) -> Json:
        return self.browser.send(method, self.session, **params)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page, even if the scripts of the page may not run."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def resize(self, width: int) -> None:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", **size)

    def happened(self, *methods: str) -> list[Json]:
        """The parameters of the events of these kinds that have arrived."""
        self.evaluate("0")
        mine = (event for event in self.browser.events if event.get("sessionId") == self.session)
        return [event["params"] for event in mine if event["method"] in methods]

    def wait_for(self, condition: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not self.evaluate(condition):
            assert time.monotonic() < deadline, condition
            time.sleep(0.02)

    def sees(self, selector: str) -> bool:
        """Whether an element would be visible after scrolling to it."""
        return bool(self.evaluate(f"document.querySelector({json.dumps(selector)}).checkVisibility()"))

    def middle(self, selector: str) -> Mapping[str, float]:
        box: Mapping[str, float] = self.evaluate(
            f"(() => {{ const found = document.querySelector({json.dumps(selector)});"
            " found.scrollIntoView({block: 'center'}); return found.getBoundingClientRect().toJSON() })()"
        )
        return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}

    def point(self, selector: str) -> None:
        self.send("Input.dispatchMouseEvent", type="mouseMoved", **self.middle(selector))

    def click(self, selector: str) -> None:
        middle = self.middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **middle)

    def tap(self, selector: str) -> None:
        self.send("Emulation.setTouchEmulationEnabled", enabled=True)
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[self.middle(selector)])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def press(self, key: str) -> None:
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowDown": 40}[key]
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def screenshot(self) -> bytes:
        return base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])
