"""The runs of a command: which source of a setting takes precedence, and which settings apply to a target."""

import itertools
import os
import re
from pathlib import Path

import pytest

from pdt_annotate.cli.run_options import Run, check_environment, load, load_values, show
from pdt_annotate.settings.options import Returns, ThirdParty, WriteBack
from pdt_annotate.values.errors import SpecError, TargetError, UserError
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.runs import SpecSource

HEAD = "[tool.pdt-annotate]\n"
ENTRY = '[[tool.pdt-annotate.targets]]\ntarget = "net.py:Net"\narg = "3"\n'
BROKEN = '[[tool.pdt-annotate.targets]]\ntarget = "a:b"\n'
OTHER = '[[tool.pdt-annotate.targets]]\ntarget = ["pkg.mod:f", "pkg.mod:g"]\ninputs = "inputs.py"\n'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("PDT_ANNOTATE_")]:
        monkeypatch.delenv(name)
    (tmp_path / "sub").mkdir()
    (tmp_path / "inputs.py").touch()
    (tmp_path / "net.py").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configure(text: str) -> None:
    Path("pyproject.toml").write_text(text)


def one(*targets: str, **given: object) -> Run:
    (run,) = load("annotate", targets, given).runs
    return run


PLACES = ("default", "table", "entry", "environment", "command line")
ORIGINS = ("default", "pyproject.toml:2", "pyproject.toml:", "PDT_ANNOTATE_TIMEOUT", "command line")


@pytest.mark.parametrize("given", [c for n in range(5) for c in itertools.combinations(PLACES[1:], n)], ids=",".join)
def test_the_strongest_place_prevails(given: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    values = {place: 100.0 + index for index, place in enumerate(PLACES)}
    configure(
        (f"{HEAD}timeout = {values['table']}\n" if "table" in given else "")
        + ENTRY
        + (f"timeout = {values['entry']}\n" if "entry" in given else "")
    )
    if "environment" in given:
        monkeypatch.setenv("PDT_ANNOTATE_TIMEOUT", str(values["environment"]))
    run = one(**({"timeout": values["command line"]} if "command line" in given else {}))
    strongest = max(given, key=PLACES.index, default="default")
    assert run.options.timeout == (600.0 if strongest == "default" else values[strongest])
    assert run.values["timeout"].origin.startswith(ORIGINS[PLACES.index(strongest)])


def test_other_and_empty_variables_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PDT_ANNOTATE_OVERLAY", "PDT_ANNOTATE_RUN_ROOT", "PDT_TIMEOUT", "_PDT_ANNOTATE_COMPLETE", "TIMEOUT"):
        check_environment({name: "typed"})
    check_environment({"PDT_ANNOTATE_CHECK": "", "PDT_ANNOTATE_CHEK": ""})
    monkeypatch.setenv("PDT_ANNOTATE_TIMEOUT", "")
    assert load_values("observe")["timeout"] == 600.0


@pytest.mark.parametrize(
    ("name", "text", "message", "hint"),
    [
        ("CHEK", "1", "PDT_ANNOTATE_CHEK is not a setting", "did you mean PDT_ANNOTATE_CHECK"),
        ("INTERACTIVE", "1", "is not a setting", ""),
        ("XYZ", "1", "is not a setting", "put PDT_ANNOTATE_ before one of ALLOW, ALSO_RUN"),
        ("TIMEOUT", "soon", "PDT_ANNOTATE_TIMEOUT must be a number, not 'soon'", ""),
        ("RETURNS", "some", "PDT_ANNOTATE_RETURNS must be one of needed, all, none, not 'some'", ""),
    ],
)
def test_environment_mistakes(name: str, text: str, message: str, hint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"PDT_ANNOTATE_{name}", text)
    with pytest.raises(UserError) as caught:
        load("annotate")
    assert message in caught.value.message and hint in caught.value.hint


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("third_party", "overlay", "overlay"),
        ("arg", "'f32[2, 3]' k=4", ("f32[2, 3]", "k=4")),
        ("profile", f"a{os.pathsep}b c", ("a", "b c")),
        ("mend", "1", "exact"),
        ("verbose", "true", 1),
        ("check", "Yes", True),
        ("ignore", "PDT037 PDT10", ("PDT037", "PDT10")),
        ("output_file", r"sarif:C:\out.sarif 'json:a b.json'", (r"sarif:C:\out.sarif", "json:a b.json")),
    ],
)
def test_values_of_the_environment(name: str, text: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"PDT_ANNOTATE_{name.upper()}", text)
    assert load_values("annotate")[name] == value


