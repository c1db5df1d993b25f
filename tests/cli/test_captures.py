"""`captures` and `graph` on the command line: the output, `--require`, written files, and `--emit`."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from captured import make_captures
from outcomes import BEFORE, fail, make_outcome
from repository import ROOT
from schemas import CAPTURES_VALIDATOR
from tool import run, write

from pdt_annotate import cli
from pdt_annotate.flows import captures, trace_mend
from pdt_annotate.values.outcome import Outcome

FILES = {
    "gate.py": """
        def gate(x, steps):
            for _ in range(steps):
                x = x * 2 if x.sum() > 0 else x - 1
            return x
        """,
    "net.py": "import torch\n\n\ndef net(x):\n    return torch.relu(x * 2)\n",
    "plain.py": "print('run')\n\ndef double(x):\n    return x * 2\n",
    "pyproject.toml": """
        [[tool.pdt-annotate.targets]]
        target = "gate.py:gate"
        arg = ["f32[2]", "2"]
        ways = "script,trace"
        require = "script,trace"

        [[tool.pdt-annotate.targets]]
        target = "plain.py:double"
        arg = "f32[2]"
        ways = "script"
        require = "script"
        """,
    "model.py": BEFORE.decode(),
    "inputs.py": "example_inputs = []\n",
}
RUN = ("captures", "model.py:Net", "-i", "inputs.py")
TABLE = "figures: for the model as annotated"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write(tmp_path, FILES)


def test_what_is_shown_and_required_of_each_configured_target(project: Path) -> None:
    done = run(project, "captures", "--json", "out.json", "--html", "out.html", "-j", "2")
    assert done.returncode == 1, done.stderr
    rows = [line.split()[1:5] for line in done.stdout.splitlines() if line.startswith("script ")]
    assert rows == [["\N{EN DASH}", "refused", "✓", "same"], ["✓", "same", "✓", "same"]]
    assert not [line for line in done.stdout.splitlines() if line != line.rstrip()]
    (unmet,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert unmet.startswith("error: the required way trace fails for gate.py:gate as annotated: ")
    assert "== plain.py:double" in done.stderr
    document = json.loads((project / "out.json").read_text())
    CAPTURES_VALIDATOR.validate(document)
    gate, plain = document["targets"]
    assert [each["captures"][0]["fate"] for each in gate["versions"]] == ["refused", "same"]
    assert gate["versions"][0]["captures"][0]["failure"]["file"] == "gate.py"
    assert [each["way"] for each in plain["versions"][-1]["required"]] == ["script"]
    assert "as annotated" in (project / "out.html").read_text().lower()
    assert (project / "gate.py").read_text() == write(project / "again", FILES).joinpath("gate.py").read_text()


def test_a_document_has_all_targets_that_name_it(project: Path) -> None:
    entry = (
        '[[tool.pdt-annotate.targets]]\ntarget = "plain.py:{0}"\narg = "f32[2]"\nways = "script"\nhtml = "{0}.html"\n'
    )
    (project / "pyproject.toml").write_text(
        "[tool.pdt-annotate]\njson = 'out.json'\n" + entry.format("double") + entry.format("triple")
    )
    (project / "plain.py").write_text("def double(x):\n    return x * 2\n\n\ndef triple(x):\n    return x * 3\n")
    done = run(project, "captures")
    assert done.returncode == 0, done.stderr
    document = json.loads((project / "out.json").read_text())
    assert [each["target"] for each in document["targets"]] == ["plain.py:double", "plain.py:triple"]
    for name, other in (("double", "triple"), ("triple", "double")):
        page = (project / f"{name}.html").read_text()
        assert f"plain.py:{name}" in page and f"plain.py:{other}" not in page


def test_where_the_table_goes(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(captures, "captures", lambda *given: make_captures(project))
    for options, is_out, is_err in ((), True, False), (("--json", "-"), False, True), (("-o", "table"), False, False):
        assert cli.main([*RUN, *options]) == 1
        said = capsys.readouterr()
        assert (TABLE in said.out, TABLE in said.err) == (is_out, is_err)
        assert "error: the required way fx fails for model.py:Net as annotated" in said.err
    assert TABLE in (project / "table").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("captures plain.py:double --require exprot", "did you mean export"),
        ("captures plain.py:double --ways script --html net.py/out.html", "--html cannot be written: Not a directory"),
        ("captures plain.py:double plain.py:triple --emit export -o x.py", "name one target"),
        ("graph plain.py:double -o net.png", ".png is not the suffix of a graph format"),
        ("graph plain.py:double -o net", "for other names, use --format"),
        ("graph plain.py:double -o net.py/net.svg", "--output cannot be written"),
        ("graph plain.py:double plain.py:triple -o net.svg", "one file cannot contain 2 graphs"),
        ("graph plain.py:double plain.py:triple --format json", "2 graphs cannot be written as one document"),
    ],
)
def test_what_will_not_do_is_reported_before_anything_runs(project: Path, words: str, said: str) -> None:
    done = run(project, *words.split(), "-a", "f32[2]")
    assert done.returncode == 2
    assert said in done.stderr and "run\n" not in done.stderr
    assert not (project / "x.py").exists()


def test_a_graph_is_listed_on_stdout_or_drawn_in_a_file_with_links_to_the_source(project: Path) -> None:
    given = ("graph", "net.py:net", "-a", "f32[2,3]")
    done = run(project, *given)
    assert done.returncode == 0, done.stderr
    head, *lines = done.stdout.splitlines()
    assert head == "net.py:net  frozen, 2 nodes"
    assert [line.split() for line in lines] == [
        ["x", "[2,3]", "float32"],
        ["0", "mul", "[2,3]", "→", "[2,3]", "net.py:5"],
        ["1", "relu", "[2,3]", "→", "[2,3]", "net.py:5"],
        ["return", "[2,3]"],
    ]
    done = run(project, *given, "-o", "pictures/net.svg")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    root = ElementTree.parse(project / "pictures" / "net.svg").getroot()
    assert {each.get("href") for each in root.iter("{http://www.w3.org/2000/svg}a")} == {"../net.py#L5"}


def test_the_page_shows_an_export_that_runs_by_itself(tmp_path: Path) -> None:
    page = (ROOT / "docs/export.md").read_text()
    files = dict(re.findall(r"<!-- export: (\S+) -->\n```python\n(.*?)```\n", page, re.DOTALL))
    expected = files.pop("export_net.py").replace("torch 2.13.0+cpu", f"torch {torch.__version__}")
    write(tmp_path, files)
    done = run(tmp_path, "captures", "net:Net", "-i", "inputs.py", "--emit", "export", "-o", "export_net.py")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "; the exported program returns the results of eager mode on 4 example calls" in done.stderr
    assert (tmp_path / "export_net.py").read_text() == expected
    program = tmp_path / "net.pt2"
    subprocess.run([sys.executable, tmp_path / "export_net.py", program], cwd="/", check=True)
    assert program.stat().st_size


@pytest.mark.parametrize(
    ("make", "options", "code", "told"),
    [
        (make_outcome, (), 0, "the diff"),
        (make_outcome, ("-o", "trace.diff"), 0, "wrote trace.diff"),
        (lambda root: replace(make_outcome(root), changes=()), (), 0, "a plain trace is right, so no change is needed"),
        (lambda root: replace(fail(make_outcome(root)), changes=()), (), 1, "no change makes a trace right"),
    ],
)
def test_the_diff_for_a_trace_and_where_there_is_none(
    make: Callable[[Path], Outcome],
    options: tuple[str, ...],
    code: int,
    told: str,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(trace_mend, "mend_trace", lambda *given: make(project))
    assert cli.main([*RUN, "--emit", "trace-mend", *options]) == code
    said = capsys.readouterr()
    assert told in said.err
    diff = (project / "trace.diff").read_text() if options else said.out
    assert diff.startswith("--- a/model.py\n") is (make is make_outcome) and bool(said.out) is (told == "the diff")
