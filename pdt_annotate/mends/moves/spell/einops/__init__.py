"""A call of einops with a literal pattern is replaced by tensor methods that return the same result.

`pack` and `unpack` are replaced by functions in the same file, whose patterns need not be literals.

Sizes that cannot be divided raise an error as before. The length of an axis that is an entire dimension is not checked,
because no result depends on it. A tensor with another number of dimensions raises an error if the pattern permutes
dimensions. If the pattern only joins, splits or adds dimensions, the methods accept some tensors that einops rejects.
A dimension that the pattern removes is kept if its size is not 1, whereas einops raises an error.

Message: `Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults`,
    `Unknown type constructor Sequence`, or `try blocks aren't supported`, raised in einops.
Kind: Exact.
Needs:
    - The pattern and the reduction are literals that einops accepts, or names that are bound to one, once.
    - The argument is a tensor, not a list of tensors.
    - Lengths are passed by name, in the order in which the methods use them. Any order is allowed if the lengths
      contain no calls.
Before:
    q = rearrange(q, "b n (h d) -> b h n d", h=self.heads)
    token = repeat(self.token, "() n d -> b n d", b=x.shape[0])
    return reduce(x, "b c h w -> b c", "mean")
After:
    # b n (h d) -> b h n d
    q = q.unflatten(2, (self.heads, -1)).permute(0, 2, 1, 3)
    token = self.token.expand(x.shape[0], -1, -1)
    return x.mean(dim=(2, 3))
"""

import ast
import string
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import IN_EINOPS
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.settled import Settled
from pdt_annotate.mends.kit.spelled import ATOM, is_hidden, spell
from pdt_annotate.mends.moves.spell.einops.axis_patterns import REARRANGE, REDUCE, REPEAT, is_axis, parse, plan
from pdt_annotate.mends.moves.spell.einops.packing import FUNCTIONS, call_own
from pdt_annotate.rewrite.source_file import width
from pdt_annotate.source.syntax import dotted_name
from pdt_annotate.values.mends import Mend, MendKind

MODULES = ("einops", "einops.einops", "einops.packing")
EINSUM = "einsum"

NO_TENSOR = (ast.List, ast.ListComp, ast.Tuple, ast.Starred)
PARTS = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp, ast.UnaryOp),
    *(ast.operator, ast.unaryop, ast.expr_context),
)
"""The nodes of expressions that may be evaluated sooner or later."""

LINES = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)  # statements whose value may be broken into lines


Pieces = tuple[str, ...]
"""The equivalent of a call: a tensor and methods that are called on it in turn, or a function; nothing if none is."""


def find(site: FunctionContext) -> Iterator[Mend]:
    for call in (node for node in ast.walk(site.node) if isinstance(node, ast.Call)):
        module, _, operation = site.meaning(call.func).rpartition(".")
        if module in MODULES and operation == EINSUM:
            yield from _mend(site, call, _einsum(site, call))
        elif module in MODULES and operation in (REARRANGE, REPEAT, REDUCE):
            yield from _mend(site, call, _methods(site, call, operation))
        elif module in MODULES and operation in FUNCTIONS:
            yield from call_own(site, call, operation)


def _methods(site: FunctionContext, call: ast.Call, operation: str) -> Pieces:
    """The methods that replace a call of `rearrange`, `repeat` or `reduce`."""
    arguments, given = list(call.args), {each.arg or "**": each.value for each in call.keywords}
    if operation != REDUCE:
        arguments.append(ast.Constant(operation))
    elif "reduction" in given:
        arguments.append(given.pop("reduction"))
    if len(arguments) != 3:
        return ()
    tensor, (text, reduction) = _tensor(site, arguments[0]), (_literal(site, each) for each in arguments[1:])
    pattern, lengths = parse(text), {axis: site.source(value) for axis, value in given.items()}
    made = plan(pattern, reduction, lengths, tensor) if pattern and tensor else None
    if made is None or (made.reads_shape and not dotted_name(arguments[0])):
        return ()  # the expression of the tensor would run twice
    are_values = all(isinstance(part, PARTS) for value in given.values() for part in ast.walk(value))
    return (tensor, *made.calls) if are_values or made.used == list(given) else ()


