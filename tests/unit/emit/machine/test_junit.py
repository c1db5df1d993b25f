"""JUnit XML: what is no failure, the schema that CI servers share, and what a reader of it sees."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from outcomes import fail, make_outcome
from repository import DATA

from pdt_annotate.emit.machine import junit
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import Outcome

TWENTY = Path(__file__).parents[1] / "twenty"


def written(outcome: Outcome, write_back: WriteBack = WriteBack.CHECK) -> bytes:
    return junit.render(outcome, Invocation(outcome.root, write_back))


def test_characters_that_xml_lacks_are_spelled_and_the_others_stay(tmp_path: Path) -> None:
    message = "a\x00b\x1b[31m\ud800\ufffe <&>\"' größe 🦆\tend"
    shown = "a\\x00b\\x1b[31m\\ud800 <&>\"' größe 🦆\tend"
    (failure,) = ElementTree.fromstring(written(fail(make_outcome(tmp_path), message))).iter("failure")
    assert failure.attrib["message"] == shown
    assert (failure.text or "").startswith(f"{shown}\n")


@pytest.fixture(scope="module")
def schema() -> Any:
    xmlschema = pytest.importorskip("xmlschema", reason="there is no xmlschema, which the extra `dev` installs")
    return xmlschema.XMLSchema(str(DATA / "junit-10.xsd"))


def test_the_schema_of_the_xunit_plugin_refuses_what_is_not_junit(schema: Any) -> None:
    assert not schema.is_valid("<testsuites><testsuite name='x'/></testsuites>")


@pytest.mark.parametrize("golden", sorted(TWENTY.glob("*.xml")), ids=lambda file: file.stem)
def test_every_document_is_valid_and_counts_its_cases(golden: Path, schema: Any) -> None:
    text = golden.read_text()
    schema.validate(text)
    for suite in ElementTree.fromstring(text):
        assert suite.attrib["tests"] == str(len(suite.findall("testcase")))
        assert suite.attrib["failures"] == str(len(suite.findall("testcase[failure]")))


def test_a_reader_of_junit_sees_the_same() -> None:
    junitparser = pytest.importorskip("junitparser", reason="there is no junitparser, which the extra `dev` installs")
    read = junitparser.JUnitXml.fromstring((TWENTY / "partial.xml").read_bytes())
    (suite,) = read
    assert (read.tests, read.failures, suite.name) == (6, 2, "model.py:Net")
    failed = {case.name: [result.message for result in case.result] for case in suite if case.is_failure}
    assert failed["part act"] == ["try blocks aren't supported"] * 2
