"""Fixtures for the tests of child processes."""

from collections.abc import Iterator

import pytest

from pdt_annotate.processes.zygote import Zygote


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    """One zygote per module, so that the sessions of a module end with it. It starts as a fork."""
    with Zygote(timeout=120) as zygote:
        yield zygote


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Code that forks in this process must behave as in a child: threads of a pool do not survive a fork."""
    import torch  # noqa: PLC0415  (the process that hands out the tests reads this file, too)

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
