"""A layer without parameters that is created during a call is replaced by the equivalent function of torch.

Message: `Cannot instantiate class`, or `does not have an __init__ function defined`.
Kind: Exact.
Needs:
    - The layer is an activation, a pool, a loss or another layer of `torch.nn` that has no parameters.
    - If a local variable holds the layer, code only calls this variable, after the assignment and in the same block.
      Arguments of the layer that may change before this call are stored in local variables.
Before:
    x = nn.LeakyReLU(0.2)(x)
    loss = nn.BCEWithLogitsLoss(pos_weight=(1 - x).sum() / x.sum())
    x = nn.Dropout(0.1)(loss(x, x))
After:
    x = F.leaky_relu(x, negative_slope=0.2)
    loss_pos_weight = (1 - x).sum() / x.sum()
    x = F.dropout(F.binary_cross_entropy_with_logits(x, x, pos_weight=loss_pos_weight), p=0.1, training=True)
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import NO_INSTANCE
from pdt_annotate.mends.kit.blocks import bound_until, calls_of_local
from pdt_annotate.mends.kit.construction import is_set_later
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import is_plain
from pdt_annotate.source.syntax import called_name, nodes_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind


@dataclass(frozen=True)
class Functional:
    """The function that a class of layers calls.

    Args:
        name: the function of `torch.nn.functional`, or the dotted name of another.
        parameters: those of the constructor, in order; the function has them by the same names.
        always: an argument that the layer passes in addition, or if it is left out.
        inputs: the number of inputs.
    """

    name: str
    parameters: str = ""
    always: str = ""
    inputs: int = 1


FUNCTIONS: Mapping[str, Functional] = {
    **{
        name: Functional(name.lower(), parameters)
        for parameters, names in (
            ("", "Softsign LogSigmoid"),
            ("inplace", "ReLU ReLU6 SiLU Mish SELU Hardswish Hardsigmoid"),
            ("alpha inplace", "ELU CELU"),
            ("lambd", "Hardshrink Softshrink"),
            ("dim", "Softmax Softmin GLU"),
            ("min_val max_val inplace", "Hardtanh"),
            ("approximate", "GELU"),
            ("beta threshold", "Softplus"),
            ("threshold value inplace", "Threshold"),
        )
        for name in names.split()
    },
    "LeakyReLU": Functional("leaky_relu", "negative_slope inplace"),
    "RReLU": Functional("rrelu", "lower upper inplace", "training=True"),
    "Softmax2d": Functional("softmax", always="dim=-3"),
    "Sigmoid": Functional("torch.sigmoid"),
    "Tanh": Functional("torch.tanh"),
    "LogSoftmax": Functional("log_softmax", "dim"),
    **{f"Dropout{n}": Functional(f"dropout{n}", "p inplace", "training=True") for n in ("", "1d", "2d", "3d")},
    "AlphaDropout": Functional("alpha_dropout", "p inplace", "training=True"),
    "FeatureAlphaDropout": Functional("feature_alpha_dropout", "p inplace", "training=True"),
    "Flatten": Functional("torch.flatten", "start_dim end_dim", "start_dim=1"),
    "Upsample": Functional("interpolate", "size scale_factor mode align_corners recompute_scale_factor"),
    "UpsamplingNearest2d": Functional("interpolate", "size scale_factor", "mode='nearest'"),
    "UpsamplingBilinear2d": Functional("interpolate", "size scale_factor", "mode='bilinear', align_corners=True"),
    "PixelShuffle": Functional("pixel_shuffle", "upscale_factor"),
    "PixelUnshuffle": Functional("pixel_unshuffle", "downscale_factor"),
    "ChannelShuffle": Functional("channel_shuffle", "groups"),
    "LocalResponseNorm": Functional("local_response_norm", "size alpha beta k"),
    **{f"ZeroPad{n}d": Functional("pad", "padding") for n in (1, 2, 3)},
    **{f"ConstantPad{n}d": Functional("pad", "padding value") for n in (1, 2, 3)},
    **{f"ReflectionPad{n}d": Functional("pad", "padding", "mode='reflect'") for n in (1, 2, 3)},
    **{f"ReplicationPad{n}d": Functional("pad", "padding", "mode='replicate'") for n in (1, 2, 3)},
    **{f"CircularPad{n}d": Functional("pad", "padding", "mode='circular'") for n in (1, 2, 3)},
    "Unfold": Functional("unfold", "kernel_size dilation padding stride"),
    "Fold": Functional("fold", "output_size kernel_size dilation padding stride"),
    **{
        f"{pool}Pool{n}d": Functional(f"{pool.lower()}_pool{n}d", f"kernel_size stride padding {rest}")
        for n in (1, 2, 3)
        for pool, rest in (
            ("Max", "dilation return_indices ceil_mode"),
            ("Avg", "ceil_mode count_include_pad" + " divisor_override" * (n > 1)),
        )
    },
    **{f"LPPool{n}d": Functional(f"lp_pool{n}d", "norm_type kernel_size stride ceil_mode") for n in (1, 2, 3)},
    **{
        f"Adaptive{pool}Pool{n}d": Functional(f"adaptive_{pool.lower()}_pool{n}d", "output_size")
        for n in (1, 2, 3)
        for pool in ("Avg", "Max")
    },
    "CosineSimilarity": Functional("cosine_similarity", "dim eps", inputs=2),
    "PairwiseDistance": Functional("pairwise_distance", "p eps keepdim", inputs=2),
    **{
        f"{name}Loss": Functional(
            function, parameters.replace("AVERAGED", "size_average reduce reduction"), inputs=inputs
        )
        for name, function, parameters, inputs in (
            ("MSE", "mse_loss", "AVERAGED", 2),
            ("L1", "l1_loss", "AVERAGED", 2),
            ("SmoothL1", "smooth_l1_loss", "AVERAGED beta", 2),
            ("Huber", "huber_loss", "reduction delta", 2),
            ("KLDiv", "kl_div", "AVERAGED log_target", 2),
            ("SoftMargin", "soft_margin_loss", "AVERAGED", 2),
            ("HingeEmbedding", "hinge_embedding_loss", "margin AVERAGED", 2),
            ("MultiLabelMargin", "multilabel_margin_loss", "AVERAGED", 2),
            ("MultiLabelSoftMargin", "multilabel_soft_margin_loss", "weight AVERAGED", 2),
            ("MultiMargin", "multi_margin_loss", "p margin weight AVERAGED", 2),
            ("BCE", "binary_cross_entropy", "weight AVERAGED", 2),
            ("BCEWithLogits", "binary_cross_entropy_with_logits", "weight AVERAGED pos_weight", 2),
            ("NLL", "nll_loss", "weight size_average ignore_index reduce reduction", 2),
            ("CrossEntropy", "cross_entropy", "weight size_average ignore_index reduce reduction label_smoothing", 2),
            ("PoissonNLL", "poisson_nll_loss", "log_input full size_average eps reduce reduction", 2),
            ("CosineEmbedding", "cosine_embedding_loss", "margin AVERAGED", 3),
            ("MarginRanking", "margin_ranking_loss", "margin AVERAGED", 3),
            ("TripletMargin", "triplet_margin_loss", "margin p eps swap AVERAGED", 3),
            ("CTC", "ctc_loss", "blank reduction zero_infinity", 4),
        )
    },
}

ASKING = ("size", "dim", "int", "float", "len", "tuple", "list", "max", "min", "round", "abs")
"""Functions that change nothing, for the arguments of a layer."""
TENSORS = frozenset(("weight", "pos_weight"))  # arguments that `to` moves with the layer


@dataclass(frozen=True)
class _Layer:
    """A layer as an expression makes it: the class, its function, and its arguments by parameter."""

    cls: str
    function: Functional
    given: Mapping[str, ast.expr]


def find(site: FunctionContext) -> Iterator[Mend]:
    made: dict[str, list[ast.Assign]] = defaultdict(list)
    for node in ast.walk(site.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and (layer := _layer(site, node.func)):
            # The arguments of the layer are evaluated before the inputs, those of the function after them.
            calls = (part for value in layer.given.values() for part in nodes_in(value, ast.Call))
            runs = any(called_name(each) not in ASKING for each in calls) and not all(map(is_plain, node.args))
            written = _called(site, node, layer, {name: site.source(value) for name, value in layer.given.items()})
            if written and not runs:
                yield _mend(site, node, node.func, [written])
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            made[node.targets[0].id].append(node)
    for name, settings in made.items():
        yield from _mend_named(site, name, settings)


def _mend(site: FunctionContext, at: ast.AST, layer: ast.expr, edits: list[Edit]) -> Mend:
    return site.mend(at, f"call the function of torch instead of `{site.source(layer)}`", edits)


def _mend_named(site: FunctionContext, name: str, made: list[ast.Assign]) -> Iterator[Mend]:
    """`act = nn.ReLU()`, if the function only calls it, each time in the block of an assignment and after it."""
    for setting, calls in calls_of_local(site, name, *made).items():
        layer, bound = _layer(site, setting.value), bound_until(site, setting, calls)
        if layer is None:
            continue
        texts = {parameter: site.source(value) for parameter, value in layer.given.items()}
        late = [parameter for parameter, value in layer.given.items() if not _stays(site, value, bound)]
        names = {parameter: site.local_name(f"{name}_{parameter}") for parameter in late}
        edits = [_called(site, call, layer, {**texts, **names}) for call in calls]
        if None not in edits:
            lines = "\n".join(f"{local} = {texts[parameter]}" for parameter, local in names.items())
            kept = site.replace(setting, lines) if lines else site.remove(setting)
            yield _mend(site, setting, setting.value, [kept, *filter(None, edits)])


def _stays(site: FunctionContext, value: ast.expr, bound: Set[str]) -> bool:
    """Whether an argument has the same value later: a display of constants, of names and of settings of the object."""
    match value:
        case ast.Tuple(elts=parts):
            return all(_stays(site, each, bound) for each in parts)
        case ast.UnaryOp(operand=operand):
            return _stays(site, operand, bound)
        case ast.Name(name):
            return name not in bound
    attribute = site.self_attribute(value)
    is_setting = attribute and not is_set_later(site, attribute) and not site.held(attribute).changes
    return isinstance(value, ast.Constant) or bool(is_setting)


def _layer(site: FunctionContext, node: ast.expr) -> _Layer | None:
    """The layer that an expression makes; None if it is not one of the table, or if its arguments are not known."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("to", "cuda"):
        moved, where = _layer(site, node.func.value), [*node.args, *(keyword.value for keyword in node.keywords)]
        return moved if moved and all(map(is_plain, where)) and TENSORS.isdisjoint(moved.given) else None
    path, _, cls = site.meaning(node.func).rpartition(".")
    function = FUNCTIONS.get(cls) if path == "torch.nn" else None
    if function is None:
        return None
    parameters = function.parameters.split()
    given = dict(zip(parameters, node.args, strict=False))
    given |= {keyword.arg or "": keyword.value for keyword in node.keywords}
    is_known = set(given) <= set(parameters) and len(given) == len(node.args) + len(node.keywords)
    return _Layer(cls, function, given) if is_known and _can_be_moved(given.values()) else None


