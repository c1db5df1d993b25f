"""A class that `namedtuple` makes in a function is made once, in the module.

Message: `Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults`, in
    `collections`.
Kind: exact.
Needs: `collections.namedtuple` of a name and fields that are written out; it is called where it is made, or is a local
    that is bound once and only called later.
Before:
    def forward(self, x):
        outputs = namedtuple("Outputs", ["first", "last"])
        return outputs(x, self.layer(x))
After:
    Outputs = namedtuple("Outputs", ["first", "last"])

    def forward(self, x):
        return Outputs(x, self.layer(x))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import VARIABLE_ARGUMENTS
from pdt_annotate.mends.kit.blocks import insert_at_top
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import loads, stores
from pdt_annotate.source.syntax import called_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

NAMEDTUPLE = "collections.namedtuple"


def find(site: FunctionContext) -> Iterator[Mend]:
    if "<locals>" in site.function.owner.qualname:
        return
    calls = [node for node in ast.walk(site.node) if isinstance(node, ast.Call) and _is_plain(site, node)]
    for call in calls:
        typename = ast.literal_eval(call.args[0])
        name = site.free_name(typename)
        parent = site.parents[call]
        is_called = isinstance(parent, ast.Call) and parent.func is call
        edits = [site.replace(call, name)] if is_called else _local(site, call, name)
        if edits and name == typename and _is_first(site, call):
            summary = f"the named tuple `{name}` is made in the module"
            made = insert_at_top(site, f"{name} = {site.source(call)}")
            yield site.mend(RULE.name, MendKind.EXACT, call, summary, [made, *edits])


def _is_plain(site: FunctionContext, call: ast.Call) -> bool:
    if site.meaning(call.func) != NAMEDTUPLE or call.keywords or len(call.args) != 2 or not site.is_entered():
        return False
    first = ast.unparse(call.func).partition(".")[0]
    imports = (
        n for n in site.module.tree.body if isinstance(n, (ast.Import, ast.ImportFrom)) and n.lineno < call.lineno
    )
    is_imported = any(first == (alias.asname or alias.name) for each in imports for alias in each.names)
    parts = [part for arg in call.args for part in (arg.elts if isinstance(arg, (ast.List, ast.Tuple)) else [arg])]
    is_written_out = all(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in parts)
    return is_imported and "\n" not in site.source(call) and is_written_out


def _is_first(site: FunctionContext, call: ast.Call) -> bool:
    """Whether no other class of this name is made before it in the file."""
    named = ast.unparse(call.args[0])
    calls = (node for node in ast.walk(site.module.tree) if isinstance(node, ast.Call) and len(node.args) == 2)
    alike = (node for node in calls if called_name(node) == called_name(call) and ast.unparse(node.args[0]) == named)
    return min(site.span(node) for node in alike) == site.span(call)


def _local(site: FunctionContext, call: ast.Call, name: str) -> list[Edit]:
    """Removes the local; no edits if it is used for more than calls."""
    made = site.parents[call]
    if not isinstance(made, ast.Assign) or len(made.targets) != 1 or made not in site.node.body:
        return []
    target = made.targets[0]
    if not isinstance(target, ast.Name) or len(stores(site.node, target.id)) != 1:
        return []
    uses = loads(site.node, target.id)
    calls = (site.parents[use] for use in uses)
    is_called = all(isinstance(each, ast.Call) and each.func in uses and each.lineno > made.lineno for each in calls)
    return [site.remove(made), *(site.replace(use, name) for use in uses)] if uses and is_called else []


RULE = MendRule("inner_tuples", MendKind.EXACT, said(VARIABLE_ARGUMENTS), find)
