"""The whole lists of layers over which a loop runs, and what else it needs: an index, assertions, a guard."""

import ast
import itertools
from dataclasses import dataclass, field, replace

from pdt_annotate.mends.kit.blocks import COMPREHENSIONS, LOOPS, bound_in, can_be_indented, if_python, settled_before
from pdt_annotate.mends.kit.construction import (
    PARAMETERS,
    is_call,
    is_list,
    is_list_of_lists,
    is_set_later,
    length_of,
    name_of_one,
)
from pdt_annotate.mends.kit.context import NOTHING, FunctionContext
from pdt_annotate.mends.kit.settled import Settled
from pdt_annotate.mends.kit.spelled import CHOOSING, loads, only_assignment, stores
from pdt_annotate.mends.moves.unroll.sources import Item, Loop, changes, columns, other_list
from pdt_annotate.source.syntax import is_name, numbered
from pdt_annotate.source.text import parse_expression
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Held

GETATTR = "getattr("
LOOPING = (ast.For, *COMPREHENSIONS)
MEMBERS = (ast.Attribute, ast.Subscript)
SKIPPING = (*CHOOSING, *LOOPS, ast.If, ast.Try)  # the parts of these may not run in each round
Given = list[tuple[ast.expr, Item]]  # targets, each with the item that it gets in each round


@dataclass
class LoopedLayers:
    """The lists of layers of a loop."""

    lists: list[tuple[str, str]]  # each list, with the target for its layers
    index: str = ""  # its name, if the loop needs one
    given: Given = field(default_factory=list)  # the other targets
    edits: list[Edit] = field(default_factory=list)  # further edits in the code of a round
    checks: list[str] = field(default_factory=list)  # assertions about lengths
    raises: bool = False  # whether the loop raised an error, too, if one of them fails
    gone: list[ast.stmt] = field(default_factory=list)  # the statements of a round that name a layer
    guard: str = ""  # a test for each round


def by_index(site: FunctionContext, loop: Loop, taken: set[str]) -> LoopedLayers | None:
    """The lists whose layers a loop reads by their index; a guard leaves out layers that it does not read."""
    walked = dict[str, str]()  # the list that the loop goes over, with the name of its layer
    match loop.target, loop.iterated:
        case ast.Name(index), ast.Call(ast.Name("range"), ([bound] | [ast.Constant(int()), bound]) as args):
            begin = ast.literal_eval(args[0]) if len(args) > 1 else 0
        case ast.Tuple([ast.Name(index), ast.Name(layer)]), ast.Call(ast.Name("enumerate"), [source], []):
            begin, bound = 0, parse_expression(f"len({ast.unparse(source)})")
            walked[site.self_attribute(source)] = layer
        case _:
            return None
    whole, end = _without_less(bound), ast.unparse(bound)
    uses = [n for n in loop.inside if isinstance(n, ast.Subscript) and is_name(n.slice, index)]
    uses = [use for use in uses if is_list(_without_none(site.held(site.self_attribute(use.value))))]
    members = [n for use in uses for n in itertools.takewhile(lambda n: isinstance(n, MEMBERS), site.around(use))]
    if any(isinstance(n, ast.Subscript) and not isinstance(n.slice, ast.Constant) for n in members):
        return None  # the compiler cannot index a list in the layer either, so `chosen_layers` calls both
    lists = dict.fromkeys([*walked, *(site.self_attribute(use.value) for use in uses)])
    fixed = {index, *walked.values()}
    stored = [n for n in loop.inside if not isinstance(getattr(n, "ctx", ast.Load()), ast.Load)]
    binds = any(getattr(n, "id", "") in fixed or n in uses or site.self_attribute(n) in lists for n in stored)
    grows = any(isinstance(n, ast.Attribute) and site.self_attribute(n.value) in lists for n in loop.inside)
    lengths = {length_of(site, name) for name in lists}
    varies = None in lengths and _is_own_length(site, whole)  # from module to module
    rounds = _length(site, bound)
    is_known = rounds is not None and all(length is not None and length >= rounds for length in lengths)
    # The compiler skips None in a list, so the other layers get other numbers.
    has_gaps = any(NOTHING in value.items for each in lists for value in site.held(each).values)
    if not uses or binds or grows or has_gaps or not (is_known or varies):
        return None
    own = site.function.receiver
    ends_there = any(f"len({own}.{each})" == end for each in lists)  # `zip` ends with this list
    is_long = not ends_there and (whole is not bound or begin > 0 if varies else lengths != {rounds})
    guard = f"if {begin} <= {index} < {end}:" if begin and is_long else f"if {index} >= {begin}:" if begin else ""
    guard = guard or (f"if {index} < {end}:" if is_long else "")
    if guard and (is_read_outside(site, loop, index) or not _can_be_guarded(site, loop)):
        return None
    # `conv = self.convs[i]` names the layer, and goes.
    naming = {site.self_attribute(use.value): use for use in reversed(uses) if _local_of(site, loop, use)}
    naming = {attribute: use for attribute, use in naming.items() if attribute not in walked}
    names = walked | {attribute: _local_of(site, loop, use) for attribute, use in naming.items()}
    for attribute in lists:
        names.setdefault(attribute, name_of_one(site, attribute, {*taken, *names.values()}))
    edits = [site.replace(use, names[site.self_attribute(use.value)]) for use in uses if use not in naming.values()]
    # Code may use the index for more than taking layers.
    others = {use.slice for use in uses}
    is_read = any(n not in others for n in loop.reads(index)) or is_read_outside(site, loop, index)
    # Where `self.layers[i]` raises an error, a loop over several lists ends early, or an assertion raises.
    sure = {site.self_attribute(use.value) for use in uses if _is_read_in_each_round(site, loop, use)}
    return LoopedLayers(
        [(f"{own}.{attribute}", names[attribute]) for attribute in lists],
        index if is_read or guard else "",
        edits=edits,
        gone=[site.statement(use)[0] for use in naming.values()],
        checks=[
            f"assert len({own}.{each}) {'>=' if is_long or ends_there else '=='} {end}"
            for each in lists
            if f"len({own}.{each})" != ast.unparse(whole)
        ],
        raises=(is_long or ends_there) and {*lists} - {*walked} <= sure,
        guard=guard,
    )