def _can_be_moved(values: Iterable[ast.expr]) -> bool:
    return not any(isinstance(part, (ast.Starred, ast.NamedExpr)) for each in values for part in ast.walk(each))


def _called(site: FunctionContext, call: ast.Call, layer: _Layer, texts: Mapping[str, str]) -> Edit | None:
    """The call of a function in place of a call of a layer; None if its inputs are not known."""
    function, inputs = layer.function, [*call.args, *(keyword.value for keyword in call.keywords)]
    is_named = {keyword.arg for keyword in call.keywords} <= {"input", "target"}
    if len(inputs) != function.inputs or not is_named or not _can_be_moved(inputs):
        return None
    settings = [f"{name}={text}" for name, text in texts.items()]
    if function.name == "pad":
        padding = _padding(site, layer.given["padding"], texts["padding"], 2 * int(layer.cls[-2])) if texts else ""
        if not padding:
            return None
        settings = [padding, *(each for each in settings if not each.startswith("padding="))]
    if function.always and function.always.partition("=")[0] not in texts:
        settings.append(function.always)
    passed = ", ".join([*map(site.source, (*call.args, *call.keywords)), *settings])
    dotted = function.name if "." in function.name else f"torch.nn.functional.{function.name}"
    return site.replace(call, f"{site.spell(dotted)}({passed})")


def _padding(site: FunctionContext, value: ast.expr, text: str, sides: int) -> str:
    """The widths for the function, which takes one for each side; "" if they are not known."""
    if is_plain(value) and site.is_always(value, "int"):
        return f"({', '.join([text] * sides)})"
    is_tuple = isinstance(value, ast.Tuple) or site.is_always(value, "tuple[int]")
    return text if is_tuple else ""


RULE = MendRule("inline_layers", MendKind.EXACT, quoted(NO_INSTANCE), find)
