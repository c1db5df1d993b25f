"""What not every admitted release of torch does: for tests whose subject is what the compiler itself says or takes.

A release is the oldest that was seen to do it; one that was seen not to stands beside it.
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
    """Whether the installed torch does one of these."""
    return release_of(torch.__version__) >= SINCE[what]
