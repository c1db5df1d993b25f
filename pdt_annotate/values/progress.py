"""How a run tells what it is doing."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str], None]
