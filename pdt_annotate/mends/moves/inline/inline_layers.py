"""A layer without weights that is made where it is called becomes the function that it calls.

Message: `Cannot instantiate class`, or `does not have an __init__ function defined`.
Kind: exact.
Needs: a class of `torch.nn` with neither weights nor buffers; arguments that only ask for sizes.
Before:
    x = nn.LeakyReLU(0.2)(x)
    x = nn.Dropout(0.1)(x)
After:
    x = F.leaky_relu(x, negative_slope=0.2)
    x = F.dropout(x, p=0.1, training=True)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import NO_INSTANCE
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import is_plain
from pdt_annotate.source.syntax import called_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind


@dataclass(frozen=True)
class Functional:
    """The function that a class of layers calls.

    Args:
        name: the function.
        parameters: those of the constructor, in order; the function has them by the same names.
        always: an argument that the layer passes in addition, or if it is left out.
        inputs: the number of inputs.
    """

    name: str
    parameters: tuple[str, ...] = ()
    always: str = ""
    inputs: int = 1


def _functional(name: str, parameters: str = "", always: str = "", inputs: int = 1) -> Functional:
    return Functional(f"torch.nn.functional.{name}", tuple(parameters.split()), always, inputs)


FUNCTIONS: Mapping[str, Functional] = {
    "ReLU": _functional("relu", "inplace"),
    "ReLU6": _functional("relu6", "inplace"),
    "SiLU": _functional("silu", "inplace"),
    "Mish": _functional("mish", "inplace"),
    "SELU": _functional("selu", "inplace"),
    "ELU": _functional("elu", "alpha inplace"),
    "CELU": _functional("celu", "alpha inplace"),
    "LeakyReLU": _functional("leaky_relu", "negative_slope inplace"),
    "Hardtanh": _functional("hardtanh", "min_val max_val inplace"),
    "Hardswish": _functional("hardswish", "inplace"),
    "Hardsigmoid": _functional("hardsigmoid", "inplace"),
    "GELU": _functional("gelu", "approximate"),
    "Softplus": _functional("softplus", "beta threshold"),
    "Softsign": _functional("softsign"),
    "LogSigmoid": _functional("logsigmoid"),
    "Hardshrink": _functional("hardshrink", "lambd"),
    "Softshrink": _functional("softshrink", "lambd"),
    "Softmin": _functional("softmin", "dim"),
    "GLU": _functional("glu", "dim"),
    "Softmax2d": _functional("softmax", always="dim=-3"),
    "Sigmoid": Functional("torch.sigmoid"),
    "Tanh": Functional("torch.tanh"),
    "Softmax": _functional("softmax", "dim"),
    "LogSoftmax": _functional("log_softmax", "dim"),
    **{f"Dropout{n}": _functional(f"dropout{n}", "p inplace", "training=True") for n in ("", "1d", "2d", "3d")},
    "Flatten": Functional("torch.flatten", ("start_dim", "end_dim"), "start_dim=1"),
    "Upsample": _functional("interpolate", "size scale_factor mode align_corners recompute_scale_factor"),
    "UpsamplingNearest2d": _functional("interpolate", "size scale_factor", "mode='nearest'"),
    "UpsamplingBilinear2d": _functional("interpolate", "size scale_factor", "mode='bilinear', align_corners=True"),
    "PixelShuffle": _functional("pixel_shuffle", "upscale_factor"),
    "PixelUnshuffle": _functional("pixel_unshuffle", "downscale_factor"),
    **{f"ZeroPad{n}d": _functional("pad", "padding") for n in (1, 2, 3)},
    **{f"ConstantPad{n}d": _functional("pad", "padding value") for n in (1, 2, 3)},
    **{f"ReflectionPad{n}d": _functional("pad", "padding", "mode='reflect'") for n in (1, 2, 3)},
    **{f"ReplicationPad{n}d": _functional("pad", "padding", "mode='replicate'") for n in (1, 2, 3)},
    "Unfold": _functional("unfold", "kernel_size dilation padding stride"),
    "Fold": _functional("fold", "output_size kernel_size dilation padding stride"),
    **{
        f"{pool}Pool{n}d": _functional(f"{pool.lower()}_pool{n}d", f"kernel_size stride padding {rest}")
        for n in (1, 2, 3)
        for pool, rest in (
            ("Max", "dilation return_indices ceil_mode"),
            ("Avg", "ceil_mode count_include_pad" + " divisor_override" * (n > 1)),
        )
    },
    **{
        f"Adaptive{pool}Pool{n}d": _functional(f"adaptive_{pool.lower()}_pool{n}d", "output_size")
        for n in (1, 2, 3)
        for pool in ("Avg", "Max")
    },
    "CosineSimilarity": _functional("cosine_similarity", "dim eps", inputs=2),
    "PairwiseDistance": _functional("pairwise_distance", "p eps keepdim", inputs=2),
    **{
        f"{name}Loss": _functional(function, f"size_average reduce reduction {more}", inputs=2)
        for name, function, more in (
            ("MSE", "mse_loss", ""),
            ("L1", "l1_loss", ""),
            ("SmoothL1", "smooth_l1_loss", "beta"),
            ("KLDiv", "kl_div", "log_target"),
            ("SoftMargin", "soft_margin_loss", ""),
        )
    },
    **{
        f"{name}Loss": _functional(function, f"weight size_average {more}", inputs=2)
        for name, function, more in (
            ("BCE", "binary_cross_entropy", "reduce reduction"),
            ("BCEWithLogits", "binary_cross_entropy_with_logits", "reduce reduction pos_weight"),
            ("NLL", "nll_loss", "ignore_index reduce reduction"),
            ("CrossEntropy", "cross_entropy", "ignore_index reduce reduction label_smoothing"),
        )
    },
}

PAD = "torch.nn.functional.pad"
ASKING = ("size", "dim", "int", "float", "len", "tuple", "list", "max", "min", "round", "abs")
"""Functions that change nothing, for the arguments of a layer."""
# Of a layer in a local: no call between the two changes it, if no name in it is bound in the function.
PLAIN = (ast.keyword, ast.Constant, ast.UnaryOp, ast.unaryop, ast.Tuple, ast.Name, ast.expr_context)


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Call):
            edit = _called(site, node, node.func)
            if edit is not None:
                edits, imports = edit
                summary = f"call the function that `{site.source(node.func)}` stands for"
                yield site.mend(RULE.name, MendKind.EXACT, node, summary, edits, imports=imports)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.targets) == 1:
            yield from _mend_named(site, node, node.value)


def _mend_named(site: FunctionContext, made: ast.Assign, layer: ast.Call) -> Iterator[Mend]:
    """`act = nn.ReLU()`, if the function only calls it."""
    name = made.targets[0].id if isinstance(made.targets[0], ast.Name) else ""
    named = [n for n in ast.walk(site.node) if isinstance(n, ast.Name) and n.id == name and n is not made.targets[0]]
    calls = [n for n in ast.walk(site.node) if isinstance(n, ast.Call) and n.func in named and n.lineno > made.lineno]
    parts = [part for value in (*layer.args, *layer.keywords) for part in ast.walk(value)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    is_plain = all(isinstance(part, PLAIN) for part in parts) and not names & site.stored_names
    found = [_called(site, call, layer) for call in calls]
    if not name or not calls or len(calls) != len(named) or not is_plain or None in found or made not in site.node.body:
        return
    edits = [site.remove(made), *(edit for each in found if each for edit in each[0])]
    imports = [name for each in found if each for name in each[1]]
    summary = f"call the function that `{site.source(layer)}` stands for"
    yield site.mend(RULE.name, MendKind.EXACT, made, summary, edits, imports=imports)


def _called(site: FunctionContext, call: ast.Call, layer: ast.Call) -> tuple[list[Edit], tuple[str, ...]] | None:
    """The call of a function in place of a call of a layer; None if the layer is not a known one."""
    meant = site.meaning(layer.func)
    function = FUNCTIONS.get(meant.rpartition(".")[2]) if meant.rpartition(".")[0] == "torch.nn" else None
    if function is None or len(call.args) != function.inputs or call.keywords:
        return None
    given = dict(zip(function.parameters, layer.args, strict=False))
    given |= {keyword.arg or "": keyword.value for keyword in layer.keywords}
    is_known = set(given) <= set(function.parameters) and len(given) == len(layer.args) + len(layer.keywords)
    parts = [node for value in given.values() for node in ast.walk(value)]
    calls = (node for node in parts if isinstance(node, ast.Call))
    runs = any(called_name(node) not in ASKING for node in calls)
    if not is_known or runs or any(isinstance(node, (ast.Starred, ast.NamedExpr)) for node in (*parts, *call.args)):
        return None
    settings = [f"{name}={site.source(value)}" for name, value in given.items()]
    if function.name == PAD:
        padding = _padding(site, given["padding"], 2 * int(meant[-2])) if "padding" in given else ""
        if not padding:
            return None
        settings = [padding, *(each for each in settings if not each.startswith("padding="))]
    always = function.always.partition("=")[0]
    if always and always not in given:
        settings.append(function.always)
    spelled, imports = site.spell(function.name)
    passed = ", ".join([*(site.source(arg) for arg in call.args), *settings])
    return [site.replace(call, f"{spelled}({passed})")], imports


def _padding(site: FunctionContext, value: ast.expr, sides: int) -> str:
    """The widths for the function, which takes one for each side; "" if they are not known."""
    if is_plain(value) and site.is_always(value, "int"):
        return f"({', '.join([site.source(value)] * sides)})"
    is_tuple = isinstance(value, ast.Tuple) or site.is_always(value, "tuple[int]")
    return site.source(value) if is_tuple else ""


RULE = MendRule("inline_layers", MendKind.EXACT, quoted(NO_INSTANCE), find)
