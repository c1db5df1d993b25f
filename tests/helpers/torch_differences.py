"""Differences between the supported releases of torch, for tests of the compiler itself.

The release in each row is the oldest one that is known to behave in this way. A comment names a release that does not.
"""

import torch

from pdt_annotate.values.torch_releases import release_of

SINCE = {
    "takes torch.qscheme for an annotation": (2, 10),  # not 2.6
    "refuses a module of torch's as the annotation of an attribute": (2, 13),  # not 2.10
    "names the fields of a registered dataclass as attributes": (2, 13),  # not 2.6, as keys
    "has dynamo count every frame that it gives up": (2, 13),  # not 2.6: there a capture in parts may look whole
}


def holds(what: str) -> bool:
    """Whether the installed torch behaves in this way."""
    return release_of(torch.__version__) >= SINCE[what]
