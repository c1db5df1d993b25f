"""A function that is called through its class, such as `Attention.keep`, gets a name of its own in the module.

Message:
    - `attribute lookup is not defined on python value of type 'type'`. The compiler knows module objects, but not
      module classes.
    - Any message in another class whose function is called in this way, because the compiler compiles the entire class.
Kind: Exact.
Needs:
    - The function is a static method, or it has no decorator and the call does not pass `self` to it.
    - Its class is defined at the top level of the file, or imported.
Before:
    class Attention(nn.Module):
        def forward(self, x):
            return Attention.keep(x, 2)

        @staticmethod
        def keep(x, n):
            return x[:n]
After:
    class Attention(nn.Module):
        def forward(self, x):
            return _attention_keep(x, 2)

        @staticmethod
        def keep(x, n):
            return x[:n]


    _attention_keep = Attention.keep
"""

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import CLASS_LOOKUP
from pdt_annotate.mends.kit.blocks import insert_at_top
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, somewhere
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.identifiers import snake_case
from pdt_annotate.source.syntax import dotted_name, is_name, nodes_in
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    way = list(site.way)
    is_lookup = site.failure is not None and CLASS_LOOKUP.is_in(site.failure.message)
    for inner in way:
        called = ((call, _called(inner, call)) for call in nodes_in(inner.node, ast.Call))
        # Of a class of modules, the compiler reads the called function alone.
        refused = (call for call, each in called if each and (is_lookup or each.owner != way[0].function.owner))
        found = grouped((dotted_name(call.func), call) for call in refused)
        roots = {name.partition(".")[0] for name, calls in found.items() if any(map(inner.fails_in, calls))}
        yield from (_mend(inner, name, calls) for name, calls in found.items() if name.partition(".")[0] in roots)


def _called(site: FunctionContext, call: ast.Call) -> Function | None:
    """The function of a class that a call by the name of the class means, if it gets no `self`."""
    name = dotted_name(call.func)
    defined = site.definition(call.func) if name.partition(".")[0] != site.function.receiver else None
    if defined is None or not defined.in_class or not name.endswith(f".{defined.node.name}"):
        return None
    gets_self = bool(call.args) and is_name(call.args[0], site.function.receiver or "self")
    return defined if defined.decorators == ("staticmethod",) or not (defined.decorators or gets_self) else None


def _mend(site: FunctionContext, name: str, calls: list[ast.Call]) -> Mend:
    tree, new = site.module.tree, f"_{snake_case(name)}"
    line = f"{new} = {name}"
    edits = [site.replace(call.func, new) for call in calls]
    if not any(isinstance(each, ast.Assign) and site.source(each) == line for each in tree.body):
        root = name.partition(".")[0]
        defined = next((each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == root), None)
        edits.append(site.insert_behind(defined, f"\n\n{line}") if defined else insert_at_top(site, line))
    return site.mend(calls[0], f"give `{name}` a name in the module", edits)


RULE = MendRule("class_functions", MendKind.EXACT, somewhere, find, sweeps=False)
