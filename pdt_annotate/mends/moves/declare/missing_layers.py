"""A layer that only some instances have is None in the others, and is asserted not to be None before it is used.

If the layer is None, the assertion always fails, and the compiler does not compile the code after it.

Message: `Module` … `has no attribute`, or a message about `NoneType`, in a branch that is never taken.
Kind: Exact.
Needs:
    - In some instances, the attribute does not exist, or is None.
    - If the attribute does not exist, the constructor sets it in a branch, and no code tests whether it exists.
Before:
    def __init__(self, width, scale):
        super().__init__()
        if scale != 1:
            self.expand = nn.Linear(width, width * scale)

    def forward(self, x, wide: bool):
        if wide:
            x = self.expand(x)
        return x
After:
    def __init__(self, width, scale):
        super().__init__()
        if scale != 1:
            self.expand = nn.Linear(width, width * scale)
        else:
            self.expand = None

    def forward(self, x, wide: bool):
        if wide:
            assert self.expand is not None
            x = self.expand(x)
        return x
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import NO_ATTRIBUTE, NONE_TYPE
from pdt_annotate.mends.kit.blocks import LEAVING, blocks
from pdt_annotate.mends.kit.construction import attribute_stores, constructor, is_asked, set_to_none
from pdt_annotate.mends.kit.context import NOTHING, FunctionContext, MendRule
from pdt_annotate.mends.kit.spelled import CHOICE, is_looked_into, may_be_skipped, spell, tested
from pdt_annotate.source.syntax import nodes_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match, ast.FunctionDef, ast.AsyncFunctionDef)


def is_asked_for(failure: Failure) -> bool:
    facts = NO_ATTRIBUTE.read(failure.text or failure.message)
    return not facts["unconverted"] if facts else NONE_TYPE.is_in(failure.message)


def find(site: FunctionContext) -> Iterator[Mend]:
    found: dict[ast.stmt, list[str]] = defaultdict(list)
    read = (node for node in nodes_in(site.node, ast.Attribute) if isinstance(node.ctx, ast.Load))
    for node in read:
        name, statement = site.self_attribute(node), site.statement(node)[0]
        if name and _is_missing(site, name, node):
            block = next((each for each in blocks(site.node) if statement in each), [statement])
            text = f"{site.function.receiver}.{name} is not None"
            asserted = (s for s in block if isinstance(s, ast.Assert) and ast.unparse(s.test) == text)
            if not any(s.lineno <= statement.lineno for s in asserted):
                # The assertion goes in front of the first statement of the branch, if that always leads to the use.
                before = block[: block.index(statement)]
                is_straight = not any(isinstance(each, (*COMPOUND, *LEAVING)) for each in before)
                place = block[0] if is_straight and not _is_conditional(site, node) else statement
                found[place] += [name] if name not in found[place] else []
    for place, names in found.items():
        yield from _mend(site, place, names)


def _is_missing(site: FunctionContext, name: str, node: ast.expr) -> bool:
    """Whether some instances lack the attribute and may get None, or hold None so that this use would raise."""
    held, built = site.held(name), constructor(site)
    if not held.lacking:
        if not is_looked_into(site, node) or not any(value.type == NOTHING for value in held.values):
            return False
        tests = (*tested(site.node), *(n.left for n in nodes_in(site.node, ast.Compare)))
        others = (*attribute_stores(site.node, name), *(test for test in tests if site.self_attribute(test) == name))
        return not others
    if built is None or built.node is site.node or not any(attribute_stores(built.node, name, built.receiver)):
        return False
    return not is_asked(site, name)  # `hasattr(self, "x")` would find it from now on


def _is_conditional(site: FunctionContext, node: ast.AST) -> bool:
    may_run = isinstance(site.statement(node)[0], (ast.While, ast.Try, ast.FunctionDef, ast.Assert))
    return may_run or may_be_skipped(site, node)


def _mend(site: FunctionContext, place: ast.stmt, names: Sequence[str]) -> Iterator[Mend]:
    asserted = [f"assert {site.function.receiver}.{name} is not None" for name in names]
    edits = [edit for name in names if site.held(name).lacking for edit in set_to_none(site, name)]
    reads = [n for n in ast.walk(place) if site.self_attribute(n) in names]
    is_alone = isinstance(place, ast.Return) or (isinstance(place, ast.Assign) and len(place.targets) == 1)
    if is_alone and isinstance(chosen := place.value, ast.IfExp):  # type: ignore[attr-defined]
        first = not set(reads).isdisjoint(ast.walk(chosen.body))
        edits.append(_written_out(site, place, chosen, asserted, first))
    elif any(_is_conditional(site, node) for node in reads if site.statement(node)[0] is place):
        return
    else:
        edits.append(site.insert_before(place, "\n".join(asserted)))
    listed = ", ".join(f"`self.{name}`" for name in names)
    summary = f"assert before use that {listed} is not None, and set it to None where it is missing"
    yield site.mend(place, summary, dict.fromkeys(edits))


def _written_out(
    site: FunctionContext, place: ast.stmt, chosen: ast.IfExp, asserted: Sequence[str], first: bool
) -> Edit:
    """`x = a if test else b` as a statement, with the assertions in the branch that uses the layer."""
    start, end = site.span(place)
    head = site.text.body[start : site.span(chosen)[0]].decode().rstrip("( \r\n")
    test, body, other = (spell(site, part).at_least(CHOICE) for part in (chosen.test, chosen.body, chosen.orelse))
    guard = [f"    {line}" for line in asserted]
    lines = [f"if {test}:", *(guard if first else ()), f"    {head} {body}"]
    lines += ["else:", *(() if first else guard), f"    {head} {other}"]
    return Edit(start, f"{site.text.newline}{site.text.indent(start)}".join(lines), removed=end - start)


RULE = MendRule("missing_layers", MendKind.EXACT, is_asked_for, find)
