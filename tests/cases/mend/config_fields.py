"""Fields of config objects."""

from __future__ import annotations

from mend_cases import Form

from pdt_annotate.values.mends import Held, HeldValue

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    {}
""",
    held={"Net.args": Held((HeldValue("argparse.Namespace"),))},
)
