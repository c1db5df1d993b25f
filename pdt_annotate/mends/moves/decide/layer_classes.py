"""The class of a layer is recognized by a constant of this class, and `nn.Module` by its attribute `training`.

Message: `Unknown type name`, of a class that no layer has itself, such as a base class.
Kind: Exact. Only instances of the class have the constant.
Needs: `isinstance` asks for one module class of the same file; or for `nn.Module`, and the value was always a module.
Before:
    class Timed(nn.Module):
        size = 1

    class Steps(nn.Sequential):
        def forward(self, x, time):
            for layer in self:
                x = layer(x, time) if isinstance(layer, Timed) else layer(x)
            return x
After:
    class Timed(nn.Module):
        is_timed: Final[bool] = True

        size = 1

    class Steps(nn.Sequential):
        def forward(self, x, time):
            for layer in self:
                x = layer(x, time) if hasattr(layer, "is_timed") else layer(x)
            return x
"""

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import UNKNOWN_NAME
from pdt_annotate.mends.kit.construction import declare_constants, is_of_torch
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.source.identifiers import snake_case
from pdt_annotate.values.mends import Mend, MendKind

MODULE = "torch.nn.Module"  # all modules have the attribute `training`


def find(site: FunctionContext) -> Iterator[Mend]:
    unknown = site.fact(UNKNOWN_NAME, "text")
    # Under postponed annotations the compiler reads constants from a table, which a table in a subclass would hide.
    for node in ast.walk(site.node) if unknown and not site.module.future_annotations else ():
        match node:
            case ast.Call(ast.Name("isinstance"), [ast.Name() as tested, asked]) if site.meaning(asked) == MODULE:
                values = site.values(tested)
                if values and all(value.is_module for value in values):
                    new = f'hasattr({tested.id}, "training")'
                    yield site.mend(node, f"test `{site.source(node)}` as `{new}`", [site.replace(node, new)])
            case ast.Call(ast.Name("isinstance"), [ast.Name() as tested, ast.Name(name)]) if name == unknown:
                cls = site.project.class_named(site.file, name)
                # A constant would be a field of a dataclass or of a NamedTuple.
                if cls and any(is_of_torch(site, each) for each in (cls, *site.relatives.ancestors(cls))):
                    constant = site.free_name(f"is_{snake_case(name)}")
                    edits = declare_constants(site, cls, constant, value="True")
                    edits.append(site.replace(node, f'hasattr({tested.id}, "{constant}")'))
                    yield site.mend(node, f"recognize `{name}` by a constant", edits)


RULE = MendRule("layer_classes", MendKind.EXACT, said(UNKNOWN_NAME), find)
