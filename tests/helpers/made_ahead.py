"""What a module's fixture can make before it is asked for: the parameter `name` of the tests that will ask."""

from __future__ import annotations

import pytest


def names(request: pytest.FixtureRequest, fixture: str) -> list[str]:
    """By the order of the selected tests, each once."""
    items = (item for item in request.session.items if isinstance(item, pytest.Function))
    return list(dict.fromkeys(str(item.callspec.params["name"]) for item in items if fixture in item.fixturenames))
