"""Tests for truth that become comparisons with None."""

from __future__ import annotations

from mend_cases import Form

from pdt_annotate.values.mends import Held, HeldValue

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    def forward(self, x, scale=None):
        {}
        return x
""",
    held={
        "Net.downsample": Held(
            (
                HeldValue("torch.nn.modules.linear.Linear", always_true=True),
                HeldValue("builtins.NoneType", literal="None"),
            )
        )
    },
)
