"""Remedies for a fault, the codes that a prefix selects, and long messages that are shortened to one sentence."""

import ast

import pytest

from pdt_annotate.findings.catalogue import entry, read_selectors
from pdt_annotate.findings.messages.capture_refusals import LONGEST, difference, first_sentence, refusal
from pdt_annotate.findings.remedies import remedies
from pdt_annotate.source.definitions import defaults_of, literal_type
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.types import NONE, TypeExpr
from pdt_annotate.values.verdicts import Failure, Fault, Part

FLOAT = TypeExpr("float")
APPEND = "Could not match type List[Tensor] to t\naten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)"


@pytest.mark.parametrize(
    ("code", "message", "said"),
    [
        *((code, APPEND, entry(code).advice) for code in ("PDT041", "PDT045", "PDT055")),
        ("PDT040", APPEND, "write `a: List[int] = []`"),
        ("PDT040", "aten::_set_item.str(Dict(str, t)(a!) l)", "write `a: List[int] = []`"),
        ("PDT041", "Expected type hint for result of tolist()", "= t.tolist()`"),
        ("PDT055", APPEND, "`row: List[int] = []`"),
    ],
)
def test_the_advice_is_that_of_the_code_or_what_the_message_asks_for(code: str, message: str, said: str) -> None:
    first = remedies(Fault(code, Failure(message)), Part("", "Net"), None, is_entered=True)[0]
    assert said in first
    assert said == first or said != entry(code).advice


@pytest.mark.parametrize(
    ("code", "signature", "said"),
    [
        ("PDT004", "f(x)", "decorate it with @torch.jit.unused"),
        ("PDT004", "f(x, *rest)", "if not torch.jit.is_scripting()"),
        ("PDT002", "f(x)", "if not torch.jit.is_scripting()"),
    ],
)
def test_a_function_that_no_call_enters_is_left_out_unless_its_signature_is_at_fault(
    code: str, signature: str, said: str
) -> None:
    (function,) = ast.parse(f"def {signature}: pass").body
    assert isinstance(function, ast.FunctionDef)
    fault = Fault(code, Failure("refused"), Owner("net.py", "f", 1))
    assert said in remedies(fault, Part("", "Net"), function, is_entered=False)[1]


@pytest.mark.parametrize(
    ("parameter", "wanted", "seen", "said"),
    [
        ("n: int = 1.0", "int", {}, "`n: float`"),
        ("n: int = 1.0", "int", {"n": FLOAT}, "`n: float`, the type that the example calls pass"),
        ("*, n: int = 1.0", "int", {"n": FLOAT}, "`n: float`"),
        ("n: int = SIZE", "int", {"n": FLOAT}, "`n: float`"),
        ("n: int = None", "int", {"n": NONE}, "`n: Optional[int]`"),
        ("n: int = 1.0", "int", {"n": TypeExpr("int")}, "such as Optional[int]"),
        ("n: int = SIZE", "int", {}, "such as Optional[int]"),
        ("n=1.0", "Tensor (inferred)", {"n": FLOAT}, "`n: float`"),
    ],
)
def test_a_default_fits_the_type_seen(parameter: str, wanted: str, seen: dict[str, TypeExpr], said: str) -> None:
    definition = ast.parse(f"def f(x, {parameter}): ...").body[0]
    assert isinstance(definition, ast.FunctionDef)
    defaults = {name: type_ for name, value in defaults_of(definition).items() if (type_ := literal_type(value))}
    fault = Fault("PDT046", Failure(f'Expected a default value of type {wanted} on parameter "n".'))
    assert said in remedies(fault, Part("", "Net"), definition, is_entered=True, defaults=defaults, seen=seen)[0]


def test_selectors_are_words_in_upper_case() -> None:
    assert read_selectors(" pdt037,PDT10  PDT1 ") == ("PDT037", "PDT10", "PDT1")
    assert read_selectors("") == ()


GUARD = """Could not guard on data-dependent expression Eq(u0, 1) (unhinted: Eq(u0, 1)).  (Size-like symbols: none)

consider using data-dependent friendly APIs such as guard_or_false.
For more debugging help, see https://docs.google.com/document/d/1"""

UNSUPPORTED = """Attempted to call function marked as skipped
  Explanation: Dynamo does not know how to trace the builtin `posix.getpid`. It may be C code.
  Hint: Avoid calling this function."""

VIOLATED = """Constraints violated (batch)! For more information, run with TORCH_LOGS="+dynamic".
  - Not all values of batch = L['x'].size()[0] in the specified range satisfy the generated guard batch <= 4.
Suggested fixes:
  batch = Dim('batch', max=4)"""

INTERPRETED = """The following operation failed in the TorchScript interpreter.
Traceback of TorchScript (most recent call last):
  File "model.py", line 3, in forward
RuntimeError: Expected 3 elements in a list but found 5
"""

OF_OLDER_TORCH = """Failed running call_function <built-in function linear>(*(FakeTensor(..., size=(2, 4)),), **{}):
a and b must have same reduction dim, but got [2, 4] X [5, 3].

from user code:
"""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            OF_OLDER_TORCH,
            "if the values of tensors are unknown, the model raises: "
            "a and b must have same reduction dim, but got [2, 4] X [5, 3]",
        ),
        (
            "Dynamic control flow is not supported at the moment. Please use functorch.experimental.control_flow.cond",
            "data-dependent branching: a branch depends on the value of a tensor",
        ),
        ("too short", "too short"),
        ("It failed, e.g. for this. Next.", "It failed, e.g. for this"),
        (GUARD, "a branch depends on the value of a tensor, which is only known at run time (Eq(u0, 1))"),
        (
            UNSUPPORTED,
            "Attempted to call function marked as skipped: Dynamo does not know how to trace the builtin"
            " `posix.getpid`",
        ),
        (
            VIOLATED,
            "Not all values of batch = L['x'].size()[0] in the specified range satisfy the generated guard batch <= 4",
        ),
        (INTERPRETED, "RuntimeError: Expected 3 elements in a list but found 5"),
        (
            "Tracer cannot infer type of Out(logits=tensor([1., 2.]))\n:Dictionary inputs must have entries",
            "the tracer has no type for a value of class Out",
        ),
        ("Guard failed: x.size()[0] == 2", "the captured program accepts only calls with x.size()[0] == 2"),
    ],
)
def test_a_message_comes_down_to_one_sentence(text: str, sentence: str) -> None:
    assert refusal(Failure(text.partition('  File "')[0].strip(), text=text)) == sentence


def test_what_differs_is_said_in_numbers_and_anything_else_as_it_was() -> None:
    assert refusal(Failure("AssertionError", "AssertionError")) == "AssertionError"
    assert len(first_sentence("x" * 1000)) == LONGEST
    long = (
        "the result differs: Tensor-likes are not close! Mismatched elements: 8 / 9 (88.9%) Greatest absolute "
        "difference: 2.872609853744507 at index (0, 0) (up to 1e-05 allowed) Greatest relative difference: 1.3 at index"
        " (0, 0) (up to 0.0001 allowed)"
    )
    assert difference(long) == "the result differs in 8 of 9 elements, by 2.87 at most"
    assert difference("the result is 1 as captured, 2 in eager mode") == "the result is 1 as captured, 2 in eager mode"
