"""The files on disk that may be annotated: bytes, modules, module names, and imports."""

import os
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pdt_annotate.source.definitions import Class, Function
from pdt_annotate.source.identifiers import mentions, normal
from pdt_annotate.source.imports import NameResolver, Relatives, bound_by, package_of, parents
from pdt_annotate.source.module import Module, parse, read_module
from pdt_annotate.source.read_style import read_style
from pdt_annotate.values.budget import go_on
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.slots import Owner, Place, Slot, place_of_error
from pdt_annotate.values.style import PLAIN, Spelling, Style


class Project:
    """The tree under the root; files are read once, so that one run sees one state of them.

    Args:
        root: absolute directory.
        modules: dotted name → file, of the modules that the target imports from under the root. If a module has
            several files, the cells of a session, a suffix after a "#" distinguishes them.
        excluded: files that are run but not annotated, such as the spec itself.
        third_party: dotted name → file, of other modules whose functions may be annotated, in copies of the files.
        spelling: how to spell types.
        sources: by file, the source to read in place of the file.
    """

    def __init__(
        self,
        root: str,
        modules: Mapping[str, str],
        excluded: frozenset[str] = frozenset(),
        third_party: Mapping[str, str] = {},
        spelling: Spelling = Spelling.AUTO,
        sources: Mapping[str, bytes] = {},
    ) -> None:
        self.root = root
        self.modules = {**third_party, **modules}
        self._own = frozenset(modules.values())
        self._excluded = frozenset(os.path.realpath(file) for file in excluded)
        self._names = {file: name.partition("#")[0] for name, file in self.modules.items()}
        self._spelling = spelling
        self._sources = dict(sources)
        self._styles: dict[str, Style] = {}
        self._has: dict[str, bool] = {}
        self._relatives: dict[tuple[str, ...], Relatives] = {}
        self._below: Project | None = None  # the project without some changes, and the changed files
        self._changed: frozenset[str] = frozenset()
        self._with_name: dict[str, frozenset[str]] = {}
        self._calling: dict[str, set[str]] = {}
        self.names = NameResolver(self)

    def over(self, sources: Mapping[str, bytes]) -> "Project":
        third_party = {name: file for name, file in self.modules.items() if file not in self._own}
        own = {name: file for name, file in self.modules.items() if file in self._own}
        known = {**self._sources, **sources}
        project = Project(self.root, own, self._excluded, third_party, self._spelling, known)
        project.names = self.names.over(project, sources)
        project._below, project._changed = self, frozenset(sources)
        return project

    def source(self, file: str) -> bytes:
        if file not in self._sources:
            try:
                self._sources[file] = Path(file).read_bytes()
            except OSError as error:
                raise UserError(f"cannot read {file}: {error.strerror}", file=file) from error
        return self._sources[file]

    def style(self, file: str) -> Style:
        """The style of the project of a file; of third-party code only the file is known."""
        if file not in self._styles:
            style = read_style(file) if self.is_own(file) else PLAIN
            self._styles[file] = replace(style, spelling=self._spelling)
        return self._styles[file]

    def read(self, file: str) -> Module:
        """The module in a file, with its definitions.

        Raises UserError if it does not parse in this Python, and BudgetSpentError if there is no time to read it.
        """
        go_on(lambda: f"reading {named_from(file, self.root)}")
        try:
            return read_module(file, self.source(file))
        except (SyntaxError, ValueError) as error:
            runs = f"Python {platform.python_version()}, which runs pdt-annotate"
            hint = f"it is read by {runs}; for newer syntax, install pdt-annotate with a newer one"
            raise UserError(f"cannot parse: {error}", place=place_of_error(file, error), hint=hint) from error

    def module(self, file: str) -> Module | None:
        """A module only for reading; None if it cannot be read. Raises BudgetSpentError as `read` does."""
        go_on(lambda: f"reading {named_from(file, self.root)}")
        try:
            return parse(file, self.source(file))
        except (UserError, SyntaxError, ValueError):
            return None

    def file_of(self, module: str, folder: str = "") -> str:
        """The file of a module, from any import path; "" for a module outside of the project."""
        return self.modules.get(module, "")

    def has(self, file: str) -> bool:
        """Whether the file may be annotated."""
        if file not in self._has:
            self._has[file] = file in self._names and os.path.realpath(file) not in self._excluded
        return self._has[file]

    def is_own(self, file: str) -> bool:
        """Whether the file is under the root, and not third-party."""
        return file in self._own

    def package_of(self, file: str) -> str:
        """The top-level package of a third-party file; all files under the root are one project, ""."""
        return "" if self.is_own(file) else self.module_name(file).partition(".")[0]

    def mentions(self, name: str) -> bool:
        return any(mentions(self.source(file), name) for file in self._own)

    def with_name(self, name: str) -> Iterator[str]:
        """The files that may be annotated, third-party files included, and contain the name."""
        if name not in self._with_name:
            known = self._below.with_name(name) if self._below else ()
            files = self._changed if self._below else self.modules.values()
            found = (file for file in files if self.has(file) and mentions(self.source(file), name))
            self._with_name[name] = frozenset((*(file for file in known if file not in self._changed), *found))
        return (file for file in self.modules.values() if file in self._with_name[name])

    def calling(self, name: str) -> set[str]:
        """The files that may call the function or class of a name, also under the name of an import."""
        if name not in self._calling:
            found, names = set[str](), [name]
            for known in names:
                for file in self.with_name(known):
                    found.add(file)
                    text = normal(self.source(file).decode(errors="replace"))
                    renamed = re.findall(rf"\b{known}[\s\\]+as[\s\\]+(\w+)", text)
                    names += dict.fromkeys(each for each in renamed if each not in names)
            self._calling[name] = found
        return self._calling[name]

    def function(self, owner: Owner) -> Function | None:
        return self.read(owner.file).function(owner) if self.has(owner.file) else None

    def function_at(self, file: str, line: int) -> Function | None:
        return self.read(file).function_at(line) if self.has(file) else None

    def reading_at(self, file: str, line: int) -> Function | None:
        """The function at a line of any file, only for reading: also in files that are not annotated."""
        try:
            return self.read(file).function_at(line)
        except UserError:  # not a source file, for example code that the compiler generates
            return None

    def place_of(self, slot: Slot) -> Place:
        return self.read(slot.owner.file).place_of(slot)

    def class_named(self, file: str, qualname: str) -> Class | None:
        return self.read(file).class_named(qualname) if self.has(file) else None

    def relatives(self, files: tuple[str, ...]) -> Relatives:
        if files not in self._relatives:
            classes = [cls for file in files for cls in self.read(file).classes]
            self._relatives[files] = Relatives(self.names, classes)
        return self._relatives[files]

    def module_of(self, name: str) -> str:
        """The innermost module that contains a dotted name; "" if no module of the project does."""
        return next((module for module in parents(name) if module in self.modules), "")

    def module_name(self, file: str) -> str:
        return self._names.get(file, "")

    def imports_of(self, module: str) -> frozenset[str]:
        """The modules of the same project or package that a module imports when it is itself imported."""
        file = self.modules.get(module)
        if not file:
            return frozenset()
        imported: set[str] = set()
        for node, at_import in self.read(file).imports:
            for _, found in bound_by(node, package_of(module, file)) if at_import else ():
                imported |= {found.module, f"{found.module}.{found.name}"} & self.modules.keys()
        package = self.package_of(file)
        return frozenset(each for each in imported if self.package_of(self.modules[each]) == package)
