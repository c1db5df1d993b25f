"""`MendRule`, a rule that rewrites code; and its input `FunctionContext`, called a site: a function in its file."""

import ast
import functools
import keyword
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from pdt_annotate.findings.messages.said import MISMATCH, NO_METHOD, VARIADIC, CompilerMessage
from pdt_annotate.mends.mended import plan_import, qualified
from pdt_annotate.rewrite.source_file import SourceFile, names_of, read_source
from pdt_annotate.source.definitions import Class, Function, first_line, opening_line
from pdt_annotate.source.expressions import NUMBERS, ExpressionScope, type_of_expression
from pdt_annotate.source.imports import Import, Relatives
from pdt_annotate.source.module import Module
from pdt_annotate.source.names import NOWHERE, ModuleNames
from pdt_annotate.source.project import Project
from pdt_annotate.source.scopes import defined_in, names_in, names_inside
from pdt_annotate.source.syntax import dotted_name, is_known_not_none, nodes_in, numbered, parents, statement_at
from pdt_annotate.source.text import Text
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.mends import NO_FACTS, Held, HeldValue, LiveFacts, Mend, MendKind, Variadic
from pdt_annotate.values.slots import Place
from pdt_annotate.values.types import TENSOR, TypeExpr
from pdt_annotate.values.verdicts import Failure

NOTHING = "builtins.NoneType"
NOTHING_PASSED = Variadic()
TENSORS = ("torch.Tensor", "torch.nn.parameter.Parameter", "torch.nn.parameter.Buffer")
DTYPES: Mapping[str, str] = {
    **{"torch.FloatTensor": "float32", "torch.DoubleTensor": "float64", "torch.HalfTensor": "float16"},
    **{"torch.LongTensor": "int64", "torch.IntTensor": "int32", "torch.ShortTensor": "int16"},
    **{"torch.CharTensor": "int8", "torch.ByteTensor": "uint8", "torch.BoolTensor": "bool"},
}
"""The old constructors of tensors, each with its dtype."""
LIST_FUNCTIONS = frozenset(f"torch.{name}" for name in ("cat", "concat", "hstack", "stack", "vstack", "dstack"))
"""The functions to which a list is as good as a tuple."""
LAYER_MODULE = re.compile(r"torch\.nn\.modules\.(\w+\.)?(?!Tensor\b|Optional\b)(?=[A-Z]\w)")
"""The modules that define the layers of torch.nn."""
PLAIN_BASES = frozenset(("object", "ABC", "Generic", "Module", "Protocol"))
"""The names of bases, of any package, that have none of a project's methods."""
DOTTED = re.compile(r"[^\W\d]\w*(?:\.\w+)+")
Name = tuple[str, str]  # a function by its file and qualified name: mends move lines


@dataclass(frozen=True)
class Witnessed:
    """Facts from running and compiling.

    Args:
        facts: the values that modules held and callers passed.
        types: by function, the types observed of its parameters and locals by name, and of "return".
        entered: the functions that examples entered.
        compiled: the functions that the compiler has read, or come to.
    """

    facts: LiveFacts = NO_FACTS
    types: Mapping[Name, Mapping[str, tuple[TypeExpr, ...]]] = field(default_factory=dict)
    entered: frozenset[Name] = frozenset()
    compiled: frozenset[Name] = frozenset()


NOTHING_WITNESSED = Witnessed()


def way_to(failure: Failure, project: Project) -> Iterator[tuple[Place, Function]]:
    """The project's functions through which the compiler came to a failure, innermost first, each with the place."""
    for place in (failure.place, *failure.chain):
        function = project.function_at(place.file, place.line) if project.has(place.file) else None
        if function is not None:
            yield place, function


