"""JUnit XML: what is no failure, the schema that CI servers share, and what a reader of it sees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from mended_outcomes import mended_outcome
from outcomes import fail, make_outcome
from repository import DATA

from pdt_annotate.emit.machine import junit
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import Target
from pdt_annotate.values.verdicts import Answers, Blame, Failure, Fault, Part

XSD = DATA / "junit-10.xsd"


def written(outcome: Outcome, write_back: WriteBack = WriteBack.CHECK) -> bytes:
    return junit.render(outcome, Invocation(outcome.root, write_back))


def suites(outcome: Outcome, write_back: WriteBack = WriteBack.CHECK) -> dict[str, dict[str, list[str]]]:
    """By suite and case, the messages of its failures; the counts are checked on the way."""
    root = ElementTree.fromstring(written(outcome, write_back))
    found = {}
    for suite in root:
        cases = {case.attrib["name"]: [f.attrib["message"] for f in case.findall("failure")] for case in suite}
        assert suite.attrib["tests"] == str(len(cases))
        assert suite.attrib["failures"] == str(sum(map(bool, cases.values())))
        found[suite.attrib["name"]] = cases
    return found


def blamed(root: Path) -> Outcome:
    outcome = fail(make_outcome(root))
    (target,), file = outcome.targets, outcome.changes[0].file
    text = "Arguments for call are not valid.\nExpected a value of type 'int', found type 'str'"
    faults = (
        Fault("PDT040", Failure(text, "RuntimeError", Place(file, 6)), advice=("Convert it.",)),
        Fault("PDT060", Failure("answers differ", call="b")),
    )
    parts = (
        Part("", "Net", Place(file, 4), blamed=("a",)),
        Part("a", "Act", Place(file, 1), faults=faults),
        Part("b", "Act", Place(file, 1), scripts=True, answers=Answers.ALIKE),
    )
    return replace(outcome, changes=(), blame=(Blame(target, parts),))


def test_what_holds_has_no_failure(tmp_path: Path) -> None:
    cases: dict[str, list[str]] = {"parses": [], "scripts": [], "answers 1": [], "answers 2": [], "held back": []}
    assert suites(make_outcome(tmp_path), WriteBack.IN_PLACE) == {"model.py:Net": cases}
    assert suites(make_outcome(tmp_path), WriteBack.DIFF) == {"model.py:Net": cases}


def test_a_check_fails_for_each_function_that_lacks_something(tmp_path: Path) -> None:
    cases = suites(make_outcome(tmp_path))["model.py:Net"]
    assert cases["annotations of Net.forward"] == ["lacks x: Tensor, mask: Optional[Tensor]"]
    assert [name for name, failures in cases.items() if failures] == ["annotations of Net.forward"]


def test_a_failed_verdict_says_where_and_what_to_do(tmp_path: Path) -> None:
    root = ElementTree.fromstring(written(fail(make_outcome(tmp_path))))
    (failure,) = root.iter("failure")
    assert (failure.text or "").splitlines()[:3] == [
        "Arguments for call are not valid.",
        "at model.py:6:39",
        "called from model.py:4:7",
    ]
    assert failure.attrib["type"] == "PDT040"


def test_each_part_is_a_case_and_only_those_at_fault_fail(tmp_path: Path) -> None:
    cases = suites(blamed(tmp_path))["model.py:Net"]
    assert cases["part Net"] == cases["part b"] == []
    assert cases["part a"] == ["Expected a value of type 'int', found type 'str'", "answers differ"]
    skipped = list(ElementTree.fromstring(written(blamed(tmp_path))).iter("skipped"))
    assert [each.attrib["message"] for each in skipped] == ["fails by the fault of a"]


def test_several_targets_have_a_suite_each_beside_the_common_one(tmp_path: Path) -> None:
    outcome = blamed(tmp_path)
    other = Target("model.py:Other", "", "", "Other")
    found = suites(replace(outcome, targets=(*outcome.targets, other)))
    assert list(found) == ["all targets", "model.py:Net", "model.py:Other"]
    assert list(found["all targets"]) == ["parses", "scripts"]
    assert list(found["model.py:Net"]) == ["part Net", "part a", "part b"]


def test_characters_that_xml_lacks_are_spelled_and_the_others_stay(tmp_path: Path) -> None:
    message = "a\x00b\x1b[31m\ud800\ufffe <&>\"' größe 🦆\tend"
    shown = "a\\x00b\\x1b[31m\\ud800 <&>\"' größe 🦆\tend"
    (failure,) = ElementTree.fromstring(written(fail(make_outcome(tmp_path), message))).iter("failure")
    assert failure.attrib["message"] == shown
    assert (failure.text or "").startswith(f"{shown}\n")


def test_it_tells_no_time_and_no_place_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    roots = (tmp_path / "one", tmp_path / "two")
    documents = {written(fail(make_outcome(root), f"in {root}/model.py")) for root in roots}
    assert len(documents) == 1 and str(tmp_path).encode() not in documents.pop()


@pytest.mark.parametrize("make", [make_outcome, lambda root: fail(make_outcome(root)), blamed])
def test_it_is_valid_by_the_schema_of_the_xunit_plugin(make: object, tmp_path: Path) -> None:
    schema = pytest.importorskip("xmlschema", reason="there is no xmlschema, which the extra `dev` installs").XMLSchema(
        str(XSD)
    )
    with pytest.raises(Exception, match="tests"):
        schema.validate("<testsuites><testsuite name='x'/></testsuites>")
    schema.validate(written(make(tmp_path)).decode())  # type: ignore[operator]


def test_a_reader_of_junit_sees_the_same(tmp_path: Path) -> None:
    junitparser = pytest.importorskip("junitparser", reason="there is no junitparser, which the extra `dev` installs")
    read = junitparser.JUnitXml.fromstring(written(blamed(tmp_path)))
    (suite,) = read
    assert (read.tests, read.failures, suite.name) == (5, 2, "model.py:Net")
    failed = {case.name: [result.message for result in case.result] for case in suite if case.is_failure}
    assert failed["part a"] == ["Expected a value of type 'int', found type 'str'", "answers differ"]


def test_a_check_fails_for_each_function_that_lacks_mends(tmp_path: Path) -> None:
    (cases,) = suites(mended_outcome(tmp_path)).values()
    assert cases["mends of halve"] == ["`(lambda t: t / by)(x)` is written otherwise"]
    assert len(cases["mends of Block.forward"]) == 2
    assert cases["annotations of Block.forward"] == ["lacks x: Tensor, scale: Optional[Tensor]"]
    assert "annotations of halve" not in cases
    assert not any("mends" in name for name in suites(mended_outcome(tmp_path), WriteBack.DIFF)["model.py:Block"])
