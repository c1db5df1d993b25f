"""An annotation that is wider than the observed types, or contradicts them, is replaced by an inferred annotation.

A parameter that is None in every call is annotated as None. The compiler then skips the code for other values. If a
parameter was a tensor in every call, None replaces a number as its default, and the function sets it to this number.

Message:
    - Any message about a statement that uses the parameter or calls the function, such as `cannot be used as a tuple`.
    - Any message about the returned value, or about an argument of an example call.
    - `Unsupported value kind: Tensor`: compiled code leaves out a parameter, a Tensor with the default None.
    - None, if calls pass None for a Tensor, and the model verifies. The compiler could not save it.
Kind: Scripted. Exact if the new annotation only adds None, because calls passed None, or if a class is removed. Frozen
    for a default, because None then means the number.
Needs: One of the following conditions holds.
    - The annotation is a Union with more types than were observed, or Any.
    - The annotation is bool, a type of numbers or str, but another type was observed.
    - The annotation is a container, but numbers, strings or tensors were observed; or it is Tensor, but containers or
      numbers were observed. Or the same holds for all items of a list or tuple.
    - The annotation does not allow None, but None was passed.
    - The parameter has no annotation and the default None, and only None was observed.
    - The annotation names a class, but no module class, in which the compiler stopped, and no other value than None was
      observed. The function has no decorator. This is exact.
    - The default is a number, only tensors were observed, and the parameter has no annotation. No code compares it with
      None.
Before:
    def ssim(x, k: Union[List[float], Tuple[float, float]] = (0.01, 0.03), cache=None):
        if cache is None:
            k1, k2 = k
After:
    def ssim(x, k: Tuple[float, float] = (0.01, 0.03), cache: None = None):
        if cache is None:
            k1, k2 = k
"""

import ast
import re
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import MISMATCH, NONE_DEFAULT
from pdt_annotate.mends.kit.annotations import CONTAINERS, is_amiss, take_annotation, take_wrong_return
from pdt_annotate.mends.kit.blocks import never_scripted
from pdt_annotate.mends.kit.callers import receivers
from pdt_annotate.mends.kit.construction import body_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, either, quoted, somewhere
from pdt_annotate.mends.kit.edit_arguments import named_parameters
from pdt_annotate.mends.kit.spelled import is_none
from pdt_annotate.source.definitions import defaults_of
from pdt_annotate.source.expressions import NUMBERS, STR
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import nodes_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE, TENSOR


def find(site: FunctionContext) -> Iterator[Mend]:
    # The failing statement depends on the functions that it calls, and on the function's return type.
    returning = [site.function] * any(isinstance(node, ast.Return) for node in site.failing)
    calls = (n for node in site.failing for n in nodes_in(node, ast.Call))
    found = [function for call in calls for function in receivers(site, call) or ()]
    called = {each.owner: each for each in found if site.project.has(each.owner.file)}
    # A function refuses an argument. The message about an argument of an example call has no line.
    refused = MISMATCH.read(site.failure.text or site.failure.message) if site.failure else None
    for inner in map(site.at, (site.function, *called.values())):
        named = site.failing_names if inner.function is site.function else frozenset[str]()
        if refused is not None and inner.function.parameter(refused["argument"]) is not None:
            named = frozenset(arg.arg for arg in named_parameters(inner.node))
        for arg in named_parameters(inner.node):
            if arg.arg in named and arg.annotation and is_amiss(arg.annotation, inner.observed(arg.arg)):
                summary = f"annotate `{inner.source(arg)}` with only the types that calls pass"
                left_out = f"`{arg.arg}` of another type than in the calls"
                yield inner.mend(arg, summary, [take_annotation(inner, arg)], left_out=left_out)
            yield from _optional(inner, arg)
            if arg.arg in named:
                yield from _with_number(inner, arg)
    for inner in map(site.at, (*returning, *called.values())):
        edits, returns, name = take_wrong_return(inner), inner.node.returns, inner.node.name
        if edits and returns:
            summary = f"annotate the result of `{name}` with the observed type, not `{inner.source(returns)}`"
            left_out = f"a result of `{name}` of another type than in the calls"
            yield inner.mend(returns, summary, edits, left_out=left_out)
    yield from _none(site)
    read = sorted((file, qualname) for file, qualname in site.shown.compiled if site.project.has(file))
    compiled = filter(None, (site.project.read(file).function_named(qualname) for file, qualname in read))
    in_reach = [site.at(function) for function in compiled if not function.decorators]
    yield from _of_class(site, in_reach)
    # A call may not show which layers it calls.
    others = [inner for inner in in_reach if inner.function is not site.function and inner.function.owner not in called]
    for inner, arg in ((each, arg) for each in others for arg in named_parameters(each.node)):
        # To a scripted model that runs, the None in a Tensor is a Tensor without a value, wherever it is used.
        if (refused and arg.arg == refused["argument"]) or (site.failure and site.failure.call):
            yield from _optional(inner, arg)


