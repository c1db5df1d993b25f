"""An argument of a function or layer of torch gets the type that the compiler needs: a float, a tuple of sizes, a list.

Message:
    - `Expected a value of type 'float' for argument` … `but instead found type 'int'`,
      `Expected a value of type 'List[int]' for argument 'output_size'`.
    - `Expected a value of type 'List[Tensor]' for argument 'outputs'`, `Keyword argument only_inputs unknown`.
    - Any message about a Union, such as `but instead found type 'Union[List[int], int]'`.
    - Any message about the momentum of a normalization layer.
    - `'numpy.int64' object in attribute … is not a valid constant`.
Kind: Exact. Frozen for a number of numpy that is not itself an argument of a layer of torch.
Needs:
    - In a call of a function of torch, or of a method such as `uniform_`, the argument for a float parameter is changed
      if it is an integer literal, a value that was an int in every call, or a list or tuple of such values and of
      floats.
    - In a call that creates a layer, the argument for the parameter in the message is changed: an integer literal
      becomes a float literal, and `eps=eps` becomes `eps=float(eps)`.
    - An adaptive pool gets a class of its own if all its sizes are literals, and at least one size is None, which keeps
      the size of a dimension. No code of the project compares the class.
    - In a constructor, a sum, product, minimum or maximum of numpy over all elements becomes a number of Python.
    - The tensors that `torch.autograd.grad` takes become lists if code reads an item of the result by a literal index,
      and no gradient may be None.
    - The integer default of a parameter becomes a tuple if all calls passed tuples of ints, and the function only
      passes the parameter to functions such as `conv2d` and `max_pool2d`, which accept one int for equal sizes.
Before:
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.pool = nn.AdaptiveAvgPool2d((None, 1))

        def forward(self, x, factor):
            return self.pool(F.upsample(F.normalize(x, p=2, dim=1), scale_factor=factor))
After:
    class _AdaptiveAvgPool2dSame1(nn.AdaptiveAvgPool2d):
        def forward(self, input):
            return F.adaptive_avg_pool2d(input, (input.size(-2), 1))


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.pool = _AdaptiveAvgPool2dSame1((None, 1))

        def forward(self, x, factor):
            return self.pool(F.upsample(F.normalize(x, p=2.0, dim=1), scale_factor=float(factor)))
"""

import ast
import re
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import BRANCHES_SET, MISMATCH, NUMPY_CONSTANT, UNION, UNKNOWN_KEYWORD
from pdt_annotate.mends.kit.blocks import insert_at_top
from pdt_annotate.mends.kit.construction import calls_around, is_call, is_compared
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, mismatched, quoted, said
from pdt_annotate.mends.kit.edit_arguments import Item, call_taking, exchange
from pdt_annotate.mends.kit.spelled import as_float, is_none, loads
from pdt_annotate.source.definitions import defaults_of
from pdt_annotate.source.expressions import INT
from pdt_annotate.source.read_type import float_parameters
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

WANTED = ("float", "Optional[float]", "Optional[List[float]]")
KEPT = {"exponential_average_factor": "momentum", "dropout_p": "dropout"}
"""The names that functions of torch have for parameters of its layers."""
POOL = re.compile(r"torch\.nn\.Adaptive(Avg|Max)Pool([123])d")
FOR_SIZES = re.compile(r"torch\.(nn\.functional\.)?\w+([123])d")
GRADED, OF_GRADIENTS = ("outputs", "inputs", "grad_outputs"), ("retain_graph", "create_graph", "only_inputs")
IS_FLOAT, IS_UNION, IS_KEYWORD = mismatched("int", WANTED), quoted(UNION), said(UNKNOWN_KEYWORD)


def is_asked_for(failure: Failure) -> bool:
    mismatches = list(MISMATCH.read_all(failure.text or failure.message))
    keeps = any(facts["argument"] == "output_size" and "None" in facts["found"] for facts in mismatches)
    is_known = keeps or _argument(failure) == "momentum" or NUMPY_CONSTANT.is_in(failure.message)
    is_known |= IS_KEYWORD(failure) or any(facts["argument"] in GRADED for facts in mismatches)
    return is_known or IS_FLOAT(failure) or IS_UNION(failure)


def _argument(failure: Failure | None) -> str:
    """The parameter that the message is about."""
    text = (failure.text or failure.message) if failure else ""
    mismatch, branches = MISMATCH.read(text), BRANCHES_SET.read(text)
    name = mismatch["argument"] if mismatch else ""
    name = branches["name"] if branches and branches["name"] in KEPT else name
    return KEPT.get(name, name)


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _floats(site)
    yield from _pools(site)
    yield from _gradients(site)
    yield from _defaults(site)
    yield from _numbers(site)


