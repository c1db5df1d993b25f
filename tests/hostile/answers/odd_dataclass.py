# what: answers a dataclass whose fields are missing, and raise
# exit: 2
# says: AttributeError: 'int' object has no attribute '_field_type'
import dataclasses
import torch


@dataclasses.dataclass
class Odd:
    x: object
    y: object = 3

    def __eq__(self, other):
        raise RuntimeError("no equality")

    __hash__ = None


Odd.__dataclass_fields__["missing"] = 3


class Net(torch.nn.Module):
    def forward(self, x, times):
        odd = Odd(x)
        del odd.x
        return odd
