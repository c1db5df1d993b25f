"""What differs from one release of torch to the next, as data; nothing else of ours asks for torch's version.

What the compiler says differs little: patterns that fit every release stand in `findings/messages`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

DEPRECATION = r"`torch\.jit\.\w+` is (?:deprecated|not supported)"
"""How torch's own warnings begin, one for each function of `torch.jit` that is called, by whoever calls it."""

NUMBERS = re.compile(r"(\d+)\.(\d+)")


@dataclass(frozen=True)
class Notice:
    """What a release says of TorchScript as a whole, in our words.

    Args:
        torch: the first release that says so to users; what it says to developers alone is not passed on.
        python: the oldest Python on which it does.
        words: with the versions in braces.
    """

    torch: tuple[int, int]
    python: tuple[int, int]
    words: str


NOTICES = (
    Notice(
        torch=(2, 9),
        python=(3, 14),
        words="torch {torch} does not support TorchScript on Python {python}, where it may break; what is reported here"
        " as verified did script and run. `pdt-annotate captures` tries torch.compile and torch.export, too.",
    ),
    Notice(
        torch=(2, 14),
        python=(3, 11),
        words="torch {torch} calls TorchScript deprecated and advises torch.compile or torch.export; it scripts as"
        " before. `pdt-annotate captures` tries all of them.",
    ),
)
"""The first that fits is told, once a run."""


def notice(torch: str, python: Sequence[int]) -> str:
    """What torch of a version says of TorchScript on a Python of a version; "" where it says nothing to users.

    >>> notice("2.13.0+cpu", (3, 11))
    ''
    """
    numbers = NUMBERS.match(torch)
    if not numbers:
        return ""
    release, version = (int(numbers[1]), int(numbers[2])), (python[0], python[1])
    found = (each.words for each in NOTICES if release >= each.torch and version >= each.python)
    return next(found, "").format(torch=numbers[0], python="{}.{}".format(*version))
