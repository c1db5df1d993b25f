"""Machine output on the command line: the content of each stream in every format, and the exit code."""

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from tool import run, write

FILES = {
    "net.py": "import helper\n\n\ndef scale(x, k, flag=None):\n    return helper.scale(x, k)\n",
    "helper.py": "def scale(x, k):\n    return x * k\n",
    "broken.py": "def scale(x, times):\n    return {x, times}\n",
    "calls.yaml": "calls:\n  - args: [f32(2), 3]\n",
    "known.json": '{"findings": []}',
    "pyproject.toml": "[tool.pdt-annotate]\nno-probe = true\n",
}
OBSERVED = ("net.py:scale", "--profile", "seen.sqlite")
"""Earlier observations. Nothing is run, so the tests are quick."""
GIVEN = ("-a", "f32[2]", "-a", "3")
DOCUMENTS = {"json": "out.json", "github": "out.txt", "sarif": "a/out.sarif", "junit": "out.xml"}
ALL_AT_ONCE = tuple(word for name, file in DOCUMENTS.items() for word in ("--output-file", f"{name}:{file}"))


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write(tmp_path_factory.mktemp("observed"), FILES)
    done = run(folder, "observe", "net.py:scale", "-i", "calls.yaml", "--save-profile", "seen.sqlite")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def project(observed: Path, tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(observed, tmp_path / "project"))
    (folder / "a").mkdir()
    return folder


def is_as_before(project: Path) -> bool:
    return all((project / name).read_text() == text for name, text in FILES.items())


def parse(format_: str, text: str) -> object:
    """The document, read by an independent parser."""
    if format_ == "junit":
        return ElementTree.fromstring(text)
    if format_ == "github":
        assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in text.splitlines())
        return text.splitlines()
    return json.loads(text)


def documents(folder: Path) -> dict[str, str]:
    """The text of each document of a run that wrote all formats, after an independent parser has read it."""
    texts = {name: (folder / file).read_text() for name, file in DOCUMENTS.items()}
    assert all(parse(name, text) for name, text in texts.items())
    return texts


@pytest.mark.parametrize(
    ("options", "stdout"),
    [(("--output-format", "text", "--check", "-q"), ""), (("--diff",), "--- a/net.py\n"), ((), "")],
)
def test_text_is_default_and_leaves_stdout_to_the_diff(options: tuple[str, ...], stdout: str, project: Path) -> None:
    done = run(project, *OBSERVED, *options)
    assert done.stdout.startswith(stdout) and bool(done.stdout) is bool(stdout)
    assert (done.stderr == "") is ("-q" in options)
    assert is_as_before(project) is bool(options)
    if stdout:
        done = run(project, *OBSERVED, "--diff", "--explain", "--quiet", FORCE_COLOR="1")
        assert (done.returncode, done.stderr) == (0, "")
        subprocess.run(["git", "apply"], cwd=project, input=done.stdout, text=True, check=True)
        assert not is_as_before(project)


@pytest.mark.parametrize("format_", DOCUMENTS)
def test_stdout_is_one_document(format_: str, project: Path) -> None:
    done = run(project, *OBSERVED, "--check", "--output-format", format_, FORCE_COLOR="1")
    assert done.returncode == 1, done.stderr
    assert parse(format_, done.stdout)
    assert "\x1b" in done.stderr and "\x1b" not in done.stdout
    assert is_as_before(project)


def test_one_run_writes_every_format_and_a_failure_is_in_all(project: Path) -> None:
    more = ("--output-file", "text:report.txt", "--output-file", "html:report.html", "-q")
    assert run(project, "broken.py:scale", *GIVEN, *ALL_AT_ONCE, *more).returncode == 3
    assert all("PDT004" in text for text in documents(project).values())
    for name in ("report.txt", "report.html"):
        assert "PDT004" in (project / name).read_text()


def test_with_exit_zero_only_errors_fail(project: Path) -> None:
    done = run(project, "verify", "net.py:scale", *GIVEN, "--exit-zero", *ALL_AT_ONCE)
    assert done.returncode == 0, done.stderr
    assert json.loads(documents(project)["sarif"])["runs"][0]["invocations"][0]["exitCode"] == 0
    assert run(project, *OBSERVED, "--check", "--exit-zero").returncode == 0
    assert run(project, *OBSERVED, "--root", "missing", "--exit-zero").returncode == 2


def test_two_targets_make_one_document_in_each_place(project: Path) -> None:
    (project / "pyproject.toml").write_text(
        '[tool.pdt-annotate]\narg = ["f32[2]", "3"]\nno-probe = true\n'
        f"output-file = {json.dumps([f'{name}:{file}' for name, file in DOCUMENTS.items()])}\n"
        '[[tool.pdt-annotate.targets]]\ntarget = "net.py:scale"\nhtml = "net.html"\n'
        '[[tool.pdt-annotate.targets]]\ntarget = "broken.py:scale"\n'
    )
    done = run(project, "--check", "--output-format", "github")
    assert done.returncode == 3, done.stderr
    texts = documents(project)
    assert all("net.py" in text and "broken.py" in text for text in texts.values())
    assert json.loads(texts["json"])["targets"] == ["net.py:scale", "broken.py:scale"]
    assert done.stdout == texts["github"]
    assert "broken.py" not in (project / "net.html").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        *("net.py:scale -i calls.yaml --json net.py", "net.py:scale -i missing.yaml --html net.py"),
        *("net.py:scale -i calls.yaml --html ./calls.yaml", "net.py:scale -i raises.yaml --html helper.py"),
        "net.py:scale -i calls.yaml --json pyproject.toml",
        "net.py:scale -i calls.yaml --baseline known.json --output-file sarif:known.json",
        "net.py:scale -i calls.yaml --baseline known.json --html linked.json",
        "captures net.py:scale -i calls.yaml --ways script -o helper.py",
        *("graph net.py:scale -i calls.yaml -o helper.py", "net.py:scale --profile seen.sqlite --json seen.sqlite"),
        *("net.py:scale --profile . --json seen.sqlite", "--profile seen.sqlite --json helper.py"),
    ],
)
def test_no_output_replaces_what_the_run_reads(arguments: str, project: Path) -> None:
    (project / "linked.json").symlink_to("known.json")
    (project / "raises.yaml").write_text("calls:\n  - args: [f32(2), '\"text\"']\n")
    before = (project / "seen.sqlite").read_bytes()
    done = run(project, *arguments.split())
    assert done.returncode == 2
    assert is_as_before(project) and (project / "seen.sqlite").read_bytes() == before
    assert "would replace a file that this run reads" in done.stderr or arguments.endswith((" net.py", "helper.py"))


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
@pytest.mark.parametrize(
    ("streams", "code", "said"),
    [
        ("", 0, b""),
        ("| head -1", 0, b""),
        (">/dev/full", 2, b"error: cannot write to stdout: No space left on device\n"),
        (">&-", 2, b"error: cannot write to stdout: Bad file descriptor\n"),
        ("<&- >/dev/null 2>&-", 0, b""),
        (">/dev/full 2>/dev/full", 2, b""),
    ],
)
def test_what_cannot_be_printed_is_said_once(streams: str, code: int, said: bytes) -> None:
    command = f"set -o pipefail; {sys.executable} -m pdt_annotate explain {streams}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (code, said)
