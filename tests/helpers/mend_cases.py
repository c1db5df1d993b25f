"""Cases of the rules of mends, as data: the tables of `tests/cases/mends`, by rule."""

import functools
import runpy
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from mended import Mended
from repository import ROOT

from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.mends.kit.context import MendRule
from pdt_annotate.mends.rules import MEND_RULES
from pdt_annotate.values.mends import Held, HeldValue, MendKind, Variadic
from pdt_annotate.values.slots import Place
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure

FOLDER = ROOT / "tests" / "cases" / "mends"
T = TypeVar("T")
RULES = {rule.name: rule for rule in MEND_RULES}


@dataclass(frozen=True)
class Case:
    """A module, and what a rule makes of it.

    Args:
        name: what it is called in a report.
        before: the module.
        after: the same where the rule leaves it alone; None where only the compiler is asked.
        held: what attributes held, by class and attribute: `{"Net.down": held("None")}`.
        types: the types observed, by function and name: `{"f.k": ("int",), "f.return": ("List[Tensor]",)}`; what has no
            such name is a `TypeExpr`.
        values: the values of expressions, by function and text: `{"f: len(x)": held("2", "3")}`.
        passed: what `**kwargs` took, by function.
        entered: the functions that examples entered; all, where it is left out.
        stops: what stands in the line at which the compiler stops; or the number of the line, and of the column.
        says: the compiler's message, where the rule reads it.
        kind: what the mends promise, where it is not what the rule does.
        args: what `Net`, or the function `f`, is called with before the compiler; "" where it is not asked.
    """

    name: str
    before: str
    after: str | None
    held: Mapping[str, Held]
    types: Mapping[str, Sequence[str | TypeExpr]]
    values: Mapping[str, Held]
    passed: Mapping[str, Variadic]
    entered: Sequence[str] | None
    stops: str | tuple[int, int]
    says: str
    kind: MendKind | None
    args: str

    def mended(self, folder: Path, newline: str = "\n") -> Mended:
        """The module in a folder, with what running it showed."""
        classes = {name.rpartition(".")[0] for name in self.held}
        held = {cls: _below(cls, self.held) for cls in classes}
        values: dict[str, dict[str, tuple[HeldValue, ...]]] = defaultdict(dict)
        for name, each in self.values.items():
            function, _, text = name.partition(": ")
            values[function][text] = each.values
        passed = dict(self.passed)
        module = Mended(folder, self.before, held, passed, self.observed, self.entered, values, newline=newline)
        if self.stops or self.says:
            said = self.says or "no"
            failure = Failure(
                said,
                "RuntimeError",
                Place(module.file, *self._place),
                text=f'{said}:\n  File "{module.file}", line 1\n',
            )
            functions_there = module.project.read(module.file).functions
            module.failures = {function.owner.qualname: failure for function in functions_there}
        return module

    @property
    def _place(self) -> tuple[int, int]:
        if isinstance(self.stops, tuple):
            return self.stops
        return next(number for number, text in enumerate(self.before.splitlines(), 1) if self.stops in text), 0

    @property
    def observed(self) -> dict[str, dict[str, tuple[TypeExpr, ...]]]:
        """The types by function, then by name."""
        functions = {name.rpartition(".")[0] for name in self.types}
        return {f: {name: tuple(map(_type, each)) for name, each in _below(f, self.types).items()} for f in functions}


def _below(owner: str, named: Mapping[str, T]) -> dict[str, T]:
    """What is known of the names of a class or function, by its last part."""
    return {name.rpartition(".")[2]: each for name, each in named.items() if name.rpartition(".")[0] == owner}


def _type(text: str | TypeExpr) -> TypeExpr:
    found = parse_type(text) if isinstance(text, str) else text
    assert found, f"no type: {text}"
    return found


NOTHING: dict[str, Any] = {
    **{"held": {}, "types": {}, "values": {}, "passed": {}, "entered": None},
    **{"stops": "", "says": "", "kind": None, "args": ""},
}


class Drawn(NamedTuple):
    """Modules of a property: the compiler refuses them; with a rule, and these others, it answers as Python did.

    Python itself answers these expressions as before.
    """

    sources: SearchStrategy[str]
    args: str = "torch.randn(2, 3)"
    others: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


class Alike(NamedTuple):
    """Modules of a property: a rule changes no answer of Python to these expressions."""

    sources: SearchStrategy[str]
    answers: Sequence[str]
    types: Mapping[str, Sequence[str | TypeExpr]] = {}


class Form:
    """Modules that differ in one place, `{}`, and all or some of what is known of them.

    What stands there may have several lines: they are indented like the first.
    """

    def __init__(self, text: str = "{}", **facts: Any) -> None:
        self.text, self.facts = text, {**NOTHING, **facts}

    def fill(self, body: str) -> str:
        head, _, tail = self.text.partition("{}")
        indent = head.rpartition("\n")[2]
        return head + body.replace("\n", "\n" + indent).replace(f"\n{indent}\n", "\n\n") + tail

    def alone(self, *bodies: str, **facts: Any) -> list[Case]:
        """Bodies that the rule leaves alone."""
        return [Case(body, self.fill(body), self.fill(body), **{**self.facts, **facts}) for body in bodies]

    def mends(self, *pairs: tuple[str, str], **facts: Any) -> list[Case]:
        """Bodies, and what becomes of them."""
        known = {**self.facts, **facts}
        return [Case(before, self.fill(before), self.fill(after), **known) for before, after in pairs]

    def compiles(self, *bodies: str, args: str = "torch.randn(4, 2)", **facts: Any) -> list[Case]:
        """Bodies that the compiler refuses, with a message that asks for the rule, and takes once they are mended."""
        known = {**self.facts, **facts, "args": args}
        return [replace(case, after=None) for body in bodies for case in self.alone(body, **known)]

    def draws(self, *bodies: str, between: str = "\n", **facts: Any) -> Drawn:
        """One to four of the bodies, after each other."""
        some = st.lists(st.sampled_from(bodies), min_size=1, max_size=4)
        return Drawn(some.map(lambda drawn: self.fill(between.join(drawn))), **facts)


IMPORTS = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nfrom typing import *\n\n\n"
LEFT_OUT = 'assert not torch.jit.is_scripting(), "left out of the scripted model"'
NET = Form(
    IMPORTS
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 2

    def forward(self, x):
        {}
        return x
"""
)
"""A module for the compiler; its input has two dimensions."""


@functools.cache
def tables(kind: str) -> Mapping[str, Any]:
    """By rule, what is in the tables: `CASES`; `DOCUMENTED`, the form around the example of the docstring; `DRAWN`;
    `ALIKE`.
    """
    files = [runpy.run_path(str(file)) for file in sorted(FOLDER.glob("*.py"))]
    found = [each for file in files for each in file.get(kind, {}).items()]
    assert len(dict(found)) == len(found), "a rule has two tables"
    return dict(found)


def cases() -> list[tuple[MendRule, Case]]:
    """Of all rules, in the order of their table."""
    return [(rule, case) for rule in MEND_RULES for case in tables("CASES").get(rule.name, ())]


def name_of(value: object) -> str:
    """A rule, or a case by the first line in it."""
    if isinstance(value, Case):
        return value.name.partition("\n")[0][:70]
    return getattr(value, "name", "")
