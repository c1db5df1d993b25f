"""Errors come through a process whole, and carry the exit code."""

from __future__ import annotations

import pickle
import traceback

import pytest

from pdt_annotate.values import exits
from pdt_annotate.values.errors import PdtError, SpecError, TargetError, UserCodeError, UserError, VerificationError
from pdt_annotate.values.places import Place

KINDS = (UserError, TargetError, SpecError, UserCodeError)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_between_processes(kind: type[UserError]) -> None:
    error = kind("it fails", place=Place("a.py", 3), hint="mend it")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert vars(again) == vars(error)
    assert str(again) == "it fails"


def test_a_traceback_shows_where_and_what_to_do() -> None:
    shown = traceback.format_exception_only(UserError("it fails", place=Place("a.py", 3, 5), hint="mend it"))
    assert "".join(shown) == "pdt_annotate.errors.UserError: it fails\nat a.py:3:5\nhint: mend it\n"
    assert "".join(traceback.format_exception_only(UserError("it fails"))).endswith("UserError: it fails\n")


def test_an_error_in_verification_comes_through_as_well() -> None:
    again = pickle.loads(pickle.dumps(VerificationError("differs")))
    assert (type(again), str(again)) == (VerificationError, "differs")


def test_exit_codes() -> None:
    assert {kind.exit_code for kind in (PdtError, *KINDS)} == {exits.EXIT_USER}
    assert VerificationError.exit_code == exits.EXIT_UNVERIFIED
