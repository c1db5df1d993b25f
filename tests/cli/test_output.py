"""Machine output, from outside: which stream has what, whatever the format, and the exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

SOURCE = "def scale(x, times, flag=None):\n    return x * times\n"
BROKEN = "def scale(x, times):\n    return {x, times}\n"
FORMATS = ("json", "github", "sarif", "junit")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(SOURCE)
    (tmp_path / "broken.py").write_text(BROKEN)
    return tmp_path


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pdt_annotate", *arguments]
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    return subprocess.run(command, cwd=folder, env=env | environment, capture_output=True, text=True, check=False)


def annotate(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "net.py:scale", "-a", "f32[2]", "-a", "3", "--no-cache", *options, **environment)


def parse(format_: str, text: str) -> object:
    """The document, read by somebody else's reader."""
    if format_ == "junit":
        return ElementTree.fromstring(text)
    if format_ == "github":
        assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in text.splitlines())
        return text.splitlines()
    return json.loads(text)


def test_text_is_the_default_and_leaves_stdout_to_the_diff(project: Path) -> None:
    for options in ((), ("--check",), ("--output-format", "text", "--check")):
        assert annotate(project, *options).stdout == ""
        (project / "net.py").write_text(SOURCE)
    assert annotate(project, "--diff").stdout.startswith("--- a/net.py\n")


@pytest.mark.parametrize("format_", FORMATS)
def test_stdout_is_one_document(format_: str, project: Path) -> None:
    done = annotate(project, "--check", "--output-format", format_, FORCE_COLOR="1")
    assert done.returncode == 1, done.stderr
    assert parse(format_, done.stdout)
    assert "\x1b" in done.stderr and "\x1b" not in done.stdout
    assert (project / "net.py").read_text() == SOURCE


FILES = {"json": "out.json", "github": "out.txt", "sarif": "a/out.sarif", "junit": "out.xml"}
ALL_AT_ONCE = tuple(word for name, file in FILES.items() for word in ("--output-file", f"{name}:{file}"))


def documents(folder: Path) -> dict[str, str]:
    """The text of each document of a run that wrote them all, once somebody else's reader has read it."""
    texts = {name: (folder / file).read_text() for name, file in FILES.items()}
    assert all(parse(name, text) for name, text in texts.items())
    return texts


def test_one_run_writes_every_format_and_a_failure_is_in_all(project: Path) -> None:
    (project / "a").mkdir()
    more = ("--output-file", "text:report.txt", "--output-file", "html:report.html", "-q")
    done = run(project, "broken.py:scale", "-a", "f32[2]", "-a", "3", *ALL_AT_ONCE, *more)
    assert done.returncode == 3
    assert all("PDT004" in text for text in documents(project).values())
    for name in ("report.txt", "report.html"):
        assert "PDT004" in (project / name).read_text()


def test_with_exit_zero_only_errors_fail(project: Path) -> None:
    (project / "a").mkdir()
    done = run(project, "verify", "net.py:scale", "-a", "f32[2]", "-a", "3", "--exit-zero", *ALL_AT_ONCE)
    assert done.returncode == 0, done.stderr
    assert json.loads(documents(project)["sarif"])["runs"][0]["invocations"][0]["exitCode"] == 0
    assert annotate(project, "--check", "--exit-zero").returncode == 0
    assert annotate(project, "--root", "missing", "--exit-zero").returncode == 2


def test_two_targets_make_one_document_in_each_place(project: Path) -> None:
    (project / "a").mkdir()
    (project / "pyproject.toml").write_text(
        '[tool.pdt-annotate]\narg = ["f32[2]", "3"]\n'
        f"output-file = {json.dumps([f'{name}:{file}' for name, file in FILES.items()])}\n"
        '[[tool.pdt-annotate.targets]]\ntarget = "net.py:scale"\nhtml = "net.html"\n'
        '[[tool.pdt-annotate.targets]]\ntarget = "broken.py:scale"\n'
    )
    done = run(project, "--check", "--output-format", "github")
    assert done.returncode == 3, done.stderr
    texts = documents(project)
    assert all("net.py" in text and "broken.py" in text for text in texts.values())
    assert done.stdout == texts["github"]
    assert "broken.py" not in (project / "net.html").read_text()


def test_a_users_fault_leaves_stdout_empty(project: Path) -> None:
    done = annotate(project, "--root", "missing", "--output-format", "sarif")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")


def test_an_older_result_is_not_left_beside_an_error(project: Path) -> None:
    for name in ("old.html", "old.json"):
        (project / name).write_text("all is well")
    done = run(project, "net.py:scales", "-a", "f32[2]", "--html", "old.html", "--json", "old.json")
    assert done.returncode == 2
    assert "No result" in (project / "old.html").read_text()
    assert not (project / "old.json").exists()


