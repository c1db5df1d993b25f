"""The command line: streams, exit codes, and modules that it does not import."""

import json
import re
import subprocess
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from outcomes import AFTER, BEFORE, fail, make_outcome
from repository import ROOT
from tool import write

import pdt_annotate
import pdt_annotate.flows
from pdt_annotate import cli
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserCodeError, VerificationError
from pdt_annotate.values.exits import EXIT_BUG
from pdt_annotate.values.outcome import FileChange, Outcome, Overlaid
from pdt_annotate.values.slots import Place
from pdt_annotate.values.verdicts import Answers, Part

RUN = ["model.py:Net", "-i", "inputs.py"]
HEAVY = {"torch", "libcst", "monkeytype", "rich", "jsonschema", "yaml"}
LIGHT = f"""
import sys, pdt_annotate
from pdt_annotate import cli

pdt_annotate.Call()
code = cli.main(sys.argv[1:])
print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)
sys.exit(code)
"""
Fake = Callable[..., None]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fake:
    """Makes the pipeline return an outcome or raise, without a run. The working directory is a small project."""
    inputs = "example_inputs = small = []\n"
    write(tmp_path, {"model.py": BEFORE.decode(), "inputs.py": inputs, "pyproject.toml": ""})
    monkeypatch.chdir(tmp_path)

    def fake(result: Outcome | BaseException) -> None:
        def annotate(options: Options, zygote: object, progress: object = None, chooser: object = None) -> Outcome:
            if isinstance(result, BaseException):
                raise result
            return result

        module = types.ModuleType("pdt_annotate.flows.from_files")
        module.annotate = annotate  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "pdt_annotate.flows.from_files", module)
        monkeypatch.setattr(pdt_annotate.flows, "from_files", module, raising=False)

    return fake


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("--help", 0, "pdt-annotate mymodel:Net -i inputs.py|--diff|example_inputs =|Exit codes|explain"),
        ("--version", 0, "pdt-annotate |torch |libcst |MonkeyType |Python "),
        ("explain PDT010", 0, "PDT010"),
        ("explain --all", 0, "PDT001  |What to do: |PDT122  "),
        ("explain --all --output-format json", 0, '"code": "PDT001"|"advice": |"code": "PDT122"'),
        ("init net.py:scale -o -", 0, "def calls"),
        ("", 0, "Usage: pdt-annotate TARGET...|No target is configured in this project"),
        ("pdt_annotate:Call -i missing.py", 2, "missing.py"),
    ],
)
def test_nothing_heavy_is_imported(arguments: str, code: int, said: str, tmp_path: Path) -> None:
    write(tmp_path, {"net.py": "def scale(x, k):\n    return x * k\n", "pyproject.toml": "[project]\nname = 'x'\n"})
    command = [sys.executable, "-c", LIGHT, *arguments.split()]
    env = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    *told, imported = done.stderr.splitlines()
    assert imported == "[]" and "Traceback" not in done.stderr
    assert (done.stdout == "") is bool(told) is (code != 0)
    assert all(part in (done.stdout or "\n".join(told)) for part in said.split("|"))


