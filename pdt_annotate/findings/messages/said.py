"""The known messages of TorchScript's compiler and interpreter, by name, with their facts.

No other module of the package parses messages. A repairer asks for one message by name, the table of codes for all of
them in turn.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.values.slots import NO_PLACE, Place, column_at
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.user_code import place_of
from pdt_annotate.values.verdicts import Failure

LOCATION = re.compile(r'File "([^"]+)", line (\d+)')
# After a location: the full text of its line, and marks below the expression.
POINTED = re.compile(r"^(?P<line>.*)\n(?P<before> *)~+(?: <--- HERE)?$", re.MULTILINE)
ADDRESS = re.compile(r" ?\(of Python compilation unit at: 0x[0-9a-f]+\)| at 0x[0-9a-f]+")
QUOTED_ERROR = "The error stack is reproduced here:"
INTERPRETED = "most recent call last"
INFERRED = "(inferred)"
RAISED = re.compile(r"(?:[^\W\d]\w*\.)+([^\W\d]\w*)(?::|$)")
BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


@dataclass(frozen=True)
class Facts:
    """The facts in one message, by name; "" for a fact that it leaves out."""

    words: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.words[name]

    def type(self, name: str) -> TypeExpr | None:
        """A type in the message; None if no annotation can spell it."""
        return parse_type(self[name])

    def types(self, *names: str) -> list[TypeExpr]:
        """The types among these that an annotation can spell."""
        return [type_ for type_ in map(self.type, names) if type_ is not None]

    def is_inferred(self, name: str) -> bool:
        """Whether no annotation gave the type: the compiler assumes Tensor without one."""
        return INFERRED in self[name]

    @property
    def parameters(self) -> list[str]:
        """The names in the parameters of a signature; commas inside brackets do not separate them.

        >>> Facts({"parameters": "Tensor self, int[2] k=[1, 1], *, Tuple[int, List[int]] b"}).parameters
        ['self', 'k', '*', 'b']
        """
        flat = self["parameters"]
        while flat != (flatter := BRACKETED.sub("", flat)):
            flat = flatter
        return [part.partition("=")[0].strip().rpartition(" ")[2] for part in flat.split(",")]


@dataclass(frozen=True)
class CompilerMessage:
    """A known message: a pattern for its text, with the facts as named groups."""

    pattern: str

    @property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.MULTILINE)

    def is_in(self, text: str) -> bool:
        return self.regex.search(text) is not None

    def read(self, text: str) -> Facts | None:
        return next(self.read_all(text), None)

    def read_all(self, text: str) -> Iterator[Facts]:
        """The facts of each match in a text, for example one for each variant of an operator."""
        return (Facts(match.groupdict("")) for match in self.regex.finditer(text))


def _mismatch(argument: str) -> str:
    wanted, found = r"'(?P<wanted>[^'\n]+)'", r"'(?P<found>[^'\n]+)'"
    return rf"Expected a value of type {wanted} for argument '{argument}' but instead found type {found}"


# Arguments of a call.
SIGNATURE = CompilerMessage(
    r"^\s*(?P<name>[\w.<>]+)\((?P<parameters>(?:(?P<receiver>__torch__\.[\w.]+) \w+(?=,|\) ->))?.*)\) -> .*:\s*$"
)
COMPILED_FOR = CompilerMessage(r"^'(?P<class_name>\w+)\.\w+' is being compiled since it was called from")
MISMATCH = CompilerMessage(_mismatch(r"(?P<argument>\w+)"))
NO_CONTEXT = CompilerMessage(r"Expected <function (?P<name>\w+)\.__a?(?:enter|exit)__> to be a function")
NUMPY_CONSTANT = CompilerMessage(r"'numpy\.\w+' object in attribute '\S+' is not a valid constant")
VARIADIC = CompilerMessage(_mismatch("<varargs>"))
TOO_MANY = CompilerMessage(r"Expected at most \d+ arguments")
NO_SPLIT = CompilerMessage(r"Argument split_size not provided")
PASSED_MODULE = CompilerMessage(r"found type '__torch__\.")
VARIANT = CompilerMessage(
    r"^\s*(?:aten::)?(?P<name>\w+)(?:\.\w+)?\((?P<parameters>.*)\) -> .*:\n\s*" + _mismatch(r"(?P<argument>\w+)")
)
OPERATOR = CompilerMessage(r"aten::")
PUT = CompilerMessage(r"aten::(?:append|insert|extend|_set_item)")
ELEMENT = CompilerMessage(
    r"Could not match type (?P<found>.+?) to t in argument '(?:el|v|other)': Type variable 't' previously matched"
    r" to type (?P<held>.+?) is matched to type"
)

# Variables, branches and returns.
DEFAULT = CompilerMessage(r'Expected a default value of type (?P<wanted>.+?) on parameter "(?P<name>\w+)"')
NONE_DEFAULT = CompilerMessage(r"Unsupported value kind: Tensor")  # of a parameter that is annotated as Tensor
REASSIGNED = CompilerMessage(
    r"Variable '(?P<name>\w+)' (?:previously had type|is annotated with type) (?P<before>.+?)"
    r" but is (?:now )?being assigned to a value of type (?P<after>.+?)$"
)
NOT_FIRST_CLASS = CompilerMessage(r"Cannot re-assign '(?P<name>\w+)' to a value of type module")
EXPANSION = CompilerMessage(r"keyword-arg expansion is not supported")
TYPE_COMMENT = CompilerMessage(r"expected type comment|annotation prefix in line|Return type line '# type: ")
MUTABLE_DEFAULT = CompilerMessage(r"Mutable default parameters are not supported")
NONE_LIST = CompilerMessage(r"List\[NoneType\]|type 't' for argument 'el'")
TOLIST = CompilerMessage(r"Expected type hint for result of tolist\(\)")
MISREAD = CompilerMessage(  # a method that does something else in TorchScript, such as `x.type()`
    r"The size of tensor a \(\d+\) must match|Boolean value of Tensor with more than one value"
    r"|Unable to cast <class 'torch"
)
TOLIST_DTYPE = CompilerMessage(r"must match for tolist\(\)|scalar_ty == at::ScalarType::Float")
LEAF_VIEW = CompilerMessage(r"a view of a leaf Variable that requires grad is being used in an in-place operation")
BRANCHES_SET = CompilerMessage(
    r"Type mismatch: (?P<name>\w+) is set to type (?P<true>.+?) in the true branch and type (?P<false>.+?)"
    r" in the false branch"
)
BRANCHES_GIVE = CompilerMessage(
    r"if-expression's true branch has type (?P<true>.+?) but false branch has type (?P<false>.+)"
)
UNDEFINED = CompilerMessage(r"undefined value (?P<name>\w+)")
BRANCH_LACKS = CompilerMessage(r"(?P<name>\w+) is not defined in the (?:true|false) branch")
RETURNS_DIFFER = CompilerMessage(
    r"Previous return statement returned a value of type (?P<before>.+?)"
    r" but this return statement returns a value of type (?P<after>.+?)$"
)
RETURN_ANNOTATED = CompilerMessage(
    r"Return value was annotated as having type (?P<before>.+?) but is actually of type (?P<after>.+?)$"
)
UNION = CompilerMessage(r"\bUnion\[")
HOOK_RETURN = CompilerMessage(r"Pre-hook '(?P<name>\w+)' on module '\w+' is missing a return annotation")
OBJECT_HOOK = CompilerMessage(r"object has no attribute '__name__'")
PARAMETRIZED = CompilerMessage(r"Parametrization is not working with scripting|utils[/\\]parametriz")

# Attributes.
NO_ATTRIBUTE = CompilerMessage(
    r"Module '(?P<class>\w*)' has no attribute '(?P<name>\w+)'(?P<unconverted> \(This (?:attribute|function) exists)?"
)
OWN_CLASS = CompilerMessage(r"type object '\w+' has no attribute '__globals__'|type\(Tensor 0\)")
CLASS_LOOKUP = CompilerMessage(r"attribute lookup is not defined on python value of type '(?:type|\w+Meta)'")
UNSET_ATTRIBUTE = CompilerMessage(r"Tried to set nonexistent attribute: (?P<name>\w+)")
LACKS_MEMBER = CompilerMessage(r"object has no attribute or method '(?P<name>\w+)'")
ATTRIBUTE_ASSIGNED = CompilerMessage(
    r"Wrong type for attribute assignment\. Expected (?P<wanted>.+?) but got (?P<found>.+?)$"
)
SET_ATTRIBUTE = CompilerMessage(r"Tried to set an attribute: (?P<name>\w+) on a non-class: Tensor")
INT_LIST = CompilerMessage(r"isIntList\(\) INTERNAL ASSERT FAILED")
QUOTED = CompilerMessage(r"Unknown type annotation: '(?P<text>[^']+)' at\Z")
UNKNOWN_ANNOTATION = CompilerMessage(r"Unknown type annotation|Expected inferred type to be interface type")
NO_CONSTRUCTOR = CompilerMessage(r"Failed to get source for <function (?P<name>\w+)\.__init__\b")
UNREADABLE_TYPE = CompilerMessage(
    r"Unknown type constructor|cannot be used in a type expression|without a contained type"
)
UNKNOWN_NAME = CompilerMessage(r"Unknown type name '(?P<text>[^']+)'")
SCRIPT_MODULE = CompilerMessage(r"Unknown type name 'torch\.jit\.ScriptModule'")
UNRESOLVED = CompilerMessage(r"Unsupported annotation (?P<text>.+?) could not be resolved")
BARE_DECLARATION = CompilerMessage(r"annotated assignments without assigned value aren't supported")

# Unsupported syntax.
SET_COMPREHENSION = CompilerMessage(r"SetComp aren't supported")
LIST_TARGET = CompilerMessage(r"unexpected expression on left-hand side of assignment")
FLOOR_DIVISION = CompilerMessage(r"unsupported kind of augmented assignment: FloorDiv")
ASSIGNED_INSIDE = CompilerMessage(r"NamedExpr aren't supported")
NO_ROUNDS = CompilerMessage(r"'__torch__\.[^'\n]*\.(?:ModuleList|Sequential)\b[^'\n]*' object is not iterable")
NO_ITERATOR = CompilerMessage(r"Python builtin <built-in function (?:next|iter)>|Yield aren't supported")
GROWING_TUPLE = CompilerMessage(r"Tuple\[\(\)\]|(?:previously had|is set to) type (?:Optional\[)?Tuple\[")
NO_FORWARD = CompilerMessage(r"defines `__call__` and no `forward`|\b_forward_unimplemented\b")
OVERLOADED = CompilerMessage(r"cannot be directly compiled because it is overloaded")
NO_FUNCTION = CompilerMessage(r"Expected a single top-level function|\(<unknown>, line 1\)")
NO_INSTANCE = CompilerMessage(
    r"(?:Cannot instantiate class '|Class )(?P<class>\w+)(?:' in a script function| does not have an __init__ function)"
)

# Numbers.
NO_RANGE = CompilerMessage(r"all inputs of range must be ints, found float")
NUMPY = CompilerMessage(r"cannot create weak reference to 'numpy\.")
NUMBER_OF_TENSOR = CompilerMessage(r"Cannot input a tensor (?:of (?:type|dimension)|that requires grad)")
NUMBER_FOR_TENSOR = CompilerMessage(
    r"is set to type (?:int|float)\b|previously had type (?:int|float)\b|is of type (?:int|float)\b.* when scripted, "
)
SUM = CompilerMessage(r"aten::sum\.\w+\(")
PRIVATE = CompilerMessage(r"has no attribute '__\w+(?<!__)'")
RANDOM = CompilerMessage(r"<built-in method random of Random object|\bRandom(?:State)?\.\w+\(Tensor self")
PROD = CompilerMessage(r"Python builtin <built-in function (?:array|prod|reduce)>")
NUMBER = CompilerMessage(r"(?:to|of type|type|found) '?number\b|\bnumber'? to t in argument")
DOTS = CompilerMessage(r"Ellipses followed by tensor indexing is currently not supported")
TUPLE_INDEX = CompilerMessage(r"unsupported index type 'Tuple")

# Lists of layers.
NO_LITERAL_INDEX = CompilerMessage(r"Expected integer literal for index")
NO_LITERAL_KEY = CompilerMessage(r"Unable to extract string literal index")
NO_LITERAL_NAME = CompilerMessage(r"getattr's second argument must be a string literal")
NO_MODULES = CompilerMessage(
    r"has no attribute '_modules'|has no attribute or method '(?:_modules|__getattr__)'|Unknown type name 'Module'"
)
UNPACKED_MODULE = CompilerMessage(r"module cannot be used as a tuple")
EMPTY_TUPLE = CompilerMessage(r"tuple expected exactly 1 arguments but found 0")
UNPACKED_RANGE = CompilerMessage(r"range cannot be used as a tuple")
UNPACKED_TENSOR = CompilerMessage(r"Tensor(?: \(inferred\))? cannot be used as a tuple")
NO_LENGTH = CompilerMessage(r"Can not iterate over a module list or tuple with a value that does not have a statically")
NO_BREAK = CompilerMessage(r"we do not support break or continue inside the body of these loops")
NO_LITERAL_SLICE = CompilerMessage(r"tuple slice indices must be integer constants")

# Libraries.
IN_EINOPS = CompilerMessage(r'File "[^"\n]*[/\\]einops[/\\](?:einops|packing)\.py"')
IN_AUTOGRAD = CompilerMessage(r"""[/\\]torch[/\\]autograd[/\\]function\.py"|attribute or method 'save_for_backward'""")

