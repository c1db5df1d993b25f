"""If a local variable holds one of several functions, its calls become a choice between calls of these functions.

If a loop or comprehension goes over functions, or over lists of layers, its code is written once for each of them.

Message: `function cannot be used as a value`, `builtin cannot be used as a value`, `undefined value act`,
    `has no attribute or method '__call__'`, `ModuleList… object is not iterable`, and
    `failed to convert Python type: 'list'` or `'tuple'` of an attribute with functions.
Kind: Exact. Frozen for a loop over an attribute: only its length is asserted.
Needs:
    - A loop goes over a display of two to four functions, or over an attribute that always held so many, and that only
      the constructor sets. It only calls its variable, has at most three statements and no `break`. A loop over a
      display of lists of layers may also go over its variable.
    - Other code only calls the variable, and nothing assigns it anything but functions by their names.
    - The statement does nothing else, and its tests read only names, attributes, constants and sizes of tensors that do
      not change before the last call. Otherwise, the variable holds a string instead, which says what was chosen.
    - No function that is called from there sets the attributes of `self` that are among the functions.
Before:
    act = F.relu if self.fast else F.gelu
    if x.dim() == 3:
        conv = F.conv1d
    else:
        conv = F.conv2d
        x = x.flatten(1, 2)
    x = conv(x, self.weight)
    for gate in (F.sigmoid, F.tanh):
        x = x * gate(x)
    return act(x)
After:
    if x.dim() == 3:
        conv = "conv1d"
    else:
        conv = "conv2d"
        x = x.flatten(1, 2)
    x = F.conv1d(x, self.weight) if conv == "conv1d" else F.conv2d(x, self.weight)
    x = x * F.sigmoid(x)
    x = x * F.tanh(x)
    return F.relu(x) if self.fast else F.gelu(x)
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pdt_annotate.findings.messages.said import FUNCTION_VALUE, NO_ATTRIBUTE, NO_CALL, NO_ROUNDS, UNDEFINED
from pdt_annotate.mends.kit.blocks import blocks, calls_of_local, code_of, if_python, put_in_place
from pdt_annotate.mends.kit.construction import attribute_stores, is_list, may_change, may_set
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.settled import is_kept
from pdt_annotate.mends.kit.spelled import CHOICE, OR, Expression, is_gone_over, is_hidden, loads, put_in, spell, stores
from pdt_annotate.source.definitions import Scope
from pdt_annotate.source.syntax import choices, dotted_name, is_name, root_name
from pdt_annotate.values.mends import Mend, MendKind

RESHAPING = frozenset({"resize_", "resize_as_", "set_", "squeeze_", "unsqueeze_", "t_", "transpose_", "data"})
"""Methods and attributes that change the sizes of a tensor in place."""

ALLOWED = (
    *(ast.IfExp, ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call),
    *(ast.cmpop, ast.boolop, ast.unaryop, ast.expr_context),
)
"""The nodes of a choice."""

BINDING = (Scope, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)
"""Statements that bind names of a function in other ways than an assignment, or bind names outside it."""

MOST, LONGEST = 4, 3  # functions of a loop, and its statements
FUNCTIONS = frozenset(("builtins.function", "builtins.builtin_function_or_method"))


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _over_functions(site)
    found = defaultdict[str, dict[ast.stmt, ast.expr]](dict)  # by local, what the outermost statements bind it to
    inside = set[ast.AST]()
    for statement in (each for block in blocks(site.node) for each in block if each not in inside):
        if local := _bound(statement):
            name, choice = local
            found[name][statement] = choice
            inside |= set(ast.walk(statement))
    mends = [mend for name, bindings in found.items() for mend in _at_calls(site, name, bindings)]
    yield from mends or (mend for name in found for mend in _by_label(site, name))


def _over_functions(site: FunctionContext) -> Iterator[Mend]:
    """Write the code of loops and comprehensions over functions once for each function."""
    for node in ast.walk(site.node):
        match node:
            case ast.For(ast.Name(name) as target, over, [*body], []) if len(body) <= LONGEST:
                statement: ast.stmt = node
            case ast.ListComp(_, [ast.comprehension(ast.Name(name) as target, over, [], 0)]):
                statement, body = site.statement(node)[0], []
            case _:
                continue
        functions, uses = _listed(site, over), loads(node, name)
        calls = [use for use in uses if getattr(site.parents[use], "func", None) is use or is_gone_over(site, use)]
        is_own = stores(node, name) == [target] and len(loads(site.node, name)) == len(uses)
        is_own = is_own and not any(isinstance(each.ctx, ast.Del) for each in stores(site.node, name))
        later = (ast.Lambda, ast.GeneratorExp, *BINDING)  # their code may run after the round
        leaves = any(isinstance(each, (ast.Break, ast.Continue, *later)) for each in ast.walk(node))
        if not functions or len(calls) < len(uses) or not is_own or leaves or not site.takes_lines(statement):
            continue
        attribute, source = site.self_attribute(over), site.source(over)
        check = if_python(site, f"assert len({source}) == {len(functions)}")
        edits = [site.insert_before(statement, check)] if attribute else []
        if body:
            written = (code_of(site, body, [site.replace(use, each) for use in uses]) for each in functions)
            codes = [code for code in written if code is not None]
            has_comment = b"#" in site.text.body[site.span(node)[0] : site.text.start(body[0])]
            if has_comment or not codes:
                continue
            edits.append(put_in_place(site, [statement, body[-1]], "\n".join(codes)))
        elif isinstance(node, ast.ListComp):
            texts = (_called(site, node.elt, uses, each) for each in functions)
            edits.append(site.replace(node, f"[{', '.join(texts)}]"))
        yield site.mend(node, f"write out the calls of the functions in `{source}`", edits, frozen=bool(attribute))


def _called(site: FunctionContext, node: ast.expr, uses: Sequence[ast.AST], function: str) -> str:
    return spell(site, node, lambda part: Expression(function) if part in uses else None).at_least(CHOICE)


def _listed(site: FunctionContext, node: ast.expr) -> list[str]:
    """The functions that a display or an attribute holds, as they are written; none if they are not known."""
    match node:
        case ast.Tuple(functions) | ast.List(functions):
            found = [site.source(each) for each in functions]
            are_functions = all(site.definition(each) or site.meaning(each).startswith("torch.") for each in functions)
            are_layers = all(is_list(site.held(site.self_attribute(each))) for each in functions)
            is_fixed = (are_functions or are_layers) and all(_is_kept(site, each) for each in functions)
        case _:
            attribute = site.self_attribute(node)
            values = site.held(attribute).values
            items = {item for value in values for item in value.items}
            lengths = {value.length for value in values if value.type in ("builtins.list", "builtins.tuple")}
            found = [f"{site.source(node)}[{i}]" for i in range(max(lengths, default=0))]
            is_fixed = len(values) == len(lengths) == 1 and bool(items) and items <= FUNCTIONS
            is_fixed = is_fixed and is_kept(site, attribute)
    return found if is_fixed and 1 < len(found) <= MOST else []


def _bound(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """The local that a statement binds to functions, and the choice between them, if that is all that it does."""
    match statement:
        case ast.Assign([ast.Name(name)], choice) if all(map(dotted_name, choices(choice))):
            return name, choice
        case ast.If(test, [one], [other]) if (body := _bound(one)) and (orelse := _bound(other)):
            return (body[0], ast.IfExp(test, body[1], orelse[1])) if body[0] == orelse[0] else None
    return None


def _at_calls(site: FunctionContext, name: str, bindings: dict[ast.stmt, ast.expr]) -> Iterator[Mend]:
    """The calls choose between the functions."""
    for statement, calls in calls_of_local(site, name, *bindings).items():
        choice = bindings[statement]
        # The compiler reads one function in a local.
        if isinstance(choice, ast.IfExp) and _is_settled(site, choice, statement, calls):
            edits = [put_in(site, call, _written(site, choice, call)) for call in calls]
            summary = f"choose between the functions in `{name}` where it is called"
            yield site.mend(statement, summary, [*edits, site.remove(statement)])


def _by_label(site: FunctionContext, name: str) -> Iterator[Mend]:
    """The local holds a string that says which function was chosen, and the calls choose by it."""
    outer = [site.parents[use] for use in loads(site.node, name)]
    calls = [call for call in outer if isinstance(call, ast.Call) and is_name(call.func, name)]
    stored = [site.parents[store] for store in stores(site.node, name)]
    settings = [each for each in stored if isinstance(each, ast.Assign) and _bound(each)]
    if len(calls) < len(outer) or len(settings) < len(stored) or site.function.parameter(name):
        return
    values = [each for setting in settings for each in choices(setting.value)]
    functions = list(dict.fromkeys(map(site.source, values)))
    last = [function.rpartition(".")[2] for function in functions]
    labels = dict(zip(functions, last if len(set(last)) == len(last) else functions, strict=True))
    is_known = all(_is_kept(site, each) for each in values) and not any(is_hidden(site, c, [name]) for c in calls)
    binds_more = any(isinstance(node, BINDING) for node in ast.walk(site.node) if node is not site.node)
    if len(functions) > 1 and is_known and not binds_more:
        edits = [site.replace(value, f'"{labels[site.source(value)]}"') for value in values]
        outermost = [call for call in calls if set(calls).isdisjoint(site.around(call))]
        edits += [put_in(site, call, _chosen(site, name, labels, call)) for call in outermost]
        yield site.mend(settings[0], f"keep the name of the chosen function in `{name}`, and choose in calls", edits)


def _is_kept(site: FunctionContext, function: ast.expr) -> bool:
    """Whether a name means the same function wherever the site calls it: nothing there binds it, or its attribute."""
    if name := site.self_attribute(function):
        return not any(attribute_stores(site.node, name)) and not may_set(site, site.node, name)
    return root_name(function) not in site.local_names


def _chosen(site: FunctionContext, name: str, labels: Mapping[str, str], call: ast.Call) -> Expression:
    """A call of each function, and tests of the label in the local that choose one; calls in arguments likewise."""

    def called(function: str) -> Expression:
        def put(node: ast.AST) -> Expression | None:
            if node is call.func:
                return Expression(function)
            is_inner = isinstance(node, ast.Call) and node is not call and is_name(node.func, name)
            return _chosen(site, name, labels, node) if is_inner and isinstance(node, ast.Call) else None

        return spell(site, call, put)

    *others, last = ((label, called(function)) for function, label in labels.items())
    text = last[1].at_least(CHOICE)
    for label, arm in reversed(others):
        text = f'{arm.at_least(OR)} if {name} == "{label}" else {text}'
    return Expression(text, CHOICE)


def _is_settled(site: FunctionContext, choice: ast.expr, statement: ast.stmt, calls: Sequence[ast.Call]) -> bool:
    """Whether nothing changes the values that a choice reads, sizes of tensors included, before the last call."""
    nodes = list(ast.walk(choice))
    asking = [node for node in nodes if isinstance(node, ast.Call)]
    reshapes = any(getattr(node, "attr", "") in RESHAPING for node in ast.walk(site.node))
    are_kept = not asking or not (reshapes or "len" in site.local_names)
    are_known = all(isinstance(node, ALLOWED) for node in nodes) and all(map(_asks_for_size, asking))
    return are_known and are_kept and not may_change(site, choice, statement, calls)


def _asks_for_size(call: ast.Call) -> bool:
    match call:
        case ast.Call(ast.Attribute(attr="dim" | "size"), _, []):
            return True
        case ast.Call(ast.Name("len"), [ast.Attribute(attr="shape")], []):
            return True
    return False


def _written(site: FunctionContext, choice: ast.expr, place: ast.Call) -> Expression:
    if not isinstance(choice, ast.IfExp):
        function = Expression(site.source(choice))
        return spell(site, place, lambda node: function if node is place.func else None)
    body, orelse = (_written(site, each, place) for each in (choice.body, choice.orelse))
    test = spell(site, choice.test).at_least(OR)
    return Expression(f"{body.at_least(OR)} if {test} else {orelse.at_least(CHOICE)}", CHOICE)


RULE = MendRule(
    "local_callables", MendKind.EXACT, said(FUNCTION_VALUE, NO_ATTRIBUTE, NO_CALL, NO_ROUNDS, UNDEFINED), find
)
