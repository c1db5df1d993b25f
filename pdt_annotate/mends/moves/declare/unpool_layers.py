"""A layer such as `nn.MaxUnpool2d` becomes one of a subclass, whose annotations the compiler can read.

Torch annotates the sizes as an int or a tuple, and stores tuples. The compiler fails for such a Union, even if no code
calls the layer.

Message: `isIntList() INTERNAL ASSERT FAILED`.
Kind: Exact. Only the name of the class is another.
Needs: A function of the project creates the layer by its class. No code of the project compares this class.
Before:
    def __init__(self):
        super().__init__()
        self.unpool = nn.MaxUnpool2d(2)
After:
    def __init__(self):
        super().__init__()
        self.unpool = _MaxUnpool2d(2)
"""

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import INT_LIST
from pdt_annotate.mends.kit.blocks import helper_at_top
from pdt_annotate.mends.kit.construction import is_compared
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.source.syntax import nodes_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

SIZES = ("kernel_size", "stride", "padding")


def find(site: FunctionContext) -> Iterator[Mend]:
    for dimensions in (1, 2, 3):
        layer = f"MaxUnpool{dimensions}d"
        type_ = f"typing.Tuple[{', '.join(['int'] * dimensions)}]"
        fields = "".join(f"\n    {size}: {type_}" for size in SIZES)
        files = [] if is_compared(site, layer) else filter(site.project.has, sorted(site.project.calling(layer)))
        if edits := [(file, edit) for file in files for edit in _edits(site, file, layer, fields)]:
            yield site.mend(site.node, f"annotate the sizes of `{layer}` as tuples", [], elsewhere=edits)


def _edits(site: FunctionContext, file: str, layer: str, fields: str) -> Iterator[Edit]:
    """The edits of a file that create layers of the subclass, and define it."""
    calls = dict[ast.Call, FunctionContext]()
    for inner in map(site.at, site.project.read(file).functions):
        found = (node for node in nodes_in(inner.node, ast.Call) if inner.meaning(node.func) == f"torch.nn.{layer}")
        calls.update(dict.fromkeys(found, inner))
    for inner in [*calls.values()][:1]:
        name, helper = helper_at_top(inner, f"_{layer}", f"class {{}}(torch.nn.{layer}):{fields}")
        yield from (inner.replace(call.func, name) for call in calls)
        yield from helper


RULE = MendRule("unpool_layers", MendKind.EXACT, said(INT_LIST), find)
