"""`super().forward(x)` becomes the functional form of a layer of torch, or a call of a method with its own name.

Message: `'Tensor' object has no attribute or method 'forward'`, `type cannot be used as a value`.
Kind: exact; frozen for the convolution of a layer, which is written for the padding mode `zeros` and asserts it.
Needs: `super()` of the class itself. A layer of torch that the table knows, as the first base but for mixins without
    such a method. Or one method of the classes of the project that it inherits from, without decorators and without
    variadic parameters; its body moves to a method of another name, which both call.
Before:
    class LayerNorm(nn.LayerNorm):
        def forward(self, x):
            return super().forward(x.float()).type(x.dtype)
After:
    class LayerNorm(nn.LayerNorm):
        def forward(self, x):
            return F.layer_norm(
                x.float(), self.normalized_shape, self.weight, self.bias, self.eps
            ).type(x.dtype)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import FUNCTION_VALUE, NO_METHOD
from pdt_annotate.mends.kit.construction import is_docstring
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import parameters
from pdt_annotate.source.definitions import VARIADIC, Class, ParameterKind, literal_type
from pdt_annotate.source.imports import DefinitionPlace, Relatives
from pdt_annotate.source.syntax import dotted_name, is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

FORMS = {
    "LayerNorm.forward": ("layer_norm", "normalized_shape weight bias eps"),
    "RMSNorm.forward": ("rms_norm", "normalized_shape weight eps"),
    "GroupNorm.forward": ("group_norm", "num_groups weight bias eps"),
    "Linear.forward": ("linear", "weight bias"),
    "Dropout.forward": ("dropout", "p training inplace"),
    "Embedding.forward": ("embedding", "weight padding_idx max_norm norm_type scale_grad_by_freq sparse"),
    "ReLU.forward": ("relu", "inplace"),
    "SiLU.forward": ("silu", "inplace"),
    "LeakyReLU.forward": ("leaky_relu", "negative_slope inplace"),
    "AvgPool1d.forward": ("avg_pool1d", "kernel_size stride padding ceil_mode count_include_pad"),
    "AvgPool2d.forward": (
        "avg_pool2d",
        "kernel_size stride padding ceil_mode count_include_pad divisor_override",
    ),
    **{f"Conv{n}d._conv_forward": (f"conv{n}d", "stride padding dilation groups") for n in (1, 2, 3)},
}
"""By class and method: the function of torch.nn.functional, and the attributes to pass after the arguments."""

NO_IMPORTS: tuple[str, ...] = ()
ARGUMENTS = {"_conv_forward": 3}
OWN = {f"Conv{n}d.forward": "_conv_forward weight bias" for n in (1, 2, 3)}
"""By class and method: the method that gets its argument, and the attributes to pass after it."""


def find(site: FunctionContext) -> Iterator[Mend]:
    cls = site.cls
    for call in ast.walk(site.node) if cls else ():
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        of, method = call.func.value, call.func.attr
        plain = not any(isinstance(arg, ast.Starred) for arg in call.args) and all(k.arg for k in call.keywords)
        if not isinstance(of, ast.Call) or not is_name(of.func, "super") or not plain or cls is None:
            continue
        if not of.args or is_name(of.args[0], cls.node.name):
            base = _layer(site, cls, method)
            yield from (_of_torch(site, call, method, base) if base else []) or _of_project(site, cls, call, method)


def _layer(site: FunctionContext, cls: Class, method: str) -> ast.expr | None:
    """The first base if it is a layer of torch; bases in front of it are classes of the project without the method."""
    relatives = Relatives(site.project.names)
    for base in cls.node.bases:
        if site.meaning(base).startswith("torch.nn."):
            return base
        place = site.project.names.find(site.file, dotted_name(base))
        mixin = site.project.names.class_at(place) if place else None
        if mixin is None or relatives.method(mixin, method):
            break
    return None


def _of_torch(site: FunctionContext, call: ast.Call, method: str, base: ast.expr) -> list[Mend]:
    meant = site.meaning(base)
    name, is_layer = f"{meant.rpartition('.')[2]}.{method}", meant.startswith("torch.nn.")
    if not is_layer or call.keywords or len(call.args) != ARGUMENTS.get(method, 1):
        return []
    own = site.function.receiver
    if name in OWN:
        called, *attributes = OWN[name].split()
        head, imports = f"{own}.{called}", NO_IMPORTS
    elif name in FORMS:
        function, listed = FORMS[name]
        attributes = listed.split()
        head, imports = site.spell(f"torch.nn.functional.{function}")
    else:
        return []
    start, end = site.span(call.args[0])[0], site.span(call.args[-1])[1]
    added = ", ".join(f"{own}.{attribute}" for attribute in attributes)
    edits = [site.replace(call.func, head), Edit(end, f", {added}")]
    kind = MendKind.EXACT
    if method == "_conv_forward":
        kind = MendKind.FROZEN
        first = site.node.body[is_docstring(site.node.body[0])]
        edits.append(site.insert_before(first, f'assert {own}.padding_mode == "zeros"'))
    passed = " ".join(site.text.body[start:end].decode().split())
    summary = f"`super().{method}({passed})` is written as `{head}({passed}, {added})`"
    return [site.mend(RULE.name, kind, call, summary, edits, imports=imports)]


def _of_project(site: FunctionContext, cls: Class, call: ast.Call, method: str) -> Iterator[Mend]:
    resolver = site.project.names
    ancestors = Relatives(resolver).ancestors(cls)
    places = (DefinitionPlace(each.owner.file, f"{each.owner.qualname}.{method}") for each in ancestors)
    inherited, *others = (*filter(None, map(resolver.function_at, places)), None)
    # Python's order of several bases is not worked out here.
    is_ambiguous = len(others) > 1 and any(len(each.node.bases) > 1 for each in (cls, *ancestors))
    if inherited is None or is_ambiguous or not site.project.has(inherited.owner.file) or inherited.decorators:
        return
    kinds = (*VARIADIC, ParameterKind.POSITIONAL_ONLY)
    is_plain = all(p.kind not in kinds and (not p.value or literal_type(p.value)) for p in inherited.parameters)
    names = {node.id for node in ast.walk(inherited.node) if isinstance(node, ast.Name)}
    if not is_plain or names & {"super", "__class__"}:
        return
    new = f"_{inherited.in_class.rpartition('.')[2].lower()}_{method.lstrip('_')}"
    split = _split(site.at(inherited), new)
    if split is None or site.project.mentions(new):
        return
    own = [site.replace(call.func, f"{site.function.receiver}.{new}")]
    summary = f"`super().{method}` is called by a name of its own: `{new}`"
    if inherited.owner.file == site.file:
        yield site.mend(RULE.name, MendKind.EXACT, call, summary, [*own, split])
    else:
        yield site.mend(RULE.name, MendKind.EXACT, call, summary, own, elsewhere={inherited.owner.file: (split,)})


def _split(site: FunctionContext, new: str) -> Edit | None:
    """Splits a method in two: inserts a call of the second, and its header, in front of the body."""
    body = site.node.body[is_docstring(site.node.body[0]) :]
    if not body or body[0].lineno == site.node.lineno:
        return None
    start = site.span(body[0])[0]
    # The header ends with the first colon after all parts that may contain another.
    name, args = site.text.name_start(site.node), site.node.args
    parts = [*parameters(site.node), *args.defaults, *(d for d in args.kw_defaults if d), site.node.returns]
    end = max((site.span(part)[1] for part in parts if part is not None), default=name)
    end = site.text.body.index(b":", end) + 1
    passed = [
        f"{p.arg}={p.arg}" if p in site.node.args.kwonlyargs else p.arg
        for p in parameters(site.node)[1:]
        if isinstance(p, ast.arg)
    ]
    header = "def " + new + site.text.body[site.text.name_end(name) : end].decode()
    outer = site.text.indent(site.text.start(site.node))
    inner = site.text.indent(start)
    call = f"return {site.function.receiver}.{new}({', '.join(passed)})"
    return Edit(start, "\n".join((call, "", outer + header, inner)).replace("\n", site.text.newline))


RULE = MendRule("super_calls", MendKind.EXACT, said(NO_METHOD, FUNCTION_VALUE), find)