def _floats(site: FunctionContext) -> Iterator[Mend]:
    name = _argument(site.failure)
    for inner, call in calls_around(site) if name else ():
        value = _taken_as_floats(inner, call, is_layer=True).get(name)
        new = _kept_float(inner, value, name) if value is not None else None
        if new and value is not None:
            yield site.mend(call, f"pass `{new}` to `{ast.unparse(call.func)}`", [inner.replace(value, new)])
    for call in (node for node in ast.walk(site.node) if isinstance(node, ast.Call)):
        for value in _taken_as_floats(site, call, is_layer=False).values():
            new, text = _float(site, value), site.source(value)
            if new and new.strip("[(,)]") != text.strip("[(,)]"):
                yield site.mend(value, f"pass the float `{new}`", [site.replace(value, new)])


def _taken_as_floats(site: FunctionContext, call: ast.Call, *, is_layer: bool) -> dict[str, ast.expr]:
    """The arguments, by parameter, that a layer, a function or a method of torch takes as floats."""
    meant = site.meaning(call.func)
    if not meant and isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_"):
        meant = f"torch.Tensor.{call.func.attr}" if site.is_always(call.func.value, *TENSORS) else ""
    places = float_parameters(meant) if meant.rpartition(".")[2][:1].isupper() == is_layer else {}
    has_star = any(isinstance(arg, ast.Starred) for arg in call.args)
    placed = {name: call.args[at] for name, at in places.items() if at < len(call.args) and not has_star}
    return placed | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg in places}


def _kept_float(site: FunctionContext, value: ast.expr, name: str) -> str | None:
    """The text of an argument as a float; None if it is one already."""
    text = site.source(value)
    if text.removeprefix("-").isdecimal():
        return f"{text}.0"
    parts = list(ast.walk(value))
    is_float = any(isinstance(part, ast.Constant) and type(part.value) in (float, type(None)) for part in parts)
    if is_float or is_call(value, "float"):
        return None
    return f"None if {text} is None else float({text})" if name == "momentum" else f"float({text})"


def _float(site: FunctionContext, node: ast.expr) -> str | None:
    """A whole number, or a display of numbers, as text in which they are floats; None if the type is unknown."""
    if not isinstance(node, ast.IfExp):
        return as_float(site, node)
    body, orelse = (as_float(site, each) or site.source(each) for each in (node.body, node.orelse))
    new = f"{body} if {site.source(node.test)} else {orelse}"
    return new if new != site.on_one_line(node) else None


def _pools(site: FunctionContext) -> Iterator[Mend]:
    """The pools that the functions of the class make, and functions of the file that are in no class."""
    for inner, call in calls_around(site):
        sizes, pool = _sizes(call), POOL.fullmatch(inner.meaning(call.func))
        if pool is None or not any(map(is_none, sizes)) or is_compared(site, pool[0].rpartition(".")[2]):
            continue
        words = "".join("Same" if is_none(size) else ast.unparse(size) for size in sizes)
        name = f"_Adaptive{pool[1]}Pool{pool[2]}d{words}"
        spelled = site.spell(f"torch.nn.functional.adaptive_{pool[1].lower()}_pool{pool[2]}d")
        placed = enumerate(sizes, -len(sizes))
        asked = [f"input.size({at})" if is_none(size) else ast.unparse(size) for at, size in placed]
        head = f"class {name}({inner.source(call.func)}):\n    def forward(self, input):\n"
        text = f"{head}        return {spelled}(input, ({', '.join(asked)}))"
        edits = [inner.replace(call.func, name)]
        if name not in site.module.qualnames:
            edits.append(insert_at_top(site, text, before_all=True))
        yield site.mend(site.node, f"write a class for `{inner.source(call)}`: `{name}`", edits)


def _sizes(call: ast.Call) -> Sequence[ast.expr]:
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "output_size")]
    sizes = given[0].elts if len(given) == 1 and isinstance(given[0], (ast.Tuple, ast.List)) else []
    return sizes if all(isinstance(size, ast.Constant) for size in sizes) else ()


