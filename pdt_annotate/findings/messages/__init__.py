"""A message of the TorchScript compiler or interpreter → the code of the finding that explains it.

The table is ordered: the first matching row decides. A row is a known message with facts, or a pattern. Patterns match
anywhere in the message, across lines, because several messages show their cause only in the list of variants or in the
quoted source.
"""

import re

from pdt_annotate.findings.messages import said
from pdt_annotate.values.verdicts import RUNS, Verdict, judge_of

UNKNOWN = "PDT049"
RAISES = "PDT061"
BOOL = "PDT064"
# The compiler's type of an empty list or dict, followed by a quoted line that contains one.
_EMPTY = r"(List\[Tensor\]|Dict\[str, Tensor\]).*(\[\]|\{\})[^\n]*\n *~+ <--- HERE"
_ROWS: tuple[tuple[said.CompilerMessage | str, str], ...] = (
    (r"INTERNAL ASSERT FAILED", "PDT053"),
    (r"Can't redefine method|already been defined|has already been compiled", "PDT052"),
    (r"defines `__call__` and no `forward`", "PDT102"),
    # The function.
    (r"variable number of arguments or use keyword-only.*[(,]\s*\*\s*,", "PDT002"),
    (r"variable number of arguments or use keyword-only", "PDT001"),
    (r"is called recursively", "PDT005"),
    (r"Failed to get source for <function [\w.<>]+\.__init__", "PDT018"),
    # Hooks quote a type error.
    (r"\A\s*(Pre-h|H)ook '|object has no attribute '__name__'", "PDT051"),
    # Names of types, first those with a separate code.
    (r"Unknown type (constructor|name) '?(\w+\.)*Callable\b|Unknown type annotation: '?typing\.Callable", "PDT010"),
    (r"Unknown type (constructor|name) '?(\w+\.)*(set|frozenset|Set|FrozenSet|AbstractSet)\b", "PDT011"),
    (r"Unknown type (name|annotation:) '(<class ')?(\w+\.)*ndarray'", "PDT012"),
    (r"cannot create weak reference to 'numpy\.", "PDT012"),
    (r"built-in function (arange|array|asarray|empty|frombuffer|fromiter|zeros)>", "PDT012"),
    (r"Unknown type name '(\w+\.)*nn\.[\w.]+'", "PDT013"),
    (r"Unknown type name '(bytes|bytearray)'", "PDT014"),
    (r"Unknown type name '(slice|range|type|object)'", "PDT015"),
    (r"Cannot create dict for key type", "PDT016"),
    (r"Cannot create Enum with value type|Could not unify type list since element", "PDT021"),
    (r"Any types cannot be members of", "PDT022"),
    (r"(Unknown type|Unsupported) annotation.* [Aa]t\s+File ", "PDT008"),
    # In a class body: a class that cannot be compiled is a module, and other types have full names.
    (r"Un(known type|supported) annotation:? [^\n]*(<class '\w+\.|\bnn\.modules\.)", "PDT050"),
    (r"Unknown type annotation: |Unsupported annotation .* could not be resolved", "PDT043"),
    (r"Unknown type (constructor|name)|cannot be used in a type expression|without (a )?contained type", "PDT008"),
    # The signature.
    (said.DEFAULT, "PDT046"),
    (said.NONE_DEFAULT, "PDT046"),
    (r"Mutable default parameters", "PDT047"),
    (said.TYPE_COMMENT, "PDT048"),
    (r"Number of type annotations", "PDT048"),
    # Attributes.
    (r"on the Python module, but we failed to convert Python type: 'functools\.partial'", "PDT010"),
    (said.NO_ATTRIBUTE, "PDT043"),
    (said.ATTRIBUTE_ASSIGNED, "PDT043"),
    (r"Could not cast attribute", "PDT043"),
    (r"Tried to set nonexistent attribute", "PDT044"),
    (r"module cannot be used as a tuple", "PDT050"),
    (r"Expected integer literal for index|Unable to extract string literal index|to be interface type", "PDT050"),
    (r"Can't get source for|cannot create weak reference", "PDT006"),
    (said.NO_FUNCTION, "PDT006"),
    # Values that may be None or of several types, before the messages that are about any type.
    (r"\A\s*\w+\(\) Expected a value of type 'Union\[.*found type 'bool'", "PDT064"),
    (r"\A\s*\w+\(\) (Expected a value|[Mm]issing value|is missing|expected at most)|Tracer cannot infer", "PDT061"),
    (r"following operation failed in the TorchScript interpreter|Unknown keyword argument", "PDT061"),
    (r"'Optional\[[^\n]*' object (is|has)|Could not cast value of type Optional|actually of type Optional", "PDT045"),
    (r"instead found type '(Optional\[|NoneType)", "PDT045"),
    (r"'Union\[[^\n]*' object (is|has)|Could not cast value of type Union|instead found type 'Union\[", "PDT020"),
    # Containers that begin empty inside others.
    (rf"previously matched to type (List|Dict)\[[^\n]* is matched to type {_EMPTY}", "PDT055"),
    (rf"annotation `[^\n]*` did not match the types of the given list elements[^\n]* {_EMPTY}", "PDT055"),
    (rf"type of values given by the dict literal is {_EMPTY}", "PDT055"),
    (rf"is annotated with type List\[[^\n]* value of type List\[{_EMPTY}", "PDT055"),
    (r"has uninitialized parameters", "PDT059"),
    # Variables and returns.
    (said.REASSIGNED, "PDT041"),
    (said.NOT_FIRST_CLASS, "PDT041"),
    (said.BRANCHES_SET, "PDT041"),
    (said.TOLIST, "PDT041"),
    (r"type annotation `[^\n]*` did not match|Expected an annotation of type", "PDT041"),
    (said.RETURNS_DIFFER, "PDT042"),
    (said.RETURN_ANNOTATED, "PDT042"),
    (said.OPEN_END, "PDT042"),
    (said.BRANCHES_GIVE, "PDT042"),
    (said.UNDEFINED, "PDT003"),
    (said.BRANCH_LACKS, "PDT003"),
    (r"python value of type '[^\n]*' cannot be used as a value", "PDT007"),
    # Classes, then operations of a type.
    (r"'Tensor' object has no attribute or method [^\n]*\n  File [^~]*\bsuper\([^~]*\n *~+ <--- HERE", "PDT019"),
    (r"'__torch__\.torch\.nn\.[^\n]*' object has no attribute or method", "PDT013"),
    (r"'__torch__\.[^\n]*' object has no attribute or method", "PDT019"),
    (r"object has no attribute or method|is not subscriptable|is not iterable|cannot be used as a tuple", "PDT054"),
    (r"cannot call a value|unsupported index type|inputs of range must be|Could not cast value of type", "PDT054"),
    (r"on a non-class|\A\s*object has no attribute", "PDT054"),
    # Constructs.
    (r"annotated assignments without assigned value", "PDT041"),
    (r"aren't supported|[Nn]ot supported in Torchscript|Don't support|(is currently|are) not supported", "PDT004"),
    (r"expansion .*is not supported|Only a single generator|infer the expected size of a list", "PDT004"),
    (r"unsupported kind of|Unknown Constant expression|doesn't accept any keyword|because it is overloaded", "PDT004"),
    (r"hasattr's first argument|\A\s*(\w+ )+cannot be used as a value", "PDT004"),
    (r"Cannot instantiate class|does not have an __init__|Unknown builtin op", "PDT004"),
    # Calls, last: their lists of variants mention every type.
    (r"Arguments for call are not valid|Expected a value of type|Could not match type|not provided\.", "PDT040"),
    (r"Keyword argument \w+ unknown|Expected at most \d+ arguments", "PDT040"),
)

PATTERNS = tuple(
    (row.regex if isinstance(row, said.CompilerMessage) else re.compile(row, re.S), code) for row, code in _ROWS
)


def classify(message: str) -> str:
    """The code of the finding for a message; PDT049 if no row matches."""
    return next((code for pattern, code in PATTERNS if pattern.search(message)), UNKNOWN)


def code_of(verdict: Verdict) -> str:
    failure = verdict.failure
    own = judge_of(verdict.judge).code
    if failure is None or own:
        return own or UNKNOWN
    code = classify(failure.text or failure.message)
    return RAISES if verdict.judge == RUNS and code != BOOL else code
