"""Lines of the user's: of an operator in a trace, of a warning of the tracer, and the statement that decides."""

import ast
import contextlib
import itertools
import re
import sys
import traceback
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from pdt_annotate.captures import sizes
from pdt_annotate.graphs.read.plain_nodes import frames_in
from pdt_annotate.observers.files import FileFilter
from pdt_annotate.source.module import load_module
from pdt_annotate.source.scopes import names_in, names_inside
from pdt_annotate.source.syntax import statement_at
from pdt_annotate.values.slots import NO_PLACE, Place

TRACER = re.compile(r"^.+torch/jit/_trace\.py\(\d+\): trace_module$", re.M)  # the frames after it are its callers
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LEAVING = (ast.Return, ast.Break, ast.Continue)
BRANCHES = "to a Python boolean"
# By a phrase of the tracer's message.
WORDS = {
    BRANCHES: "this branch depends on a tensor; the trace always takes the branch of the traced call",
    "Iterating over a tensor": "this loop runs over a tensor; the trace always repeats it as often as the traced call",
    "to a NumPy array": "a tensor becomes a NumPy array here; the trace always uses the values of the traced call",
    "to a Python": "a tensor becomes a Python value here; the trace always uses the value of the traced call",
    "Using len": "a length becomes a Python number here; the trace always uses the number of the traced call",
    "registered as constants": "this makes a tensor from Python values; the trace always uses those of the traced call",
    "in-place operator": "this changes a tensor in place; in the trace, views of the tensor may not change",
}


def places_of(node: Any) -> tuple[Place, ...]:
    """The lines that ran a node of a `torch._C.Graph`, the innermost first; none if the tracer did not see them."""
    return frames_in(TRACER.split(node.sourceRange(), maxsplit=1)[0])


def own(places: Iterable[Place], is_ours: FileFilter) -> tuple[Place, ...]:
    """The places in the user's files, or without any the innermost place: the target may be a layer of torch's."""
    known = tuple(places)
    return tuple(place for place in known if is_ours(place.file)) or known[:1]


def deciding(places: Iterable[Place]) -> tuple[Place, ast.AST | None]:
    """The head of the innermost loop or branch that decides whether one of these lines runs; otherwise the first line.

    One that depends on the module alone counts last.
    """
    known = tuple(places)
    found = [(place, node, fixed) for place in known for node, fixed in _deciding(place)]
    if not found:
        return (known[0] if known else NO_PLACE), None
    place, node, _ = min(found, key=lambda each: each[2])
    return Place(place.file, node.lineno), node


def _deciding(place: Place) -> Iterator[tuple[Any, bool]]:
    """The statements that decide about a line in its function, inner first, and whether they read the module alone."""
    module = load_module(place.file)
    function = module.function_at(place.line) if module else None
    # The names whose values depend on the call: parameters, and assigned names.
    varying = names_inside(function.node) - {"self"} if function else set()
    for node in reversed(list(_above(function.node.body, place.line))) if function else ():
        asked = node.generators[0] if isinstance(node, COMPREHENSIONS) else vars(node).get("iter") or vars(node)["test"]
        yield node, not varying & names_in(asked)


def _holds(node: Any, line: int) -> bool:
    return bool(node.lineno <= line <= node.end_lineno)


def _above(body: Sequence[ast.stmt], line: int) -> Iterator[ast.AST]:
    """The nodes that decide about a line of a block, outer first; a branch before it that leaves the block is one."""
    for node in body:
        if node.lineno > line:
            return
        if _holds(node, line):
            blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            blocks += [handler.body for handler in getattr(node, "handlers", [])]
            held = [block for block in blocks if any(_holds(each, line) for each in block)]
            if isinstance(node, ast.While) or (held and isinstance(node, (ast.If, ast.For, ast.AsyncFor))):
                yield node
            for expression in (each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)):
                inside = (each for each in ast.walk(expression) if isinstance(each, (ast.IfExp, *COMPREHENSIONS)))
                yield from (each for each in inside if _holds(each, line))
            for block in held:
                yield from _above(block, line)
        elif isinstance(node, ast.If) and any(isinstance(each, LEAVING) for each in ast.walk(node)):
            yield node


@dataclass(frozen=True)
class Warned:
    places: tuple[Place, ...]  # the user's lines that run then, the innermost first
    decides: bool  # Python branches by it, so calls that happen to go the same way do not clear it
    words: str
    path: str = ""  # the module that runs then, from the traced one


@contextlib.contextmanager
def listening(is_ours: FileFilter = lambda file: False, module: Any = None) -> Iterator[list[Warned]]:
    """Collect the warnings of the tracer in the block, and drop others. `module` is needed for paths only."""
    heard: list[Warned] = []

    def hear(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any) -> None:
        text = str(message)
        # The frames from the one that warns up to the tracer; the first one is of `warnings`.
        above = (frame for frame, _ in traceback.walk_stack(sys._getframe(1).f_back))
        frames = list(itertools.takewhile(lambda frame: frame.f_code.co_name != "trace_module", above))
        lines = dict.fromkeys((Place(filename, lineno), *(Place(f.f_code.co_filename, f.f_lineno) for f in frames)))
        known = tuple(each for each in lines if each.file != sizes.__file__)
        place = known[0]
        # If a tensor decides only whether Python raises, answers stay the same.
        source = load_module(place.file) if BRANCHES in text else None
        decided = statement_at(source.tree, place.line) if source else None
        raises = isinstance(decided, ast.If) and not decided.orelse and isinstance(decided.body[-1], ast.Raise)
        # If results come out in another form, graphs differ, too.
        is_harmless = "at the output of the tracer" in text or raises or isinstance(decided, ast.Assert)
        if issubclass(category, torch.jit.TracerWarning) and not is_harmless:
            selves = (id(frame.f_locals.get("self")) for frame in frames)
            modules = module.named_modules() if isinstance(module, torch.nn.Module) else ()
            paths = {id(each): path for path, each in modules}
            path = next((paths[each] for each in selves if each in paths), "")
            said = f"torch.jit.trace warns: {text.partition('. ')[0]}"
            words = next((words for part, words in WORDS.items() if part in text), said)
            heard.append(Warned(own(known, is_ours), BRANCHES in text, words, path))

    with warnings.catch_warnings():
        warnings.simplefilter("always", torch.jit.TracerWarning)
        warnings.showwarning = hear
        yield heard
