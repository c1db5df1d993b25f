"""What `--require` says of captures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from captured import REFUSED, calls, make_captures

from pdt_annotate.flows.captures import with_required
from pdt_annotate.values.captures import CallFate, Captures, Fate


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Captures, ...]:
    monkeypatch.chdir(tmp_path)
    return make_captures(tmp_path)


def reasons(found: tuple[Captures, ...], *require: str) -> dict[str, str]:
    return {each.way: each.reason for captures in with_required(found, require) for each in captures.required}


def test_nothing_is_required_unless_asked_for(found: tuple[Captures, ...]) -> None:
    assert reasons(found) == {}


def test_what_is_required_is_judged_on_the_annotated_version(found: tuple[Captures, ...]) -> None:
    judged = with_required(found, ["script"])
    assert [len(each.required) for each in judged] == [0, 1]
    assert judged[1].required[0].met
    assert not with_required(found[:1], ["script"])[0].required[0].met


def test_the_reason_has_its_place_or_its_call(found: tuple[Captures, ...]) -> None:
    assert reasons(found, "fx,trace", "lazy") == {
        "fx": f"not captured: model.py:4: {REFUSED}",
        "trace": "captured, but answers otherwise on call long: the result differs: Tensor-likes are not close!",
        "lazy": "absent: this torch has no lazy tensors",
    }


def test_a_call_that_goes_elsewhere_does_not_count(found: tuple[Captures, ...]) -> None:
    apart = CallFate("other", Fate.NOT_COMPARED, message="it calls `encode`")
    captures = found[1].captures
    script = replace(captures[0], calls=(apart, *captures[0].calls))
    trace = replace(captures[1], calls=(apart, *calls(Fate.REFUSED, "no")))
    judged = (replace(found[1], captures=(script, trace, *captures[2:])),)
    assert reasons(judged, "script,trace") == {"script": "", "trace": "captured, but raises on call long: no"}
