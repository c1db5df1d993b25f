"""An observed test run: in this process, in the workers of pytest-xdist, and in processes that tests start."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass

import pytest

from pdt_annotate.emit.words import plural
from pdt_annotate.profiles.recording import gathering, recorder
from pdt_annotate.profiles.recording.startup.sitecustomize import StartHook
from pdt_annotate.profiles.writing import SUFFIX
from pdt_annotate.settings.make_options import find_root
from pdt_annotate.values.errors import UserError


class ObservedSession:
    """The run from its beginning until its profile is saved.

    It observes this process from the first file of the project that runs in it, and all processes that it starts.
    """

    def __init__(self, config: pytest.Config, file: str) -> None:
        if not file.endswith(SUFFIX):
            raise pytest.UsageError(f"--pdt {file}: a profile ends in {SUFFIX}; put --pdt last, or write --pdt=FILE")
        root = os.path.abspath(config.rootpath / config.getini("pdt_root")) if config.getini("pdt_root") else ""
        self.file = os.path.abspath(config.invocation_params.dir / file)
        self.said: list[str] = []
        self.kept = contextlib.ExitStack()
        try:
            self.order = gathering.make_order("pytest", root or find_root(()), self.file)
            self.kept.enter_context(gathering.parts(self.order))
        except UserError as error:
            raise pytest.UsageError(f"--pdt: {error}") from error
        variables = self.kept.enter_context(pytest.MonkeyPatch.context())
        for name, value in gathering.environment(self.order, os.environ).items():
            variables.setenv(name, value)
        sys.addaudithook(StartHook(self.order.root))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Save, after the workers of xdist have ended."""
        problems = recorder.current.end() if recorder.current else []
        try:
            profile, processes = gathering.gather(self.order, self.file)
        except UserError as error:
            self.said = [*problems, f"{error} ({error.hint})"]
            return
        if profile.functions:
            seen = f"{plural(profile.functions, 'function')}, {plural(profile.slots, 'slot')}"
            where = f" in {processes} processes" if processes > 1 else ""
            said = f"{seen}{where} → {os.path.relpath(self.file)}"
        else:
            where = f"files below {self.order.root}"
            said = f"no function in {where} ran, so no profile was saved; `pdt_root` sets the directory of your files"
        self.said = [*problems, said]
        self.kept.close()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.said:
            terminalreporter.write_line(f"pdt: {line}")

    def pytest_unconfigure(self) -> None:
        """Remove all traces if no session ended, such as for --help."""
        if not self.said:
            self.kept.close()


@dataclass(frozen=True, eq=False)
class ObservedTests:
    """Makes the observer of this process look again at each test, and name the calls in it."""

    asks_twice: bool  # `--pdt` asks for a profile in a run that another program observes already

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if recorder.current is not None:
            recorder.current.examples.call = item.nodeid
            recorder.current.watch()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.asks_twice:
            terminalreporter.write_line("pdt: the program that started this run already observes it")