def _of_class(site: FunctionContext, in_reach: Sequence[FunctionContext]) -> Iterator[Mend]:
    """The annotations of parameters with the class in which the compiler stopped, if no call passed an instance.

    The compiler compiles each class that an annotation names. Modules are no types to it.
    """
    cls, held = site.function.in_class, site.shown.facts.held
    for inner in in_reach if cls and (site.file, cls) not in held else ():
        for arg in named_parameters(inner.node):
            words = re.findall(r"\w+", ast.unparse(arg.annotation)) if arg.annotation else ()  # also in quotes
            if cls in words and set(inner.observed(arg.arg)) <= {NONE}:
                summary = f"take the annotation from `{inner.source(arg)}`: calls pass None"
                yield inner.mend(arg, summary, [take_annotation(inner, arg)])


def _none(site: FunctionContext) -> Iterator[Mend]:
    nothing = {arg.arg: arg for arg in named_parameters(site.node) if set(site.observed(arg.arg)) == {NONE}}
    defaults = defaults_of(site.node)
    for name, arg in nothing.items():
        if name in site.failing_names and not arg.annotation and is_none(defaults.get(name)):
            # PEP 8 wants spaces around the `=` after an annotation.
            (_, end), (start, _) = site.span(arg), site.span(defaults[name])
            summary, left_out = f"annotate `{name}` as None: it is None in every call", f"`{name}` with a value"
            edits = [Edit(end, ": None = ", removed=start - end)]
            yield site.mend(arg, summary, edits, left_out=left_out)


def _with_number(site: FunctionContext, arg: ast.arg) -> Iterator[Mend]:
    """The default None for a parameter whose default, a number, no call used: the compiler has one type for both."""
    name, default, body = arg.arg, defaults_of(site.node).get(arg.arg), body_of(site.node)
    is_of_tensors = not arg.annotation and set(site.observed(name)) == {TENSOR}
    if not isinstance(default, ast.Constant) or type(default.value) not in (int, float) or not is_of_tensors:
        return
    compared = [n for n in nodes_in(site.node, ast.Compare) if any(map(is_none, n.comparators))]
    if body and site.begins_line(body[0]) and name not in names_in(*compared):
        text, left_out = site.source(default), f"the default of `{name}`"
        lines = f"if {name} is None:\n    {never_scripted(site)}\n    {name} = {text}"
        edits = [site.replace(default, "None"), site.insert_before(body[0], lines)]
        yield site.mend(arg, f"set `{name}` to its default {text} in the body", edits, frozen=True, left_out=left_out)


def _optional(site: FunctionContext, arg: ast.arg) -> Iterator[Mend]:
    """The annotation of a parameter without None, if calls pass None."""
    written = read_annotation(ast.unparse(arg.annotation)) if arg.annotation else None
    is_plain = written is not None and (written in (*NUMBERS, STR) or written.name in (TENSOR.name, *CONTAINERS))
    if arg.annotation and is_plain and NONE in site.observed(arg.arg):
        is_guess = {*site.observed(arg.arg)} == {NONE}  # without the annotation, nothing would show the other type
        new = f"{site.spell('typing.Optional')}[{site.source(arg.annotation)}]" if is_guess else ""
        edit = site.replace(arg.annotation, new) if is_guess else take_annotation(site, arg)
        yield site.mend(arg, f"annotate `{site.source(arg)}` as optional: calls pass None", [edit])


IS_ASKED_FOR = either(somewhere, quoted(MISMATCH, NONE_DEFAULT))
RULE = MendRule(
    "wide_annotations",
    MendKind.SCRIPTED,
    IS_ASKED_FOR,
    find,
    sweeps=False,
    improves="the scripted model cannot be saved: the None for a Tensor is a Tensor without a value",
)
