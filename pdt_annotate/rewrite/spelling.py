"""A type → source text, in the words that the file already uses, with the imports that the words need."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pdt_annotate.rewrite.source_file import SourceFile
from pdt_annotate.source.imports import Import, parents
from pdt_annotate.source.names import NOWHERE, ModuleNames, Qualified, Site
from pdt_annotate.values import made
from pdt_annotate.values.slots import ClassInfo
from pdt_annotate.values.style import Spelling, Style
from pdt_annotate.values.types import TypeExpr

BUILTINS = frozenset({"int", "float", "bool", "str", "complex", "None"})
GENERICS = {"list": "List", "dict": "Dict", "tuple": "Tuple"}
TYPING = GENERICS | {name: name for name in ("Optional", "Union", "Any", "Final")}
OF_TORCH = [("torch", name) for name in ("Tensor", "device", "dtype", "qscheme", "Generator", "Stream")]
OF_TORCH += [("torch.futures", "Future"), ("torch.nn.utils.rnn", "PackedSequence")]
TORCH = {f"{module}.{name}": Qualified(module, name, whole=True) for module, name in OF_TORCH}

# The Python of a project that states none, with the spelling of `typing` alone; and the first with all spellings.
OLDEST, NEWEST = (3, 8), (3, 10)
_DOTTED_GENERIC = re.compile(r"\w\.\w+\[")
NO_NAME, CYCLE = "PDT017", "PDT035"

# The modules that a module's file imports at its top level, by dotted name; none for a module outside the project.
ImportsOf = Callable[[str], frozenset[str]]


Spelled = tuple[str, list[Import]]
"""A type as source text, and the imports that it needs beyond those of the file."""


class Refused(Exception):
    """Why an annotation cannot be written: the finding's code and a sentence; "" for a slot to leave alone."""

    def __init__(self, code: str, reason: str = "") -> None:
        super().__init__(code, reason)
        self.code, self.reason = code, reason


@dataclass(frozen=True)
class Notation:
    """The spelling of containers and unions: `list[int]` or `List[int]`, `int | None` or `Optional[int]`."""

    builtin_generics: bool
    bars: bool


def choose_notations(file: SourceFile, style: Style) -> tuple[Notation, Notation]:
    """The notation of annotations that Python evaluates, and of others, for which any Python will do."""
    live = _choose_notation(file, style)
    is_text = file.module.future_annotations and style.python is not None
    return live, _choose_notation(file, replace(style, python=NEWEST)) if is_text else live


def _choose_notation(file: SourceFile, style: Style) -> Notation:
    """The notation in the settings; else that of the file, else the newest that the project's Python has.

    A project that asks for upgrades gets the newest everywhere.
    """
    if style.spelling is not Spelling.AUTO:
        return Notation(*[style.spelling is Spelling.MODERN] * 2)
    python = style.python or OLDEST
    top = (each.node for each in file.module.namespaces[0].statements)
    imports = (node for node in top if isinstance(node, ast.ImportFrom) and not node.level)
    names = (each.name for n in imports if n.module in ("typing", "typing_extensions") for each in n.names)
    used = file.words.union(names)
    generics, unions = used & set(GENERICS.values()), used & {"Optional", "Union"}
    builtin_generics = python >= (3, 9) or any(f"{name}[]" in used for name in GENERICS)
    bars = python >= (3, 10) or "|" in used
    return Notation(
        builtin_generics=builtin_generics and (style.upgrades or not generics),
        bars=bars and (style.upgrades or not unions),
    )


