"""A context manager of torch as a decorator becomes a `with` statement around the body.

The compiler reads the decorated function in the namespace of torch's wrapper, where the names of the file are unknown.
It does not apply `torch.no_grad()` as a decorator, but it applies the `with` statement.

Message: `undefined value`, `attribute lookup is not defined on python value of type 'TypeVar'`,
    `Unknown type name 'torch.Tensor'`, `@autocast() decorator is not supported`.
Kind: Exact.
Needs:
    - The decorator is the one next to the function. Its arguments are literals, or dtypes and other names of torch.
    - The function is no generator, and no string in its body spans lines.
Before:
    @torch.no_grad()
    def forward(self, x):
        return F.relu(x)
After:
    def forward(self, x):
        with torch.no_grad():
            return F.relu(x)
"""

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import AUTOCAST, IN_WRAPPER, UNDEFINED, UNKNOWN_NAME
from pdt_annotate.mends.kit.blocks import can_be_indented, indent
from pdt_annotate.mends.kit.construction import body_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.source.definitions import literal_type
from pdt_annotate.source.syntax import root_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

CONTEXTS = ("no_grad", "enable_grad", "inference_mode", "set_grad_enabled", "autocast")
SUSPENDED = (ast.Yield, ast.YieldFrom, ast.Await)


def find(site: FunctionContext) -> Iterator[Mend]:
    node = site.node
    body = body_of(node)
    is_plain = isinstance(node, ast.FunctionDef) and not any(isinstance(n, SUSPENDED) for n in ast.walk(node))
    if not node.decorator_list or not body or not is_plain or not site.begins_line(body[0]):
        return
    decorator = node.decorator_list[-1]
    if _is_context(site, decorator) and all(can_be_indented(site, each) for each in body):
        text = site.source(decorator) + "()" * (not isinstance(decorator, ast.Call))
        start, end = (site.text.line_start(line) for line in (decorator.lineno, (decorator.end_lineno or 0) + 1))
        comment = site.text.body[site.span(decorator)[1] : end].decode().strip()
        head = f"with {text}:{'  ' * bool(comment)}{comment}"
        edits = [Edit(start, "", removed=end - start), site.insert_before(body[0], head), *indent(site, *body)]
        yield site.mend(node, f"write the decorator `@{site.source(decorator)}` as `with {text}`", edits)


def _is_context(site: FunctionContext, decorator: ast.expr) -> bool:
    """Whether a decorator is a context manager of torch, and the same one in each call of the function."""
    call = decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
    values = [*call.args, *(each.value for each in call.keywords)]
    are_known = all(literal_type(each) or site.meaning(each).startswith("torch.") for each in values)
    package, _, name = site.meaning(call.func).rpartition(".")
    is_named = package.partition(".")[0] == "torch" and name in CONTEXTS
    return is_named and are_known and root_name(call.func) not in site.local_names


RULE = MendRule("context_decorators", MendKind.EXACT, said(UNDEFINED, UNKNOWN_NAME, IN_WRAPPER, AUTOCAST), find)
