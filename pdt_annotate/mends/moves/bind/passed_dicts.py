"""`**options` in a call is replaced by the items of the dict as keyword arguments.

Message: `keyword-arg expansion is not supported`.
Kind: Exact for a local variable with literal keys. Frozen for an attribute, and for keys that examples showed.
Needs:
    - The dict is a dict display or a call of `dict` with literal keys, or it had the same keys in all calls of the
      examples. Then an assertion checks their number. The dict is a variable, or an attribute that only the constructor
      sets, and nothing else in the statement reads it.
    - A local variable that holds the dict is only used as `**options`, or to set an item with a literal key. A value
      that may change, or that is computed, is kept in a new variable.
    - If branches choose the items, the code from there to the call is short. It is written into each branch.
    - An attribute that holds the dict is set only by the constructor, always with the same keys, and the dict never
      changes. The values are constants, numbers, words or None.
    - A function that is called for the dict, `**like(x)`, only returns it, and reads only its parameters. The arguments
      are names, attributes and constants.
Before:
    def forward(self, x, batch, exact):
        x = self.embed(x, **batch)
        options = dict(mode="bilinear")
        if exact:
            options["antialias"] = True
        return F.interpolate(x, scale_factor=2, **options)
After:
    def forward(self, x, batch, exact):
        assert len(batch) == 2
        x = self.embed(x, size=batch["size"], mask=batch["mask"])
        if exact:
            return F.interpolate(x, scale_factor=2, mode="bilinear", antialias=True)
        else:
            return F.interpolate(x, scale_factor=2, mode="bilinear")
"""

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from keyword import iskeyword

from pdt_annotate.findings.messages.said import EXPANSION
from pdt_annotate.mends.kit.blocks import LOOPS, PLAIN_STATEMENTS, before, ends_line, until
from pdt_annotate.mends.kit.branches import into_branches
from pdt_annotate.mends.kit.construction import body_of, constructor, is_call, last_setting, may_change
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import exchange, passes_on
from pdt_annotate.mends.kit.settled import is_kept
from pdt_annotate.mends.kit.spelled import CHOICE, INNER, is_hidden, is_plain, may_be_skipped, names_for, spell
from pdt_annotate.mends.kit.stored import assignments_in, settings_in
from pdt_annotate.source.definitions import Scope, literal_type
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import bind_arguments, choices, is_name, numbered, root_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

MOST = 16  # keys
HIDING = (*LOOPS, *INNER, ast.Try, Scope)  # code that may run more than once, later, or not to its end
PLAIN = {*(f"builtins.{name}" for name in ("int", "float", "bool", "str", "NoneType")), "torch.dtype", "torch.device"}


def find(site: FunctionContext) -> Iterator[Mend]:
    found = defaultdict[str, dict[ast.keyword, ast.Call]](dict)
    for call in (node for node in ast.walk(site.node) if isinstance(node, ast.Call)):
        for each in (keyword for keyword in call.keywords if keyword.arg is None):
            found[ast.unparse(each.value)][each] = call
    for text, passing in found.items():
        mends = list(_items_written(site, text, passing))
        yield from mends or (mend for each, call in passing.items() for mend in _with_keys(site, each, call))


def _items_written(site: FunctionContext, text: str, passing: Mapping[ast.keyword, ast.Call]) -> Iterator[Mend]:
    """The items that the source shows."""
    value = next(iter(passing)).value
    if isinstance(value, ast.Name):
        yield from _of_local(site, value.id, passing)
        return
    items, kept, displayed = None, list[Edit](), _items_of(value)
    if name := site.self_attribute(value):
        items, kept = _of_attribute(site, name) or (None, kept)
    elif displayed is not None:
        items = {word: spell(site, each).at_least(CHOICE) for word, each in displayed.items()}
    elif isinstance(value, ast.Call):
        items = _returned(site, value)
    edits = _passed(site, passing, dict.fromkeys(passing, items)) if items is not None else None
    if items is not None and edits:
        yield site.mend(value, _summary(text, items), [*edits, *kept], frozen=bool(name))


def _with_keys(site: FunctionContext, passing: ast.keyword, call: ast.Call) -> Iterator[Mend]:
    """`f(x=d["x"])` for `f(**d)`, if calls always got the same keys."""
    text, values = site.source(passing.value), site.values(passing)
    statement, _ = site.statement(passing.value)
    is_sure = isinstance(statement, PLAIN_STATEMENTS) and site.begins_line(statement)
    is_sure = is_sure and not may_be_skipped(site, passing.value) and not passes_on(passing, site.node)
    is_stable = isinstance(passing.value, ast.Name) or is_kept(site, site.self_attribute(passing.value))
    # A call that gets the dict itself may change it.
    alike = [node for node in ast.walk(statement) if isinstance(node, ast.expr) and ast.unparse(node) == text]
    is_alone = all(isinstance(outer := site.parents[node], ast.keyword) and outer.arg is None for node in alike)
    keys = {value.keys for value in values}
    if not is_sure or not is_stable or not is_alone or len(keys) != 1:
        return
    [names] = keys
    is_dict = all(value.type == "builtins.dict" and value.length == len(names) for value in values)
    is_taken = any(each.arg in names for each in call.keywords) or is_call(call, "dict")
    new = ", ".join(f'{name}={text}["{name}"]' for name in names)
    edits = exchange(site, call, {passing: new})
    if is_dict and not is_taken and len(names) <= MOST and not any(map(iskeyword, names)) and edits:
        edits.append(site.insert_before(statement, f"assert len({text}) == {len(names)}"))
        summary = f"write `**{text}` as `{new}`" if new else f"leave out `**{text}`, which is always empty"
        yield site.mend(passing.value, summary, edits, frozen=True)


