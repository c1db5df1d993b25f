"""An observed test run: in this process, in the workers of pytest-xdist, and in processes that tests start."""

from __future__ import annotations

import contextlib
import os
import sys

import pytest

from pdt_annotate.emit.words import plural
from pdt_annotate.profiles.profile import Profile
from pdt_annotate.profiles.recording import gathering, recorder, running
from pdt_annotate.profiles.recording.startup.sitecustomize import StartHook
from pdt_annotate.profiles.writing import SUFFIX
from pdt_annotate.settings.make_options import find_root
from pdt_annotate.values.errors import UserError

LABEL = "pytest"


class ObservedSession:
    """The run from its beginning until its profile is saved."""

    def __init__(self, file: str, order: running.Order) -> None:
        self.file = file
        self.order = order
        self.said: list[str] = []
        self.kept = contextlib.ExitStack()

    @classmethod
    def begin(cls, config: pytest.Config, file: str) -> ObservedSession:
        """Observe this process from the first file of the project that runs in it, and all processes that it starts."""
        if not file.endswith(SUFFIX):
            raise pytest.UsageError(f"--pdt {file}: a profile ends in {SUFFIX}; put --pdt last, or write --pdt=FILE")
        root = os.path.abspath(config.rootpath / config.getini("pdt_root")) if config.getini("pdt_root") else ""
        file = os.path.abspath(config.invocation_params.dir / file)
        try:
            order = gathering.make_order(LABEL, root or find_root(()), file)
            session = cls(file, order)
            session.kept.enter_context(gathering.parts(order))
        except UserError as error:
            raise pytest.UsageError(f"--pdt: {error}") from error
        variables = session.kept.enter_context(pytest.MonkeyPatch.context())
        for name, value in gathering.environment(order, os.environ).items():
            variables.setenv(name, value)
        sys.addaudithook(StartHook(order.root))
        return session

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Save, after the workers of xdist have ended."""
        problems = recorder.current.end() if recorder.current else []
        try:
            profile, processes = gathering.gather(self.order, self.file)
            self.said = [*problems, self._describe(profile, processes)]
        except UserError as error:
            self.said = [*problems, f"{error} ({error.hint})"]
        else:
            self.kept.close()

    def _describe(self, profile: Profile, processes: int) -> str:
        if not profile.functions:
            where = f"files below {self.order.root}"
            return f"nothing was observed in {where}, so nothing is saved; `pdt_root` says where yours are"
        seen = f"{plural(profile.functions, 'function')}, {plural(profile.slots, 'slot')}"
        where = f" in {processes} processes" if processes > 1 else ""
        return f"{seen}{where} → {os.path.relpath(self.file)}"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.said:
            terminalreporter.write_line(f"pdt: {line}")

    def pytest_unconfigure(self) -> None:
        """Remove all traces if no session ended, such as for --help."""
        if not self.said:
            self.kept.close()


class ObservedTests:
    """Makes the observer of this process look again at each test, and name the calls in it."""

    def __init__(self, *, is_beside: bool = False) -> None:
        self.is_beside = is_beside

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if recorder.current is not None:
            recorder.current.begin_call(item.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.is_beside:
            terminalreporter.write_line("pdt: what started this run observes it already, and saves what it sees")
