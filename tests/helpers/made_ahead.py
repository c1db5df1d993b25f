"""What a module's fixture can make before it is asked for: the parameter `name` of the tests that will ask."""

from __future__ import annotations

import pytest


def names(request: pytest.FixtureRequest, fixture: str) -> list[str]:
    """By the order of the selected tests of that module, each once."""
    asking = (
        item
        for item in request.session.items
        # Another module's parameter may have the fixture's name.
        if isinstance(item, pytest.Function) and item.path == request.path and fixture in item.fixturenames
    )
    return list(dict.fromkeys(str(item.callspec.params["name"]) for item in asking))
