"""Long messages in one sentence."""

from __future__ import annotations

import pytest

from pdt_annotate.findings.messages.refused import LONGEST, difference, first_sentence, refusal
from pdt_annotate.values.verdicts import Failure

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
    ("text", "told"),
    [
        (
            OF_OLDER_TORCH,
            "without the values of tensors it raises: a and b must have same reduction dim, but got [2, 4] X [5, 3]",
        ),
        (
            "Dynamic control flow is not supported at the moment. Please use functorch.experimental.control_flow.cond",
            "data-dependent branching: it depends on the value of a tensor which way the program goes",
        ),
        ("too short", "too short"),
        ("It failed, e.g. for this. Next.", "It failed, e.g. for this"),
        (GUARD, "it depends on the value of a tensor, known only at run time, which way the program goes (Eq(u0, 1))"),
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
            "the tracer knows no type for a value of class Out",
        ),
        ("Guard failed: x.size()[0] == 2", "it was captured for calls with x.size()[0] == 2 alone"),
    ],
)
def test_a_message_comes_down_to_one_sentence(text: str, told: str) -> None:
    assert refusal(Failure(text.partition('  File "')[0].strip(), text=text)) == told


def test_an_error_without_words_is_told_by_its_class() -> None:
    assert refusal(Failure("AssertionError", "AssertionError")) == "AssertionError"


def test_a_sentence_of_any_length_is_cut() -> None:
    assert len(first_sentence("x" * 1000)) == LONGEST


def test_what_differs_is_told_in_numbers_and_anything_else_as_it_was() -> None:
    long = (
        "the result differs: Tensor-likes are not close! Mismatched elements: 8 / 9 (88.9%) Greatest absolute "
        "difference: 2.872609853744507 at index (0, 0) (up to 1e-05 allowed) Greatest relative difference: 1.3 at index"
        " (0, 0) (up to 0.0001 allowed)"
    )
    assert difference(long) == "the result differs in 8 of 9 elements, by 2.87 at most"
    assert difference("the result is 1 as captured, 2 in eager mode") == "the result is 1 as captured, 2 in eager mode"
