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
NORMS = "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d SyncBatchNorm"
FLOATS: Mapping[str, Mapping[int, str]] = {
    "alpha": {0: "ELU CELU", 1: "celu elu", 2: "local_response_norm"},
    "beta": {3: "local_response_norm", 5: "smooth_l1_loss"},
    "delta": {3: "huber_loss"},
    "eps": {
        1: f"LayerNorm RMSNorm CosineSimilarity PairwiseDistance {NORMS}",
        2: "GroupNorm",
        3: "gumbel_softmax normalize",
        4: "gaussian_nll_loss group_norm layer_norm",
        5: "poisson_nll_loss triplet_margin_loss",
        7: "batch_norm instance_norm",
    },
    "k": {4: "local_response_norm"},
    "label_smoothing": {7: "cross_entropy"},
    "lambd": {0: "Hardshrink Softshrink"},
    "lower": {1: "rrelu"},
    "margin": {
        0: "MarginRankingLoss CosineEmbeddingLoss HingeEmbeddingLoss TripletMarginLoss",
        2: "hinge_embedding_loss",
        3: "cosine_embedding_loss margin_ranking_loss multi_margin_loss triplet_margin_loss",
    },
    "max_val": {1: "Hardtanh", 2: "hardtanh"},
    "min_val": {0: "Hardtanh", 1: "hardtanh"},
    "momentum": {2: NORMS, 6: "batch_norm instance_norm"},
    "negative_slope": {0: "LeakyReLU", 1: "leaky_relu"},
    "p": {
        0: "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout PairwiseDistance",
        1: "TripletMarginLoss alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout normalize",
        2: "torch.cdist",
        4: "triplet_margin_loss",
    },
    "scale_factor": {2: "interpolate upsample upsample_bilinear upsample_nearest"},
    "tau": {1: "gumbel_softmax"},
    "threshold": {0: "Threshold", 1: "threshold"},
    "upper": {2: "rrelu"},
    "value": {1: "Threshold ConstantPad1d ConstantPad2d ConstantPad3d", 2: "threshold", 3: "pad"},
}
"""The functions of torch that take a float and the layers that keep one, by its parameter and the position."""
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
    name = _argument(site.failure)
    for inner, call in calls_around(site) if name in FLOATS else ():
        value = _passed(inner, call, name, "torch.nn")
        new = _kept_float(inner, value, name) if value is not None else None
        if new and value is not None:
            summary = f"make `{ast.unparse(call.func)}` with `{new}`"
            yield site.mend(RULE.name, MendKind.EXACT, call, summary, [inner.replace(value, new)])
    for call in (node for node in ast.walk(site.node) if isinstance(node, ast.Call)):
        for name in FLOATS:
            value = _passed(site, call, name, "torch.nn.functional")
            new = _float(site, value) if value is not None else None
            if new and value is not None:
                summary = f"write `{new}` for a float"
                yield site.mend(RULE.name, MendKind.EXACT, value, summary, [site.replace(value, new)])


def _passed(site: FunctionContext, call: ast.Call, name: str, module: str) -> ast.expr | None:
    """The argument of a function or layer of torch for a parameter that is a float."""
    meant = site.meaning(call.func)
    package, _, last = meant.rpartition(".")
    places = [i for i, called in FLOATS[name].items() if (last if package == module else meant) in called.split()]
    has_star = any(isinstance(arg, ast.Starred) for arg in call.args)
    values = [keyword.value for keyword in call.keywords if keyword.arg == name]
    values += [arg for index in places for arg in call.args[index : index + 1] if not has_star]
    return values[0] if values and places else None


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
