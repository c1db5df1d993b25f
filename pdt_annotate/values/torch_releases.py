"""What differs from one release of torch to the next, as data; nothing else of ours asks for torch's version.

What the compiler says differs little: patterns that fit every release stand in `findings/messages`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

DEPRECATION = r"`torch\.jit\.\w+` is (?:deprecated|not supported)"
"""How torch's own warnings begin, one for each function of `torch.jit` that is called, by whoever calls it."""

NUMBERS = re.compile(r"(\d+)\.(\d+)")


ANNOUNCEMENTS = (
    (
        (2, 9),
        (3, 14),
        "torch {torch} does not support TorchScript on Python {python}, where it may break; what is reported here"
        " as verified did script and run. `pdt-annotate captures` tries torch.compile and torch.export, too.",
    ),
    (
        (2, 14),
        (3, 11),
        "torch {torch} calls TorchScript deprecated and advises torch.compile or torch.export; it scripts as"
        " before. `pdt-annotate captures` tries all of them.",
    ),
)
"""What releases say of TorchScript as a whole: the first torch that says so to users, and not to developers alone, the
oldest Python on which it does, and our words for it. The first that fits is told, once a run."""


FREE_INTS = (2, 8)  # the first release whose torch.export leaves ints free that it is given


def release_of(torch: str) -> tuple[int, int]:
    """The first two numbers of a version; zeros where it has none.

    >>> release_of("2.13.0+cpu")
    (2, 13)
    """
    numbers = NUMBERS.match(torch)
    return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)


def notice(torch: str, python: Sequence[int]) -> str:
    """What torch of a version says of TorchScript on a Python of a version; "" where it says nothing to users.

    >>> notice("2.13.0+cpu", (3, 11))
    ''
    """
    release, version = release_of(torch), (python[0], python[1])
    found = (words for since, oldest, words in ANNOUNCEMENTS if release >= since and version >= oldest)
    return next(found, "").format(torch="{}.{}".format(*release), python="{}.{}".format(*version))
