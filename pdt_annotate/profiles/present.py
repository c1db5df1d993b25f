"""The present source, as a profile sees it: which of its functions and classes are still there, and still the same."""

from __future__ import annotations

import ast
import functools
import glob
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePath

from pdt_annotate.profiles.profile import Profile, ProfiledOwner, Source
from pdt_annotate.profiles.record import digest_of, path_from, statement_lines
from pdt_annotate.source.imports import parents, statements
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.source.survey import Function, Scope, Survey, read_survey
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.slots import ClassInfo, ClassKind, Finding, Owner

CODE = "PDT070"


class Present:
    """Answers for each place and class of a profile where it is now, and collects what to say of those that are not.

    Args:
        profile: what is asked about.
        root: the directory below which files count.
        modules: dotted name → file, of the files that count; None: all that the profile knows.
    """

    def __init__(self, profile: Profile, root: str, modules: Mapping[str, str] | None) -> None:
        self.root = root
        self.imported = modules
        self._counting = None if modules is None else set(modules.values())
        self.sources = {source.path: source for recording in profile.recordings for source in recording.sources}
        self.in_forward = profile.in_forward
        # MonkeyType's, which has no root and traces libraries, too.
        self._by_name = {place.path for place in profile.places if place.line and not place.digest}
        self.findings: dict[Finding, None] = {}
        self.changed: dict[ProfiledOwner, tuple[Function, Finding]] = {}
        self.missing: dict[str, Finding] = {}
        self.owner = functools.cache(self._owner)
        self.statements = functools.cache(self._statements)
        self._survey = functools.cache(self._read)

    def modules(self) -> dict[str, str]:
        """Dotted name → file, of the profile's files that are there and parse."""
        found = ((source.module, self._survey(path)) for path, source in sorted(self.sources.items()))
        return {name: survey.file for name, survey in found if survey is not None}

    def class_now(self, info: ClassInfo) -> ClassInfo | None:
        """The class with its present file; None where that does not hold it any more. A library's is as it is."""
        info = replace(info, importable=info.importable and self._may_import(info))
        if not info.file:
            return info
        survey = self._survey(info.file)
        if survey is None:
            return None
        # A module may still hold it: by a `class`, or by a name that it binds, as in `Pair = namedtuple(…)`.
        outermost = info.qualname.partition(".")[0]
        has_class = outermost in _bound_names(survey.tree)
        if survey.class_named(outermost) is not None:
            has_class = survey.class_named(info.qualname) is not None
        if info.importable and not has_class:
            self._report(f"the class `{info.qualname}` is no longer there: its values are not used", Place(survey.file))
            return None
        return replace(info, file=survey.file)

    def class_named(self, name: str) -> ClassInfo | None:
        """What the source says of a class that no run described: of a plain one, or a NamedTuple; None of others."""
        module, _, qualname = name.rpartition(".")
        survey = next((self._survey(each.path) for each in self.sources.values() if each.module == module), None)
        cls = survey.class_named(qualname) if survey else None
        bases = tuple(base.rpartition(".")[2] for base in cls.bases) if cls else ()
        if survey is None or cls is None or cls.decorators or bases not in ((), ("object",), ("NamedTuple",)):
            return None
        if bases != ("NamedTuple",):
            return ClassInfo(name, module, qualname, ClassKind.PLAIN, survey.file, cls.place.line)
        fields = tuple((field, read_annotation(text)) for field, text in cls.annotated)
        return ClassInfo(name, module, qualname, ClassKind.NAMEDTUPLE, survey.file, cls.place.line, fields, ("tuple",))

    def _may_import(self, info: ClassInfo) -> bool:
        """Whether an annotation may import a class, which runs its module: not because a profile says so alone.

        It may where the module is the file of the project that has the class, or the project imports it anyway: it, or
        any other of its package; of the standard library, whose modules have little in common, that module itself.
        """
        module, package = info.module, info.module.partition(".")[0]
        survey = self._survey(info.file) if info.file in self.sources else None
        if survey and is_named_by(survey.file, module):
            return True
        known = module if package in sys.stdlib_module_names else package
        return package == "builtins" or known in self._imported_packages

    @functools.cached_property
    def _imported_packages(self) -> frozenset[str]:
        """What the files of the profile import, by whole names and by packages."""
        found: set[str] = set()
        for survey in filter(None, map(self._survey, self.sources)):
            for node in statements(survey.tree):
                named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                    named = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
                found.update(name for each in named for name in (each, *parents(each)))
        return frozenset(found)

    def _owner(self, place: ProfiledOwner) -> Owner | None:
        """The function or class that a place is now; None where it is gone, changed, or not to be annotated."""
        survey = self._survey(place.path)
        if survey is None:
            return None
        if not place.line and survey.class_named(place.qualname) is None:
            message = f"the class `{place.qualname}` is no longer there: its attributes are not used"
            self._report(message, Place(survey.file))
            return None
        if not place.line:
            return Owner(survey.file, place.qualname, 0)
        function = self._function(place, survey)
        return function.owner if function else None

    def _function(self, place: ProfiledOwner, survey: Survey) -> Function | None:
        """Of several functions of one name and digest the nearest; lines may have moved."""
        named = [function for function in survey.functions if function.owner.qualname == place.qualname]
        if not place.digest and len(named) == 1:
            return named[0]
        same = [function for function in named if digest_of(function.node) == place.digest]
        if same:
            return min(same, key=lambda function: abs(function.owner.line - place.line))
        if not named:
            message = f"`{place.qualname}` is no longer there as it was observed: what was seen there is not used"
            self._report(message, Place(survey.file))
            return None
        if not place.digest:
            message = f"`{place.qualname}` is defined {len(named)} times, and the profile does not say which: not used"
            self._report(message, named[0].place)
            return None
        now = min(named, key=lambda function: abs(function.owner.line - place.line))
        if now.bare:
            when = "ran inside forward" if place in self.in_forward else "was observed"
            message = f"`{place.qualname}` has changed since it {when}: what was seen there is not used"
            self.changed[place] = now, self._report(message, now.place)
        return None

    def _statements(self, owner: Owner) -> tuple[int, ...]:
        """The lines of a present function's statements."""
        survey = read_survey(owner.file)
        function = survey.function(owner) if survey else None
        return statement_lines(function.node) if function else ()

    def _read(self, path: str) -> Survey | None:
        """The survey of a file of the profile; None where it is gone, broken, or not to be annotated."""
        file = locate(self.sources.get(path, Source(path, "")), self.root, self.imported or {})
        if not file:
            if path not in self._by_name:
                message = f"there is no file {path} any more: what was seen in it is not used"
                self.missing[path] = self._report(message)
            return None
        if self._counting is not None and file not in self._counting:
            return None
        survey = read_survey(file)
        if survey is None:
            self._report("the file cannot be parsed: what was seen in it is not used", Place(file))
        return survey

    def _report(self, message: str, place: Place = NO_PLACE) -> Finding:
        finding = Finding(CODE, message, place)
        self.findings[finding] = None
        return finding


