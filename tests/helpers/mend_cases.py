"""Cases of the rules of mends as data: the tables of `tests/cases/mends`, by rule."""

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
    """A module, and the result of a rule.

    Args:
        name: the name of the case in a report.
        before: the module.
        after: the module after the rule, or the same module if the rule does not change it. None if only the compiler
            tests the case.
        held: the values of attributes, by class and attribute: `{"Net.down": held("None")}`.
        types: the observed types, by function and name: `{"f.k": ("int",), "f.return": ("List[Tensor]",)}`. A type
            without such a name is a `TypeExpr`.
        values: the values of expressions, by function and text: `{"f: len(x)": held("2", "3")}`.
        passed: the arguments of `**kwargs`, by function.
        entered: the functions that examples ran; all, if it is omitted.
        stops: a part of the line at which the compiler stops, or the number of the line, or of the line and column.
        says: the compiler's message, if the rule reads it.
        kind: the kind of the mends, if it is not the kind of the rule.
        args: the arguments for `Net`, or for the function `f`, in the test with the compiler; "" if there is none.
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
        """The module in a folder, with the observations of a run."""
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
    """The entries for the names of a class or function, by the last part of the name."""
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
    """Modules of a property: the compiler refuses them. After this rule and `others`, they return Python's results.

    The values of these expressions in Python do not change.
    """

    sources: SearchStrategy[str]
    args: str = "torch.randn(2, 3)"
    others: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


class Alike(NamedTuple):
    """Modules of a property: the rule does not change the values of these expressions in Python."""

    sources: SearchStrategy[str]
    answers: Sequence[str]
    types: Mapping[str, Sequence[str | TypeExpr]] = {}


class Form:
    """Modules that differ in one place, `{}`, and in some of their observations.

    The text for the place may have several lines, which are indented like the first line.
    """

    def __init__(self, text: str = "{}", **facts: Any) -> None:
        self.text, self.facts = text, {**NOTHING, **facts}

    def fill(self, body: str) -> str:
        head, _, tail = self.text.partition("{}")
        indent = head.rpartition("\n")[2]
        return head + body.replace("\n", "\n" + indent).replace(f"\n{indent}\n", "\n\n") + tail

    def alone(self, *bodies: str, **facts: Any) -> list[Case]:
        """Bodies that the rule does not change."""
        return [Case(body, self.fill(body), self.fill(body), **{**self.facts, **facts}) for body in bodies]

    def mends(self, *pairs: tuple[str, str], **facts: Any) -> list[Case]:
        """Bodies before and after the rule."""
        known = {**self.facts, **facts}
        return [Case(before, self.fill(before), self.fill(after), **known) for before, after in pairs]

    def compiles(self, *bodies: str, args: str = "torch.randn(4, 2)", **facts: Any) -> list[Case]:
        """Bodies that the compiler refuses with a message of the rule, and accepts after the mends."""
        known = {**self.facts, **facts, "args": args}
        return [replace(case, after=None) for body in bodies for case in self.alone(body, **known)]

    def draws(self, *bodies: str, between: str = "\n", **facts: Any) -> Drawn:
        """One to four of the bodies, one after the other."""
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
"""A module for the compiler. Its input has two dimensions."""


@functools.cache
def tables(kind: str) -> Mapping[str, Any]:
    """The entries of the tables by rule: `CASES`, `DRAWN`, `ALIKE`, or `DOCUMENTED`, the forms of the docstrings."""
    files = [runpy.run_path(str(file)) for file in sorted(FOLDER.glob("*.py"))]
    found = [each for file in files for each in file.get(kind, {}).items()]
    assert len(dict(found)) == len(found), "a rule has two tables"
    return dict(found)


def cases() -> list[tuple[MendRule, Case]]:
    """The cases of all rules, in the order of their table."""
    return [(rule, case) for rule in MEND_RULES for case in tables("CASES").get(rule.name, ())]


def name_of(value: object) -> str:
    """The name of a rule, or the first line of a case."""
    if isinstance(value, Case):
        return value.name.partition("\n")[0][:70]
    return getattr(value, "name", "")
