"""A dataclass gets the decorator `torch.jit.script`, without which the compiler does not read its constructor.

The decorator compiles the class, and returns the class itself. A field is annotated as Optional if its default is None,
and a call leaves it out.

Message: `Failed to get source for <function Output.__init__`.
Kind: Exact.
Needs:
    - `dataclass` is the only decorator of the class, without arguments. The class is at the top of its module, and has
      no base class.
    - The compiler can read the annotations of all fields. No field has a `default_factory`.
Before:
    @dataclass
    class Output:
        logits: torch.Tensor
        loss: Optional[torch.Tensor] = None


    def f(x):
        return Output(x).logits
After:
    @torch.jit.script
    @dataclass
    class Output:
        logits: torch.Tensor
        loss: Optional[torch.Tensor] = None


    def f(x):
        return Output(x).logits
"""

import ast
from collections.abc import Iterator
from dataclasses import replace

from pdt_annotate.findings.messages.said import NO_CONSTRUCTOR
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.source.definitions import Class
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.source.syntax import called_name, last_names
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

DATACLASS = "dataclasses.dataclass"


def find(site: FunctionContext) -> Iterator[Mend]:
    for cls in site.relatives.named(site.fact(NO_CONSTRUCTOR)):
        # A site in the file of the class.
        there = replace(site, function=replace(site.function, owner=cls.owner))
        if _is_simple(there, cls):
            edits = [there.insert_before(cls.node, f"@{there.spell('torch.jit.script')}"), *_optional(there, cls)]
            changes = [(there.file, edit) for edit in edits]
            yield site.mend(site.node, f"compile the dataclass `{cls.node.name}`", [], elsewhere=changes)


def _is_simple(site: FunctionContext, cls: Class) -> bool:
    """Whether the compiler can read a class, which is a dataclass without options."""
    is_dataclass = [site.meaning(each) for each in cls.node.decorator_list] == [DATACLASS]
    has_factory = any("field" in last_names(each) for each in cls.node.body)
    is_top = cls.node in site.module.tree.body
    are_read = all("|" not in text and read_annotation(text) is not None for _, text in cls.annotated)
    return is_dataclass and is_top and are_read and not (cls.bases or has_factory)


def _optional(site: FunctionContext, cls: Class) -> Iterator[Edit]:
    """The edits that annotate fields as Optional if a call leaves them out, and they are then None."""
    name, fields = cls.node.name, [field for field, _ in cls.annotated]
    modules = map(site.project.read, site.project.with_name(name))
    calls = [n for module in modules for n in module.nodes if isinstance(n, ast.Call) and called_name(n) == name]
    passed = [(call.args, [each.arg for each in call.keywords]) for call in calls]
    known = [
        each for each in passed if None not in each[1] and not any(isinstance(arg, ast.Starred) for arg in each[0])
    ]
    given = [{*fields[: len(args)], *names} for args, names in known]
    for statement in cls.node.body:
        match statement:
            case ast.AnnAssign(ast.Name(field), annotation, ast.Constant(None)) if any(field not in g for g in given):
                type_ = read_annotation(ast.unparse(annotation))
                if type_ is not None and type_.name not in ("Optional", "Union"):
                    yield site.replace(annotation, f"{site.spell('typing.Optional')}[{site.source(annotation)}]")


RULE = MendRule("scripted_dataclasses", MendKind.EXACT, said(NO_CONSTRUCTOR), find)
