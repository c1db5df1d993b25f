"""The entries of the catalogue about traces that answer for no call but their own."""

from __future__ import annotations

from pdt_annotate.findings.entry import CatalogueEntry

TRACED = (
    CatalogueEntry(
        "PDT082",
        "Python goes by a tensor while it is traced",
        "`torch.jit.trace` keeps the operators that one call ran. Where Python asks a tensor which way to go, or makes "
        "a number of it, the tracer warns: the way and the number of that call are in the trace, whatever is passed to "
        "it later. Asserts are no such place, and numbers that no further call changes are not told.",
        "def f(x):\n    if x.sum() > 0:\n        return x * 2\n    return x - 1\n",
        "Script it, or put that part into a function under `@torch.jit.script_if_tracing`; for a value, write it with "
        "torch's operators: `torch.where(x.sum() > 0, x * 2, x - 1)`.",
    ),
    CatalogueEntry(
        "PDT083",
        "two calls are traced to different operators",
        "The tracer gave no warning, and yet the traces of two calls differ: a loop over a size is unrolled, a branch "
        "that no tensor decides was taken once. Each example call is traced from fresh state, and so are calls like "
        "the first one with other values and sizes.",
        "def f(x):\n    for i in range(x.shape[0]):\n        x = x * 2\n    return x\n",
        "Script it, or put the loop or branch into a function under `@torch.jit.script_if_tracing`. Where calls differ "
        "in a flag, `pdt_annotate.merge_traces` makes one module of a trace for each.",
    ),
    CatalogueEntry(
        "PDT084",
        "two calls are traced with different values",
        "The traces of two calls run the same operators on other constants: Python computed a number from what was "
        "passed, and that of the traced call stays.",
        "def f(x):\n    return x * float(x.shape[0])\n",
        "Compute it with tensors: `x.shape[0]` itself is recorded, `int()`, `float()`, `math` and NumPy are not. "
        "Or script it.",
    ),
    CatalogueEntry(
        "PDT085",
        "the same call is traced differently the next time",
        "What a module keeps between calls in Python, such as a counter or a list that it appends to, and what Python "
        "draws at random, is a constant in the trace.",
        "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.calls = 0\n\n"
        "    def forward(self, x):\n        self.calls += 1\n        return x + self.calls\n\n\nf = Net()\n",
        "Keep state in buffers, which a trace changes as eager mode does, and draw with torch; or script it.",
    ),
    CatalogueEntry(
        "PDT086",
        "what is no tensor is baked into the trace",
        "A trace takes tensors and gives tensors. `pdt_annotate.TracingAdapter` lets a model with other arguments and "
        "results be traced; what else was passed, and what else came back, are those of the call that was traced.",
        "def f(x, n: int):\n    return x * n, n + 1\n\n\n# example: f(x, 3)\n",
        "Nothing, where these never change; the adapter's `wrap` refuses others. Where calls differ in a flag, "
        "`pdt_annotate.merge_traces` makes one module of a trace for each; else script it.",
    ),
)