def _summary(text: str, items: Mapping[str, str]) -> str:
    return f"write `**{text}` as `{_written(items)}`" if items else f"leave out the empty `**{text}`"


def _written(items: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={each}" for name, each in items.items())


def _passed(
    site: FunctionContext, passing: Mapping[ast.keyword, ast.Call], items: Mapping[ast.keyword, Mapping[str, str]]
) -> list[Edit] | None:
    """The edits that pass items by name; None if a call passes one of the names itself."""
    edits = [exchange(site, call, {each: _written(items[each])}) for each, call in passing.items()]
    is_taken = any(keyword.arg in items[each] for each, call in passing.items() for keyword in call.keywords)
    return None if is_taken or None in edits else [edit for each in edits for edit in each or ()]


def _of_attribute(site: FunctionContext, name: str) -> tuple[Mapping[str, str], list[Edit]] | None:
    """The items of a dict that an attribute holds, and edits of the constructor that keep computed values of it."""
    built = constructor(site)
    if built is None or built.node is site.node or built.receiver != site.function.receiver or not is_kept(site, name):
        return None
    inner, last, items, kept = site.at(built), last_setting(built, name), dict[str, str](), list[Edit]()
    settings = settings_in(inner, name)
    dicts = [_items_of(each.value) or {} for each in settings if _items_of(each.value) is not None]
    is_same = len(dicts) == len(settings) and len(set(map(frozenset, dicts))) == 1
    if last is None or not is_same or not _is_only_read(inner, name, settings):
        return None
    held = site.held(name).values
    is_plain = bool(held) and all(each.items and set(each.items) <= PLAIN for each in held)
    present = assignments_in(inner)
    for word, value in dicts[0].items():
        items[word] = inner.source(value)
        if settings != [last] or not literal_type(value):
            copy = f"_{name.strip('_')}_{word}"
            items[word] = f"{built.receiver}.{copy}"
            line = f'{items[word]} = {built.receiver}.{name}["{word}"]'
            if line not in present and (site.held(copy).values or not is_plain):
                return None
            kept += [] if line in present else [inner.insert_behind(last, line)]
    return items, kept


def _is_only_read(inner: FunctionContext, name: str, settings: Sequence[ast.Assign]) -> bool:
    """Whether the constructor does nothing but set an attribute, read its items and pass them on."""
    outer = [inner.parents[node] for node in ast.walk(inner.node) if inner.self_attribute(node) == name]
    passed = (each for each in outer if isinstance(each, ast.keyword) and each.arg is None)
    items = (each for each in outer if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Load))
    return {*outer} <= {*settings, *passed, *items}


def _returned(site: FunctionContext, call: ast.Call) -> Mapping[str, str] | None:
    """The items of the dict that a called function returns, in terms of the arguments; None if it does more."""
    function = site.definition(call.func)
    given = bind_arguments(call, function.parameters) if function else None
    if function is None or given is None or function.in_class or function.decorators:
        return None
    match body_of(function.node):
        case [ast.Return(ast.expr() as value)] if all(map(is_plain, given.values())):
            items, known = _items_of(value), {name: spell(site, each) for name, each in given.items()}
            if items is not None and names_in(*items.values()) <= known.keys():
                return {name: spell(site.at(function), each, names_for(known)).text for name, each in items.items()}
    return None


def _of_local(site: FunctionContext, name: str, passing: Mapping[ast.keyword, ast.Call]) -> Iterator[Mend]:
    """The mend of calls that pass a local, or the mend that comes first: their code moves into branches."""
    shared = {each for n in ast.walk(site.node) if isinstance(n, (ast.Global, ast.Nonlocal)) for each in n.names}
    if name in shared or any(is_hidden(site, each, [name]) for each in passing):
        return
    found = {each: _settings_before(site, each, name) for each in passing}
    settings = {statement for each in found.values() for statement in each or ()}
    if not all(found.values()):
        yield from _in_branches(site, name, passing)
        return
    if _touching(site.node, name) != {node for each in settings for node in _touching(each, name)}:
        return
    if not all(site.begins_line(each) and ends_line(site, each) for each in settings):
        return
    texts, kept = dict[ast.expr, str](), list[Edit]()
    for statement in sorted(settings, key=lambda each: each.lineno):
        lines = list[str]()
        for word, value in (_items_set(statement, name) or {}).items():
            texts[value] = site.source(value)
            if not _may_move(site, value, statement, passing):
                texts[value] = site.first_free(numbered(word), texts.values())
                lines.append(f"{texts[value]} = {spell(site, value).at_least(CHOICE)}")
        kept.append(site.replace(statement, "\n".join(lines)) if lines else site.remove(statement))
    items = {each: dict[str, str]() for each in passing}
    for each, taken in items.items():
        for given in (_items_set(setting, name) or {} for setting in found[each] or ()):
            taken.update((word, texts[value]) for word, value in given.items())
    edits, first = _passed(site, passing, items), next(iter(passing))
    if edits is not None:
        yield site.mend(first.value, _summary(name, items[first]), [*edits, *kept])


