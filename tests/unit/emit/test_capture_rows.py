"""What is said of captures, and that nothing is said twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from captured import DIFFERS, REFUSED, make_captures

from pdt_annotate.emit.capture_rows import Versions, WhyNot, by_target, conclusion, measured, reasons
from pdt_annotate.values.captures import CallFate, Capture, Captures, Fate
from pdt_annotate.values.runs import Target


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    return Versions(make_captures(tmp_path))


def test_what_is_said_of_several_versions_ways_and_calls_is_said_once(versions: Versions) -> None:
    told = {why: [(each.who, each.text) for each in alike] for why, alike in reasons(versions).items()}
    assert told == {
        WhyNot.NOT_CAPTURED: [("script (as it is)", "Expected a Tensor"), ("fx", REFUSED)],
        WhyNot.DIFFERS: [("trace, on call long", DIFFERS)],
        WhyNot.ABSENT: [("lazy", "this torch has no lazy tensors")],
    }
    assert [each.message for each in versions.findings()] == ["only None was seen for `mask`"]


def with_calls(captures: Captures, *calls: CallFate) -> Versions:
    return Versions((replace(captures, captures=tuple(replace(each, calls=calls) for each in captures.captures)),))


def test_ways_that_fail_alike_are_told_together(versions: Versions) -> None:
    raises = [CallFate(name, Fate.REFUSED, message="no\nmore") for name in ("1", "2", "3")]
    (alike,) = reasons(with_calls(versions.found[1], *raises))[WhyNot.RAISES]
    assert (alike.who, alike.text, alike.full) == ("every way, on calls 1 to 3", "no", "no\nmore")


def test_what_differs_between_ways_is_told_apart(versions: Versions) -> None:
    captures = versions.found[1]
    apart = [
        replace(each, calls=(CallFate("1", Fate.DIFFERS, message=f"by {index}"),))
        for index, each in enumerate(captures.captures)
    ]
    assert len(reasons(Versions((replace(captures, captures=tuple(apart)),)))[WhyNot.DIFFERS]) == len(apart)


@pytest.mark.parametrize(
    ("ways", "expected"),
    [
        (("script", "trace", "compile-breaks"), "answers as eager mode does: script, compile-breaks"),
        (("trace",), "no way captures it and answers as eager mode does"),
        (("fx",), "no way captures it and answers as eager mode does"),
    ],
)
def test_the_conclusion_names_what_answers_alike(versions: Versions, ways: tuple[str, ...], expected: str) -> None:
    assert conclusion(only(versions, *ways)) == expected


def test_the_conclusion_tells_what_is_not_sound_from_what_is(versions: Versions) -> None:
    captures = tuple(replace(each, captured=True, failure=None, calls=()) for each in versions.found[1].captures)
    alike = Versions((replace(versions.found[1], captures=captures),))
    assert conclusion(only(alike, "script", "trace")) == (
        "answers as eager mode does: script; on these calls also trace, not sound"
    )
    assert conclusion(only(alike, "fx")) == "answers as eager mode does on these calls, but is not sound: fx"


def only(versions: Versions, *ways: str) -> Versions:
    """The same of some ways."""

    def chosen(found: Captures) -> Captures:
        kept = tuple(each for each in found.captures if each.way in ways)
        return replace(found, captures=kept, ways=tuple(way for way in found.ways if way.name in ways))

    return Versions(tuple(map(chosen, versions.found)))


def test_figures_are_those_of_what_was_captured() -> None:
    before, after = Capture("script", captured=True, graphs=2), Capture("script")
    assert measured((before, after)) is before
    assert measured((after, before)) is before
    assert measured((after, replace(after, absent="gone"))).absent == "gone"


def test_targets_keep_their_order_and_their_versions(versions: Versions) -> None:
    other = replace(versions.found[0], target=Target("other.py:f", "", "other.py", "f"))
    first, second = by_target((versions.found[0], other, versions.found[1]))
    assert (first, second.found) == (versions, (other,))