# None.
OPTIONAL_USED = CompilerMessage(r"\A'(?P<type>Optional\[.*\])' object")
OPTIONAL_FOUND = CompilerMessage(r"Optional\[")
NONE_TYPE = CompilerMessage(r"NoneType")
NO_INDEXING = CompilerMessage(r"attempted to use multidimensional indexing on a non-tensor type")
FROM_OPTIONAL = CompilerMessage(r"(?:\A|found type )'[^']*Optional\[|NoneType")

# Code that the compiler refuses for any types.
CLOSED_OVER = CompilerMessage(
    r"python value of type '(?P<type>\w+)' cannot be used as a value\. Perhaps it is a closed over"
)
VARIABLE_ARGUMENTS = CompilerMessage(r"Compiled functions can't take variable number of arguments")
DISPATCHED = CompilerMessage(r"Compiled functions can't take variable number of arguments[\s\S]*dispatch_flag = ")
DEFINITION = CompilerMessage(r"function definitions aren't supported")
NO_BUILTIN = CompilerMessage(r"Python builtin <built-in function (?P<name>\w+)>")
IMPORT = CompilerMessage(r"import statements aren't supported")
TRY = CompilerMessage(r"try blocks aren't supported")
LAMBDA = CompilerMessage(r"Lambda aren't supported")
IN_WRAPPER = CompilerMessage(r"attribute lookup is not defined on python value of type 'TypeVar'")  # `F` in torch's own
AUTOCAST = CompilerMessage(r"@autocast\(\) decorator is not supported in script mode")
SUPER_CALL = CompilerMessage(  # in the source that is quoted
    r"\b(?:super\([^()\n]*\)\.\w+\(|[A-Z]\w*\.\w+\(self\b)[^\n]*\n\s*~+ <--- HERE"
)
FUNCTION_VALUE = CompilerMessage(
    r"(?:function|method|builtin|class|list|range|type|LegacyTypedConstructor|__(?:float|int|bool)__) "
    r"cannot be used as a value"
)
OPEN_END = CompilerMessage(r"does not return along all paths")
SLICE_VALUE = CompilerMessage(r"slice value cannot be used as a value")
CALLED_VALUE = CompilerMessage(r"cannot call a value of type")
NO_CALL = CompilerMessage(r"has no attribute or method '__call__'")
NO_METHOD_OF_LAYER = CompilerMessage(
    r"'__torch__\.[^']+' object has no attribute or method '(?P<name>(?!__call__)\w+)'"
)
NO_METHOD = CompilerMessage(r"'Tensor' object has no attribute or method '(?P<name>\w+)'")
NO_DEFAULT = CompilerMessage(r"aten::get\.\w+\(Dict\(")  # None
NO_OPERATOR = CompilerMessage(r"Unknown builtin op: aten::(?P<name>\w+)")
UNKNOWN_KEYWORD = CompilerMessage(r"Keyword argument (?P<name>\w+) unknown")
SET = CompilerMessage(r"Set aren't supported")
CONVERSION = CompilerMessage(r"Don't support (?:conversion|formatting) in JoinedStr")
PYTHON_RESULT = CompilerMessage(r"expected value of type Tensor for return value")
REVERSED = CompilerMessage(r"reversed\(Tensor 0\)")
COMPREHENSION_IF = CompilerMessage(r"Comprehension ifs are not supported")
SINGLE_LOOP = CompilerMessage(r"Only a single generator is currently supported")
STARRED = CompilerMessage(r"cannot statically infer the expected size of a list in this context")
TELLING = CompilerMessage(  # matches the one line of a message that says more than the first
    r"found type|not provided\.$|^Could not match|^Expected at most|^Keyword argument \w+ unknown"
)