def _may_move(site: FunctionContext, value: ast.expr, setting: ast.stmt, uses: Collection[ast.AST]) -> bool:
    """Whether a value is the same in calls: a constant, or a name or attribute that nothing may change before."""
    if isinstance(value, ast.Constant):
        return True
    between = [setting, *until(site, setting, uses)]
    calls = [node for each in between for node in ast.walk(each) if isinstance(node, ast.Call)]
    # Any call may change an attribute, but the calls that get the items.
    if any(isinstance(node, ast.Attribute) for node in ast.walk(value)) and len(calls) > len(uses):
        return False
    return bool(root_name(value)) and not may_change(site, value, setting, uses)


def _in_branches(site: FunctionContext, name: str, passing: Collection[ast.keyword]) -> Iterator[Mend]:
    """The code from a choice of items to the calls is written into each branch."""
    statements = [node for node in ast.walk(site.node) if isinstance(node, ast.stmt)]
    known = [each for each in statements if _items_set(each, name) is not None or _chosen(each, name)]
    others = _touching(site.node, name) - {node for each in known for node in _touching(each, name)}
    if others or site.function.parameter(name):
        return

    def is_choice(statement: ast.stmt) -> bool:
        return _chosen(statement, name) or (isinstance(statement, ast.If) and bool(_touching(statement, name)))

    if found := into_branches(site, name, passing, is_choice):
        summary = f"write the code that passes `**{name}` into the branches that choose it"
        yield site.mend(found[0], summary, found[1])


def _chosen(statement: ast.stmt, name: str) -> bool:
    """Whether a statement assigns one of several dicts to a local, by a conditional expression."""
    match statement:
        case ast.Assign([ast.Name()], ast.IfExp() as chosen):
            return len(_touching(statement, name)) == 1 and None not in map(_items_of, choices(chosen))
    return False


def _items_of(value: ast.expr) -> Mapping[str, ast.expr] | None:
    """The values of a dict by name; None if the names are not written out."""
    names, values = list[object](), list[ast.expr]()
    match value:
        case ast.Call(ast.Name("dict"), [], keywords):
            names, values = [each.arg for each in keywords], [each.value for each in keywords]
        case ast.Dict(keys, values):
            names = [key.value if isinstance(key, ast.Constant) else None for key in keys]
        case _:
            return None
    are_written = all(isinstance(name, str) and _is_word(name) and names.count(name) == 1 for name in names)
    return dict(zip(map(str, names), values, strict=True)) if are_written else None


def _is_word(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name)


def _touching(tree: ast.AST, name: str) -> set[ast.Name]:
    """The places that use a local in another way than to pass its items."""
    nodes = list(ast.walk(tree))
    passed = {node.value for node in nodes if isinstance(node, ast.keyword) and node.arg is None}
    return {node for node in nodes if is_name(node, name) and node not in passed}


def _items_set(statement: ast.stmt, name: str) -> Mapping[str, ast.expr] | None:
    """The items that a statement gives a local; None if it does something else."""
    items: Mapping[str, ast.expr] | None = None
    match statement:
        case ast.Assign([ast.Name()], value):
            items = _items_of(value)
        case ast.Assign([ast.Subscript(ast.Name(), ast.Constant(str(word)))], value) if _is_word(word):
            items = {word: value}
    return items if len(_touching(statement, name)) == 1 and name not in names_in(*(items or {}).values()) else None


def _settings_before(site: FunctionContext, node: ast.AST, name: str) -> list[ast.stmt] | None:
    """The statements that gave a local its items when a node is reached, in order; None if they are not known."""
    found = list[ast.stmt]()
    for statement in (each for each in before(site, node) if _touching(each, name)):
        found.insert(0, statement)
        if _items_set(statement, name) is None:
            return None
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            around = {*site.around(node)} - {*site.around(statement)}
            tests = (each.test for each in around if isinstance(each, (ast.If, ast.IfExp)))
            hiding = (each for each in around if isinstance(each, HIDING))
            return None if any(_touching(each, name) for each in (*tests, *hiding)) else found
    return None


RULE = MendRule("passed_dicts", MendKind.EXACT, said(EXPANSION), find)
