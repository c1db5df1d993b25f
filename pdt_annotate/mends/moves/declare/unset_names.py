"""If only a branch or loop sets a variable that later code reads, the scripted model also sets it beforehand.

If the branch or loop does not run, Python raises an error when the variable is read. The compiler rejects the code.

Message: `width is not defined in the false branch`, `undefined value`, or `Python builtin <built-in function input>` if
    the variable has the name of a function of Python.
Kind: Exact if an assertion can be inserted before each statement that may read the variable before it is set. The
    scripted model then raises an error wherever Python does. Otherwise scripted.
Needs:
    - One loop, `if` or `with` statement contains all assignments of the variable, except assignments after it. Code
      reads the variable only after the first of these assignments, or in the same loop.
    - The value is a number, a bool, a string, a Tensor or a list of Tensors.
Before:
    for layer in self.layers:
        out = layer(x)
    return out
After:
    if torch.jit.is_scripting():
        out: Optional[torch.Tensor] = None
    for layer in self.layers:
        out = layer(x)
    if torch.jit.is_scripting():
        assert out is not None
    return out
"""

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import BRANCH_LACKS, NO_BUILTIN, UNDEFINED
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, LOOPS, is_set_before
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import loads, may_be_skipped, stores
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

NEVER_READ = {
    **{"int": "0", "float": "0.0", "bool": "False", "str": '""'},
    **{"torch.Tensor": "torch.empty(0)", "list[torch.Tensor]": "[]"},
}
"""By type, a value that is never read."""
OUTER = (*LOOPS, ast.If, ast.With)


def find(site: FunctionContext) -> Iterator[Mend]:
    lacking = site.fact(BRANCH_LACKS)
    for name in [lacking] if lacking else sorted(site.failing_names):
        yield from _set_before(site, name)


def _set_before(site: FunctionContext, name: str) -> Iterator[Mend]:
    bound, read = sorted(stores(site.node, name), key=lambda node: node.lineno), loads(site.node, name)
    around = [outer for outer in site.around(bound[0]) if isinstance(outer, OUTER)] if bound else []
    if not around or not read or site.function.parameter(name):
        return
    inside, end = set(ast.walk(around[-1])), getattr(around[-1], "end_lineno", 0)
    are_inside = all(node in inside or node.lineno > end for node in bound)
    # In the next round of a loop around both, the code behind a use has set the variable.
    again = {node for loop in around if isinstance(loop, LOOPS) for node in ast.walk(loop)}
    is_late = are_inside and all(node.lineno >= bound[0].lineno or node in again for node in read)
    type_ = next((each for each in NEVER_READ if site.is_always(read[0], each)), "")
    if not type_ or not is_late:
        return
    asked = site.spell(IS_SCRIPTING)
    edits = _asserted(site, name, f"if {asked}():\n    assert {name} is not None")
    left_out = "" if edits else f"the error if nothing sets `{name}`"
    if edits:
        optional = site.spell(f"typing.Optional[{type_.replace('list', 'typing.List')}]")
        new = f"{name}: {optional} = None"
    else:
        new = f"{name} = {NEVER_READ[type_].replace('torch.empty', site.spell('torch.empty'))}"
    edits.append(site.insert_before(around[-1], f"if {asked}():\n    {new}"))
    yield site.mend(around[-1], f"add `{new}` in the scripted model", edits, left_out=left_out)


def _asserted(site: FunctionContext, name: str, check: str) -> list[Edit]:
    """The edits that check the name where it is read before it is surely set; none if a use cannot have a check."""
    setting = {site.statement(node)[0] for node in stores(site.node, name)}
    read = sorted(loads(site.node, name), key=lambda node: (node.lineno, node.col_offset))
    is_plain = all(isinstance(each, (ast.Assign, ast.AnnAssign)) for each in setting)
    edits, checked = list[Edit](), set[ast.stmt]()
    for use in read if is_plain else ():
        statement, _ = site.statement(use)
        if is_set_before(site, statement, checked | setting) or statement in checked:
            continue
        if not site.takes_lines(statement) or may_be_skipped(site, use):
            return []
        checked.add(statement)
        edits.append(site.insert_before(statement, check))
    return edits


RULE = MendRule("unset_names", MendKind.EXACT, said(BRANCH_LACKS, NO_BUILTIN, UNDEFINED), find, sweeps=False)