def _is_read_in_each_round(site: FunctionContext, loop: Loop, node: ast.expr) -> bool:
    between = itertools.takewhile(lambda outer: outer is not loop.node, site.around(node))
    is_skipped = any(isinstance(outer, SKIPPING) for outer in between)
    has_tests = any(each.ifs for each in getattr(loop.node, "generators", ()))
    return not (is_skipped or has_tests or any(isinstance(inner, ast.Return) for inner in loop.inside))


def _without_less(bound: ast.expr) -> ast.expr:
    """The n of `n - 1`; any other expression as it is."""
    match bound:
        case ast.BinOp(whole, ast.Sub(), ast.Constant(int())):
            return whole
    return bound


def _without_none(held: Held) -> Held:
    return replace(held, values=tuple(value for value in held.values if value.type != NOTHING))


def _is_own_length(site: FunctionContext, bound: ast.expr) -> bool:
    """Whether each module has a number of rounds of its own: `self.n`, or `len(self.layers)`."""
    match bound:
        case ast.Call(ast.Name("len"), [each]):
            return is_list(site.held(site.self_attribute(each)))
    attribute = site.self_attribute(bound)
    return bool(attribute) and site.is_always(bound, "int") and not is_set_later(site, attribute)


def _local_of(site: FunctionContext, loop: Loop, use: ast.Subscript) -> str:
    """The local that gets a layer in each round of a loop statement, and that nothing else binds; "" if none does."""
    body = loop.node.body if isinstance(loop.node, ast.For) else []
    match site.parents[use]:
        case ast.Assign([ast.Name(name)]) as assign if assign in body[:-1] and only_assignment(site, name) is assign:
            is_read_before = any(loads(each, name) for each in body[: body.index(assign)])
            return "" if is_read_before else name
    return ""


def _length(site: FunctionContext, bound: ast.expr) -> int | None:
    """The number of rounds, if it is the same in all modules."""
    match bound:
        case ast.Call(ast.Name("len"), [each]) if (known := length_of(site, site.self_attribute(each))) is not None:
            return known
        case ast.Constant(int(value)):
            return value
        case ast.BinOp(whole, ast.Sub(), ast.Constant(int(less))) if (known := _length(site, whole)) is not None:
            return known - less
    if attribute := site.self_attribute(bound):
        literal = "" if is_set_later(site, attribute) else site.held(attribute).literal
    else:
        literals = {value.literal for value in site.values(bound)} if Settled(site).holds(bound) else set()
        literal = literals.pop() if len(literals) == 1 else ""
    return int(literal) if literal.isdecimal() else None


