"""Star unpacking as a sum of sizes, a nested target, or slices."""

import ast
import itertools
from collections.abc import Sequence

from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import LIST_FUNCTIONS, FunctionContext
from pdt_annotate.mends.kit.spelled import ARITHMETIC, ATOM, CHOICE, Expression, is_plain, loads, put_in, spell, stores
from pdt_annotate.source.scopes import bindings
from pdt_annotate.values.edits import Edit

SIZE_METHODS = frozenset(
    ("expand", "flip", "new_empty", "new_ones", "new_zeros", "permute", "repeat", "reshape", "tile", "view")
)
"""The methods of a tensor that take their first parameter, a list, as values, too."""

SIZE_FUNCTIONS = frozenset(f"torch.{name}" for name in ("empty", "ones", "rand", "randn", "zeros"))

LIST_ARGUMENTS = {**dict.fromkeys(LIST_FUNCTIONS, 0), "torch.nn.functional.pad": 1}
"""The functions that take a list as well as a tuple, each with the position of this argument."""

LISTED_TENSORS = {"torch.meshgrid": 0, "torch.einsum": 1}
"""The functions that take tensors one by one or as one list, each with the position of the first one."""

SIZES = ("({},)", "({})", "{}")
LISTS = ("[{}]", "[{}]", "list({})")
PLAIN_LISTS = ("[{}]", "[{}]", "{}")


def without_star(site: FunctionContext, node: ast.AST) -> list[Edit] | None:
    """The edits that write a call, an assignment or a display without a star."""
    match node:
        case ast.Call():
            return _in_call(site, node)
        case ast.Assign([ast.Tuple() | ast.List() as target]):
            return _in_display(site, target, node.value) or _in_target(site, target, node)
        case ast.Tuple() | ast.List():
            return _in_sizes(site, node)
    return None


def _stars(nodes: Sequence[ast.expr]) -> list[ast.Starred]:
    return [node for node in nodes if isinstance(node, ast.Starred)]


def _in_call(site: FunctionContext, call: ast.Call) -> list[Edit] | None:
    position = LIST_ARGUMENTS.get(site.meaning(call.func), len(call.args))
    for given in call.args[position : position + 1]:
        # `(a, *b)` as `[a] + list(b)`
        match given:
            case ast.Tuple(items) | ast.List(items) if _stars(items) and "list" not in site.known_names:
                return None if "#" in site.source(given) else [site.replace(given, _sum(site, items, *LISTS))]
    match call.args[LISTED_TENSORS.get(site.meaning(call.func), len(call.args)) :]:
        case [ast.Starred(tensors)] if site.is_always(tensors, "list[torch.Tensor]", "tuple[torch.Tensor]"):
            return [site.replace(call.args[-1], _text(site, tensors))]
    if not call.args or not _takes_sizes(site, call):
        return None
    if len(call.args) == 1 and (inner := inside_tuple(site, call.args[0])):
        return [site.replace(call.args[0], _text(site, inner))] if _is_size(site, inner) else None
    stars = [star.value for star in _stars(call.args)]
    are_sizes = all(_is_size(site, star) for star in stars)
    start, end = site.span(call.args[0])[0], site.span(call.args[-1])[1]
    is_known = stars and (are_sizes or all(_is_list(site, star) for star in stars))
    if not is_known or b"#" in site.text.body[start:end]:
        return None
    return [Edit(start, _sum(site, call.args, *(SIZES if are_sizes else PLAIN_LISTS)), removed=end - start)]


def _sum(site: FunctionContext, items: Sequence[ast.expr], alone: str, run: str, star: str) -> str:
    """Items as a sum: formats for a single item, for several in a row, and for one with a star."""
    parts = list[str]()
    for is_star, group in itertools.groupby(items, lambda each: isinstance(each, ast.Starred)):
        texts = [_text(site, each.value if isinstance(each, ast.Starred) else each) for each in group]
        form = run if len(texts) > 1 else alone
        parts += [star.format(text) for text in texts] if is_star else [form.format(", ".join(texts))]
    return " + ".join(parts)


def _text(site: FunctionContext, node: ast.expr) -> str:
    return spell(site, node).at_least(CHOICE)


def _takes_sizes(site: FunctionContext, call: ast.Call) -> bool:
    """Whether a call takes its values by position as one list as well."""
    if site.meaning(call.func) in SIZE_FUNCTIONS:
        return True
    is_method = isinstance(call.func, ast.Attribute) and call.func.attr in SIZE_METHODS
    return is_method and not site.meaning(call.func) and not site.self_attribute(call.func)