def _literal(site: FunctionContext, node: ast.expr) -> str:
    """The text of a literal, or of a name that is bound to one, once; "" for anything else."""
    if isinstance(node, ast.Name):
        settled = Settled(site)
        bound = site.module.namespaces[0].lookup(node.id, node.lineno) if settled.holds(node) else None
        node = settled.value_of(node) or (bound and bound.value) or node
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _tensor(site: FunctionContext, node: ast.expr) -> str:
    """The source of a tensor to call methods on; "" if it may be something else: einops takes lists too."""
    seen = site.observed(node.id) if isinstance(node, ast.Name) and not is_hidden(site, node, [node.id]) else ()
    if isinstance(node, NO_TENSOR) or not all(type_.inherits("torch.Tensor", "None") for type_ in seen):
        return ""
    return spell(site, node).at_least(ATOM)


def _einsum(site: FunctionContext, call: ast.Call) -> Pieces:
    """The call of torch that replaces one of `einops.einsum`."""
    *tensors, pattern = call.args or [call.func]
    text = _literal(site, pattern)
    new = equation(text)
    if not tensors or call.keywords or new is None or any(isinstance(each, NO_TENSOR) for each in tensors):
        return ()
    old = site.source(pattern)
    mark = old[-1] if isinstance(pattern, ast.Constant) else '"'
    quoted = old if "".join(new.split()) == "".join(text.split()) else f"{mark}{new}{mark}"
    return (f"{site.spell('torch.einsum')}({', '.join([quoted, *map(site.source, tensors)])})",)


def _mend(site: FunctionContext, call: ast.Call, pieces: Pieces) -> Iterator[Mend]:
    if not pieces:
        return
    new, statement = "".join(pieces), site.statement(call)[0]
    first, last = site.text.line_start(call.lineno), site.text.line_start((call.end_lineno or 0) + 1)
    line = site.text.edited([site.replace(call, new)], first, last).decode().rstrip("\r\n")
    text, (tensor, *calls) = new, pieces
    if width(line) > site.line_limit and calls and isinstance(statement, LINES) and statement.value is call:
        # One method a line.
        newline, indent = site.text.newline, site.text.indent(site.text.start(statement))
        lines = (newline + indent + 4 * " ").join([tensor + calls[0], *calls[1:]])
        text = f"({newline}{indent}    {lines}{newline}{indent})"
    edits = [site.replace(call, text)]
    above = site.text.body[: site.text.line_start(site.text.line(site.span(statement)[0]))].rstrip(b"\r\n")
    if len(pieces) > 2 and not above.endswith(b"\\"):
        # The pattern is easier to read than several methods.
        edits.insert(0, site.insert_before(statement, f"# {_literal(site, call.args[1]).strip()}"))
    yield site.mend(call, f"write `{ast.unparse(call)}` as `{new}`", edits)


def equation(pattern: str) -> str | None:
    """The pattern in the form of torch.einsum; None if einops refuses it.

    >>> equation("b i d, b j d -> b i j"), equation("b heads i, b heads j -> b")
    ('b i d, b j d -> b i j', 'b h i, b h j -> b')
    >>> equation("b h_in h_out, h_out -> b h_in")
    'a b c, c -> a b'
    """
    inputs, arrow, output = pattern.partition("->")
    sides = [side.split() for side in inputs.split(",")]
    names = dict.fromkeys(name for side in sides for name in side if name != "...")
    made = [name for name in output.split() if name != "..."]
    is_sound = arrow and len(set(made)) == len(made) and names.keys() >= set(made) and all(map(is_axis, names))
    if not is_sound or len(names) > len(string.ascii_letters):
        return None
    initials = [name[0] for name in names]
    # torch sums in the order of the letters, einops in that of appearance.
    summed = [name[0] for name in names if name not in made]
    is_fit = {*initials} <= {*string.ascii_letters} and len({*initials}) == len(names) and summed == sorted(summed)
    letters = dict(zip(names, initials if is_fit else string.ascii_letters, strict=False)) | {"...": "..."}
    spelled = [" ".join(letters[name] for name in side) for side in (*sides, output.split())]
    return ", ".join(spelled[:-1]) + " -> " + spelled[-1]


RULE = MendRule("einops", MendKind.EXACT, quoted(IN_EINOPS), find)