@dataclass(frozen=True)
class FunctionContext(ExpressionScope):
    """A function that may be mended.

    Args:
        function: the function in the current file, earlier mends included.
        project: all files, likewise.
        failure: the compiler's failure, if it stopped in this function; its place is in this file.
        spelled: by file and spelling, the dotted name that a mend with this spelling must import.
    """

    function: Function
    project: Project
    shown: Witnessed = NOTHING_WITNESSED
    failure: Failure | None = None
    spelled: dict[tuple[str, str], str] = field(default_factory=dict, compare=False, repr=False)

    # Reading.

    @property
    def file(self) -> str:
        return self.function.owner.file

    @property
    def node(self) -> ast.FunctionDef | ast.AsyncFunctionDef:
        return self.function.node

    @property
    def module(self) -> Module:
        return self.project.read(self.file)

    @property
    def text(self) -> Text:
        return self.module.text

    @property
    def cls(self) -> Class | None:
        return self.project.class_named(self.file, self.function.in_class) if self.function.in_class else None

    @property
    def failing_line(self) -> int:
        """The line at which the compiler stopped; 0 if it is not known."""
        return self.failure.place.line if self.failure else 0

    def fails_in(self, *nodes: ast.stmt | ast.expr) -> bool:
        """Whether the compiler stopped in a node, or in one of several in a row."""
        return bool(nodes) and nodes[0].lineno <= self.failing_line <= (nodes[-1].end_lineno or 0)

    def fact(self, message: CompilerMessage, name: str = "name") -> str:
        """A fact in the compiler's message; "" if this is another message."""
        facts = message.read(self.failure.message) if self.failure else None
        return facts[name] if facts else ""

    @property
    def way(self) -> "Iterator[FunctionContext]":
        """The functions through which the compiler came to the failure, innermost first, each with its own place."""
        if self.failure:
            for place, function in way_to(self.failure, self.project):
                yield replace(self, function=function, failure=replace(self.failure, place=place))

    @property
    def failing(self) -> list[ast.AST]:
        """The statement at which the compiler stopped; for a compound statement, the expressions in its head."""
        innermost = statement_at(self.node, self.failing_line) or self.node
        if innermost is self.node:
            return []
        if not hasattr(innermost, "body"):
            return [innermost]
        return [child for child in ast.iter_child_nodes(innermost) if isinstance(child, ast.expr)]

    @property
    def failing_names(self) -> set[str]:
        return names_in(*self.failing)

    def is_failing(self, node: ast.AST) -> bool:
        """Whether an expression is in the statement at which the compiler stopped."""
        return any(node is part for each in self.failing for part in ast.walk(each))

    def at(self, function: Function) -> "FunctionContext":
        """The site of another function, without a failure."""
        return replace(self, function=function, failure=None)

    def source(self, node: ast.AST) -> str:
        """The source of an expression or statement, with its comments and layout."""
        start, end = self.span(node)
        return self.text.body[start:end].decode()

    def on_one_line(self, node: ast.AST) -> str:
        return " ".join(self.source(node).split())

    def held(self, attribute: str) -> Held:
        """The values that `self.<attribute>` held in all modules of the class."""
        return self._held.get(attribute, Held())

    def lacks(self, attribute: str) -> bool:
        """Whether some module of the class lacks `self.<attribute>` once it is constructed."""
        held = self.held(attribute)
        return bool(self._held) and (attribute not in self._held or held.late or held.lacking)

    @property
    def _held(self) -> Mapping[str, Held]:
        return self.shown.facts.held.get((self.file, self.function.in_class), {})

    @property
    def passed(self) -> Variadic:
        """The arguments that `*args` and `**kwargs` of the function took in calls of the examples."""
        return self.shown.facts.variadic.get(self.function.owner.name, NOTHING_PASSED)

    def observed(self, name: str) -> tuple[TypeExpr, ...]:
        """The types observed of a parameter or a local, or of "return"."""
        return self.shown.types.get(self.function.owner.name, {}).get(name, ())

    def type_of_name(self, name: str) -> TypeExpr | None:
        """The only type of a parameter that the function does not bind again."""
        types = self.observed(name) if name not in self.stored_names else ()
        return types[0] if len(types) == 1 else None

    def is_entered(self, function: Function | None = None) -> bool:
        return (function or self.function).owner.name in self.shown.entered

    def is_compiled(self, function: Function | None = None) -> bool:
        return (function or self.function).owner.name in self.shown.compiled

    def seen(self, node: ast.expr) -> set[str]:
        """The names of the types that a name or an attribute of `self` was seen to have."""
        if isinstance(node, ast.Name):
            return {type_.name for type_ in self.observed(node.id)}
        return {value.type.removeprefix("builtins.") for value in self.held(self.self_attribute(node)).values}

    @property
    def is_recorded(self) -> bool:
        """Whether the values of the function's expressions are known."""
        return self.function.owner.name in self.shown.facts.expressions

    def values(self, node: ast.expr | ast.keyword) -> tuple[HeldValue, ...]:
        """The distinct values that an expression of the body had in all calls; none if it never ran.

        All expressions of the same text share them, but None is left out if a test around the name excludes it.
        """
        if isinstance(node, ast.Constant):
            return (HeldValue(f"builtins.{type(node.value).__name__}", repr(node.value)),)
        found = self.shown.facts.expressions.get(self.function.owner.name, {}).get(ast.unparse(node), ())
        others = tuple(value for value in found if value.type != NOTHING)
        if isinstance(node, ast.Name) and len(others) < len(found) and is_known_not_none(self.node, node):
            return others
        return found

    def is_always(self, node: ast.expr, *types: str) -> bool:
        """Whether the values of an expression were of these classes: "int", "torch.Tensor", "list", "list[int]".

        If it never ran, the source may show the type, or the compiler's message: it lacks a method of this Tensor.
        """
        names = [(value.type, f"{value.type}[{', '.join(value.items)}]") for value in self.values(node)]
        if not names and (type_ := type_of_expression(node, self)) in (TENSOR, *NUMBERS):
            names = [("torch.Tensor" if type_ == TENSOR else str(type_), "")]
        outer = self.parents.get(node)
        is_asked = not names and isinstance(outer, ast.Attribute) and outer.attr == self.fact(NO_METHOD)
        if is_asked and self.is_failing(node):
            names = [("torch.Tensor", "")]
        return bool(names) and all(any(name.replace("builtins.", "") in types for name in each) for each in names)

    def self_attribute(self, node: ast.AST) -> str:
        """The x of `self.x`; "" for anything else."""
        match node:
            case ast.Attribute(ast.Name(name), attribute) if name == self.function.receiver:
                return attribute
        return ""

    def meaning(self, node: ast.expr) -> str:
        """The imported name of an expression: "torch.nn.functional.gelu" for `F.gelu`; "" if hidden or not imported."""
        dotted = dotted_name(node)
        first, _, rest = dotted.partition(".")
        imported = self.imports.get(first)
        if imported is None or first in self.local_names:
            return ""
        target = f"{imported.target}.{rest}" if rest else imported.target
        return LAYER_MODULE.sub("torch.nn.", target)

    def definition(self, node: ast.expr) -> Function | None:
        """The function of the project that a name means: a method of `self`, or a function at the top of a module."""
        if method := self.self_attribute(node):
            return self.module.function_named(f"{self.function.in_class}.{method}") or self._inherited(method)
        name = dotted_name(node)
        is_hidden = name.partition(".")[0] in self.local_names
        found = self.project.names.find(self.file, name) if name and not is_hidden else None
        is_own = found and self.project.has(found.file)
        return self.project.read(found.file).function_named(found.qualname) if found and is_own else None

    def _inherited(self, method: str) -> Function | None:
        """The method that the class inherits from another of the project; None if something else may be meant.

        Python's order of several bases is not worked out.
        """
        if self.cls is None or self.held(method).values:  # most are layers
            return None
        if self.relatives.is_overridden(self.cls, method):
            return None
        classes = [self.cls]
        for cls in classes:
            places = {base: self.project.names.find(cls.owner.file, base) for base in cls.bases}
            known = {base: self.project.names.class_at(place) for base, place in places.items() if place}
            if any(not known.get(base) and base.rpartition(".")[2] not in PLAIN_BASES for base in cls.bases):
                return None
            classes += (each for each in known.values() if each and each not in classes)
        having = [each for each in classes if method in defined_in(each.node.body)]
        is_clear = len(having) == 1 or all(len(each.bases) < 2 for each in classes)
        if not having or not is_clear or not self.project.has(having[0].owner.file):
            return None
        return self.project.read(having[0].owner.file).function_named(f"{having[0].owner.qualname}.{method}")

    @property
    def relatives(self) -> Relatives:
        return self.project.relatives(tuple(filter(self.project.has, self.project.modules.values())))

    @property
    def imports(self) -> Mapping[str, Import]:
        return self.project.names.imports_in(self.file)

    @functools.cached_property
    def stored_names(self) -> frozenset[str]:
        names = (n for n in nodes_in(self.node, ast.Name) if not isinstance(n.ctx, ast.Load))
        return frozenset(name.id for name in names)

    @property
    def local_names(self) -> frozenset[str]:
        return names_inside(self.node)

    @property
    def known_names(self) -> set[str]:
        """The names that mean something else than in Python."""
        # Code for Python 2 imports `range` or `zip` from six.
        imported = {name for name, each in self.imports.items() if each.target != f"six.moves.{name}"}
        return {*self.local_names, *imported, *self.module.qualnames}

    @property
    def parents(self) -> Mapping[ast.AST, ast.AST]:
        return parents(self.node)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node in the function, the innermost first, and the function itself last."""
        while node is not self.node:
            node = self.parents[node]
            yield node

    def statement(self, node: ast.AST) -> tuple[ast.stmt, list[ast.AST]]:
        """The innermost statement around an expression, and the nodes between the two."""
        around = list(self.around(node))
        index, found = next((i, outer) for i, outer in enumerate(around) if isinstance(outer, ast.stmt))
        return found, around[:index]

    def free_name(self, wanted: str, taken: Iterable[str] = ()) -> str:
        """A name like the wanted one that means nothing in the function or its file."""
        return self.first_free(numbered(wanted), {*taken, *self.module.names})

    def local_name(self, attribute: str, taken: Iterable[str] = ()) -> str:
        """A name for a local with the value of an attribute."""
        return self.first_free(numbered(attribute.strip("_") or "value"), taken)

    def first_free(self, names: Iterable[str], taken: Iterable[str] = ()) -> str:
        """The first of some names that has no meaning in the function, and is not taken."""
        known = {*taken, *self.known_names, *names_in(self.node), *keyword.kwlist}
        return next(name for name in names if name not in known)

    def spell(self, dotted: str) -> str:
        """How the file spells a dotted name, or a type such as "typing.List[torch.Tensor]".

        A mend imports what that needs.
        """
        if "[" in dotted:
            return DOTTED.sub(lambda name: self.spell(name[0]), dotted)
        found = self._names.find(qualified(dotted), NOWHERE, ())
        if found is not None and found.partition(".")[0] not in self.local_names:
            return found
        planned = plan_import(self._names, dotted)
        text = qualified(dotted).reached_by(planned) if planned else dotted
        self.spelled[self.file, text] = dotted
        return text

    @functools.cached_property
    def _names(self) -> ModuleNames:
        return names_of(self._file, self.project.module_name(self.file), self.file)

    @functools.cached_property
    def _file(self) -> SourceFile:
        return read_source(self.project.source(self.file), self.file)

    # Writing.

    @property
    def line_limit(self) -> int:
        return self._file.line_limit(self.project.style(self.file))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The offsets of a node's first byte and of its end; decorators belong to a definition."""
        start, end = self.text.start(node), self.text.end(node)  # type: ignore[arg-type]
        if isinstance(node, ast.stmt) and first_line(node) < node.lineno:
            start = self.text.line_start(first_line(node))
            start += len(self.text.indent(start))
        return start, end

    def begins_line(self, node: ast.stmt) -> bool:
        """Whether only white space is before a statement on its line."""
        return not self.text.body[self.text.line_start(node.lineno) : self.text.start(node)].strip()

    def takes_lines(self, node: ast.stmt) -> bool:
        """Whether lines in front of a statement run just before it: it is no `elif`, and its test runs once."""
        return self.begins_line(node) and not self.source(node).startswith(("elif", "while"))

    def replace(self, node: ast.AST, new: str) -> Edit:
        """Text in place of an expression or statement. Lines after the first of a statement get its indentation."""
        start, end = self.span(node)
        if isinstance(node, ast.stmt):
            new = self._indented(new, self.text.indent(start))
        return Edit(start, new, removed=end - start)

    def insert_before(self, statement: ast.stmt, new: str) -> Edit:
        """Whole lines in front of a statement, with its indentation."""
        start = self.text.line_start(opening_line(self.text, statement))
        indent = self.text.indent(start)
        return Edit(start, indent + self._indented(new, indent) + self.text.newline)

    def insert_behind(self, statement: ast.stmt, new: str) -> Edit:
        """Whole lines after a statement and the comments below it, with its indentation."""
        indent, end = self.text.indent(self.text.start(statement)), self.end_of_lines(statement)
        lead = "" if end and end in self.text.starts else self.text.newline
        return Edit(end, lead + textwrap.indent(new, indent).replace("\n", self.text.newline) + self.text.newline)

    def end_of_lines(self, statement: ast.stmt) -> int:
        """The end of the lines of a statement, and of the comments below it with the same indentation."""
        indent = self.text.indent(self.text.start(statement))
        line = (statement.end_lineno or statement.lineno) + 1
        while self.text.line_bytes(self.text.line_start(line)).startswith(f"{indent}#".encode()):
            line += 1
        return self.text.line_start(line)

    def remove(self, statement: ast.stmt) -> Edit:
        """Removes a statement with its lines, and the blank line after it if a blank line or a header is before it.

        The caller must refill a body that becomes empty.
        """
        text, start = self.text, self.text.line_start(opening_line(self.text, statement))
        end = text.line_start((statement.end_lineno or statement.lineno) + 1)
        before = text.line_bytes(start - 1).strip()
        is_first = not before or before.endswith(b":")
        blank = len(text.line_bytes(end)) if is_first and text.is_blank(end) and end < len(text.body) else 0
        return Edit(start, "", removed=end + blank - start)

    def _indented(self, new: str, indent: str) -> str:
        return textwrap.indent(new, indent).removeprefix(indent).replace("\n", self.text.newline)

    def _spaced(self, file: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
        """The edits of a file with its newlines."""
        newline = self.project.read(file).text.newline
        return tuple(replace(edit, text=re.sub(r"\r*\n", newline, edit.text)) for edit in edits)

    def mend(
        self,
        node: ast.AST,
        summary: str,
        edits: Iterable[Edit],
        *,
        frozen: bool = False,
        left_out: str = "",
        elsewhere: Iterable[tuple[str, Edit]] = (),
    ) -> Mend:
        """A mend of this function at a node; `elsewhere` are more edits by file. Its summary becomes one line.

        It is exact, unless it is frozen or leaves something out.
        """
        edited = grouped([*elsewhere, *((self.file, edit) for edit in edits)])
        changes = {file: self._spaced(file, each) for file, each in edited.items()}
        texts = {file: "\n".join(edit.text for edit in each) for file, each in changes.items()}
        needed = (
            (file, dotted)
            for (file, name), dotted in self.spelled.items()
            if re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", texts.get(file, ""))
        )
        imports = {file: tuple(names) for file, names in grouped(dict.fromkeys(needed)).items()}
        kind = MendKind.FROZEN if frozen else MendKind.SCRIPTED if left_out else MendKind.EXACT
        place, line = self.text.place(self.file, self.span(node)[0]), " ".join(summary.split())
        return Mend("", kind, self.function.owner, place, line, changes, imports, left_out=left_out)


@dataclass(frozen=True)
class MendRule:
    """One rewrite of code.

    Args:
        name: the module in `mends` that defines it; its docstring describes the rule in docs/mends.md.
        kind: the promise of its mends, unless one of them states another.
        is_asked_for: whether the rule answers the message of a failure.
        look: finds all places in a function that meet its preconditions, in source order; it reads no message.
        sweeps: all functions in reach change at once: the compiler refuses the construct in every one that it reads.
        improves: why it also changes a model that verifies; "" if it does not.
    """

    name: str
    kind: MendKind
    is_asked_for: Callable[[Failure], bool]
    look: Callable[[FunctionContext], Iterator[Mend]]
    sweeps: bool = True
    improves: str = ""

    def find(self, site: FunctionContext) -> Iterator[Mend]:
        return (replace(mend, rewrite=self.name) for mend in self.look(site))


def said(*messages: CompilerMessage) -> Callable[[Failure], bool]:
    """Asks for a rewrite if the compiler's message is one of these."""
    return lambda failure: any(message.is_in(failure.message) for message in messages)


def quoted(*messages: CompilerMessage) -> Callable[[Failure], bool]:
    """Asks for a rewrite if one of these is anywhere in the compiler's output."""
    return lambda failure: any(message.is_in(failure.text or failure.message) for message in messages)


def either(*asked: Callable[[Failure], bool]) -> Callable[[Failure], bool]:
    """Asks for a rewrite if one of several functions does."""
    return lambda failure: any(is_asked_for(failure) for is_asked_for in asked)


def mismatched(found: str, wanted: Collection[str]) -> Callable[[Failure], bool]:
    """Asks for a rewrite if an argument has one type, and the parameter one of the others."""

    def is_asked_for(failure: Failure) -> bool:
        text = failure.text or failure.message
        single = any(facts["wanted"] in wanted and facts["found"] == found for facts in MISMATCH.read_all(text))
        # The arguments of a call that takes any number of them make one tuple.
        several = ((facts["wanted"], re.split(r"\W+", facts["found"])) for facts in VARIADIC.read_all(text))
        return single or any(each in wanted and found in types for each, types in several)

    return is_asked_for


def is_raised(failure: Failure) -> bool:
    """Whether Python raised an error while the compiler read a model: the text quotes no compiled code."""
    return '  File "' not in failure.text


def anything(failure: Failure) -> bool:
    return bool(failure.message)


def somewhere(failure: Failure) -> bool:
    return bool(failure.place.line)
