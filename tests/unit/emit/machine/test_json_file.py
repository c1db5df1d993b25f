"""The JSON document: complete, and the same bytes wherever the project lies."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path

from captured import make_captures
from mended_outcomes import advised_outcome, mended_outcome
from outcomes import fail, make_outcome

from pdt_annotate.emit.files import deliver
from pdt_annotate.emit.machine import json_file
from pdt_annotate.values.outcome import FileChange, Overlaid
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TENSOR
from pdt_annotate.values.verdicts import Answers, Blame, Failure, Fault, Part


def test_nothing_tells_where_the_project_lies(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    documents = []
    for root in (tmp_path / "one", tmp_path / "two"):
        outcome = make_outcome(root)
        message = f'in {root}/model.py:\n  File "{root}/model.py", line 3'
        documents.append(json_file.render(fail(outcome, message)))
    assert documents[0] == documents[1]
    assert str(tmp_path).encode() not in documents[0]


def test_order_does_not_depend_on_the_outcome(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    later = replace(outcome.findings[0], code="PDT001", place=Place("a.py", 9))
    both = replace(outcome, findings=(outcome.findings[0], later))
    assert json_file.render(both) == json_file.render(replace(both, findings=both.findings[::-1]))


def test_an_outside_file_is_named_by_its_import_path(tmp_path: Path, monkeypatch: object) -> None:
    (tmp_path / "root").mkdir()
    outcome = make_outcome(tmp_path / "root")
    sys.path.append(str(tmp_path / "lib"))
    try:
        unreached = (Owner(str(tmp_path / "lib" / "pkg" / "m.py"), "f", 3),)
        document = json_file.document(replace(outcome, unreached=unreached))
    finally:
        sys.path.remove(str(tmp_path / "lib"))
    assert document["unreached"] == [{"file": "pkg/m.py", "function": "f", "line": 3}]


def test_an_annotation_carries_its_evidence(tmp_path: Path) -> None:
    document = json.loads(json_file.render(make_outcome(tmp_path)))
    assert document["schema_version"] == 1
    assert "overlaid" not in document
    assert document["verified"] is True
    assert document["annotations"][1] == {
        "slot": {
            "file": "model.py",
            "function": "Net.forward",
            "line": 5,
            "kind": "parameter",
            "name": "mask",
            "slot_line": 0,
        },
        "line": 5,
        "column": 26,
        "annotation": "Optional[Tensor]",
        "type": "Optional[torch.Tensor]",
        "final": False,
        "origin": "guess",
        "rules": ["default None"],
        "evidence": [
            {"type": "torch.Tensor", "count": 2, "calls": ["b"]},
            {"type": "None", "count": 1, "calls": ["a"]},
        ],
        "alternatives": ["Optional[int]"],
        "because": "",
    }


def test_findings_and_verdicts_are_in_it(tmp_path: Path) -> None:
    document = json_file.document(fail(make_outcome(tmp_path)))
    assert document["verified"] is False
    assert document["findings"][0]["slot"]["name"] == "mask"
    failure = document["verdicts"][1]["failure"]
    assert (failure["file"], failure["line"], failure["column"]) == ("model.py", 8, 39)
    assert failure["chain"] == [{"file": "model.py", "line": 6, "column": 7}]


def test_writes_to_a_file_or_stdout(tmp_path: Path) -> None:
    content, stdout = json_file.render(make_outcome(tmp_path)), io.BytesIO()
    deliver(content, str(tmp_path / "out.json"), stdout)
    assert stdout.getvalue() == b""
    deliver(content, "-", stdout)
    assert stdout.getvalue() == (tmp_path / "out.json").read_bytes() == content


def test_blame_is_in_it_without_places_of_this_machine(tmp_path: Path) -> None:
    outcome = fail(make_outcome(tmp_path))
    (target,), file = outcome.targets, outcome.changes[0].file
    failure = Failure(f"in {file}", "RuntimeError", Place(file, 3))
    fault = Fault("PDT004", failure, Owner(file, "Net.forward", 5), ("Write it plainly.",))
    root = Part("", "Net", Place(file, 4), faults=(fault,), blamed=("a",))
    part = Part("a", "Act", Place(file, 1), scripts=True, answers=Answers.ALIKE, calls=2)
    document = json_file.document(replace(outcome, blame=(Blame(target, (root, part)),), kept=(part,)))
    assert str(tmp_path) not in json.dumps(document)
    (first, second) = document["blame"][0]["parts"]
    assert (first["blamed"], first["scripts"], first["answers"]) == (["a"], False, "unknown")
    assert first["faults"][0]["in"] == {"file": "model.py", "function": "Net.forward", "line": 5}
    assert first["faults"][0]["advice"] == ["Write it plainly."]
    assert (second["answers"], second["calls"], second["kind"]) == ("alike", 2, "module")
    assert document["kept"] == [second]


def test_third_party_modules_are_listed_with_what_was_typed_in_them(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    file = str(tmp_path / "env/site-packages/lib/mod.py")
    slots = [Slot(Owner(file, name, 1), SlotKind.PARAMETER, "x") for name in ("g", "f", "f")]
    outcome = replace(
        outcome,
        overlaid=(Overlaid("lib.mod", FileChange(file, b"", b"x")),),
        annotations=(*outcome.annotations, *(Annotation(slot, TENSOR) for slot in slots)),
    )
    assert json_file.document(outcome)["overlaid"] == [
        {"module": "lib.mod", "file": "env/site-packages/lib/mod.py", "functions": ["f", "g"]}
    ]


def test_mends_are_told_by_place_and_what_would_help_beside_them(tmp_path: Path) -> None:
    assert {"mends", "advised"}.isdisjoint(json_file.document(make_outcome(tmp_path)))
    mends = json_file.document(mended_outcome(tmp_path))["mends"]
    assert [(each["line"], each["rewrite"], each["kind"]) for each in mends] == [
        (5, "local_functions", "exact"),
        (9, "variadics", "scripted"),
        (10, "none_tests", "exact"),
    ]
    assert mends[1]["in"] == {"file": "model.py", "function": "Block.forward", "line": 9}
    assert (mends[1]["left_out"], mends[1]["files"]) == ("what `**kwargs` took", ["model.py"])
    assert mends[0]["because"] == "Lambda aren't supported"
    advised = json_file.document(advised_outcome(tmp_path))["advised"]
    assert (advised["level"], advised["added"], advised["removed"], advised["mends"]) == ("all", 5, 4, mends)


def test_an_overlay_names_the_functions_that_are_mended_alone(tmp_path: Path) -> None:
    outcome = mended_outcome(tmp_path)
    outcome = replace(outcome, changes=(), overlaid=(Overlaid("model", outcome.changes[0]),))
    assert json_file.document(outcome)["overlaid"][0]["functions"] == ["Block.forward", "halve"]


def test_all_that_was_found_is_there(tmp_path: Path) -> None:
    document = json_file.captures_document(make_captures(tmp_path))
    assert [way["name"] for way in document["ways"]] == ["script", "trace", "fx", "compile-breaks", "lazy"]
    (target,) = document["targets"]
    as_it_is, annotated = target["versions"]
    assert (as_it_is["version"], annotated["version"]) == ("as it is", "annotated")
    fates = [each["fate"] for each in annotated["captures"]]
    assert fates == ["same", "differs", "refused", "same", "absent"]
    trace = annotated["captures"][1]
    assert (trace["graphs"], trace["whole"], trace["relative"], trace["per_call"]) == (1, True, 98.4, 0.84)
    assert [call["held_back"] for call in trace["calls"]] == [False, False, True]
    assert [each["code"] for each in trace["findings"]] == ["PDT030"]
    assert [each["met"] for each in annotated["required"]] == [True, False]


def test_paths_are_relative_wherever_they_stand(tmp_path: Path) -> None:
    text = json.dumps(json_file.captures_document(make_captures(tmp_path)))
    assert str(tmp_path) not in text
    assert '"file": "model.py"' in text and 'File \\"model.py\\", line 3' in text


def test_it_is_written_to_a_file_or_to_stdout(tmp_path: Path) -> None:
    found, stdout = make_captures(tmp_path), io.BytesIO()
    json_file.emit_captures(found, str(tmp_path / "out.json"), stdout)
    assert stdout.getvalue() == b""
    json_file.emit_captures(found, "-", stdout)
    assert (tmp_path / "out.json").read_bytes() == stdout.getvalue()
