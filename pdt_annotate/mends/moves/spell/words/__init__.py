"""Functions and methods of Python, torch and numpy that the compiler does not know are replaced by equivalent code.

Message: `has no attribute or method`, `Keyword argument` … `unknown`, `Unknown builtin op`,
    `Expected a value of type 'int'` or `'List[int]'` … `but instead found type 'float'` or `'List[Union[float, int]]'`,
    `if-expression's true branch has type`,
    `all inputs of range must be ints`, `cannot be used as a tuple`, `Tried to set an attribute`,
    `cannot create weak reference to 'numpy`, `Python builtin <built-in function prod>`, `reduce` or `array`,
    `has no attribute '__`, `cannot be used as a value`,
    `… to a value of type number`, `unified to number`, `found number`, `unsupported index type 'number'` or `'Tuple`,
    `Class Variable does not have an __init__ function defined`, `Set aren't supported`,
    `Don't support conversion in JoinedStr`, `Don't support formatting in JoinedStr`,
    `reversed(Tensor 0) -> Tensor`, `type(Tensor 0)`, `type object 'type'`,
    `Python builtin <built-in method random of Random object>`, `Random.randint(Tensor self`,
    `Python builtin <built-in function next>`, `Yield aren't supported`, `aten::sum`,
    `Cannot input a tensor of`, `Type mismatch: … is set to type int`, `Variable … previously had type int`,
    `is of type … when scripted, Tensor`, `found type 'Optional[`, `Could not match type int to t`,
    `Ellipses followed by tensor indexing`, `does not have a statically determinable length`,
    `cannot statically infer the expected size of a list in this context`, `Argument split_size not provided`,
    `The size of tensor a (2) must match`, `Boolean value of Tensor with more than one value`,
    `Unable to cast <class 'torch.Tensor'>`, `Lambda aren't supported` of `named_parameters`,
    `aten::get.str(Dict(`.
Kind:
    - Exact, except in the following cases.
    - Frozen for an assignment to `x.data`: the new value must have the sizes of the old one.
    - Frozen for `next(self.parameters())`, which is replaced by the first parameter under its name.
    - Frozen for `dict(self.named_parameters())`, which is replaced by the parameters under their names.
    - Frozen for a tensor of a class that the constructor stores, such as `torch.FloatTensor` in `self.Tensor`.
    - Frozen for `sum` of a list that may be empty.
    - Frozen for the lengths of `pack_padded_sequence`, because later changes of the old tensor do not change a copy.
    - Frozen for `x.numpy().tolist()`, which raises an error if the tensor needs a gradient.
    - Frozen for a sum that starts with a tensor instead of a number, because its dtype may change.
    - Frozen for a tensor that is made from a `range`, because `torch.arange` raises an error for a negative number.
    - Frozen for most functions of numpy: `math` raises an error where numpy returns nan, such as for the root of -1.
    - Scripted for random numbers of Python and numpy, such as `random.random()`: the scripted model draws from torch.
    - A frozen mend of an expression has an exact alternative, which uses the new form only in the scripted model:
      `math.sqrt(n) if torch.jit.is_scripting() else np.sqrt(n)`.
Needs:
    - In every call, the operands had the types that the replacement requires. For example, a method belonged to a
      tensor, the result of a power was an int, and an old constructor such as `x.new` received sizes or a list.
    - A set becomes a tuple if it follows `in`, and all its items are constants or imported names.
    - An f-string becomes a call of `format` if its formats are constants.
    - `reversed` is replaced if code only iterates over its result, and its argument is a list or a `range` without a
      step, which starts at a name, an attribute or a constant.
    - `type(self).width` becomes `self.width` if no function sets the attribute.
    - `next(self.parameters())` and `next(self.buffers())` are replaced if the first parameter or buffer has the same
      name in all modules of the class.
    - `dict(self.named_parameters())` becomes a dict with the parameters, if all modules of the class have the same ones
      and no layers with parameters. So does an `OrderedDict`.
    - A private attribute such as `self.__width` gets the name that Python stores, and a private method gets a new name.
    - `sum` is replaced if its result was a tensor in every call.
    - A tuple among the indices of a tensor becomes a list if a slice is among them, too, and no `...`.
    - `lengths.numpy()` becomes `lengths.long()` if only `pack_padded_sequence` takes the lengths.
    - A tuple in a call of `zip` becomes a list if another argument is a list, a range or a tensor.
    - In the scripted model, a function replaces `...` and a list of ints or a tensor behind it, if all other indices
      are slices.
    - The number 0 with which a variable starts becomes a tensor if the variable was a tensor later, and loops only add
      to it. In the scripted model, any number does if other statements only assign tensors, or if it is one side of a
      conditional expression, and the other side is a tensor.
Before:
    loss = 0
    keep = x.bool() & torch.is_tensor(x)
    x = torch.cat([x, torch.ones(2, requires_grad=False)], axis=0) / x.norm(dim=0)
    half = round(n ** 2 / 2) + np.sqrt(n) * np.pi
    x = x.type(torch.FloatTensor) + Variable(x, requires_grad=False) + x.new(x.size()).fill_(1)
    x = x.to(next(self.parameters()).device)
    for step in reversed(range(n)):
        loss += x.sum()
    return sum([x.mean(1, keepdims=True), loss])
After:
    loss = torch.zeros((), dtype=torch.int64)
    keep = x.to(torch.bool) & isinstance(x, torch.Tensor)
    x = torch.cat([x, torch.ones(2)], dim=0) / torch.norm(x, dim=0)
    half = int(round(int(n ** 2) / 2)) + math.sqrt(n) * math.pi
    x = x.to("cpu", torch.float32) + x.detach() + x.new_empty(x.size()).fill_(1)
    x = x.to(self.body[1].weight.device)
    for step in range(n - 1, -1, -1):
        loss = loss + x.sum()
    return 0 + x.mean(1, keepdim=True) + loss
"""

