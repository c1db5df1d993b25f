"""Whole numbers have 64 bits in TorchScript, errors in Python become nan, inf or the least number there.

And the dtype of a tensor made of numbers follows the type that the compiler gave these.
"""

import ast
from collections.abc import Iterator

from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify.traps import graph_facts
from pdt_annotate.verify.traps.compiled_view import Compiled, View
from pdt_annotate.verify.traps.value_flow import CLASS, MAKING, WIDE, dtype_of, showing

WHOLE, ODD, DTYPE = "PDT120", "PDT121", "PDT118"
BIT_64 = "integers have 64 bits in TorchScript, and no limit in Python"
KEEP_SMALL = f"{BIT_64}; keep the integer small with `%` or `&` in each step, or compute it in Python"
POWER = "in TorchScript, a power of integers is a float, which is exact only up to 2**53; multiply instead"
HUGE = "`int` of a float of 2**63 or more is exact in Python, and -2**63 in TorchScript"
INT_OF_ODD = "`int` of nan or inf raises in Python, and returns -2**63 in TorchScript; test the float first"
UNTESTED = "TorchScript returns nan or inf for arguments for which Python's math raises; test the argument first"
BY_ZERO = "a division of floats by zero raises in Python, and returns nan or inf in TorchScript; test the divisor first"
BOOLS = "`torch.full` of a bool makes a bool tensor in Python, and an int64 tensor in TorchScript"
FLOATS = "TorchScript converts an int to a float here, so its result is a float tensor, and Python's an integer tensor"
CHOICE = "of an int and a float is always a float in TorchScript, but may be the int in Python; make both floats"

# Functions of math, also `**`, that raise for some numbers.
RAISING = "sqrt log log2 log10 log1p exp expm1 acos asin acosh atanh fmod gamma lgamma sinh cosh sin cos tan pow"
MATH = frozenset(f"aten::{name}" for name in RAISING.split())
DIVIDING = ("aten::div", "aten::floordiv", "aten::remainder", "aten::fmod")
USUAL = 2**15
SIZES = ("aten::size", "aten::len", "aten::__getitem__")
KEPT_SMALL = ("aten::remainder", "aten::__and__", "prim::min")


def find(view: View) -> Iterator[Trap]:
    for entry, graph in view.inlined:  # at the same place, sure traps go before doubtful ones
        # Whole numbers that are made of a float argument, and show by themselves: Python refuses large sizes.
        given = {each.unique() for each in graph.inputs() if graph_facts.kind_of(each) == "FloatType"}
        nodes = graph_facts.nodes_of(graph) if given else ()
        made = [node for node in nodes if graph_facts.operator(node) == "aten::Int.float"]
        for node in showing(graph, [each for each in made if _is_scaled(each.inputsAt(0), given)], WIDE):
            yield entry.trap(ODD, f"{HUGE}: {BIT_64}; test the float first", node)
    for function in view.functions:
        for node in function.nodes:
            yield from _whole(function, node)
            yield from _odd(function, node)


def _whole(function: Compiled, node: graph_facts.Node) -> Iterator[Trap]:
    name, inputs = graph_facts.operator(node), list(node.inputs())
    is_shift = name == "aten::__lshift__.int"
    may_grow = (is_shift or name in ("aten::__rshift__.int", "aten::mul.int")) and not any(map(_is_known, inputs))
    if name == "prim::Loop":
        yield from _growing(function, node)
    elif name == "aten::factorial.int":
        yield function.trap(WHOLE, f"`factorial`: {BIT_64}; look the value up in a table", node)
    elif may_grow or (is_shift and not graph_facts.is_constant(inputs[1])):
        yield function.trap(WHOLE, KEEP_SMALL, node, doubtful=True)
    elif name in ("aten::pow.int", "aten::pow.int_to_int"):
        yield function.trap(WHOLE, POWER, node, doubtful=True)


def _growing(function: Compiled, loop: graph_facts.Node) -> Iterator[Trap]:
    message = f"a number that grows in a loop: {KEEP_SMALL}"
    block = next(iter(loop.blocks()))
    counter, *before = block.inputs()
    _, *after = block.outputs()
    numbers = [each for each in before if graph_facts.kind_of(each) == "IntType"]
    carried = {each.unique() for each in before}
    for total in (each.node() for each in after):  # of two numbers of the turn before, as in Fibonacci's
        is_sum = graph_facts.operator(total) == "aten::add.int"
        if is_sum and carried.issuperset(each.unique() for each in total.inputs()):
            yield function.trap(WHOLE, message, total, doubtful=True)
    for value, end in zip(before, after, strict=True):
        for factor in _products(end, value, 12) if graph_facts.kind_of(value) == "IntType" else ():
            # Sure if the growth depends on the turns alone: it is multiplied by a constant, or counts up.
            is_sure = all(
                _counts(each, counter) or any(_is_from(each, number, 6) for number in numbers)
                for each in factor.inputs()
            )
            yield function.trap(WHOLE, message, factor, doubtful=not is_sure)


def _is_known(value: graph_facts.Value) -> bool:
    """Whether a number is in the source, or the size of something."""
    return graph_facts.is_constant(value) or value.node().kind() in SIZES