@pytest.mark.parametrize(
    "options",
    [("--diff", "--output-format", "json"), ("--json", "-", "--output-format", "sarif"), ("--diff", "--json", "-")],
)
def test_stdout_has_one_writer(options: tuple[str, ...], project: Path) -> None:
    done = annotate(project, *options)
    assert done.returncode == 2
    assert "both write to stdout" in done.stderr and "hint: " in done.stderr


def test_an_unknown_format_is_named_with_the_known(project: Path) -> None:
    done = annotate(project, "--output-format", "xml")
    assert done.returncode == 2
    assert "xml" in done.stderr and "sarif" in done.stderr


def test_one_file_for_two_documents_is_refused_before_anything_runs(project: Path) -> None:
    done = annotate(project, "--json", "out", "--output-file", f"sarif:{project / 'out'}")
    assert done.returncode == 2 and not (project / "out").exists()
    assert "json and sarif would both be written to" in done.stderr


@pytest.mark.parametrize("target", ["net.py:scale", "broken.py:scale"])
def test_the_page(target: str, project: Path) -> None:
    done = run(project, target, "-a", "f32[2]", "-a", "3", "--check", "--html", "report.html")
    assert done.returncode == (1 if target.startswith("net") else 3)
    page = (project / "report.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and target in page
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("environment", "option", "diff", "report"),
    [
        ({}, "auto", False, False),
        ({"FORCE_COLOR": "1"}, "auto", False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, "auto", False, False),
        ({"NO_COLOR": "1"}, "always", True, True),
        ({"FORCE_COLOR": "1"}, "never", False, False),
    ],
)
def test_colors(environment: dict[str, str], option: str, diff: bool, report: bool, project: Path) -> None:
    done = annotate(project, "--diff", "--color", option, **environment)
    assert ("\x1b[" in done.stdout, "\x1b[" in done.stderr) == (diff, report)


def test_git_applies_an_explained_diff_where_colour_is_forced(project: Path) -> None:
    done = annotate(project, "--diff", "--explain", FORCE_COLOR="1")
    subprocess.run(["git", "apply"], cwd=project, input=done.stdout, text=True, check=True)
    assert (project / "net.py").read_text() != SOURCE


@pytest.mark.parametrize("options", [("--check",), ("--diff",), ("--check", "--explain"), ()])
def test_quiet_says_nothing_that_is_no_error(options: tuple[str, ...], project: Path) -> None:
    done = annotate(project, "--quiet", *options)
    assert done.stderr == ""
    assert done.returncode == (1 if "--check" in options else 0)


READ = {
    "net.py": "import helper\n\n\ndef scale(x, k):\n    return helper.scale(x, k)\n",
    "helper.py": "def scale(x, k):\n    return x * k\n",
    "calls.yaml": "calls:\n  - args: [f32(2), 3]\n",
    "known.json": '{"findings": []}',
    "pyproject.toml": "[tool.pdt-annotate]\n",
}


@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("net.py", "net.py:scale -i calls.yaml --json net.py"),
        ("net.py", "net.py:scale -i missing.yaml --html net.py"),
        ("calls.yaml", "net.py:scale -i calls.yaml --html ./calls.yaml"),
        ("helper.py", "net.py:scale -i calls.yaml --output-file sarif:helper.py"),
        ("helper.py", "net.py:scale -i raises.yaml --html helper.py"),
        ("pyproject.toml", "net.py:scale -i calls.yaml --json pyproject.toml"),
        ("known.json", "net.py:scale -i calls.yaml --baseline known.json --json known.json"),
        ("known.json", "net.py:scale -i calls.yaml --baseline known.json --html linked.json"),
        ("helper.py", "captures net.py:scale -i calls.yaml --ways script -o helper.py"),
        ("helper.py", "graph net.py:scale -i calls.yaml -o helper.py"),
    ],
)
def test_no_output_replaces_what_the_run_reads(file: str, arguments: str, project: Path) -> None:
    for name, text in READ.items():
        (project / name).write_text(text)
    (project / "linked.json").symlink_to("known.json")
    (project / "raises.yaml").write_text("calls:\n  - args: [f32(2), '\"text\"']\n")
    done = run(project, *arguments.split())
    assert done.returncode == 2
    assert {name: (project / name).read_text() for name in READ} == READ
    assert "would replace a file that this run reads" in done.stderr or file in ("net.py", "helper.py")


def test_no_output_replaces_a_profile_or_what_it_speaks_of(project: Path) -> None:
    for name, text in READ.items():
        (project / name).write_text(text)
    run(project, "observe", "net.py:scale", "-i", "calls.yaml", "--save-profile", "seen.sqlite")
    before = (project / "seen.sqlite").read_bytes()
    for options in ("--profile seen.sqlite --json seen.sqlite", "--profile . --json seen.sqlite"):
        assert run(project, "net.py:scale", *options.split()).returncode == 2
    done = run(project, "--profile", "seen.sqlite", "--json", "helper.py")
    assert (done.returncode, (project / "helper.py").read_text()) == (2, READ["helper.py"])
    assert (project / "seen.sqlite").read_bytes() == before