def test_the_package_has_what_it_lists_and_the_version_of_the_project() -> None:
    assert all(hasattr(pdt_annotate, name) for name in pdt_annotate.__all__)
    with pytest.raises(AttributeError):
        pdt_annotate.no_such_name  # noqa: B018
    declared = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert declared is not None
    assert pdt_annotate.__version__ == declared[1]


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["a:b", "-a", "3", "--diff", "--stubs", "d"], "--diff and --stubs exclude each other", "choose one"),
        (["a:b", "-a", "3", "--json", "-", "--output-format", "sarif"], "both write to stdout", ""),
        (["a:b", "-a", "3", "--json", "out", "--output-file", "sarif:./out"], "json and sarif would both be", ""),
        (["explain", "PDT999"], "there is no finding PDT999", "lists all"),
        (["verify", *RUN, "--returns=all"], "No such option", ""),
        ([*RUN, "--mend", "everything"], "--mend must be one of exact, frozen, all, not 'everything'", ""),
        (["--ways", "script"], "it is an option of `pdt-annotate captures`\n", ""),
        (["--version", "--root", "."], "it is an option of `pdt-annotate annotate`, `captures`, ", ""),
    ],
)
def test_usage_errors(arguments: list[str], message: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("error: ")
    assert message in captured.err and hint in captured.err


def make(name: str, folder: Path) -> Outcome:
    good = make_outcome(folder)
    foreign = Overlaid("lib", FileChange(str(folder / "site/lib.py"), b"a\n", b"b\n"))
    part = Part("net", "Net", scripts=True, answers=Answers.ALIKE, calls=1)
    return {
        "good": good,
        "nothing": replace(good, changes=(), annotations=(), findings=()),
        "of others": replace(good, changes=(), overlaid=(foreign,)),
        "failed": fail(good),
        "in part": replace(fail(good), kept=(part,)),
    }[name]


COPIES = "copies of 1 third-party file"
FAILED = "model.py:Net does not script|nothing was written; -v shows "
NOTHING = "nothing to annotate; the scripted model returns the same results as Python"


@pytest.mark.parametrize(
    ("outcome", "options", "code", "source", "said"),
    [
        ("good", "", 0, AFTER, "wrote 2 annotations into 1 file; the scripted model returns"),
        ("good", "--check", 1, BEFORE, "2 annotations missing in 1 file|Optional[Tensor]"),
        ("good", "--stubs typings", 0, BEFORE, "wrote "),
        *(("nothing", options, 0, BEFORE, NOTHING) for options in ("", "--check", "--stubs typings")),
        ("of others", "--third-party overlay --check", 0, BEFORE, ""),
        ("of others", "--overlay typed --check", 0, BEFORE, f"annotate; {COPIES} would be written to typed; the"),
        ("of others", "--overlay typed", 0, BEFORE, f"annotate; wrote {COPIES} to typed; the scripted"),
        *(("failed", options, 3, BEFORE, FAILED) for options in ("", "--diff", "--stubs typings")),
        ("in part", "--write-partial", 3, AFTER, "wrote 2 annotations into 1 file; -v shows "),
    ],
)
def test_what_is_said_and_written_as_a_run_ended(
    outcome: str,
    options: str,
    code: int,
    source: bytes,
    said: str,
    answer: Fake,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer(make(outcome, tmp_path))
    assert cli.main([*RUN, *options.split(), "--json", "out.json"]) == code
    assert (tmp_path / "model.py").read_bytes() == source
    captured = capsys.readouterr()
    assert captured.out == ""
    assert all(part in captured.err for part in said.split("|"))
    assert json.loads((tmp_path / "out.json").read_text())["verified"] is (code != 3)
    stub = tmp_path / "typings" / "model.pyi"
    assert stub.exists() is (outcome == "good" and "--stubs" in options)
    assert not stub.exists() or "mask: Optional[Tensor]" in stub.read_text()


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (
            UserCodeError("your code raised ValueError: no", place=Place("model.py", 3, 7), hint="run it"),
            2,
            "error: your code raised ValueError: no\n  at model.py:3:7\n  hint: run it\n",
        ),
        (VerificationError("does not script"), 3, "error: does not script\n"),
        (KeyboardInterrupt(), 130, "error: interrupted; nothing was written\n"),
        (ZeroDivisionError("ours"), EXIT_BUG, "Traceback (most recent call last):|ZeroDivisionError: ours|report it"),
    ],
)
def test_errors_are_for_people(
    raised: BaseException, code: int, said: str, answer: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(raised)
    assert cli.main(RUN) == code
    captured = capsys.readouterr()
    assert captured.out == "" and all(part in captured.err for part in said.split("|"))
    assert captured.err.lstrip("\n") == said or code == EXIT_BUG
