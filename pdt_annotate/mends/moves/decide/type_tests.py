"""A type test that the compiler cannot evaluate has a constant result in the scripted model. So has a test for a GPU.

Message: Any message about such a test, or about a test that `and` or `or` joins to it.
Kind:
    - Exact for a type test.
    - Scripted for `torch.cuda.is_available()`, because the scripted model then does what this machine does.
Needs: The test had the same result in all calls. In a type test, the tested value was a tensor, a plain value of one
    class, a function, or None in all calls.
Before:
    if isinstance(x, np.ndarray) and x.ndim > 2:
        x = torch.from_numpy(x)
After:
    if False if torch.jit.is_scripting() else isinstance(x, np.ndarray) and x.ndim > 2:
        x = torch.from_numpy(x)
"""

import ast
import functools
from collections.abc import Iterator

from pdt_annotate.mends.kit.blocks import when_scripted
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, anything
from pdt_annotate.mends.kit.deciding import result_of
from pdt_annotate.mends.kit.settled import MACHINE
from pdt_annotate.mends.kit.spelled import joined
from pdt_annotate.source.syntax import called_name, is_call_of, last_names
from pdt_annotate.values.mends import Mend, MendKind

READ = ("Tensor", "int", "float", "str", "bool", "list", "tuple", "complex")
"""The names of the classes for which the compiler can test."""
PLAIN = ("int", "float", "bool", "str", "list", "tuple", "dict")
FUNCTIONS = ("function", "builtin_function_or_method", "method")  # which the compiler cannot test
SUBCLASSES = ("Parameter", "Variable", "Buffer")  # the compiler sees a tensor


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            yield from _mend(site, node.test)


def _mend(site: FunctionContext, test: ast.expr) -> Iterator[Mend]:
    outcome = result_of(test, functools.partial(_outcome, site))
    # The compiler folds `isinstance` alone: joined to other tests, it reads those too.
    is_joined = isinstance(test, ast.BoolOp) and site.is_failing(test)
    of_machine = any(_asks_machine(site, part) for part in ast.walk(test))
    if outcome is not None and (is_joined or of_machine or any(_is_unread(site, part) for part in ast.walk(test))):
        summary = f"make `{ast.unparse(test)}` {outcome} in the scripted model"
        left_out = f"the case that `{ast.unparse(test)}` is {not outcome}" if of_machine else ""
        yield site.mend(test, summary, [when_scripted(site, test, str(outcome))], left_out=left_out)
    else:
        for part in joined(test):
            yield from _mend(site, part)


def _outcome(site: FunctionContext, test: ast.expr) -> bool | None:
    """The result of a test that the machine, or the classes of a value, decide; None for any other."""
    results, subject = {value.literal for value in site.values(test)}, _subject(test)
    if results not in ({"True"}, {"False"}):
        return None
    result = results == {"True"}
    if _asks_machine(site, test):
        return result
    types = {value.type.removeprefix("builtins.") for value in site.values(subject)} if subject else set()
    known = types if result else types - {"NoneType"}
    is_tensor = not known.isdisjoint(TENSORS)
    is_subclass = any(name in SUBCLASSES or (name.endswith("Tensor") and name != "Tensor") for name in _asked(test))
    is_known = (
        len(known) <= 1
        and known <= {*PLAIN, *FUNCTIONS, "torch.Tensor", "torch.Size"}
        and not (is_tensor and is_subclass)
    )
    return result if types and is_known else None


def _asked(test: ast.expr) -> set[str]:
    """The last names of the classes for which a test asks."""
    asked = test.args[1:] if isinstance(test, ast.Call) else getattr(test, "comparators", ())
    return set[str]().union(*map(last_names, asked))


def _subject(test: ast.AST) -> ast.expr | None:
    """The value whose class a test asks for: `isinstance(x, C)`, `type(x) is C`, `torch.is_tensor(x)`."""
    match test:
        case ast.Compare(
            ast.Call(ast.Name("type"), [value]) | ast.Attribute(value, "__class__"),
            [ast.Is() | ast.IsNot() | ast.Eq() | ast.In()],
        ):
            return value
        case ast.Call(args=[value, *_]) if called_name(test) in ("isinstance", "is_tensor", "callable"):
            return value
    return None


def _asks_machine(site: FunctionContext, test: ast.AST) -> bool:
    return isinstance(test, ast.Call) and site.meaning(test.func) in MACHINE


def _is_unread(site: FunctionContext, test: ast.AST) -> bool:
    """Whether the compiler cannot read a test."""
    subject = _subject(test)
    if subject is None:
        return False
    is_function = any(value.type.removeprefix("builtins.") in FUNCTIONS for value in site.values(subject))
    return is_function or not (is_call_of(test, "isinstance") and _asked(test) <= {*READ, "torch"})


RULE = MendRule("type_tests", MendKind.EXACT, anything, find)