def _products(value: graph_facts.Value, carried: graph_facts.Value, depth: int) -> Iterator[graph_facts.Node]:
    """The products that make a whole number from that of the turn before."""
    node = value.node()
    if depth == 0 or not node.kind().startswith("aten::") or graph_facts.kind_of(value) != "IntType":
        return
    inputs = list(node.inputs())
    if node.kind() in ("aten::mul", "aten::__lshift__") and any(_is_from(each, carried, 6) for each in inputs):
        yield node
        return
    limit = graph_facts.constant(inputs[-1]) if node.kind() in KEPT_SMALL else None
    for product in (product for each in inputs for product in _products(each, carried, depth - 1)):
        # A product of a number below a limit fits into 64 bits; a factor that is no constant counts as usual.
        factors = (graph_facts.constant(each) for each in product.inputs())
        factor = next((abs(each) for each in factors if isinstance(each, int)), USUAL)
        if not (isinstance(limit, int) and abs(limit) * factor < 2**63):
            yield product


def _is_from(value: graph_facts.Value, carried: graph_facts.Value, depth: int) -> bool:
    """Whether a number is made from that of the turn before."""
    if value.unique() == carried.unique() or depth == 0:
        return depth > 0
    node = value.node()
    is_made = node.kind().startswith("aten::") and graph_facts.kind_of(value) == "IntType"
    return is_made and any(_is_from(each, carried, depth - 1) for each in node.inputs())


def _counts(value: graph_facts.Value, counter: graph_facts.Value) -> bool:
    known = graph_facts.constant(value)
    if isinstance(known, int):
        return known >= 16  # strides that double, and digits, end before long
    node = value.node()
    inputs = node.inputs() if node.kind() in ("aten::add", "aten::sub", "aten::__derive_index") else ()
    return any(each.unique() == counter.unique() for each in (value, *inputs))


def _is_scaled(value: graph_facts.Value, given: set[int], depth: int = 6) -> bool:
    """Whether a number is an argument, or an argument multiplied, divided or moved."""
    node = value.node()
    is_made = node.kind() in ("aten::mul", "aten::div", "aten::add", "aten::sub") and depth > 0
    return value.unique() in given or (is_made and any(_is_scaled(each, given, depth - 1) for each in node.inputs()))


def _odd(function: Compiled, node: graph_facts.Node) -> Iterator[Trap]:
    name, inputs = graph_facts.operator(node), list(node.inputs())
    kinds = {graph_facts.kind_of(value) for value in inputs}
    if not name.startswith("aten::") or not kinds <= {"FloatType", "IntType", "NumberType"}:
        return
    if name in ("aten::Int.float", "aten::Int.Scalar"):
        yield function.trap(ODD, INT_OF_ODD, node, doubtful=True)
    elif node.kind() in MATH and not all(map(graph_facts.is_constant, inputs)):
        yield function.trap(ODD, UNTESTED, node, doubtful=True)
    elif node.kind() in DIVIDING and not _is_known(inputs[-1]):
        yield function.trap(ODD, BY_ZERO, node, doubtful=True)


def find_dtypes(view: View) -> Iterator[Trap]:
    for function in view.functions:
        for node in function.calls.get("full", ()):
            named = {each.arg: each.value for each in node.keywords}
            value = named.get("fill_value", node.args[1] if len(node.args) > 1 else None)
            is_bool = isinstance(value, ast.Constant) and isinstance(value.value, bool)
            if is_bool and named.keys().isdisjoint(("dtype", "out")):
                yield function.trap(DTYPE, f"{BOOLS}; pass `dtype=torch.bool`", node)
        yield from _whole_floats(function)
    for entry, graph in view.inlined:
        # The smaller or larger of an int and a float, if it shows that Python leaves the int an int.
        chosen = (node for node in graph_facts.nodes_of(graph) if node.kind() in ("prim::min", "prim::max"))
        mixed = [node for node in chosen if set(map(graph_facts.kind_of, node.inputs())) == {"IntType", "FloatType"}]
        for node in showing(graph, mixed, CLASS):
            yield entry.trap(DTYPE, f"`{node.kind().removeprefix('prim::')}` {CHOICE}: `float(n)`", node)


def _whole_floats(function: Compiled) -> Iterator[Trap]:
    """A float argument for which Python may pass a whole number: a tensor of it has another dtype then."""
    taken = [value for graph in function.graphs for value in graph.inputs()] if function.entry else []
    kinds = ((each, graph_facts.kind_of(each), graph_facts.element_kind(each)) for each in taken)
    given = {each.unique() for each, *kind in kinds if "FloatType" in kind}
    for node in function.nodes if given else ():
        if node.kind() not in MAKING and graph_facts.operator(node) != "aten::sum.float":
            continue
        listed = [value.node() for value in node.inputs() if value.node().kind() == "prim::ListConstruct"]
        sources = (value for each in (node, *listed) for value in each.inputs())
        if dtype_of(node) is None and any(value.unique() in given for value in sources):
            yield function.trap(DTYPE, f"{FLOATS}; pass `dtype=`, or convert with `float()`", node, doubtful=True)
