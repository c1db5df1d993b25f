"""The hooks and parametrizations of `weight_norm` and `spectral_norm` are replaced by functions that compile.

Message: `object has no attribute '__name__'`, `Parametrization is not working with scripting`, or any message in the
    file `parametrizations.py` of torch.
Kind:
    - Exact for hooks, if the project neither removes nor reads such hooks. Otherwise frozen, because removing a hook
      then raises an error.
    - Frozen for parametrizations, because the weight is then computed only when the layer is called.
    - Frozen if the file uses transposed convolutions, which get a class whose `forward` has no `output_size`.
Needs: `weight_norm` and `spectral_norm` are called inside functions, for the parameter `weight` of linear layers or
    convolutions. At least one of these functions is in no class, or in a class of which there are modules.
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

import ast
import functools
import re
from collections.abc import Iterator, Mapping

from pdt_annotate.findings.messages.said import OBJECT_HOOK, PARAMETRIZED
from pdt_annotate.mends.kit.blocks import insert_at_top
from pdt_annotate.mends.kit.construction import is_of_torch
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.project import Project
from pdt_annotate.source.syntax import nodes_in
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.mends import Mend, MendKind

NORM = re.compile(r"torch\.nn\.utils\.(parametrizations\.)?(?:(?:weight|spectral)_norm\.)?((?:weight|spectral)_norm)")
LOOKING = ("_forward_pre_hooks", "remove_weight_norm", "remove_spectral_norm")
DOTTED = re.compile(r"\b(?:torch|typing)\.[\w.]+")
# `forward` of a transposed convolution takes a size, too, and a hook cannot spell that the call leaves it out.
TRANSPOSED = """\
class _{cls}ConvTranspose{n}d(torch.nn.ConvTranspose{n}d):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        settings = self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation
        return torch.nn.functional.conv_transpose{n}d(input, self.weight, *settings)


"""
TO_TRANSPOSED = """\
if type(module) is torch.nn.ConvTranspose{n}d:
        module.__class__ = _{cls}ConvTranspose{n}d
    """
TEXT = """\
def _set_{name}(self, input: typing.Tuple[torch.Tensor]) -> None:
    {hook}


def _{name}(module, *args, **kwargs):
    {made}
    return module"""
KNOWN = "torch.nn.Linear, torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d"
HOOK = """\
module, hooks = torch.nn.utils.{norm}(module, *args, **kwargs), module._forward_pre_hooks
    if isinstance(module, ({known})):
        for key, hook in hooks.items():
            if type(hook).__name__ == "{cls}" and hook.name == "weight":
                module.{kept}
                hooks[key] = _set_{name}"""
# The module keeps its parameters, and its own class in place of one that computes `weight` whenever it is read.
PARAMETRIZATION = """\
module = torch.nn.utils.parametrizations.{norm}(module, *args, **kwargs)
    norms = getattr(module.parametrizations, "weight", ())
    if isinstance(module, ({known})) and len(norms) == 1:
        norms.eval()
        weight = module.weight.detach()
        norms.train(module.training)
        module.__class__ = module.__class__.__bases__[0]
        norms[0].__class__ = torch.nn.Module
        module.weight = weight
        module.register_forward_pre_hook(_set_{name})"""
# By function of `torch.nn.utils`: the settings that the module keeps, and the code of the hook, which computes what
# torch's hook does.
HOOKS: Mapping[str, tuple[str, str]] = {
    "weight_norm": (
        "_norm_dim = hook.dim",
        "self.weight = torch._weight_norm(self.weight_v, self.weight_g, self._norm_dim)",
    ),
    "spectral_norm": (
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
    "parametrizations.weight_norm": (
        "",
        """\
norms = self.parametrizations.weight
    self.weight = torch._weight_norm(norms.original1, norms.original0, norms[0].dim)""",
    ),
    "parametrizations.spectral_norm": (
        "",
        """\
norms = self.parametrizations.weight
    weight, u, v, dim, eps = norms.original, norms[0]._u, norms[0]._v, norms[0].dim, norms[0].eps
    matrix = weight.movedim(dim, 0).flatten(1)
    if norms[0].training:
        with torch.no_grad():
            for _ in range(norms[0].n_power_iterations):
                torch.nn.functional.normalize(torch.mv(matrix, v), dim=0, eps=eps, out=u)
                torch.nn.functional.normalize(torch.mv(matrix.t(), u), dim=0, eps=eps, out=v)
    u, v = u.clone(), v.clone()
    self.weight = weight / torch.dot(u, torch.mv(matrix, v))""",
    ),
}


def find(site: FunctionContext) -> Iterator[Mend]:
    is_looked_at = any(map(site.project.mentions, LOOKING))
    for function, (kept, hook) in HOOKS.items():
        parametrized, _, norm = function.rpartition(".")
        name = f"parametrized_{norm}" if parametrized else norm
        names = {"name": name, "norm": norm, "kept": kept, "cls": norm.title().replace("_", "")}
        for file in site.project.with_name(norm):
            functions = site.project.read(file).functions
            inner = site if file == site.file or not functions else site.at(functions[0])
            found = _references(site.project, file).get(function, [])
            references = [node for _, node in found] if any(_is_made(site.at(each)) for each, _ in found) else []
            if not references or not inner.module.qualnames.isdisjoint((f"_{name}", f"_set_{name}")):
                continue
            used = [n for n in "123" if f"ConvTranspose{n}d".encode() in inner.text.body]
            classes, changes = ("".join(t.format(n=n, **names) for n in used) for t in (TRANSPOSED, TO_TRANSPOSED))
            known = ", ".join([KNOWN, *(f"_{names['cls']}ConvTranspose{n}d" for n in used)])
            made = changes + (PARAMETRIZATION if parametrized else HOOK).format(known=known, **names)
            text = classes + TEXT.format(name=name, hook=hook, made=made)
            words = {dotted: inner.spell(dotted) for dotted in DOTTED.findall(text)}
            spelled = DOTTED.sub(lambda found, words=words: words[found[0]], text)  # type: ignore[misc]
            definition = insert_at_top(inner, spelled, before_all=True)
            edits = [definition, *(inner.replace(node, f"_{name}") for node in references)]
            summary = f"compute the weight of `{function}` in a function"
            yield inner.mend(inner.node, summary, edits, frozen=bool(parametrized or is_looked_at or used))


def _is_made(site: FunctionContext) -> bool:
    """Whether the model has modules of the function's class or of its heirs; yes if the class is no module."""
    held, family = site.shown.facts.held, [site.cls, *site.relatives.heirs(site.cls)] if site.cls else []
    is_module = any(is_of_torch(site, each) for each in family)
    return not (held and is_module) or any((each.owner.file, each.owner.qualname) in held for each in family)


@functools.lru_cache(maxsize=16)  # the rule finds the same in each function
def _references(project: Project, file: str) -> Mapping[str, list[tuple[Function, ast.expr]]]:
    """The expressions in functions of a file that mean a function of the table, each with the function around it."""
    outermost = (each for each in project.read(file).functions if "<locals>" not in each.owner.qualname)
    sites = (FunctionContext(function, project) for function in outermost)
    nodes = ((inner, node) for inner in sites for node in nodes_in(inner.node, ast.expr))
    meant = ((NORM.fullmatch(inner.meaning(node)), inner.function, node) for inner, node in nodes)
    return grouped((f"{found[1] or ''}{found[2]}", (function, node)) for found, function, node in meant if found)


RULE = MendRule("weight_hooks", MendKind.EXACT, quoted(OBJECT_HOOK, PARAMETRIZED), find)