def telling_line(failure: Failure) -> str:
    """The line of a message that names the problem, if the first says only that something is wrong.

    >>> telling_line(Failure("Arguments for call are not valid.\\nExpected a value of type 'int', found type 'str'"))
    "Expected a value of type 'int', found type 'str'"
    """
    said = f"{failure.message}\n{failure.text.partition('  File ')[0]}"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if TELLING.is_in(line)), next(iter(lines), ""))


def branch_types(text: str) -> list[TypeExpr]:
    """The two differing return types in a message, as far as annotations can spell them."""
    facts = RETURNS_DIFFER.read(text) or RETURN_ANNOTATED.read(text)
    return facts.types("before", "after") if facts else []


def read_failure(error: BaseException) -> Failure:
    """The message of a compiler or run-time error, and its places.

    The compiler names the faulty line first and then its callers; the interpreter begins with the callers. If the
    message has no line, the place is the line of the user's code that raised, if one did.
    """
    # If a method failed to compile, the text quotes its error, which is the one to read.
    # An address differs from process to process.
    text = ADDRESS.sub("", str(error).rpartition(QUOTED_ERROR)[2])
    head, _, _ = text.partition('  File "')
    message = head.strip().removesuffix(":").removesuffix(". At").rstrip() or type(error).__name__
    places = list(read_places(text))
    if INTERPRETED in head:
        places.reverse()
    place, *chain = places or [place_of(error) or NO_PLACE]
    return Failure(message, type(error).__name__, place, tuple(chain), text=text)


def last_line(text: str) -> str:
    """The last line that is not empty: the exception, after its places."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def read_places(text: str) -> Iterator[Place]:
    """The places in a message, or in the range of a node, in its order."""
    _, *quoted = LOCATION.split(text)
    for file, line, below in zip(quoted[::3], quoted[1::3], quoted[2::3], strict=True):
        pointed = POINTED.search(below)
        yield Place(file, int(line), column_at(pointed["line"], len(pointed["before"])) if pointed else 0)