CHECKED = f"{HEAD}check = true\n{ENTRY}"


@pytest.mark.parametrize(
    ("configured", "targets", "given", "expected"),
    [
        (f"{HEAD}inputs = 'inputs.py'\n{ENTRY}", (), {}, {"spec": SpecSource(args=("3",))}),
        (ENTRY, (), {"profile": ("p.sqlite",)}, {"runs_nothing": True}),
        ("", (), {"profile": ("p.sqlite",)}, {"targets": (), "name": "p.sqlite"}),
        (CHECKED, (), {}, {"write_back": WriteBack.CHECK}),
        (CHECKED, (), {"check": False}, {"write_back": WriteBack.IN_PLACE}),
        (CHECKED, (), {"diff": False}, {"write_back": WriteBack.CHECK}),
        (CHECKED, (), {"stubs": "typings"}, {"write_back": WriteBack.STUBS}),
        (f"{HEAD}quiet = true\n{ENTRY}", (), {}, {"verbosity": -1}),
        (f"{HEAD}quiet = true\n{ENTRY}", (), {"verbose": 1}, {"verbosity": 1}),
        (f"{HEAD}timeout = 5\n{ENTRY}timeout = 7\n", ("net.py:Other",), {"arg": ("4",)}, {"timeout": 5.0}),
        (
            f"{HEAD}timeout = 5\n{ENTRY}{OTHER}returns = 'all'\n",
            ("pkg.mod:g",),
            {},
            {"name": "pkg.mod:g", "returns": Returns.ALL, "timeout": 5.0},
        ),
        (f'{HEAD}mend = "all"\n{ENTRY}', (), {}, {"mend": MendLevel.ALL}),
        (f'{HEAD}mend = "all"\n{ENTRY}', (), {"stubs": "typings", "mend": ""}, {"mend": None}),
        (f'{ENTRY}{BROKEN}inputs = "missing.py"\n', ("net.py:Net",), {}, {"name": "net.py:Net"}),
    ],
)
def test_what_a_run_takes(
    configured: str, targets: tuple[str, ...], given: dict[str, object], expected: dict[str, object]
) -> None:
    configure(configured)
    options = one(*targets, **given).options
    assert {name: getattr(options, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("configured", "targets", "given", "error", "said"),
    [
        (f"{ENTRY}inputs = 'inputs.py'\n", (), {}, SpecError, "pyproject.toml:2.*use either --inputs or --arg"),
        (ENTRY, ("net.py:Other",), {}, SpecError, "no example inputs"),
        (ENTRY, ("net.py:Net",), {"inputs": "none.py"}, SpecError, "^:0 no such file of example inputs: none.py"),
        (ENTRY, ("net.py:Net",), {"diff": True, "check": True}, UserError, "^:0 --diff and --check exclude"),
        (f'{ENTRY}{BROKEN}inputs = "missing.py"\n', (), {}, SpecError, "missing.py"),
        (f"{HEAD}[[tool.pdt-annotate.targets]]\ntarget = 'nothing'\n", (), {}, TargetError, "pyproject.toml:3"),
        (f'{HEAD}mend = "all"\n{ENTRY}', (), {"stubs": "typings"}, UserError, "--stubs and --mend exclude.*--mend="),
        (ENTRY, (), {"isolated": True, "config": "a.toml"}, UserError, "exclude each other"),
    ],
)
def test_mistakes_are_reported_with_their_place(
    configured: str, targets: tuple[str, ...], given: dict[str, object], error: type[UserError], said: str
) -> None:
    configure(configured)
    with pytest.raises(error) as caught:
        load("annotate", targets, given)
    place = f"{caught.value.file}:{caught.value.line}"
    assert re.search(said, f"{place} {caught.value.message} {caught.value.hint}", re.DOTALL)


def test_those_that_are_configured_in_their_order(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load("annotate").runs == ()
    configure(f"{ENTRY}{OTHER}third-party = 'overlay'\n")
    first, second = load("annotate").runs
    assert (first.options.name, first.origin) == ("net.py:Net", "pyproject.toml:2:1")
    assert (second.options.name, second.options.third_party) == ("pkg.mod:f, pkg.mod:g", ThirdParty.OVERLAY)
    assert first.options.third_party is ThirdParty.LEAVE
    monkeypatch.chdir("sub")
    first, second = load("annotate").runs
    assert first.options.root == second.options.root == str(project)
    assert first.options.targets[0].text == "net.py:Net"
    assert first.options.targets[0].file == os.path.join("..", "net.py")
    assert second.options.spec == SpecSource(str(project / "inputs.py"))


def test_a_target_is_the_same_however_its_file_is_written(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    configure(ENTRY)
    monkeypatch.chdir("sub")
    assert one("../net.py:Net").options.spec.args == ("3",)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert one(f"{project}/net.py:Net").options.spec.args == ("3",)


def test_those_with_the_same_settings_are_run_together_and_it_is_known_whether_one_is_left_out() -> None:
    assert load("annotate", ["other.py:f"], {"arg": ("3",)}).whole
    configure(f"{HEAD}{ENTRY}{OTHER}")
    assert load("annotate").whole
    assert not load("annotate", ["net.py:Net"]).whole
    runs = load("annotate", ("a:b", "pkg.mod:g", "c:d", "pkg.mod:f"), {"arg": ("1",)}).runs
    assert [run.options.name for run in runs] == ["a:b, c:d", "pkg.mod:g, pkg.mod:f"]


def test_the_command_line_belongs_to_the_working_directory(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(f"{HEAD}root = 'sub'\n{ENTRY}")
    assert one().options.root == str(project / "sub")
    monkeypatch.chdir("sub")
    assert one(root=".").options.root == str(project / "sub")
    monkeypatch.setenv("PDT_ANNOTATE_ROOT", "..")
    assert one().options.root == str(project)


def test_config_names_another_file_and_isolated_reads_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(f"{HEAD}timeout = 5\n{ENTRY}")
    (project / "sub/ci.toml").write_text('[[tool.pdt-annotate.targets]]\ntarget = "n.py:N"\narg = "1"\n')
    run = one(config="sub/ci.toml")
    assert (run.options.targets[0].file, run.options.timeout) == (os.path.join("sub", "n.py"), 600.0)
    assert run.options.root == str(project)
    monkeypatch.setenv("PDT_ANNOTATE_CONFIG", "sub/ci.toml")
    assert one().options.name == "n.py:N"
    configure(f"{HEAD}nonsense = 5\n{ENTRY}")
    for name in ("NONSENSE", "TIMEOUT"):
        monkeypatch.setenv(f"PDT_ANNOTATE_{name}", "1")
    assert load("annotate", (), {"isolated": True}).runs == ()
    assert one("net.py:Net", arg=("3",), isolated=True).options.timeout == 600.0


def test_other_commands_have_settings_and_defaults_of_their_own() -> None:
    configure(f"{HEAD}check = true\nreturns = 'all'\nsave-profile = 'seen.sqlite'\n{ENTRY}")
    (run,) = load("verify").runs
    assert run.options.write_back is WriteBack.NOTHING
    assert "returns" not in run.values
    values = {"save_profile": "seen.sqlite", "root": "", "python": "", "quiet": 1, "config": "", "isolated": False}
    assert load_values("run", {"quiet": 1}) | {"config": "", "isolated": False} == values
    configure(ENTRY)
    assert load("observe").runs[0].options.save_profile == "pdt-profile.sqlite"
    assert load("annotate").runs[0].options.save_profile == ""


def test_what_is_shown_is_toml_that_says_the_same() -> None:
    configure(f"{HEAD}jobs = 3\n{ENTRY}timeout = 7\n{OTHER}")
    shown = show(load("annotate"))
    assert "timeout = 7.0 " in shown and "# pyproject.toml:6" in shown
    assert "# from pyproject.toml" in shown
    before = [run.options for run in load("annotate").runs]
    configure(shown)
    assert [run.options for run in load("annotate").runs] == before
    assert load("annotate").jobs == 3
    shown = show(load("annotate", (), {"isolated": True}))
    assert shown.startswith("# no configuration is read\n[tool.pdt-annotate]\ninputs = ")
    assert "[[" not in shown
