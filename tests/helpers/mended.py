"""Sources that a rule of the table of mends changes, as in the search, but without the compiler's message."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pdt_annotate.mends.kit.context import FunctionContext, MendRule, Witnessed
from pdt_annotate.mends.mended import Mended as MendedFiles
from pdt_annotate.source.project import Project
from pdt_annotate.values.mends import Held, HeldValue, LiveFacts, Mend, Variadic
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure

ROUNDS = 20
T = TypeVar("T")


def held(*literals: str, lacking: bool = False, changes: bool = False) -> Held:
    """The values of an attribute, as literals: `held("None", "3")`."""
    kinds = {"None": "builtins.NoneType", "True": "builtins.bool", "False": "builtins.bool"}
    values = (HeldValue(kinds.get(each, f"builtins.{type(eval(each)).__name__}"), literal=each) for each in literals)
    return Held(tuple(values), lacking, changes)


@dataclass
class Mended:
    """A module `model.py` in a folder, with fake observations of a run.

    Args:
        held: by qualified name of a class, then by attribute.
        variadic: by qualified name of a function.
        types: by qualified name of a function, then by name of a parameter or local, or "return".
        values: by qualified name of a function, then by text of an expression.
        entered: qualified names of the functions that examples ran; all, if it is omitted.
        failures: by qualified name of a function, the failure at which the compiler stopped in it.
        newline: the end of each line in the file.
    """

    folder: Path
    source: str
    held: Mapping[str, Mapping[str, Held]] = field(default_factory=dict)
    variadic: Mapping[str, Variadic] = field(default_factory=dict)
    types: Mapping[str, Mapping[str, tuple[TypeExpr, ...]]] = field(default_factory=dict)
    entered: Sequence[str] | None = None
    values: Mapping[str, Mapping[str, tuple[HeldValue, ...]]] = field(default_factory=dict)
    failures: Mapping[str, Failure] = field(default_factory=dict)
    newline: str = "\n"

    def __post_init__(self) -> None:
        self.file = str(self.folder / "model.py")
        (self.folder / "model.py").write_text(self.source, newline=self.newline)
        self.project = Project(str(self.folder), {"model": self.file})
        self.files = MendedFiles(self.project)

    def find(self, rule: MendRule) -> list[Mend]:
        """The mends that a rule finds in the current source."""
        functions = self.project.read(self.file).functions
        names = [function.owner.qualname for function in functions]
        entered = names if self.entered is None else self.entered
        shown = Witnessed(
            facts=LiveFacts(self._by_file(self.held), self._by_file(self.variadic), self._by_file(self.values)),
            types=self._by_file(self.types),
            entered=frozenset((self.file, name) for name in entered),
            compiled=frozenset((self.file, name) for name in names),
        )
        found: list[Mend] = []
        for function in functions:
            failure = self.failures.get(function.owner.qualname)
            found += rule.find(FunctionContext(function, self.project, shown, failure))
        return found

    def _by_file(self, named: Mapping[str, T]) -> dict[tuple[str, str], T]:
        return {(self.file, name): each for name, each in named.items()}

    def apply(self, *rules: MendRule) -> str:
        """The source after the rules find no more mends."""
        for _ in range(ROUNDS):
            found = [mend for rule in rules for mend in self.find(rule)]
            if not found:
                return self.project.source(self.file).decode()
            self.files = self.files.add(found, self.project)
            self.project = self.files.project
        raise AssertionError("the rules find something to do for ever:\n" + self.project.source(self.file).decode())
