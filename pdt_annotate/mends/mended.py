"""Make mends that do not overlap at once, with the imports that they need; and undo them."""

import ast
import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pdt_annotate.mends.patch_stack import PatchStack
from pdt_annotate.rewrite.add_imports import insert_imports
from pdt_annotate.rewrite.source_file import names_of, read_source
from pdt_annotate.source.imports import Import, package_of
from pdt_annotate.source.moves import Moves, moves_of, trace
from pdt_annotate.source.names import NOWHERE, ModuleNames, Qualified
from pdt_annotate.source.project import Project
from pdt_annotate.source.scopes import names_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import FileChange, Rendered

DEFINED = re.compile(r"^\s*(?:def|class) (\w+)", re.MULTILINE)
WORD = re.compile(r"\w+")
SETTING = re.compile(r"\s*(\w+) = ")


@dataclass(frozen=True)
class NewImport:
    """The imports from one module that a mend of a file needs, and the names that they bind."""

    file: str
    bound: tuple[str, ...]


@dataclass(frozen=True)
class Mended:
    """The files with mends in them.

    Args:
        stacks: by file that was mended, its text with all changes.
        changes: by number, the mends and imports; None for one that was left out later.
    """

    disk: Project
    stacks: Mapping[str, PatchStack] = field(default_factory=dict)
    changes: tuple[Mend | NewImport | None, ...] = ()

    @property
    def mends(self) -> tuple[Mend, ...]:
        """The mends that are not left out, with their places and owners on disk."""
        return tuple(change for change in self.changes if isinstance(change, Mend))

    @property
    def sources(self) -> dict[str, bytes]:
        sources = ((file, stack.source) for file, stack in self.stacks.items())
        return {file: source for file, source in sources if source != self.disk.source(file)}

    @cached_property
    def moves(self) -> dict[str, Moves]:
        """By file, how the mends move its lines and places."""
        changes = (
            FileChange(file, self.disk.source(file), each.source, each.edits) for file, each in self.stacks.items()
        )
        return moves_of(changes)

    @property
    def project(self) -> Project:
        return self.disk.over(self.sources)

    def add(self, mends: Iterable[Mend], project: Project) -> "Mended":
        """The files with the mends that do not overlap earlier ones; with a single mend if the result is no Python.

        The places, owners and edits of the mends are in the files of `project`, which are mended already.
        """
        mends = list(mends)
        choices = itertools.chain([mends], ([mend] for mend in mends))
        mended = (self._add(chosen, project) for chosen in choices)
        return next((each for each in mended if each._parses()), self)

    def _parses(self) -> bool:
        """Whether the files still are valid Python; two mends of one expression may break it together."""
        try:
            for file in self.stacks:
                self.project.read(file)
        except UserError:
            return False
        return True

    def _add(self, mends: Sequence[Mend], project: Project) -> "Mended":
        made, stacks = list(self.changes), dict(self.stacks)
        edits: dict[str, list[tuple[int, Edit]]] = defaultdict(list)
        shared: list[tuple[int, int]] = []
        defined = self._defined
        for mend in mends:
            pairs = ((one, other) for file, new in mend.edits.items() for one in new for _, other in edits[file])
            if not any(_overlap(one, other) for one, other in pairs if one != other):
                number = len(made)
                words = {word for new in mend.edits.values() for edit in new for word in WORD.findall(edit.text)}
                shared += ((number, defined[word]) for word in words & defined.keys())
                made.append(self._placed_on_disk(mend, project))
                for file, new in mend.edits.items():
                    present = {edit: other for other, edit in edits[file]}
                    shared += ((number, present[edit]) for edit in new if edit in present)
                    edits[file] += ((number, edit) for edit in new if edit not in present)
        added = [mend for mend in made[len(self.changes) :] if isinstance(mend, Mend)]
        for file in list(edits):
            for together in _plan(project, file, [mend.imports.get(file, ()) for mend in added]):
                read, package = read_source(project.source(file), file), package_of(project.module_name(file), file)
                inserted = insert_imports(read, package, together, project.style(file))
                edits[file] += ((len(made), edit) for edit in inserted)
                made.append(NewImport(file, tuple(each.bound for each in together)))
        for file, changes in edits.items():
            stack = self._stack(file).change(changes)
            stacks[file] = replace(stack, needs=(*stack.needs, *shared))
        return Mended(self.disk, stacks, tuple(made))

    @property
    def _defined(self) -> dict[str, int]:
        """By name, the mend that defined a new function or class: a copy of code that calls it needs this mend."""
        mends = ((number, change) for number, change in enumerate(self.changes) if isinstance(change, Mend))
        texts = ((number, edit.text) for number, mend in mends for new in mend.edits.values() for edit in new)
        found = {name: number for number, text in texts for name in DEFINED.findall(text)}
        return {name: number for name, number in found.items() if not any(self.disk.with_name(name))}

    def without(self, mends: Collection[Mend]) -> "Mended":
        """Without some mends, the mends that build on them, and the imports that only they needed."""
        left = frozenset(number for number, change in enumerate(self.changes) if change in mends)
        rest = self._leave_out(left)
        if not left or not rest._parses():
            return rest
        mended = {file for mend in rest.mends for file in mend.edits}
        idle = (
            number
            for number, change in enumerate(rest.changes)
            if isinstance(change, NewImport)
            if change.file not in mended
            or names_in(ast.parse(rest.stacks[change.file].source)).isdisjoint(change.bound)
        )
        return rest._leave_out(frozenset(idle))

    def _leave_out(self, numbers: frozenset[int]) -> "Mended":
        while more := frozenset[int]().union(*(w.dependent(numbers) for w in self.stacks.values())) - numbers:
            numbers |= more
        stacks = {file: stack.without(numbers) for file, stack in self.stacks.items()}
        changes = (None if number in numbers else change for number, change in enumerate(self.changes))
        return Mended(self.disk, stacks, tuple(changes))

    def compose(self, file: str, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """The edits that turn a file on disk into the mended file with more edits; each has its owner."""
        first = len(self.changes)
        stacked = self._stack(file).change(enumerate(edits, first))
        owners = {number: edit.owner for number, edit in enumerate(edits, first)}
        for number, change in enumerate(self.changes):
            needing = {other for stack in self.stacks.values() for other in stack.dependent({number})}
            mends = (self.changes[each] for each in (number, *needing))
            known = {mend.owner for mend in mends if isinstance(mend, Mend)}
            # A change that mends of other owners need too has no owner.
            owners[number] = known.pop() if len(known) == 1 and isinstance(change, Mend) else None
        return tuple(replace(edit, owner=owners[number]) for number, edit in stacked.numbered)

    def on_disk(self, rendered: Rendered) -> Rendered:
        """Return annotations rendered into the mended files as changes of the files on disk, including the mends."""
        rewritten, sources = {change.file: change for change in rendered.changes}, self.sources
        changes: list[FileChange] = []
        for file in dict.fromkeys((*rewritten, *sources)):
            after = rewritten[file].after if file in rewritten else sources[file]
            edits = trace(rewritten[file].edits, self.moves) if file in rewritten else ()
            changes.append(FileChange(file, self.disk.source(file), after, self.compose(file, edits)))
        return Rendered(tuple(changes), *trace((rendered.written, rendered.refused), self.moves), ())

    def _stack(self, file: str) -> PatchStack:
        return self.stacks.get(file) or PatchStack.of(self.disk.read(file).text)

    def _placed_on_disk(self, mend: Mend, project: Project) -> Mend:
        file = mend.place.file
        offset = project.read(file).text.offset(mend.place.line, mend.place.column)
        stack, owner = self._stack(file), trace(mend.owner, self.moves)
        return replace(mend, owner=owner, place=stack.file.place(file, stack.trace(offset)))


def _overlap(one: Edit, other: Edit) -> bool:
    """Whether two different edits overlap.

    Lines that are inserted in front of a line do not get the indentation that another edit adds to that line. Of two
    new lines that set the same name, such as `__constants__`, one would hide the other.
    """
    first, second = sorted((one, other), key=lambda edit: edit.offset)
    if first.offset < second.offset:
        return first.end > second.offset
    indents = any(not each.removed and not each.text.strip() for each in (one, other))
    is_set, is_set_too = (SETTING.match(each.text) for each in (one, other))
    return indents or bool(one.removed and other.removed) or bool(is_set and is_set_too and is_set[1] == is_set_too[1])


def _plan(project: Project, file: str, needed: Iterable[Sequence[str]]) -> Iterator[list[Import]]:
    """The imports that a file lacks, for the dotted names that each mend needs: those from one module together."""
    names = names_of(read_source(project.source(file), file), project.module_name(file), file)
    planned: list[Import] = []
    for dotted_names in needed:
        before = len(planned)
        for dotted in dotted_names:
            if names.find(qualified(dotted), NOWHERE, planned) is None:
                planned += filter(None, [plan_import(names, dotted, planned)])
        new = sorted(planned[before:])
        yield from (list(group) for _, group in itertools.groupby(new, key=lambda each: each.module))


TORCH = Import("torch", "", "torch")


def qualified(dotted: str) -> Qualified:
    """The name of the import for a dotted name; of torch and top-level modules the outermost name is imported."""
    module, _, name = dotted.rpartition(".")
    return Qualified(module, name, whole="." not in module or module.startswith("torch."))


def plan_import(names: ModuleNames, dotted: str, planned: Sequence[Import] = ()) -> Import | None:
    """The import for a name; for names in torch that is `import torch`, as in the documentation of torch."""
    if dotted.startswith("torch.") and names.is_free(TORCH.bound, TORCH.target):
        return TORCH
    return names.plan(qualified(dotted), NOWHERE, planned)
