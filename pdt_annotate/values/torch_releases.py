"""Differences between releases of torch, as data; nothing else of ours asks for torch's version.

The compiler's messages differ little: patterns that fit every release are in `findings/messages`.
"""

import re
from collections.abc import Sequence

# The beginning of torch's own warnings, one for each function of `torch.jit` that is called, by any caller.
DEPRECATION = r"`torch\.jit\.\w+` is (?:deprecated|not supported)"
NUMBERS = re.compile(r"(\d+)\.(\d+)")


ANNOUNCEMENTS = (
    (
        (2, 9),
        (3, 14),
        "torch {torch} does not support TorchScript on Python {python}, so scripting may fail there; results that are"
        " reported as verified did script and run. `pdt-annotate captures` tries torch.compile and torch.export, too.",
    ),
    (
        (2, 14),
        (3, 11),
        "torch {torch} calls TorchScript deprecated and advises torch.compile or torch.export; it scripts as"
        " before. `pdt-annotate captures` tries all three.",
    ),
)
"""Releases' notices on TorchScript as a whole: the first torch that shows it to users and not only to developers, the
oldest Python for which it does, and our words for it. The first that fits is shown, once a run."""


FREE_INTS = (2, 8)  # the first release whose torch.export does not specialise on int arguments


def release_of(torch: str) -> tuple[int, int]:
    """The first two numbers of a version; zeros if it has none.

    >>> release_of("2.13.0+cpu")
    (2, 13)
    """
    numbers = NUMBERS.match(torch)
    return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)


def notice(torch: str, python: Sequence[int]) -> str:
    """Our words for torch's notice on TorchScript on a Python; "" if that torch shows users no notice.

    >>> notice("2.13.0+cpu", (3, 11))
    ''
    """
    release, version = release_of(torch), (python[0], python[1])
    found = (words for since, oldest, words in ANNOUNCEMENTS if release >= since and version >= oldest)
    return next(found, "").format(torch="{}.{}".format(*release), python="{}.{}".format(*version))