def _gradients(site: FunctionContext) -> Iterator[Mend]:
    """`unwrap(grad([y], [x])[0])` for `grad(y, x)[0]`: to the compiler, a gradient may be None."""
    for call in (node for node in ast.walk(site.node) if isinstance(node, ast.Call)):
        around, keywords = site.parents[call], {each.arg: each for each in call.keywords}
        is_read = isinstance(around, ast.Subscript) and isinstance(around.slice, ast.Constant)
        is_known = keywords.keys() <= {*GRADED, *OF_GRADIENTS} and len(call.args) <= len(GRADED) + 2
        is_known = is_known and not any(isinstance(each, ast.Starred) for each in call.args)
        if site.meaning(call.func) != "torch.autograd.grad" or not is_read or not is_known:
            continue
        given = dict(zip(GRADED, call.args, strict=False)) | {
            each: keywords[each] for each in GRADED if each in keywords
        }
        # To Python, None and a list with None are the same for one output.
        is_one = GRADED[0] in given and bool(_listed(site, GRADED[0], given[GRADED[0]], TENSORS))
        types = {GRADED[-1]: (*TENSORS, "NoneType")} if is_one else {}
        listed = ((item, _listed(site, name, item, types.get(name, TENSORS))) for name, item in given.items())
        new: dict[Item, str] = {item: text for item, text in listed if text}
        only = keywords.get("only_inputs")
        if only is not None and ast.unparse(only.value) == "True":
            new[only] = ""
        if edits := exchange(site, call, new) if new else None:
            (start, end), unwrap = site.span(around), site.spell("torch.jit._unwrap_optional")
            edits += [Edit(start, f"{unwrap}("), Edit(end, ")")]
            yield site.mend(call, f"pass lists to `{ast.unparse(call.func)}`", edits)


def _listed(site: FunctionContext, name: str, item: ast.expr | ast.keyword, types: Sequence[str]) -> str:
    """An argument of one of these types in a list; "" for another."""
    value, word = (item.value, f"{name}=") if isinstance(item, ast.keyword) else (item, "")
    if is_none(value) or not site.is_always(value, *types):
        return ""
    text = f"[{site.source(value)}]"
    if name == GRADED[-1]:
        text = f"{site.spell('torch.jit.annotate')}({site.spell('typing.List[typing.Optional[torch.Tensor]]')}, {text})"
    return f"{word}{text}"


def _defaults(site: FunctionContext) -> Iterator[Mend]:
    for name, default in defaults_of(site.node).items():
        types = site.observed(name)
        size = len(types[0].args) if types and set(types[0].args) == {INT} and types[0].name == "tuple" else 0
        is_number = isinstance(default, ast.Constant) and type(default.value) is int
        is_passed_on = name not in site.stored_names and {_taken(site, use) for use in loads(site.node, name)} == {size}
        if is_number and is_passed_on and size and len(types) == 1:
            new = f"({', '.join([site.source(default)] * size)}{',' * (size == 1)})"
            summary = f"change the default of `{site.node.name}` to `{name}={new}`: calls pass a tuple"
            yield site.mend(default, summary, [site.replace(default, new)])


def _taken(site: FunctionContext, use: ast.Name) -> int:
    """The number of sizes that a function of torch takes where a name is passed; 0 anywhere else."""
    call = call_taking(site, use)
    meant = FOR_SIZES.fullmatch(site.meaning(call.func)) if call else None
    return int(meant[2]) if meant else 0


def _numbers(site: FunctionContext) -> Iterator[Mend]:
    """The numbers of numpy in the constructors of all modules: the message does not say which one makes the layer."""
    is_asked = site.failure is not None and NUMPY_CONSTANT.is_in(site.failure.message)
    held = site.shown.facts.held if is_asked else {}
    own = ((site.project.read(file), cls) for file, cls in held if site.project.has(file))
    sites = [site.at(each) for module, cls in own if (each := module.function_named(f"{cls}.__init__"))]
    calls = ((inner, node) for inner in sites for node in ast.walk(inner.node) if isinstance(node, ast.Call))
    for owner, call in calls:
        match owner.meaning(call.func), call.args, call.keywords:
            case "numpy.prod" | "numpy.sum" | "numpy.max" | "numpy.min", [arg], []:
                around = owner.parents[call]
                is_size = isinstance(around, ast.Call) and owner.meaning(around.func).startswith("torch.nn.")
                if not isinstance(around, ast.Attribute) and not isinstance(arg, (ast.GeneratorExp, ast.Starred)):
                    summary = f"make a number of Python of `{ast.unparse(call)}`"
                    edits = [Edit(owner.span(call)[1], ".item()")]
                    yield owner.mend(call, summary, edits, frozen=not is_size)


RULE = MendRule("torch_arguments", MendKind.EXACT, is_asked_for, find)
