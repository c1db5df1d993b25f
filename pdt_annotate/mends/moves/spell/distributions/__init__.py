"""In the scripted model, a class of the file takes the place of a probability distribution of torch.

Its methods have the formulas of torch and draw the same random numbers. It raises errors for the same parameters.

Message: Any message about a file in `torch/distributions/`, or `method '__init__' is called recursively`.
Kind: Exact.
Needs:
    - The distribution is a `Normal`, an `Independent` of one, or a `Categorical`.
    - Its parameters are tensors, or numbers for a `Normal`.
Before:
    prior = Normal(x, 1)
    return prior.rsample()
After:
    prior = _ScriptedNormal(x, None, scale_number=1.0) if torch.jit.is_scripting() else Normal(x, 1)
    return prior.rsample()
"""

import ast
import re
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import IN_DISTRIBUTIONS
from pdt_annotate.mends.kit.blocks import helper_at_top, is_for_python, when_scripted
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import Expression, Put, as_float, spell
from pdt_annotate.mends.moves.spell.distributions.classes import CLASSES
from pdt_annotate.source.syntax import nodes_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

MEANT = re.compile(r"torch\.distributions\.(?:\w+\.)?(Normal|Categorical|Independent|kl_divergence)")
HELD = re.compile(r"torch\.distributions\.\w+\.(Normal|Categorical|Independent)")


def find(site: FunctionContext) -> Iterator[Mend]:
    for call in nodes_in(site.node, ast.Call):
        added: dict[Edit, None] = {}
        new = None if is_for_python(site, call) else _scripted(site, added)(call)
        if new:
            summary = f"write `{site.source(call)}` as `{new.text}` for the scripted model"
            yield site.mend(call, summary, [when_scripted(site, call, new.text), *added])


def _scripted(site: FunctionContext, added: dict[Edit, None]) -> Put:
    """Writes calls for the scripted model, and notes the edits that add the classes."""

    def put(node: ast.expr) -> Expression | None:
        kind, arguments = _kind(site, node), _arguments(site, node)
        match node:
            case ast.Call(_, [one, other], []) if kind == "kl_divergence":
                if not _kind(site, one) or _kind(site, one) != _kind(site, other):
                    return None
                return Expression(f"{spell(site, one, put).text}.kl_divergence({spell(site, other, put).text})")
            case ast.Call(function) if arguments is not None:
                names = list[str]()
                for each in (kind, "Normal") if kind == "Independent" else (kind,):
                    name, edits = helper_at_top(site, f"_Scripted{each}", CLASSES[each][0])
                    names.append(name)
                    added.update(dict.fromkeys(edits))
                new = {function: names[0], **{argument: "None" for argument, text in arguments.items() if text}}

                def inside(part: ast.expr) -> Expression | None:
                    return None if part is node else Expression(new[part]) if part in new else put(part)

                text = spell(site, node, inside).text.removesuffix(")").rstrip(", \n")
                return Expression(", ".join([text, *filter(None, arguments.values())]) + ")")
        return None

    return put


def _kind(site: FunctionContext, node: ast.expr) -> str:
    """The distribution that a call makes, or that the values of an expression were."""
    meant = MEANT.fullmatch(site.meaning(node.func)) if isinstance(node, ast.Call) else None
    kinds = {value.type for value in site.values(node)}
    held = HELD.fullmatch(kinds.pop()) if len(kinds) == 1 else None
    return meant[1] if meant else held[1] if held else ""


def _arguments(site: FunctionContext, node: ast.expr) -> dict[ast.expr, str] | None:
    """The arguments of a call for a distribution, each with the one in its place, or ""; None for another call."""
    kind = _kind(site, node)
    if not isinstance(node, ast.Call) or kind not in CLASSES or not MEANT.fullmatch(site.meaning(node.func)):
        return None
    if "#" in site.source(node):
        return None
    _, *names = CLASSES[kind]
    given = dict(zip(names, node.args, strict=False)) | {each.arg or "": each.value for each in node.keywords}
    is_checked = given.pop("validate_args", ast.Constant(True))
    if not given.keys() <= set(names) or not isinstance(getattr(is_checked, "value", None), bool):
        return None
    match kind, list(given.values()):
        case "Independent", [base, count] if _kind(site, base) == "Normal" and site.is_always(count, "int"):
            return {base: "", count: ""}
        case "Normal", [_, _]:
            loc, scale = _number(site, given["loc"], "loc"), _number(site, given["scale"], "scale")
            return None if loc is None or scale is None else {given["loc"]: loc, given["scale"]: scale}
        case "Categorical", [only] if site.is_always(only, *TENSORS):
            return {only: ""}
    return None


def _number(site: FunctionContext, node: ast.expr, name: str) -> str | None:
    """The argument that passes a number in place of a tensor; "" for a tensor, and None for another value."""
    text = as_float(site, node)
    return "" if site.is_always(node, *TENSORS) else f"{name}_number={text}" if text else None


RULE = MendRule("distributions", MendKind.EXACT, quoted(IN_DISTRIBUTIONS), find)
