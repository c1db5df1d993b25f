"""In the scripted model, `apply` of an autograd function is replaced by the code of the `forward` of that function.

A saved model cannot call a subclass of `torch.autograd.Function`.

Message: `expected value of type Tensor for return value`. The mend is also made without a message if the model scripts,
    but can be saved only with the mend.
Kind: Scripted. In the scripted model, autograd differentiates the code of `forward`, and the function's own `backward`
    is not used.
Needs:
    - The class is defined in the same file.
    - Its `forward` is a static method, and uses the context `ctx` only to store values.
    - The call of `apply` passes every argument by position.
Before:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * x
            ctx.save_for_backward(x)
            return y

    def f(x):
        return Square.apply(x)
After:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * x
            ctx.save_for_backward(x)
            return y

    def _square_forward(x):
        if torch.jit.is_scripting():
            y = x * x
            return y
        else:
            return Square.apply(x)

    def f(x):
        return _square_forward(x)
"""

from __future__ import annotations

import ast
import copy
import textwrap
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import PYTHON_RESULT
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, blocks, code_of
from pdt_annotate.mends.kit.construction import body_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.source.definitions import Class, Function
from pdt_annotate.source.syntax import dotted_name, is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

FUNCTIONS = ("torch.autograd.Function", "torch.autograd.function.Function")


def find(site: FunctionContext) -> Iterator[Mend]:
    # The names of the module that are such a function's `apply`.
    plain = [s for s in site.module.tree.body if isinstance(s, ast.Assign) and len(s.targets) == 1]
    aliases = {dotted_name(s.targets[0]): dotted_name(s.value) for s in plain}
    for call in (node for node in ast.walk(site.node) if isinstance(node, ast.Call)):
        dotted = dotted_name(call.func)
        meant, _, method = aliases.get(dotted, dotted).rpartition(".")
        cls = site.module.class_named(meant) if method == "apply" else None
        forward = site.module.function_named(f"{meant}.forward") if cls else None
        if cls is None or forward is None or dotted.partition(".")[0] in site.local_names or site.node is forward.node:
            continue
        is_function = any(site.meaning(base) in FUNCTIONS for base in cls.node.bases)
        body = _body(site.at(forward)) if is_function and forward.decorators == ("staticmethod",) else ""
        names = [arg.arg for arg in forward.node.args.args[1:]]
        is_full = len(call.args) == len(names) and not any(isinstance(arg, ast.Starred) for arg in call.args)
        new = f"_{cls.node.name.strip('_').lower()}_forward"
        if body and is_full and not call.keywords and site.node.name != new:
            asked = site.spell(IS_SCRIPTING)
            edits = [site.replace(call.func, new)]
            if site.module.function_named(new) is None:
                edits.append(_helper(site, cls, forward, new, f"    if {asked}():\n{body}"))
            summary, left_out = f"run the code of `{meant}.forward` in the scripted model", f"the backward of `{meant}`"
            yield site.mend(call, summary, edits, left_out=left_out)


def _helper(site: FunctionContext, cls: Class, forward: Function, new: str, body: str) -> Edit:
    args = copy.deepcopy(forward.node.args)
    args.args = args.args[1:]
    passed = ", ".join(arg.arg for arg in args.args)
    otherwise = f"    else:\n        return {cls.node.name}.apply({passed})"
    return site.insert_behind(cls.node, f"\n\ndef {new}({ast.unparse(args)}):\n{body}\n{otherwise}")


def _body(site: FunctionContext) -> str:
    """The statements of a forward without its context, which keeps things; "" if it uses the context otherwise."""
    args = site.node.args
    context = args.args[0].arg if args.args else ""
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return ""
    edits, kept = list[Edit](), {id(node) for node in ast.walk(site.node) if is_name(node, context)}
    for block in blocks(site.node):
        for statement in block:
            value = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
            changed = statement.targets if isinstance(statement, ast.Assign) else [getattr(value, "func", value)]
            if any(isinstance(each, ast.Attribute) and is_name(each.value, context) for each in changed):
                # An assignment that only keeps what calls nothing else, or a call of the context itself.
                calls = [n for n in ast.walk(statement) if isinstance(n, ast.Call) and n is not value]
                if (isinstance(statement, ast.Assign) and (isinstance(value, ast.Call) or calls)) or len(block) == 1:
                    return ""
                edits.append(site.remove(statement))
                kept -= {id(node) for node in ast.walk(statement)}
    body = body_of(site.node)
    code = code_of(site, body, edits) if body and not kept else None
    return textwrap.indent(code or "", " " * 8)


RULE = MendRule("autograd_functions", MendKind.SCRIPTED, quoted(PYTHON_RESULT), find, improves=True)
