"""The exit codes of every command, for this room."""

from pdt_annotate.values.exits import (
    EXIT_BUG,
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_MISSING,
    EXIT_UNMET,
    EXIT_UNVERIFIED,
    EXIT_USER,
    SIGNALLED,
)

__all__ = [
    "EXIT_BUG",
    "EXIT_DONE",
    "EXIT_INTERRUPTED",
    "EXIT_MISSING",
    "EXIT_UNMET",
    "EXIT_UNVERIFIED",
    "EXIT_USER",
    "SIGNALLED",
]
