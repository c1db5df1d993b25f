"""Fields of config objects."""

from __future__ import annotations

from mend_cases import IMPORTS, Form

from pdt_annotate.values.mends import Held, HeldValue

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    {}
""",
    held={"Net.args": Held((HeldValue("argparse.Namespace"),))},
)

DRAWN = Form(
    IMPORTS
    + """\
import collections
import dataclasses

Args = collections.namedtuple("Args", ["scale", "kernel"])


@dataclasses.dataclass
class Config:
    width: int = 3
    name: str = "a"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self._args = Args(2.5, [1, 3])
        self.config = Config()
        self.table = dict(a=1, b="c")

    def forward(self, x):
        {}
        return x
"""
).draws(
    "scale, kernel = self._args.scale, self._args.kernel\nx = x * scale + kernel[1]",
    "x = x + self._args.kernel[0]",
    "x = x * self.config.width if self.config.name == 'a' else x",
    "x = x + self.table['a'] if self.table['b'] == 'c' else x",
)
