"""Fixtures for all tests, and the marker for the cost of a test, which is the name of its folder."""

import contextlib
import gc
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import warm_interpreters
from _pytest.pathlib import cleanup_numbered_dir
from hypothesis import configuration
from warm_server import HYPOTHESIS, know_once, make_forks_cheap

HERE = Path(__file__).parent
SERVERS = pytest.StashKey[str]()

# Imported modules and collected tests are never freed, and a garbage collection of them takes seconds.
gc.disable()

# A background process inherits an ignored SIGINT, and `nohup` an ignored SIGHUP. Then signals would not end children.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Make one folder for the warm servers of all workers of pytest-xdist; the servers end with it."""
    if SERVERS not in node.config.stash:
        stack = contextlib.ExitStack()
        node.config.stash[SERVERS] = stack.enter_context(warm_interpreters.open_folder())
        node.config.add_cleanup(stack.close)
        if node.config.option.basetemp is None:
            # pytest removes old folders at the end of the run, which takes ten seconds on a disk. A thread does it now.
            folders = node.config._tmp_path_factory.getbasetemp().parent
            threading.Thread(target=cleanup_numbered_dir, args=(folders, "pytest-", 3, 0.0), daemon=True).start()
    node.workerinput["servers"] = node.config.stash[SERVERS]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test, and make hypothesis store the constants of all modules, which it reads next."""
    configuration.set_hypothesis_home_dir(HYPOTHESIS)  # code that generates calls turns this off
    for item in items:
        item.add_marker(item.path.relative_to(HERE).parts[0])
        if not hasattr(os, "fork") and item.get_closest_marker("forks"):
            item.add_marker(pytest.mark.skip("there is no os.fork"))


def pytest_collection_finish() -> None:
    """Exclude the objects of torch and of all tests from garbage collection, also in forks of this process."""
    know_once()
    make_forks_cheap()
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line for each reason why tests were skipped."""
    skipped = [report.longrepr for report in terminalreporter.stats.get("skipped", ())]
    # Each entry is (file, line, "Skipped: reason"), under xdist, too.
    reasons = Counter(str(why[-1]).removeprefix("Skipped: ") for why in skipped if isinstance(why, tuple | list))
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}")


@pytest.fixture(scope="session", autouse=True)
def caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Use another cache directory than that of the user who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))
        yield


@pytest.fixture(scope="session", autouse=True)
def warm(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fork new interpreters of the tool and its zygotes from warm ones, which start at the first request."""
    with warm_interpreters.install(getattr(request.config, "workerinput", {}).get("servers", "")):
        yield