def _is_size(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression is a `torch.Size`, or a tuple that was cut from one."""
    match node:
        case ast.Subscript(sizes, ast.Slice()):
            return _is_size(site, sizes)
        case ast.Call(ast.Attribute(attr="size"), [], []):
            return True
        case ast.BinOp(left, ast.Add(), right):
            is_display = isinstance(right, ast.Tuple) and not _stars(right.elts)
            return _is_size(site, left) and (is_display or _is_size(site, right))
        case ast.Attribute():
            return node.attr == "shape" or site.is_always(node, "torch.Size")
        case ast.Name(name):
            return _holds_size(site, name)
    return False


def _is_list(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression was a list of ints in every call, and stays one: a starred target becomes a slice."""
    return not _is_starred_target(site, node) and site.is_always(node, "list[int]", "list[]")  # or an empty list


def _is_starred_target(site: FunctionContext, node: ast.expr) -> bool:
    targets = (n.value for n in ast.walk(site.node) if isinstance(n, ast.Starred) and isinstance(n.ctx, ast.Store))
    return any(ast.unparse(node) == ast.unparse(each) for each in targets)


def may_become_sizes(site: FunctionContext, star: ast.Starred) -> bool:
    """Whether a star is among sizes, and its value is a starred target, which may become a slice of a shape."""
    call = site.parents[star]
    return isinstance(call, ast.Call) and _takes_sizes(site, call) and _is_starred_target(site, star.value)


def _holds_size(site: FunctionContext, name: str) -> bool:
    """Whether a name only holds sizes: it is assigned only sizes, or a parameter that was seen to hold only sizes."""
    stored = stores(site.node, name)
    if site.function.parameter(name):
        return not stored and {t.name for t in site.observed(name)} == {"torch.Size"}
    statements = (node for node in ast.walk(site.node) if isinstance(node, ast.stmt))
    values = [value for node in statements for bound, value in bindings(node) if bound == name]
    return bool(values) and len(values) == len(stored) and all(value and _is_size(site, value) for value in values)


def _in_sizes(site: FunctionContext, display: ast.Tuple | ast.List) -> list[Edit] | None:
    """`(*x.shape[:2], n)` as `x.shape[:2] + (n,)`, `[n, *sizes]` as `[n] + list(sizes)`."""
    stars, around = _stars(display.elts), site.parents[display]
    is_unpacked = isinstance(around, ast.Assign) and not isinstance(around.targets[0], ast.Name)
    if not stars or is_unpacked or not isinstance(display.ctx, ast.Load) or isinstance(around, ast.Subscript):
        return None
    takes_lists = isinstance(display, ast.List) and "list" not in site.known_names
    are_known = (_is_size(site, s.value) or (takes_lists and site.is_always(s.value, "list")) for s in stars)
    if "#" in site.source(display) or not all(are_known):
        return None
    forms = SIZES if isinstance(display, ast.Tuple) else LISTS
    text = _sum(site, display.elts, *forms)
    return [put_in(site, display, Expression(text, ARITHMETIC if len(display.elts) > 1 else ATOM))]


def inside_tuple(site: FunctionContext, node: ast.AST | None) -> ast.expr | None:
    """The xs of `tuple(xs)`."""
    if node is None or not is_call(node, "tuple") or "tuple" in site.local_names or len(node.args) != 1:
        return None
    return None if node.keywords or isinstance(node.args[0], ast.Starred) else node.args[0]


def _in_display(site: FunctionContext, target: ast.Tuple | ast.List, value: ast.expr) -> list[Edit] | None:
    """`a, b, c = *x, y` as `(a, b), c = x, y`."""
    if not isinstance(value, (ast.Tuple, ast.List)) or len(_stars(value.elts)) != 1 or _stars(target.elts):
        return None
    [star], names = _stars(value.elts), [site.source(each) for each in target.elts]
    index, end = value.elts.index(star), value.elts.index(star) + 1 + len(names) - len(value.elts)
    if end <= index or "#" in site.source(target) + site.source(value):
        return None
    nested = ", ".join(names[index:end])
    if len(value.elts) == 1:
        return [site.replace(target, nested), site.replace(value, _text(site, star.value))]
    names[index:end] = [f"({nested})" if end - index > 1 else f"({nested},)"]
    given = [_text(site, star.value if each is star else each) for each in value.elts]
    return [site.replace(target, ", ".join(names)), site.replace(value, ", ".join(given))]


def _in_target(site: FunctionContext, target: ast.Tuple | ast.List, assign: ast.Assign) -> list[Edit] | None:
    """`*a, b = x.shape` as `a, b = x.shape[:-1], x.shape[-1]`; `b, *_, h = *x.shape, y` as `b, h = x.shape[0], y`."""
    value = assign.value
    items = value.elts if isinstance(value, ast.Tuple) else [ast.Starred(value)]
    if len(_stars(target.elts)) != 1 or len(_stars(items)) != 1:
        return None
    [star], [inner] = _stars(target.elts), _stars(items)
    if not isinstance(star.value, ast.Name):
        return None
    # The items on each side of the inner star, and the targets that take items from it.
    first, sizes, last = items[: items.index(inner)], inner.value, items[items.index(inner) + 1 :]
    before, after = target.elts.index(star) - len(first), len(target.elts) - target.elts.index(star) - 1 - len(last)
    is_sequence = _is_size(site, sizes) or site.is_always(sizes, "list")
    if not is_sequence or before < 0 or after < 0 or len(target.elts) == 1 or not site.begins_line(assign):
        return None
    text, kept = site.source(sizes), []
    if not is_plain(sizes) and not (_is_size(site, sizes) and is_plain(getattr(sizes, "func", sizes))):
        if isinstance(value, ast.Tuple):
            return None
        text = site.local_name("parts")
        kept = [site.insert_before(assign, f"{text} = {_text(site, sizes)}")]
    # Behind the first items are enough others, or Python raises an error.
    rest = f"{text}[{before}:]" if before else text
    front = [*(_text(site, each) for each in first), *(f"{text}[{i}]" for i in range(before))]
    back = [*(f"{rest}[{-i}]" for i in range(after, 0, -1)), *(_text(site, each) for each in last)]
    uses = loads(site.node, star.value.id)
    if not uses:
        names = [site.source(each) for each in target.elts if each is not star]
        return [*kept, site.replace(target, ", ".join(names)), site.replace(value, ", ".join([*front, *back]))]
    middle = f"{text}[{before or ''}:{-after or ''}]"
    calls = [site.parents[outer] for use in uses if isinstance(outer := site.parents[use], ast.Starred)]
    takes = all(isinstance(call, ast.Call) and _takes_sizes(site, call) for call in calls)
    if len(calls) < len(uses) or not takes or not _is_size(site, sizes):
        middle = f"list({middle})"
    return [*kept, site.replace(star, star.value.id), site.replace(value, ", ".join([*front, middle, *back]))]
