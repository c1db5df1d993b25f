"""Questions of the stub writer to a syntax tree: names, constants, declaring statements, and annotations."""

import ast
from collections.abc import Iterable, Iterator

from pdt_annotate.source.scopes import statements

# Control structures and their parts; their statements belong to the block that contains them.
NESTING = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.TryStar, ast.ExceptHandler)
# Type checkers decide an `if` on one of these, so it stays in the stub.
CHECKED_CONDITIONS = frozenset({"sys.version_info", "sys.platform"})


def last_name(node: ast.AST) -> str:
    """`torch.jit.export`, `torch.jit.export()`, `export[T]` → "export"; "" if the node is not a name."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_constant(node: ast.expr | None) -> bool:
    """Whether a type checker infers the type from the value: a number or bool (also signed), or a text on one line."""
    if isinstance(node, ast.UnaryOp):
        return is_constant(node.operand)
    return isinstance(node, ast.Constant) and node.value not in (None, ...) and node.lineno == node.end_lineno


def flatten(nodes: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """The statements of a block, each branch of a control structure in turn, without `if __name__ == "__main__"`."""
    for node in nodes:
        compared = node.test.left if isinstance(node, ast.If) and isinstance(node.test, ast.Compare) else None
        is_main_guard = compared is not None and last_name(compared) == "__name__"
        condition = compared.value if isinstance(compared, ast.Subscript) else compared
        is_checked = condition is not None and ast.unparse(condition) in CHECKED_CONDITIONS
        if isinstance(node, NESTING) and not is_checked:
            yield from flatten(() if is_main_guard else ast.iter_child_nodes(node))
        elif isinstance(node, ast.stmt):
            yield node


def table_of(statement: ast.stmt) -> dict[str, ast.expr] | None:
    """The table of `__annotations__ = {"name": T}`."""
    match statement:
        case ast.Assign([ast.Name(id="__annotations__")], ast.Dict(keys, values)):
            entries = ((key, value) for key, value in zip(keys, values, strict=True) if isinstance(key, ast.Constant))
            return {key.value: value for key, value in entries if isinstance(key.value, str)}
    return None


def spread_tables(node: ast.ClassDef) -> Iterator[ast.stmt]:
    """The statements of a class body, with each entry of an `__annotations__` table as an annotation."""
    statements = list(flatten(node.body))
    types = {name: type_ for statement in statements for name, type_ in (table_of(statement) or {}).items()}
    assigned = set(map(assigned_name, statements))
    for statement in statements:
        annotated: list[tuple[str, ast.expr, ast.expr | None]] = []
        if (table := table_of(statement)) is not None:
            annotated += ((name, type_, None) for name, type_ in table.items() if name not in assigned)
        elif isinstance(statement, ast.Assign) and (name := assigned_name(statement)) in types:
            annotated.append((name, types[name], statement.value))
        else:
            yield statement
        for name, type_, value in annotated:
            yield ast.AnnAssign(ast.Name(name, ast.Store()), type_, value, simple=1)


def assigned_name(statement: ast.stmt) -> str:
    """The x of `x = …` with one target, otherwise ""."""
    match statement:
        case ast.Assign([ast.Name(id=name)]):
            return name
    return ""


def find_lost(before: bytes, after: bytes, stub: bytes) -> list[str]:
    """The names of new annotations of a source that a stub lacks. It has no place for those of nested functions."""
    old, new, stated = (set(annotations_in(ast.parse(each).body)) for each in (before, after, stub))
    return sorted(name for name, _ in new - old - stated)


def annotations_in(nodes: Iterable[ast.AST], above: str = "") -> Iterator[tuple[str, str]]:
    """The annotations outside function bodies by name: "Net.forward(x)", "Net.forward()" for the result, "Net.size"."""
    for node in flatten(nodes):
        found: list[tuple[str, ast.expr | None]] = []
        match node:
            case ast.If():
                yield from annotations_in((*node.body, *node.orelse), above)
            case ast.AnnAssign(ast.Name(name)):
                found = [(name, node.annotation)]
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                arguments = (arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg))
                found = [(f"{node.name}({arg.arg})", arg.annotation) for arg in arguments]
                found.append((f"{node.name}()", node.returns))
            case ast.ClassDef():
                yield from annotations_in(spread_tables(node), f"{above}{node.name}.")
                found = [(f"{node.name}.{name}", type_) for name, type_ in instance_attributes(node)]
        yield from ((above + name, ast.unparse(type_)) for name, type_ in found if type_ is not None)


def instance_attributes(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr | None]]:
    """The attributes that methods assign to their first parameter, each with its annotation if there is one."""
    functions = (each for each in flatten(node.body) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
    for method in (each for each in functions if each.args.args):
        assigned: list[tuple[ast.expr, ast.expr | None]] = []
        for inner in (each.node for each in statements(method.body)):
            if isinstance(inner, ast.AnnAssign):
                assigned.append((inner.target, inner.annotation))
            elif isinstance(inner, ast.Assign):
                targets = (part for target in inner.targets for part in getattr(target, "elts", [target]))
                assigned += ((target, None) for target in targets)
        for target, annotation in assigned:
            match target:
                case ast.Attribute(ast.Name(id=owner), name) if owner == method.args.args[0].arg:
                    yield name, annotation
