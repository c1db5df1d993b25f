"""Numbers and tensors as text; and strings, which are bytes in TorchScript, characters in Python."""

import re
from collections.abc import Iterable, Iterator, Mapping

from pdt_annotate.source.syntax import is_call_of
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.slots import Place
from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify.traps import graph_facts
from pdt_annotate.verify.traps.compiled_view import Compiled, View
from pdt_annotate.verify.traps.value_flow import passed_on

FORMAT, CHARACTERS, METHOD = "PDT115", "PDT116", "PDT117"
BYTES = "TorchScript counts the bytes of a string, and Python its characters; they differ outside ASCII"
SPLIT = "`rsplit()` splits at every space in TorchScript, and at runs of white space in Python; use `split()`"
POPPED = "`popitem` removes the first item in TorchScript, and the last in Python; remove the item by its key"
BECOMES = 'becomes another text in TorchScript than in Python (1.0 is "1.")'
ZEROS = "`zfill` puts zeros before a sign in TorchScript, and behind it in Python"
HASHED = "`hash` returns another number in TorchScript than in Python; compute the number yourself"
FORMATTING = ("aten::format", "aten::str", "aten::percentFormat")
SAID_ONLY = {"prim::Print", "prim::RaiseException", "aten::warn", "aten::__is__", "aten::__isnot__"}
PASSING_TEXT = {"aten::add", "aten::add_", "aten::format", "aten::join", "aten::percentFormat", *graph_facts.PASSING}
SPECIFIED = re.compile(r"\{[^{}]+\}")
# Their text differs: `str(1.0)` is "1." in TorchScript.
OTHERWISE = {"FloatType": "a float", "NumberType": "a number", "TensorType": "a tensor", "ComplexType": "a complex"}
OTHERWISE_IN_LISTS = {"FloatType": "a list of floats", "StringType": "a list of strings"}
# Operators that count bytes, or know only the letters of ASCII.
LETTERS = "ord chr upper lower capitalize title swapcase center ljust rjust"
PARTS = ("aten::len.str", "aten::__getitem__.str", "aten::slice.str", "aten::list.str")
OF_BYTES = frozenset((*PARTS, *(f"aten::{name}" for name in LETTERS.split())))


def find(view: View) -> Iterator[Trap]:
    for function in view.functions:
        for node in function.nodes:
            if graph_facts.operator(node) in OF_BYTES and not all(map(graph_facts.is_constant, node.inputs())):
                yield function.trap(CHARACTERS, BYTES, node, doubtful=True)
        yield from _methods(function)
    formats = [(each, node) for each in view.functions for node in each.nodes if node.kind() in FORMATTING]
    found = [trap for function, node in formats for trap in _formats(function, node)]
    found = _used(found, (graph for each in view.functions for graph in each.graphs))
    yield from _used(found, (graph for _, graph in view.inlined)) if found else ()


def _used(found: list[Trap], within: Iterable[graph_facts.Graph]) -> list[Trap]:
    """The traps of texts that are not only printed, raised or warned of; a text passed to a call counts as used."""
    used: set[Place] = set()
    for graph in within if found else ():
        nodes = list(graph_facts.nodes_of(graph))
        pairs = (pair for node in nodes for pair in passed_on(node))
        merged = grouped((value.unique(), later) for value, later in pairs if later.node().kind() != "prim::Param")
        texts = (node for node in nodes if node.kind() in FORMATTING)
        used |= {graph_facts.place_of(node) for node in texts if not _is_only_said(node.output(), merged, 16)}
    return [trap for trap in found if trap.place in used]


def _formats(function: Compiled, node: graph_facts.Node) -> Iterator[Trap]:
    text, *others = node.inputs() if node.kind() != "aten::str" else (None, *node.inputs())
    pattern = graph_facts.constant(text) if text is not None else None
    bare = pattern.replace("{{", "").replace("}}", "") if isinstance(pattern, str) else ""
    if node.kind() == "aten::format" and SPECIFIED.search(bare):
        unchanged = f"Python applies `{pattern}`, but TorchScript prints it unchanged"
        yield function.trap(FORMAT, f"{unchanged}: it supports only `{{}}`; round first", node)
        return
    for value in others:
        source, kind, of_list = value.node().kind(), graph_facts.kind_of(value), graph_facts.element_kind(value)
        word = OTHERWISE.get(kind) or OTHERWISE_IN_LISTS.get(of_list, "")
        if source in ("prim::dtype", "prim::layout"):
            word = f"a {source.removeprefix('prim::')}, which is a number there,"
        if word:
            yield function.trap(FORMAT, f"{word} {BECOMES}; make the text from integers, or outside the model", node)
            return


def _is_only_said(value: graph_facts.Value, merged: Mapping[int, list[graph_facts.Value]], depth: int) -> bool:
    """Whether a text is only printed, raised or warned of, alone or in another text."""
    if depth == 0:
        return False
    onward = list(merged.get(value.unique(), ()))
    for use in value.uses():
        kind = use.user.kind()
        if kind in PASSING_TEXT:
            onward += use.user.outputs()
        elif kind not in SAID_ONLY and not (kind == "prim::Return" and onward):
            return False
    return all(_is_only_said(each, merged, depth - 1) for each in onward)


def _methods(function: Compiled) -> Iterator[Trap]:
    for node in function.parts:
        if is_call_of(node, "rsplit") and not node.args and not node.keywords:
            yield function.trap(METHOD, SPLIT, node)
        if is_call_of(node, "zfill"):
            yield function.trap(METHOD, ZEROS, node, doubtful=True)
    for node in function.nodes:
        if node.kind() == "aten::popitem":
            yield function.trap(METHOD, POPPED, node)
        if node.kind() == "aten::hash" and graph_facts.kind_of(node.inputsAt(0)) != "IntType":
            yield function.trap(METHOD, HASHED, node)
