"""What every test relies on."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
import warm_interpreters

# A runner started in the background hands down an ignored SIGINT, and then no child could be interrupted.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def warm() -> Iterator[None]:
    """New interpreters of the tool and of its zygote are forks of one that is warm."""
    with warm_interpreters.install():
        yield
