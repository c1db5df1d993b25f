"""Ignored findings: which comments and settings ignore them, and how they are reported. Failures are never ignored."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from outcomes import BEFORE, fail, make_outcome

from pdt_annotate.flows import baseline
from pdt_annotate.flows.ignore import is_in, set_aside
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, IgnoredBy, Outcome, Outdated
from pdt_annotate.values.runs import SpecSource
from pdt_annotate.values.slots import Finding, Owner

HEADER = "def forward(self, x, mask=None):"


def options(outcome: Outcome, **given: Any) -> Options:
    return Options(outcome.targets, SpecSource(args=("3",)), outcome.root, **given)


def outcome_of(root: Path, source: str = BEFORE.decode()) -> Outcome:
    """PDT030 at the parameter `mask`, in a run that reported all its findings."""
    outcome = make_outcome(root)
    file = root / "model.py"
    file.write_text(source)
    line = next(number for number, text in enumerate(source.splitlines(), 1) if HEADER in text)
    finding = replace(outcome.findings[0], place=replace(outcome.findings[0].place, line=line))
    reviewed = (Owner(str(file), "Net.forward", line),)
    return replace(
        outcome,
        changes=(FileChange(str(file), source.encode(), source.encode()),),
        findings=(finding,),
        reviewed=reviewed,
    )


def codes(found: tuple[Finding, ...]) -> list[str]:
    return [finding.code for finding in found]


def one(outcome: Outcome, *, whole: bool = True, **given: Any) -> Outcome:
    (told,) = set_aside([(options(outcome, **given), outcome)], whole=whole)
    return told


def commented(comment: str, line: str = HEADER) -> str:
    return BEFORE.decode().replace(line, f"{line}  {comment}")


def test_a_function_that_a_profile_does_not_know_can_be_set_aside_and_fails_no_check_then(tmp_path: Path) -> None:
    for comment, is_left in (("# pdt: ignore[PDT030]", False), ("# pdt: ignore[PDT031]", True)):
        outcome = outcome_of(tmp_path, commented(comment))
        outcome = replace(outcome, outdated=Outdated(outcome.findings, "pdt-annotate observe"))
        assert bool(one(outcome).outdated) is is_left


@pytest.mark.parametrize("comment", ["# pdt: ignore[PDT030]", "# pdt: ignore[PDT03]", "# pdt: ignore"])
def test_a_comment_on_the_line_or_above_it(comment: str, tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path)
    assert one(outcome) == outcome
    for source in commented(comment), BEFORE.decode().replace("    def", f"    {comment}\n    def"):
        told = one(outcome_of(tmp_path, source))
        assert told.findings == ()
        assert [(each.kind, each.by) for each in told.ignored] == [(IgnoredBy.IN_SOURCE, comment)]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (commented("# pdt: ignore[PDT037]"), "`# pdt: ignore[PDT037]` matches no finding"),
        (commented("# pdt: ignore[PDT030, PDT037]"), "`# pdt: ignore[PDT037]` matches no finding"),
        (commented("# pdt: ignore[PDT37]"), "no code begins with it; did you mean PDT037?"),
        (commented("# pdt: ignore", "class Net(nn.Module):"), "`# pdt: ignore` matches no finding"),
    ],
)
def test_a_comment_that_ignores_nothing_is_reported_at_its_place(source: str, message: str, tmp_path: Path) -> None:
    (finding,) = (each for each in one(outcome_of(tmp_path, source)).findings if each.code == "PDT079")
    line, column = finding.place.line, finding.place.column
    assert message in finding.message and source.splitlines()[line - 1][column - 1 :].startswith("# pdt: ignore")


def test_a_comment_is_judged_by_all_targets_together_and_only_where_somebody_looked(tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path, BEFORE.decode() + "\n\ndef other(x):  # pdt: ignore[PDT030]\n    return x\n")
    assert codes(one(outcome).findings) == ["PDT030"]
    assert codes(one(outcome_of(tmp_path, commented("# pdt: ignore[PDT037]")), whole=False).findings) == ["PDT030"]
    failed = replace(outcome_of(tmp_path, commented("# pdt: ignore[PDT037]")), reviewed=())
    assert codes(one(failed).findings) == ["PDT030"]
    needed = outcome_of(tmp_path, commented("# pdt: ignore[PDT030]"))
    other = replace(needed, findings=())
    for second in needed, replace(other, reviewed=()):
        told = set_aside([(options(other), other), (options(second), second)], whole=True)
        assert [each.findings for each in told] == [(), ()]


@pytest.mark.parametrize(
    "given",
    [{"ignore": ("PDT030",)}, {"per_file_ignores": ("mod*.py:PDT03",)}, {"per_file_ignores": ("{root}/*:PDT030",)}],
)
def test_settings(given: dict[str, tuple[str, ...]], tmp_path: Path) -> None:
    written: dict[str, Any] = {
        name: tuple(text.format(root=tmp_path) for text in texts) for name, texts in given.items()
    }
    told = one(outcome_of(tmp_path), **written)
    assert (told.findings, [each.kind for each in told.ignored]) == ((), [IgnoredBy.EXTERNAL])


def test_settings_that_ignore_nothing_are_reported_where_no_target_is_left_out(tmp_path: Path) -> None:
    given: dict[str, Any] = {"ignore": ("PDT037",), "per_file_ignores": ("tests/*:PDT030",)}
    messages = [each.message for each in one(outcome_of(tmp_path), **given).findings]
    assert messages[1:] == [
        "`ignore = PDT037` matches no finding",
        "`per-file-ignores: tests/* = PDT030` matches no finding",
    ]
    assert codes(one(outcome_of(tmp_path), whole=False, **given).findings) == ["PDT030"]
    assert codes(one(outcome_of(tmp_path), ignore=("PDT037", "PDT079")).findings) == ["PDT030"]
    failed = fail(outcome_of(tmp_path))
    told = one(failed, ignore=("PDT",))
    assert (told.findings, told.verdicts, told.verified) == ((), failed.verdicts, False), "what fails stays"


@pytest.mark.parametrize(
    ("file", "pattern", "is_inside"),
    [
        ("/p/tests/a/test_net.py", "test_*.py", True),
        ("/p/tests/a/test_net.py", "/p/tests/*", True),
        ("/p/tests/a/test_net.py", "/p/tests/", True),
        ("/p/tests/net.py", "/p/tests/**/*.py", True),
        ("/p/tests/a/b/net.py", "/p/tests/**/*.py", True),
        ("/p/tests.py", "/p/tests/*", False),
        ("/p/q/tests/net.py", "/p/tests/*", False),
        ("/p/tests/net.py", "tests", False),
    ],
)
def test_patterns(file: str, pattern: str, is_inside: bool) -> None:
    assert is_in(file, pattern) is is_inside


@pytest.fixture
def known(tmp_path: Path) -> str:
    """A baseline that lists one finding."""
    (tmp_path / "ci").mkdir()
    file = str(tmp_path / "ci" / "known.json")
    assert baseline.update(file, [outcome_of(tmp_path)]) == 1
    return file


def test_what_is_in_a_baseline_is_known_and_what_is_new_or_gone_is_reported(known: str, tmp_path: Path) -> None:
    assert [each.file for each in baseline.read(known)] == ["../model.py"]
    moved = outcome_of(tmp_path, "import os\n\n\n" + BEFORE.decode())
    told = one(moved, baseline=known)
    assert (told.findings, [each.by for each in told.ignored]) == ((), ["baseline: known.json"])
    assert one(moved, baseline=known, update_baseline=True) == moved, "it is written anew"
    outcome = outcome_of(tmp_path)
    other = replace(outcome, findings=(replace(outcome.findings[0], code="PDT031"),))
    new, gone = one(other, baseline=known).findings
    assert (new.code, gone.message) == ("PDT031", "1 finding of the baseline does not occur any more")


def test_what_was_known_of_other_files_stays_and_what_fails_a_check_is_left_out(known: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    assert baseline.update(known, [outcome_of(tmp_path / "sub")]) == 2
    assert [each.file for each in baseline.read(known)] == ["../model.py", "../sub/model.py"]
    outcome = outcome_of(tmp_path)
    outcome = replace(outcome, outdated=Outdated(outcome.findings, "pdt-annotate observe"))
    assert baseline.update(str(tmp_path / "other.json"), [outcome]) == 0


@pytest.mark.parametrize("content", ["", "[]", '{"findings": []}', '{"schema_version": 2, "findings": []}'])
def test_another_file_is_no_baseline(content: str, tmp_path: Path) -> None:
    (tmp_path / "known.json").write_text(content)
    with pytest.raises(UserError, match="baseline") as caught:
        baseline.read(str(tmp_path / "known.json"))
    assert "--update-baseline" in caught.value.hint
