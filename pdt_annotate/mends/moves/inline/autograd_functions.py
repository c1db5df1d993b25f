"""In the scripted model, `apply` of an autograd function is replaced by the code of the `forward` of that function.

A saved model cannot call a subclass of `torch.autograd.Function`.

Message: `expected value of type Tensor for return value`, or `type object 'F' has no attribute '__globals__'` for a
    class in the class of the layer. If `forward` is a class method, the compiler reads the class: `Tried to set an
    attribute: `, or any message about `save_for_backward` or torch/autograd/function.py. The mend is also made without
    a message if the model scripts, but can be saved only with the mend.
Kind: Scripted. In the scripted model, autograd differentiates the code of `forward`, and the function's own `backward`
    is not used.
Needs:
    - The class is defined in the same file, at the top or in the class of the layer.
    - Its `forward` is a static method, or a class method that does not use the class. It uses the context `ctx` only to
      store values.
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

import ast
from collections.abc import Iterator, Mapping, Sequence

from pdt_annotate.findings.messages.said import IN_AUTOGRAD, OWN_CLASS, PYTHON_RESULT, SET_ATTRIBUTE
from pdt_annotate.mends.kit.blocks import blocks, code_of, if_scripted, nested
from pdt_annotate.mends.kit.construction import body_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.edit_arguments import signature
from pdt_annotate.source.identifiers import snake_case
from pdt_annotate.source.scopes import defined_in
from pdt_annotate.source.syntax import dotted_name, is_name, nodes_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

CONTEXTS: Mapping[tuple[str, ...], int] = {("staticmethod",): 1, ("classmethod",): 2}
"""By the decorators of a forward, how many of its first parameters no call passes."""

FUNCTIONS = ("torch.autograd.Function", "torch.autograd.function.Function")


def find(site: FunctionContext) -> Iterator[Mend]:
    # The names of the module that are such a function's `apply`.
    bound = [s for s in site.module.tree.body if isinstance(s, ast.Assign)]
    aliases = {t.id: dotted_name(s.value) for s in bound for t in s.targets if isinstance(t, ast.Name)}
    for call in nodes_in(site.node, ast.Call):
        dotted = dotted_name(call.func)
        root, _, last = dotted.partition(".")
        is_own = root == site.function.receiver  # a class in the class of the layer
        known = f"{site.function.in_class}.{last}" if is_own else aliases.get(dotted, dotted)
        meant, _, method = known.rpartition(".")
        cls = site.module.class_named(meant) if method == "apply" else None
        forward = site.module.function_named(f"{meant}.forward") if cls else None
        heirs = site.relatives.heirs(site.cls) if site.cls and is_own else ()
        is_hidden = root in site.local_names and not is_own
        is_hidden |= any(meant.rpartition(".")[2] in defined_in(heir.node.body) for heir in heirs)
        if cls is None or forward is None or is_hidden or site.node is forward.node:
            continue
        is_function = any(site.meaning(base) in FUNCTIONS for base in cls.node.bases)
        parameters = [arg.arg for arg in forward.node.args.args]
        count = CONTEXTS.get(forward.decorators, 0) if is_function else 0
        contexts, names = parameters[:count], parameters[count:]
        body = _body(site.at(forward), contexts) if contexts else ""
        is_full = len(call.args) == len(names) and not any(isinstance(arg, ast.Starred) for arg in call.args)
        new = f"_{snake_case(meant)}_forward"
        if body and is_full and not call.keywords and site.node.name != new:
            edits = [site.replace(call.func, new)]
            if site.module.function_named(new) is None:
                choice = if_scripted(site, body, f"return {meant}.apply({', '.join(names)})")
                text = nested(choice, f"def {new}({signature(forward.node, without=contexts)}):")
                outer = next(
                    each for each in site.module.tree.body if each.lineno <= cls.node.lineno <= (each.end_lineno or 0)
                )
                edits.append(site.insert_behind(outer, f"\n\n{text}"))
            summary, left_out = f"run the code of `{meant}.forward` in the scripted model", f"the backward of `{meant}`"
            yield site.mend(call, summary, edits, left_out=left_out)


def _body(site: FunctionContext, contexts: Sequence[str]) -> str:
    """The statements of a forward without its context, which keeps things; "" if it uses the context otherwise."""
    args, context = site.node.args, contexts[-1]
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return ""
    edits, kept = list[Edit](), {node for node in nodes_in(site.node, ast.Name) if node.id in contexts}
    for block in blocks(site.node):
        for statement in block if len(block) > 1 else ():
            match statement:
                case ast.Assign(targets) if not any(isinstance(node, ast.Call) for node in ast.walk(statement)):
                    changed = targets
                case ast.Expr(ast.Call(method)):
                    changed = [method]
                case _:
                    continue
            if any(isinstance(each, ast.Attribute) and is_name(each.value, context) for each in changed):
                edits.append(site.remove(statement))
                kept.difference_update(ast.walk(statement))
    body = body_of(site.node)
    return (body and not kept and code_of(site, body, edits)) or ""


RULE = MendRule(
    "autograd_functions",
    MendKind.SCRIPTED,
    quoted(PYTHON_RESULT, IN_AUTOGRAD, OWN_CLASS, SET_ATTRIBUTE),
    find,
    improves="the scripted model cannot be saved: it calls Python",
)