def by_item(site: FunctionContext, loop: Loop, taken: set[str]) -> LoopedLayers | None:
    """The whole lists of layers of a loop that also unpacks layers, or runs over other lists.

    A guard stops at the end of a shorter list. If code cannot have one, the other lists were always as long.
    """
    index, pairs = index_of(site, loop), columns(loop.target, loop.iterated)
    found = LoopedLayers([], index if is_call(loop.iterated, "enumerate") else "")
    held = {source: held_by(site, source) for _, source in pairs}
    empty = [source for source in held if isinstance(loop.node, ast.For) and has_no_layer(held[source])]
    filled = [layers for source, layers in held.items() if is_list(layers) and source not in empty]
    most = max((value.length for each in filled for value in each.values), default=-1)
    others, can_be_guarded = list[str](), _can_be_guarded(site, loop)
    for each, source in pairs:
        layers, other = held[source], other_list(site, source)
        if source in empty:
            found.given.append((each, Item("None")))
        elif is_list(layers) or {value.type for value in layers.values} == {PARAMETERS}:
            name, text = site.source(each), site.source(source)
            if isinstance(each, ast.Tuple) and is_list_of_lists(layers) and is_of_names(each) and site.is_entered():
                name = name_of_one(site, site.self_attribute(source) or text, taken)
                found.given += items_of(site, each, name)
            found.lists.append((text, name))
        elif other is None or most < 0 or changes(loop.inside, other, index) or start(site, loop):
            return None
        elif can_be_guarded or min((value.length for value in site.values(source)), default=-1) >= most:
            found.given.append((each, other.at(index)))
            others.append(other.length)
            found.index = index
        else:
            return None
    joined = ", ".join(others)
    if others and can_be_guarded:
        found.guard = f"if {index} < {f'min({joined})' if len(others) > 1 else joined}:"
    else:
        found.checks += (f"assert {length} >= len({text})" for length in others for text, _ in found.lists[:1])
    nothing = [f"assert list({site.source(e)}) == [None] * len({text})" for e in empty for text, _ in found.lists[:1]]
    found.checks += [if_python(site, "\n".join(nothing))] if nothing else []
    return found if found.lists and found.given else None


def has_no_layer(held: Held) -> bool:
    """Whether a list of layers has nothing but None, which the compiler skips."""
    return is_list(held) and {item for value in held.values for item in value.items} == {NOTHING}


def held_by(site: FunctionContext, source: ast.expr) -> Held:
    """The values of a list, which is an attribute, or a local variable of a function that examples entered."""
    return Held(site.values(source)) if isinstance(source, ast.Name) else site.held(site.self_attribute(source))


def _can_be_guarded(site: FunctionContext, loop: Loop) -> bool:
    """Whether the code of a round may move into an `if`: the compiler lets no later code read a name that it binds."""
    if not isinstance(loop.node, ast.For) or not all(can_be_indented(site, each) for each in loop.node.body):
        return False
    # The loop itself still sets the index and the layers, in all rounds.
    pairs = columns(loop.target, loop.iterated)
    items = [target for target, source in pairs if not is_list(held_by(site, source))]
    bound = bound_in(ast.walk(loop.target)) - bound_in(part for each in items for part in ast.walk(each))
    bound |= bound_in([*ast.walk(loop.target), *loop.inside]) - settled_before(site, loop.node)
    return not any(is_read_outside(site, loop, name) for name in bound)


def start(site: FunctionContext, loop: Loop) -> list[str]:
    """The argument of `enumerate` after the list: the first index."""
    call = loop.iterated
    parts = (*call.args[1:], *call.keywords) if isinstance(call, ast.Call) and is_call(call, "enumerate") else ()
    return [site.source(each) for each in parts]


def index_of(site: FunctionContext, loop: Loop) -> str:
    """The name of the index: what `enumerate` gives it, or a new one."""
    match loop.iterated, loop.target:
        case ast.Call(ast.Name("enumerate")), ast.Tuple([ast.Name(name), *_]):
            return name
    return site.first_free(itertools.chain("ijk", numbered("index")))


def is_read_outside(site: FunctionContext, loop: Loop, name: str) -> bool:
    """Whether code outside a loop statement reads a name of the loop, and no other loop around the code binds it."""
    binding = {n for n in ast.walk(site.node) if isinstance(n, LOOPING) and n is not loop.node and stores(n, name)}
    outside = set(loads(site.node, name)).difference(loop.reads(name)) if loop.first else ()
    return any(binding.isdisjoint(site.around(n)) for n in outside)


def items_of(site: FunctionContext, target: ast.Tuple, layers: str) -> Given:
    """The targets, each with its item of a list of layers. The compiler counts only layers that are not None."""
    may_be_none = [any(value.type == NOTHING for value in site.values(part)) for part in target.elts]
    start, end = (f'{GETATTR}{layers}, "', '")') if any(may_be_none) else (f"{layers}[", "]")
    items = [(part, f"{start}{number}{end}") for number, part in enumerate(target.elts)]
    nested = (
        items_of(site, part, text) if isinstance(part, ast.Tuple) else [(part, Item(text))] for part, text in items
    )
    return list(itertools.chain(*nested))


def is_of_names(target: ast.Tuple) -> bool:
    """Whether a target, and each tuple in it, has only names."""
    parts = (is_of_names(part) if isinstance(part, ast.Tuple) else isinstance(part, ast.Name) for part in target.elts)
    return bool(target.elts) and all(parts)