import ast
import functools
import itertools
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import (
    BRANCHES_GIVE,
    CONVERSION,
    DOTS,
    ELEMENT,
    FROM_OPTIONAL,
    FUNCTION_VALUE,
    LACKS_MEMBER,
    LAMBDA,
    MISREAD,
    NO_DEFAULT,
    NO_INSTANCE,
    NO_ITERATOR,
    NO_LENGTH,
    NO_OPERATOR,
    NO_RANGE,
    NO_SPLIT,
    NUMBER,
    NUMBER_FOR_TENSOR,
    NUMBER_OF_TENSOR,
    NUMPY,
    OWN_CLASS,
    PRIVATE,
    PROD,
    RANDOM,
    REVERSED,
    SET,
    SET_ATTRIBUTE,
    STARRED,
    SUM,
    TUPLE_INDEX,
    UNKNOWN_KEYWORD,
    UNPACKED_TENSOR,
)
from pdt_annotate.mends.kit.blocks import is_for_python, when_scripted
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, mismatched, quoted, said
from pdt_annotate.mends.kit.patterns import Word, head_of
from pdt_annotate.mends.kit.spelled import Expression, put_in
from pdt_annotate.mends.moves.spell.words.calls import changed, newly_made, of_kept_class
from pdt_annotate.mends.moves.spell.words.helpers import sums, without_dots
from pdt_annotate.mends.moves.spell.words.python import (
    first_parameter,
    parameters_by_name,
    plainly,
    private_names,
)
from pdt_annotate.mends.moves.spell.words.word_table import WORDS
from pdt_annotate.source.syntax import is_call_of
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    for kind, node, edits in itertools.chain(
        *(find_in(site) for find_in in (sums, private_names, without_dots, _words))
    ):
        if is_for_python(site, node):
            continue
        source = site.on_one_line(node)
        summary = f"write `{source}` so that it compiles"
        if kind is MendKind.SCRIPTED and isinstance(node, ast.expr):
            drawn = [when_scripted(site, node, edits[0].text)]
            yield site.mend(node, summary, drawn, left_out=f"the numbers of `{source}`: torch draws others")
            continue
        yield site.mend(node, summary, edits, frozen=kind is MendKind.FROZEN)
        if kind is MendKind.FROZEN and isinstance(node, ast.expr):
            # The alternative changes the scripted model alone.
            yield site.mend(node, summary, [when_scripted(site, node, edits[0].text), *edits[1:]])


def _words(site: FunctionContext) -> Iterator[tuple[MendKind, ast.AST, list[Edit]]]:
    for node in ast.walk(site.node):
        kind, new = _written(site, node) if isinstance(node, ast.expr) else (MendKind.EXACT, None)
        if new and isinstance(node, ast.expr):
            yield kind, node, [put_in(site, node, new)]
        elif edits := changed(site, node):
            # A copy does not see later changes.
            is_copy = isinstance(node, ast.Assign) and getattr(node.targets[0], "attr", "") == "data"
            is_copy |= is_call_of(node, "numpy")
            yield MendKind.FROZEN if is_copy else MendKind.EXACT, node, edits


def _written(site: FunctionContext, node: ast.expr) -> tuple[MendKind, Expression | None]:
    meaning = site.meaning(node.func if isinstance(node, ast.Call) else node)
    for word in _words_of(type(node).__name__, head_of(node), meaning):
        if found := word.find(site, node):
            around = site.parents[node]
            new = ast.unparse(ast.parse(f"({found.text})"))
            is_done = isinstance(around, ast.Call) and new == ast.unparse(around)
            return word.kind, None if is_done else found
    if frozen := first_parameter(site, node) or parameters_by_name(site, node) or of_kept_class(site, node):
        return MendKind.FROZEN, frozen
    return MendKind.EXACT, newly_made(site, node) or plainly(site, node)


@functools.cache
def _words_of(kind: str, *heads: str) -> list[Word]:
    """The words that nodes of a class with one of these names may match."""
    return [word for word in WORDS if kind in word.kinds and word.head in ("", *heads)]


INTS = ("int", "List[int]", "Optional[int]", "Optional[List[int]]")
ASKING = (
    quoted(LACKS_MEMBER, UNKNOWN_KEYWORD, NO_OPERATOR, NO_RANGE, NUMPY, UNPACKED_TENSOR, SET_ATTRIBUTE, PROD),
    quoted(RANDOM, FUNCTION_VALUE, NO_INSTANCE, NO_ITERATOR, NUMBER_FOR_TENSOR, NUMBER_OF_TENSOR, SUM),
    quoted(MISREAD, ELEMENT, NO_DEFAULT, FROM_OPTIONAL, NO_SPLIT, PRIVATE, STARRED, TUPLE_INDEX),
    said(BRANCHES_GIVE, CONVERSION, DOTS, LAMBDA, NO_LENGTH, NUMBER, OWN_CLASS, REVERSED, SET),
    *(mismatched(found, INTS) for found in ("float", "List[float]", "List[Union[float, int]]")),
    mismatched("str", ("number", "Optional[number]")),
)

RULE = MendRule("words", MendKind.EXACT, lambda failure: any(is_asked(failure) for is_asked in ASKING), find)
