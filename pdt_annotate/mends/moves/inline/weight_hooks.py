"""The hooks of `weight_norm` and `spectral_norm`, which are objects, become functions that the compiler can read.

Message: `object has no attribute '__name__'`.
Kind: exact, if the project neither removes such hooks nor looks at them; else frozen, and to remove one raises.
Needs: linear layers and convolutions that are not transposed; their parameter `weight`; calls inside of functions.
Before:
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.utils.weight_norm(nn.Conv1d(1, 1, 3))
After:
    def _set_weight_norm(self, input: Tuple[torch.Tensor]) -> None:
        self.weight = torch._weight_norm(self.weight_v, self.weight_g, self._norm_dim)


    def _weight_norm(module, *args, **kwargs):
        module, hooks = nn.utils.weight_norm(module, *args, **kwargs), module._forward_pre_hooks
        if isinstance(module, (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)):
            for key, hook in hooks.items():
                if type(hook).__name__ == "WeightNorm" and hook.name == "weight":
                    module._norm_dim = hook.dim
                    hooks[key] = _set_weight_norm
        return module


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = _weight_norm(nn.Conv1d(1, 1, 3))
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from pdt_annotate.findings.messages.said import OBJECT_HOOK
from pdt_annotate.mends.kit.blocks import insert_at_top
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.source.definitions import Scope
from pdt_annotate.source.scopes import names_inside
from pdt_annotate.source.syntax import dotted_name
from pdt_annotate.values.mends import Mend, MendKind

NORM = re.compile(r"torch\.nn\.utils\.(?:(?:weight|spectral)_norm\.)?(weight|spectral)_norm")
LOOKING = ("_forward_pre_hooks", "remove_weight_norm", "remove_spectral_norm")
DOTTED = re.compile(r"\b(?:torch|typing)\.[\w.]+")
TEXT = """\
def _set_{name}(self, input: typing.Tuple[torch.Tensor]) -> None:
    {body}


def _{name}(module, *args, **kwargs):
    module, hooks = torch.nn.utils.{name}(module, *args, **kwargs), module._forward_pre_hooks
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)):
        for key, hook in hooks.items():
            if type(hook).__name__ == "{cls}" and hook.name == "weight":
                module.{kept}
                hooks[key] = _set_{name}
    return module"""
# By norm, the settings that the module keeps, and the code of the hook: that of torch, with the names written out.
HOOKS: Mapping[str, tuple[str, str]] = {
    "weight": (
        "_norm_dim = hook.dim",
        "self.weight = torch._weight_norm(self.weight_v, self.weight_g, self._norm_dim)",
    ),
    "spectral": (
        "_norm_settings = hook.dim, hook.n_power_iterations, hook.eps",
        """\
dim, steps, eps = self._norm_settings
    weight, u, v = self.weight_orig, self.weight_u, self.weight_v
    matrix = weight.movedim(dim, 0).reshape(weight.size(dim), -1)
    if self.training:
        with torch.no_grad():
            for _ in range(steps):
                torch.nn.functional.normalize(torch.mv(matrix.t(), u), dim=0, eps=eps, out=v)
                torch.nn.functional.normalize(torch.mv(matrix, v), dim=0, eps=eps, out=u)
        u, v = u.clone(), v.clone()
    self.weight = weight / torch.dot(u, torch.mv(matrix, v))""",
    ),
}


def find(site: FunctionContext) -> Iterator[Mend]:
    is_looked_at = any(map(site.project.mentions, LOOKING))
    kind = MendKind.FROZEN if is_looked_at else MendKind.EXACT
    for which, (kept, body) in HOOKS.items():
        name = f"{which}_norm"
        text = TEXT.format(name=name, body=body, kept=kept, cls=f"{which.title()}Norm")
        for file in site.project.with_name(name):
            functions = site.project.read(file).functions
            inner = site if file == site.file or not functions else site.at(functions[0])
            references = list(_references(inner, which)) if inner.file == file else []
            if not references or not inner.module.qualnames.isdisjoint((f"_{name}", f"_set_{name}")):
                continue
            words = {dotted: inner.spell(dotted) for dotted in DOTTED.findall(text)}
            imports = [each for _, needed in words.values() for each in needed]
            spelled = DOTTED.sub(lambda found, words=words: words[found[0]][0], text)  # type: ignore[misc]
            first = next(each for each in inner.module.tree.body if isinstance(each, Scope))
            edits = [insert_at_top(inner, spelled, first), *(inner.replace(node, f"_{name}") for node in references)]
            summary = f"`{name}` with a hook that is a function"
            yield inner.mend(RULE.name, kind, inner.node, summary, edits, imports=imports)


def _references(site: FunctionContext, which: str) -> Iterator[ast.expr]:
    """The expressions in functions of the file that mean one of the two norms."""
    for node in (node for node in ast.walk(site.module.tree) if isinstance(node, ast.expr)):
        first, dot, rest = dotted_name(node).partition(".")
        meant = NORM.fullmatch(f"{site.imports[first].target}{dot}{rest}") if first in site.imports else None
        if meant and meant[1] == which:
            around = [each.node for each in site.module.around(node.lineno) if isinstance(each.node, ast.FunctionDef)]
            if around and not any(first in names_inside(function) for function in around):
                yield node


RULE = MendRule("weight_hooks", MendKind.EXACT, said(OBJECT_HOOK), find)
