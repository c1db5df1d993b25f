"""A whole number that a function or a layer of torch takes for a float becomes one.

Message: `Expected a value of type 'float' for argument` … `but instead found type 'int'`.
Kind: exact.
Needs: a literal, or what was an int in every call, for a parameter that is a float by the signature of the function.
    Where a file makes layers with any other value for the parameter in the message, such as `eps=eps`, it passes
    `float(eps)`.
Before:
    x = F.normalize(x, p=2, dim=1)
    x = F.upsample(x, scale_factor=factor)
After:
    x = F.normalize(x, p=2.0, dim=1)
    x = F.upsample(x, scale_factor=float(factor))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from pdt_annotate.findings.messages.said import BRANCHES_SET, MISMATCH
from pdt_annotate.mends.kit.construction import calls_around
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, mismatched
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

WANTED = ("float", "Optional[float]", "Optional[List[float]]")
FUNCTIONAL = "torch.nn.functional."
FLOATS: Mapping[str, Mapping[str, int]] = {
    "alpha_dropout": {"p": 1},
    "batch_norm": {"momentum": 6, "eps": 7},
    "celu": {"alpha": 1},
    "cosine_embedding_loss": {"margin": 3},
    "cross_entropy": {"label_smoothing": 7},
    "dropout": {"p": 1},
    "dropout1d": {"p": 1},
    "dropout2d": {"p": 1},
    "dropout3d": {"p": 1},
    "elu": {"alpha": 1},
    "feature_alpha_dropout": {"p": 1},
    "gaussian_nll_loss": {"eps": 4},
    "group_norm": {"eps": 4},
    "gumbel_softmax": {"tau": 1, "eps": 3},
    "hardtanh": {"min_val": 1, "max_val": 2},
    "hinge_embedding_loss": {"margin": 2},
    "huber_loss": {"delta": 3},
    "instance_norm": {"momentum": 6, "eps": 7},
    "interpolate": {"scale_factor": 2},
    "layer_norm": {"eps": 4},
    "leaky_relu": {"negative_slope": 1},
    "local_response_norm": {"alpha": 2, "beta": 3, "k": 4},
    "margin_ranking_loss": {"margin": 3},
    "multi_margin_loss": {"margin": 3},
    "normalize": {"p": 1, "eps": 3},
    "pad": {"value": 3},
    "poisson_nll_loss": {"eps": 5},
    "rrelu": {"lower": 1, "upper": 2},
    "smooth_l1_loss": {"beta": 5},
    "threshold": {"threshold": 1, "value": 2},
    "torch.cdist": {"p": 2},
    "triplet_margin_loss": {"margin": 3, "p": 4, "eps": 5},
    "upsample": {"scale_factor": 2},
    "upsample_bilinear": {"scale_factor": 2},
    "upsample_nearest": {"scale_factor": 2},
}
"""The parameters that are floats, each with its position."""

NORMS = "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d SyncBatchNorm"
LAYERS: Mapping[str, Mapping[int, str]] = {
    "alpha": {0: "ELU CELU"},
    "eps": {1: f"LayerNorm RMSNorm CosineSimilarity PairwiseDistance {NORMS}", 2: "GroupNorm"},
    "lambd": {0: "Hardshrink Softshrink"},
    "margin": {0: "MarginRankingLoss CosineEmbeddingLoss HingeEmbeddingLoss TripletMarginLoss"},
    "max_val": {1: "Hardtanh"},
    "min_val": {0: "Hardtanh"},
    "momentum": {2: NORMS},
    "negative_slope": {0: "LeakyReLU"},
    "p": {
        0: "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout PairwiseDistance",
        1: "TripletMarginLoss",
    },
    "threshold": {0: "Threshold"},
    "value": {1: "Threshold ConstantPad1d ConstantPad2d ConstantPad3d"},
}
"""The classes of layers that keep a float, by its parameter and the position."""
AVERAGED = "exponential_average_factor"  # torch's name for the momentum of a layer


def is_asked_for(failure: Failure) -> bool:
    return mismatched("int", WANTED)(failure) or _argument(failure) == "momentum"


def _argument(failure: Failure | None) -> str:
    """The parameter that the message is about."""
    text = (failure.text or failure.message) if failure else ""
    mismatch, branches = MISMATCH.read(text), BRANCHES_SET.read(text)
    if branches and branches["name"] == AVERAGED:
        return "momentum"
    return mismatch["argument"] if mismatch else ""


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _in_layers(site, _argument(site.failure))
    for call in (node for node in ast.walk(site.node) if isinstance(node, ast.Call)):
        meant = site.meaning(call.func)
        known = FLOATS.get(meant.removeprefix(FUNCTIONAL), {})
        has_star = any(isinstance(arg, ast.Starred) for arg in call.args)
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        for name, index in known.items() if not has_star else ():
            value = call.args[index] if index < len(call.args) else given.get(name)
            new = _float(site, value) if value is not None else None
            if new and value is not None:
                summary = f"write `{new}` for a float"
                yield site.mend(RULE.name, MendKind.EXACT, value, summary, [site.replace(value, new)])


def _in_layers(site: FunctionContext, name: str) -> Iterator[Mend]:
    """The numbers with which layers are made."""
    for inner, call in calls_around(site) if name in LAYERS else ():
        package, _, layer = inner.meaning(call.func).rpartition(".")
        places = [index for index, layers in LAYERS[name].items() if layer in layers.split()]
        has_star = any(isinstance(arg, ast.Starred) for arg in call.args)
        values = [keyword.value for keyword in call.keywords if keyword.arg == name]
        values += [arg for index in places for arg in call.args[index : index + 1] if not has_star]
        new = _kept_float(inner, values[0], name) if values and package == "torch.nn" else None
        if new is not None:
            summary = f"make `{layer}` with `{new}`"
            yield site.mend(RULE.name, MendKind.EXACT, call, summary, [inner.replace(values[0], new)])


def _kept_float(site: FunctionContext, value: ast.expr, name: str) -> str | None:
    """The text of an argument as a float; None if it is one already."""
    text = site.source(value)
    if text.removeprefix("-").isdecimal():
        return f"{text}.0"
    parts = list(ast.walk(value))
    is_float = any(isinstance(part, ast.Constant) and type(part.value) in (float, type(None)) for part in parts)
    if is_float or (isinstance(value, ast.Call) and ast.unparse(value.func) == "float"):
        return None
    return f"None if {text} is None else float({text})" if name == "momentum" else f"float({text})"


def _float(site: FunctionContext, node: ast.expr) -> str | None:
    """A whole number, or a display of whole numbers, as text in which they are floats."""
    text = site.source(node)
    if isinstance(node, (ast.List, ast.Tuple)):
        parts = [_float(site, each) for each in node.elts]
        return None if None in parts or len(parts) < 2 else f"[{', '.join(map(str, parts))}]"
    if isinstance(node, ast.IfExp):
        parts = [_float(site, each) or site.source(each) for each in (node.body, node.orelse)]
        new = f"{parts[0]} if {site.source(node.test)} else {parts[1]}"
        return new if new != " ".join(text.split()) else None
    if isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant):
        return f"{text}.0" if text.removeprefix("-").isdecimal() else None
    return f"float({text})" if site.is_always(node, "int") else None


RULE = MendRule("whole_floats", MendKind.EXACT, is_asked_for, find)
