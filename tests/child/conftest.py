"""What the tests of children share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pdt_annotate.processes.zygote import Zygote


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    """One a module, so that the sessions of a module end with it; to start one is to fork it."""
    with Zygote(timeout=120) as zygote:
        yield zygote
