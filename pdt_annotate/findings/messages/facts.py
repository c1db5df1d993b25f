"""What the messages of TorchScript's compiler and interpreter say: each known one by name, with the facts in it.

Nothing else in the package reads the text of a message. A repairer asks for one message by name, the table of codes for
all of them in turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.values.types import TypeExpr

INFERRED = "(inferred)"
BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


@dataclass(frozen=True)
class Facts:
    """The facts in one message, by name; "" for one that it leaves out."""

    words: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.words[name]

    def type(self, name: str) -> TypeExpr | None:
        """A type that the message names; None where no annotation can say it."""
        return parse_type(self[name])

    def types(self, *names: str) -> list[TypeExpr]:
        """Those of the types that an annotation can say."""
        return [type_ for type_ in map(self.type, names) if type_ is not None]

    def is_inferred(self, name: str) -> bool:
        """Whether the type is none that was written: what the compiler takes without one, Tensor."""
        return INFERRED in self[name]

    @property
    def parameters(self) -> list[str]:
        """The names in the parameters of a signature; commas inside brackets do not part them.

        >>> Facts({"parameters": "Tensor self, int[2] k=[1, 1], *, Tuple[int, List[int]] b"}).parameters
        ['self', 'k', '*', 'b']
        """
        flat = self["parameters"]
        while flat != (flatter := BRACKETED.sub("", flat)):
            flat = flatter
        return [part.partition("=")[0].strip().rpartition(" ")[2] for part in flat.split(",")]


@dataclass(frozen=True)
class Message:
    """A known message.

    Args:
        says: what it says, in a few words.
        pattern: what is found in its text; the named groups are the facts.
    """

    says: str
    pattern: str

    @property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.MULTILINE)

    def is_in(self, text: str) -> bool:
        """Whether a text says it."""
        return self.regex.search(text) is not None

    def read(self, text: str) -> Facts | None:
        """The facts, where a text says it first; None where it does not."""
        return next(self.read_all(text), None)

    def read_all(self, text: str) -> Iterator[Facts]:
        """The facts, each time that a text says it: once for each variant of an operator, say."""
        return (Facts(match.groupdict("")) for match in self.regex.finditer(text))


def _mismatch(argument: str) -> str:
    return (
        rf"Expected a value of type '(?P<wanted>[^'\n]+)' for argument '{argument}'"
        r" but instead found type '(?P<found>[^'\n]+)'"
    )


# What a call passes.
SIGNATURE = Message(
    "the signature of the function that was called",
    r"^\s*(?P<name>[\w.<>]+)\((?P<parameters>(?:(?P<receiver>__torch__\.[\w.]+) \w+(?=,|\) ->))?.*)\) -> .*:\s*$",
)
MISMATCH = Message("what is passed is of another type than the parameter", _mismatch(r"(?P<argument>\w+)"))
VARIADIC = Message("so is one of the values that a last list takes one by one", _mismatch("<varargs>"))
VARIANT = Message(
    "one variant of an operator, and what is passed that it does not take",
    r"^\s*(?:aten::)?(?P<name>\w+)(?:\.\w+)?\((?P<parameters>.*)\) -> .*:\n\s*" + _mismatch(r"(?P<argument>\w+)"),
)
OPERATOR = Message("it is an operator that was called", r"aten::")
PUT = Message("something is put into a container", r"aten::(?:append|insert|extend|_set_item)")
ELEMENT = Message(
    "what is put into a container is of another type than what it holds",
    r"Could not match type (?P<found>.+?) to t in argument '(?:el|v|other)': Type variable 't' previously matched"
    r" to type (?P<held>.+?) is matched to type",
)

# Variables, branches and returns.
DEFAULT = Message(
    "a parameter does not take its own default",
    r'Expected a default value of type (?P<wanted>.+?) on parameter "(?P<name>\w+)"',
)
REASSIGNED = Message(
    "a variable is assigned a value of another type",
    r"Variable '(?P<name>\w+)' (?:previously had type|is annotated with type) (?P<before>.+?)"
    r" but is (?:now )?being assigned to a value of type (?P<after>.+?)$",
)
TOLIST = Message("what tolist() gives depends on values", r"Expected type hint for result of tolist\(\)")
BRANCHES_SET = Message(
    "two branches give a variable different types",
    r"Type mismatch: (?P<name>\w+) is set to type (?P<true>.+?) in the true branch and type (?P<false>.+?)"
    r" in the false branch",
)
BRANCHES_GIVE = Message(
    "the branches of a conditional expression have different types",
    r"if-expression's true branch has type (?P<true>.+?) but false branch has type (?P<false>.+)",
)
BRANCH_LACKS = Message(
    "one of two branches gives a variable no value", r"(?P<name>\w+) is not defined in the (?:true|false) branch"
)
RETURNS_DIFFER = Message(
    "two returns have different types",
    r"Previous return statement returned a value of type (?P<before>.+?)"
    r" but this return statement returns a value of type (?P<after>.+?)$",
)
RETURN_ANNOTATED = Message(
    "a return has another type than its annotation",
    r"Return value was annotated as having type (?P<before>.+?) but is actually of type (?P<after>.+?)$",
)
HOOK_RETURN = Message(
    "a hook's return is not annotated",
    r"Pre-hook '(?P<name>\w+)' on module '\w+' is missing a return annotation",
)

# Attributes.
NO_ATTRIBUTE = Message(
    "a module has no such attribute to the compiler, perhaps because it could not convert the value",
    r"Module '(?P<class>\w*)' has no attribute '(?P<name>\w+)'(?P<unconverted> \(This attribute exists)?",
)
ATTRIBUTE_ASSIGNED = Message(
    "an attribute is assigned a value of another type",
    r"Wrong type for attribute assignment\. Expected (?P<wanted>.+?) but got (?P<found>.+?)$",
)
QUOTED = Message(
    "an annotation in a class body is text, and the message has no place",
    r"Unknown type annotation: '(?P<text>[^']+)' at\Z",
)
UNKNOWN_ANNOTATION = Message("an annotation says nothing to the compiler", r"Unknown type annotation")

# None.
OPTIONAL_USED = Message("a value that may be None is used as if it were not", r"\A'(?P<type>Optional\[.*\])' object")
NONE_TYPE = Message("a value is None, to the compiler", r"NoneType")

TELLING = Message("what the compiler met", r"found type|not provided\.$|^Could not match")
"""In the one line of a message that says more than the first."""


def branch_types(text: str) -> list[TypeExpr]:
    """The types of two returns that a message tells apart, as far as they can be written."""
    facts = RETURNS_DIFFER.read(text) or RETURN_ANNOTATED.read(text)
    return facts.types("before", "after") if facts else []
