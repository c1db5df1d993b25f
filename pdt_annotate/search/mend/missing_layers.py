"""A layer that only some instances have is None in the others, and what uses it asserts that it is there.

Behind an assertion that fails for a known None the compiler knows that nothing runs.

Message: `Module` … `has no attribute`, or `NoneType`, where a branch that is never taken uses it.
Kind: exact.
Needs: instances that lack the attribute, or hold None; a constructor that sets it in a branch; no code that asks
whether it is there.
Before:
    def __init__(self, width, scale):
        super().__init__()
        if scale != 1:
            self.expand = nn.Linear(width, width * scale)
        self.scale = scale

    def forward(self, x):
        if self.scale != 1:
            x = self.expand(x)
        return x
After:
    def __init__(self, width, scale):
        super().__init__()
        if scale != 1:
            self.expand = nn.Linear(width, width * scale)
        else:
            self.expand = None
        self.scale = scale

    def forward(self, x):
        if self.scale != 1:
            assert self.expand is not None
            x = self.expand(x)
        return x
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import NO_ATTRIBUTE, NONE_TYPE
from pdt_annotate.search.mend.construction import constructor, last_setting, parents, stores
from pdt_annotate.search.mend.site import MendRule, MendSite
from pdt_annotate.search.mend.spelled import tested
from pdt_annotate.source.survey import Function
from pdt_annotate.source.syntax import called_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

CONDITIONAL = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)
COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match, ast.FunctionDef, ast.AsyncFunctionDef)
LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
ASKING = frozenset(("hasattr", "getattr", "delattr", "get", "pop"))
Block = list[ast.stmt]


def is_asked_for(failure: Failure) -> bool:
    facts = NO_ATTRIBUTE.read(failure.text or failure.message)
    return not facts["unconverted"] if facts else NONE_TYPE.is_in(failure.message)


def find(site: MendSite) -> Iterator[Mend]:
    around = parents(site.node)
    found: dict[int, tuple[ast.stmt, list[str]]] = {}
    for node in ast.walk(site.node):
        name = site.self_attribute(node)
        if name and isinstance(node.ctx, ast.Load) and _is_missing(site, name, _refuses_none(node, around[node])):  # type: ignore[attr-defined]
            statement, block = _enclosing(node, around)
            if not _is_asserted(site, block, statement, name):
                place = _place(block, statement, node, around)
                names = found.setdefault(id(place), (place, []))[1]
                names += [name] if name not in names else []
    for place, names in found.values():
        yield from _mend(site, place, names, around)


def _is_missing(site: MendSite, name: str, refuses_none: bool) -> bool:
    """Whether some instances lack the attribute, and can have None unnoticed; or have None that a use refuses."""
    held, built = site.held(name), constructor(site)
    if not held.lacking:
        is_none = any(value.type == "builtins.NoneType" for value in held.values)
        return is_none and refuses_none and not _is_compared(site, name)
    if built is None or built.node is site.node or not any(stores(built.node, name, built.receiver)):
        return False
    return not _is_class_attribute(site, name) and not _is_asked_by_name(site, name)


def _refuses_none(node: ast.AST, use: ast.AST) -> bool:
    """Whether what stands around an attribute raises where it is None: a call, an attribute or item of it, a loop."""
    used = {ast.Call: "func", ast.Attribute: "value", ast.Subscript: "value", ast.For: "iter"}.get(type(use), "")
    return getattr(use, used, None) is node


def _is_compared(site: MendSite, name: str) -> bool:
    """Whether the function compares the attribute with something, asks for its truth, or gives it a value."""
    tests = [*tested(site.node), *(n.left for n in ast.walk(site.node) if isinstance(n, ast.Compare))]
    return any(site.self_attribute(test) == name for test in tests) or any(stores(site.node, name))


def _is_class_attribute(site: MendSite, name: str) -> bool:
    body = site.cls.node.body if site.cls else []
    named = (ast.walk(t) for s in body if isinstance(s, (ast.Assign, ast.AnnAssign)) for t in _targets(s))
    return any(getattr(s, "name", "") == name for s in body) or any(
        isinstance(node, ast.Name) and node.id == name for nodes in named for node in nodes
    )


def _targets(statement: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]


def _is_asked_by_name(site: MendSite, name: str) -> bool:
    """Whether the project asks for the attribute by its name: `hasattr(self, "x")` would find it from now on."""
    trees = (site.project.survey(file).tree for file in site.project.with_name(name))
    return any(_asks(node, name) for tree in trees for node in ast.walk(tree))


def _asks(node: ast.AST, name: str) -> bool:
    """Whether a node is `hasattr(x, "name")` or `"name" in x.__dict__`."""
    asked = node.args if isinstance(node, ast.Call) and called_name(node) in ASKING else []
    if isinstance(node, ast.Compare) and not isinstance(node.comparators[0], (ast.Tuple, ast.List, ast.Set)):
        asked = [node.left] if isinstance(node.ops[0], (ast.In, ast.NotIn)) else []
    return any(isinstance(each, ast.Constant) and each.value == name for each in asked)


def _enclosing(node: ast.AST, around: dict[ast.AST, ast.AST]) -> tuple[ast.stmt, Block]:
    """The innermost statement around a node, and the list of statements that it stands in."""
    while not isinstance(node, ast.stmt):
        node = around[node]
    return node, _block(around[node], node)


def _block(outer: ast.AST, statement: ast.stmt) -> Block:
    fields = (value for _, value in ast.iter_fields(outer) if isinstance(value, list))
    return next((value for value in fields if any(each is statement for each in value)), [statement])


def _place(block: Block, statement: ast.stmt, node: ast.AST, around: dict[ast.AST, ast.AST]) -> ast.stmt:
    """In front of which statement the assertion goes: the first of the branch, where it is reached from there."""
    index = next(i for i, each in enumerate(block) if each is statement)
    is_straight = not any(isinstance(each, (*COMPOUND, *LEAVING)) for each in block[:index])
    return block[0] if is_straight and not _is_conditional(node, statement, around) else statement


def _is_conditional(node: ast.AST, statement: ast.stmt, around: dict[ast.AST, ast.AST]) -> bool:
    """Whether the statement may run without evaluating the node."""
    while node is not statement:
        if isinstance(node, CONDITIONAL):
            return True
        node = around[node]
    return isinstance(statement, (ast.While, ast.Try, ast.FunctionDef, ast.Assert))


def _is_asserted(site: MendSite, block: Block, statement: ast.stmt, name: str) -> bool:
    text = f"{site.function.receiver}.{name} is not None"
    asserted = [s for s in block if isinstance(s, ast.Assert) and ast.unparse(s.test) == text]
    return any(s.lineno <= statement.lineno for s in asserted)


def _mend(site: MendSite, place: ast.stmt, names: Sequence[str], around: dict[ast.AST, ast.AST]) -> Iterator[Mend]:
    asserted = [f"assert {site.function.receiver}.{name} is not None" for name in names]
    edits = [edit for name in names if site.held(name).lacking for edit in _set_to_none(site, name)]
    reads = [n for n in ast.walk(place) if site.self_attribute(n) in names]
    chosen = _chosen(place)
    if chosen is not None:
        first = any(_holds(chosen.body, node) for node in reads)
        edits.append(_written_out(site, place, chosen, asserted, first))
    elif any(_is_conditional(node, place, around) for node in reads if _enclosing(node, around)[0] is place):
        return
    else:
        edits.append(site.insert_before(place, "\n".join(asserted)))
    listed = ", ".join(f"`self.{name}`" for name in names)
    summary = f"{listed}: None where there is none, and asserted to be there where used"
    yield site.mend(RULE.name, MendKind.EXACT, place, summary, dict.fromkeys(edits))


def _chosen(place: ast.stmt) -> ast.IfExp | None:
    """The choice that a statement gives to one target, or returns."""
    is_plain = isinstance(place, ast.Return) or (isinstance(place, ast.Assign) and len(place.targets) == 1)
    return place.value if is_plain and isinstance(place.value, ast.IfExp) else None  # type: ignore[attr-defined]


def _holds(tree: ast.AST, node: ast.AST) -> bool:
    return any(inner is node for inner in ast.walk(tree))


def _written_out(site: MendSite, place: ast.stmt, chosen: ast.IfExp, asserted: Sequence[str], first: bool) -> Edit:
    """`x = a if test else b` as a statement, with the assertions in the branch that uses the layer."""
    start, end = site.span(place)
    head = site.text.body[start : site.span(chosen)[0]].decode().rstrip("( \n")
    test, body, other = (_alone(site.source(part)) for part in (chosen.test, chosen.body, chosen.orelse))
    guard = [f"    {line}" for line in asserted]
    lines = [f"if {test}:", *guard[: first * len(guard)], f"    {head} {body}"]
    lines += ["else:", *guard[first * len(guard) :], f"    {head} {other}"]
    return Edit(start, f"{site.text.newline}{site.text.indent(start)}".join(lines), removed=end - start)


def _alone(source: str) -> str:
    """An expression as it can stand without the brackets that were around it."""
    try:
        ast.parse(source, mode="eval")
    except SyntaxError:
        return f"({source})"
    return source


def _set_to_none(site: MendSite, name: str) -> list[Edit]:
    """What makes the constructor set an attribute to None where it does not set it."""
    built = constructor(site)
    if built is None or any(_is_none(node, name) for node in ast.walk(built.node)):
        return []
    statement = last_setting(built, name)
    first = next(s for s in built.node.body if any(stores(s, name, built.receiver)))
    line = f"{built.receiver}.{name} = None"
    if first is statement and isinstance(first, ast.If) and not first.orelse and _sets(first.body, name, built):
        return _else(site, first, line)
    return [site.insert_before(first, line)]


def _else(site: MendSite, choice: ast.If, line: str) -> list[Edit]:
    """The other branch, at the end of the line that the first ends in: the next line may get something, too."""
    last = site.end_of_lines(choice.body[-1])
    end = len(site.text.body[:last].rstrip(b"\r\n"))
    outer, inner = (site.text.newline + site.text.indent(site.text.start(s)) for s in (choice, choice.body[0]))
    return [Edit(end, f"{outer}else:"), Edit(end, f"{inner}{line}")]


def _sets(body: Block, name: str, built: Function) -> bool:
    """Whether a branch sets the attribute wherever it ends."""
    return any(isinstance(s, ast.Assign) and any(stores(s, name, built.receiver)) for s in body)


def _is_none(node: ast.AST, name: str) -> bool:
    """`self.name = None`."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant) or node.value.value is not None:
        return False
    return any(isinstance(t, ast.Attribute) and t.attr == name for t in node.targets)


RULE = MendRule("missing_layers", MendKind.EXACT, is_asked_for, find)
