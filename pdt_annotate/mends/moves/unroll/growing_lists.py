"""A list that grows by a generator which reads the list grows in a loop instead.

In Python, each item is added before the next one is computed. The compiler computes all items before it adds any.

Message: None. The mend is made if the scripted model returns other results than Python, or raises an error. It is also
    made if the model verifies, because other inputs may show the difference.
Kind: Exact.
Needs:
    - The list is a local variable that only held lists and tensors, or that is only set to displays, comprehensions,
      calls of `list`, and sums and products of these. The call of `extend` is a statement.
    - The generator contains no f-string, lambda, comprehension or assignment.
Before:
    ys = [x]
    ys.extend(layer(ys[-1]) for layer in self.layers)
After:
    ys = [x]
    for layer in self.layers:
        ys.append(layer(ys[-1]))
"""

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.blocks import COMPREHENSIONS, as_loop, ends_line
from pdt_annotate.mends.kit.construction import is_new_list
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule
from pdt_annotate.mends.kit.spelled import loads
from pdt_annotate.source.scopes import names_inside
from pdt_annotate.values.mends import Mend, MendKind

INNER = (*COMPREHENSIONS, ast.Lambda, ast.JoinedStr, ast.NamedExpr)


def find(site: FunctionContext) -> Iterator[Mend]:
    for statement in ast.walk(site.node):
        match statement:
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name) as grown, "extend"), [ast.GeneratorExp() as made], [])):
                is_plain = not any(isinstance(n, INNER) for n in ast.walk(made) if n is not made)
                is_read = len(loads(made, name)) > len(loads(made.generators[0].iter, name))
                is_alone = site.begins_line(statement) and ends_line(site, statement) and name not in names_inside(made)
                # No tensor, which the variable may hold later, can be extended.
                is_list = is_new_list(site, name) or site.is_always(grown, "list", *TENSORS)
                if is_plain and is_read and is_alone and is_list:
                    summary = f"add the items of `{ast.unparse(made)}` one by one"
                    yield site.mend(statement, summary, [site.replace(statement, as_loop(site, made, name))])


RULE = MendRule(
    "growing_lists",
    MendKind.EXACT,
    lambda failure: bool(failure.call),
    find,
    improves="the compiler computes all items of a generator before the list grows",
)