@dataclass(frozen=True)
class Speller:
    """Spells types for one file."""

    file: str
    module: str  # the dotted name of the file, "" if unknown
    names: ModuleNames
    notations: tuple[Notation, Notation]  # for annotations that Python evaluates, and for others
    classes: Mapping[str, ClassInfo]  # the classes that types name
    imports_of: ImportsOf | None = None  # the import graph of the project; None allows any import

    def spell(self, type: TypeExpr, site: Site, planned: Sequence[Import]) -> Spelled:
        """The type for the site; as a string if one of its names is not bound there yet. Raises `Refused`."""
        notation = self.notations[site is NOWHERE]
        plain = replace(notation, bars=False)
        try:
            text, imports = self._spell(type, site, planned, notation)
        except Refused:
            if not site.quotable:
                raise
            # The compiler refuses a quoted `int | None`.
            text, imports = self._spell(type, NOWHERE, planned, plain)
            return f'"{text}"', imports
        # Next to a bar, the compiler refuses `typing.List[int]`, dotted and with arguments.
        is_refused = " | " in text and _DOTTED_GENERIC.search(text) is not None
        return self._spell(type, site, planned, plain) if is_refused else (text, imports)

    def _spell(self, type: TypeExpr, site: Site, planned: Sequence[Import], notation: Notation) -> Spelled:
        known = list(planned)
        words = {name: self._word(name, site, known, notation) for name in dict.fromkeys(self._words(type, notation))}
        return self._text(type, words), known[len(planned) :]

    def _words(self, type: TypeExpr, notation: Notation) -> Iterator[str]:
        if not (notation.bars and type.name in ("Optional", "Union")):
            yield type.name
        for arg in self._args(type):
            yield from self._words(arg, notation)

    def _args(self, type: TypeExpr) -> tuple[TypeExpr, ...]:
        """The type's arguments; for a class of the user's they are a namedtuple's fields, which no annotation has."""
        return () if type.name in self.classes else type.args

    def _text(self, type: TypeExpr, words: Mapping[str, str]) -> str:
        args = [self._text(arg, words) for arg in self._args(type)]
        if type.name not in words:
            return " | ".join((*args, "None") if type.name == "Optional" else args)
        if type.name == "tuple" and not args:
            return f"{words['tuple']}[()]"
        return f"{words[type.name]}[{', '.join(args)}]" if args else words[type.name]

    def _word(self, name: str, site: Site, planned: list[Import], notation: Notation) -> str:
        """How the file names a class at the site; adds the import that this needs to `planned`."""
        if name in BUILTINS or (name in GENERICS and notation.builtin_generics):
            if name in site.shadows or (site is not NOWHERE and self.names.is_defined(name)):
                raise Refused(NO_NAME, f"`{name}` names another object in this file")
            return name
        if name in TYPING:
            return self._foreign(Qualified("typing", TYPING[name], whole=True), site, planned)
        if name in TORCH:
            return self._foreign(TORCH[name], site, planned)
        if name in self.classes:
            return self._class(self.classes[name], site, planned)
        raise Refused(NO_NAME, f"nothing is known about `{name}`")

    def _foreign(self, qualified: Qualified, site: Site, planned: list[Import]) -> str:
        known = self.names.find(qualified, site, planned)
        if known is not None:
            return known
        new = self.names.plan(qualified, site, planned)
        if new is None:
            raise Refused(NO_NAME, f"no name is free here to import `{qualified.dotted}` under")
        planned.append(new)
        return qualified.reached_by(new)

    def _class(self, info: ClassInfo, site: Site, planned: list[Import]) -> str:
        if not info.importable:
            raise Refused(NO_NAME, f"`{info.qualname}` is defined inside a function, so no annotation can name it")
        if made.is_made(info.qualname):
            return self._made_class(info, planned)
        if info.file == self.file or (self.module and info.module == self.module):
            root = info.qualname.partition(".")[0]
            if info.file != self.file and not self.names.is_defined(root) and root not in site.shadows:
                return info.qualname  # of another cell of a session
            if not self.names.is_defined(root):
                raise Refused(NO_NAME, f"`{root}` is not a module-level name of its file")
            if root in site.shadows or not self.names.is_defined(root, site.offset):
                raise Refused(NO_NAME, f"`{info.qualname}` is defined further down, or hidden here by another name")
            return info.qualname
        qualified = Qualified(info.module, info.qualname)
        known = self.names.find(qualified, site, planned)
        # The name is that of the class, and not of a module that may still be running, without the class.
        if known is not None and (site is NOWHERE or known.count(".") == info.qualname.count(".")):
            return known
        if self.imports_of and self.module and would_cycle(self.module, info.module, self.imports_of):
            where = f"before {info.module} exists" if known else f"from {info.module} would make an import cycle"
            raise Refused(CYCLE, f"importing `{info.qualname}` {where}")
        if known is not None:
            return known
        if info.module in ("", "__main__", "builtins"):
            raise Refused(NO_NAME, f"`{info.qualname}` is in no module that can be imported")
        return self._foreign(qualified, site, planned)

    def _made_class(self, info: ClassInfo, planned: list[Import]) -> str:
        """A class that a function made, for code in memory: by a name that its module gets for this alone.

        Its own, if possible: the compiler knows a class that it is compiling by no other. No inner scope hides it,
        because Python does not evaluate these annotations.
        """
        last = info.qualname.rpartition(".")[2]
        name = made.import_name(info.name)
        for bound in (last, *(f"_{last}{suffix}" for suffix in ("", *range(1, 10)))):
            new = Import(made.__name__, name, bound)
            if new in planned:
                return bound
            if not (self.names.is_defined(bound) or any(each.bound == bound for each in planned)):
                planned.append(new)
                return bound
        raise Refused(NO_NAME, f"no name is free here for `{info.qualname}`")


def would_cycle(importer: str, imported: str, imports_of: ImportsOf) -> bool:
    """Whether importing one module imports the importer, too.

    Importing `a.b` also runs the package `a`, unless the importer is in it: then it is running already.
    """
    pending, seen = [imported], set()
    while pending:
        module = pending.pop()
        if module == importer:
            return True
        if module not in seen:
            seen.add(module)
            pending += imports_of(module)
            pending += (package for package in parents(module) if not f"{importer}.".startswith(f"{package}."))
    return False