def is_named_by(file: str, module: str) -> bool:
    """Whether a module of that dotted name may be the file: its last folders are those of the name."""
    path = PurePath(file)
    parts = path.parent.parts if path.name == "__init__.py" else (*path.parent.parts, path.stem)
    named = tuple(module.split("."))
    return parts[-len(named) :] == named


def _bound_names(tree: ast.Module) -> Iterator[str]:
    """The names that a module assigns or imports at its top, in whatever block."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name
        elif not isinstance(node, Scope):
            pending += ast.iter_child_nodes(node)


def locate(source: Source, root: str, modules: Mapping[str, str]) -> str:
    """The present file of a source, "" where there is none.

    The same path from the root comes first, then the module of that name: as the run imported it, as the root has it,
    or as one folder of the root has it and no other.

    Args:
        root: the directory below which files count.
        modules: dotted name → file, of the modules that are known to be imported; their spelling of a file is kept.
    """
    real_root = os.path.realpath(root)
    candidates = _candidates(source, root, modules)
    found = next((file for file in candidates if os.path.isfile(file) and path_from(real_root, file)), "")
    spelled = {os.path.realpath(file): file for file in modules.values()}
    return spelled.get(os.path.realpath(found), found) if found else ""


def _candidates(source: Source, root: str, modules: Mapping[str, str]) -> Iterator[str]:
    yield os.path.join(root, source.path)
    yield modules.get(source.module, "")
    path = os.path.join(*source.module.split("."))
    names = (f"{path}.py", os.path.join(path, "__init__.py"))
    yield from (os.path.join(root, name) for name in names)
    inside = [str(file) for name in names for file in Path(root).glob(f"*/{glob.escape(name)}") if file.is_file()]
    yield from inside if len(inside) == 1 else ()
