"""What a command is to run: which place prevails for each setting, and which settings a target takes."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from pdt_annotate.cli.load import Run, check_environment, load, load_values, show
from pdt_annotate.settings.options import ThirdParty, WriteBack
from pdt_annotate.values.errors import SpecError, TargetError, UserError
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.runs import SpecSource

HEAD = "[tool.pdt-annotate]\n"
ENTRY = '[[tool.pdt-annotate.targets]]\ntarget = "net.py:Net"\narg = "3"\n'
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


class TestEnvironment:
    @pytest.mark.parametrize(
        "variable",
        ["PDT_ANNOTATE_OVERLAY", "PDT_ANNOTATE_RUN_ROOT", "PDT_TIMEOUT", "_PDT_ANNOTATE_COMPLETE", "TIMEOUT"],
    )
    def test_other_variables_are_left_alone(self, variable: str) -> None:
        check_environment({variable: "typed"})

    def test_an_empty_variable_gives_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        check_environment({"PDT_ANNOTATE_CHECK": "", "PDT_ANNOTATE_CHEK": ""})
        monkeypatch.setenv("PDT_ANNOTATE_TIMEOUT", "")
        assert load_values("observe")["timeout"] == 600.0

    @pytest.mark.parametrize(
        ("variable", "text", "message", "hint"),
        [
            ("PDT_ANNOTATE_CHEK", "1", "PDT_ANNOTATE_CHEK, which is no setting", "did you mean PDT_ANNOTATE_CHECK"),
            ("PDT_ANNOTATE_INTERACTIVE", "1", "which is no setting", ""),
            (
                "PDT_ANNOTATE_XYZ",
                "1",
                "which is no setting",
                "PDT_ANNOTATE_ goes before one of ALSO_RUN, ARG",
            ),
            ("PDT_ANNOTATE_TIMEOUT", "soon", "PDT_ANNOTATE_TIMEOUT takes a number, not 'soon'", ""),
            ("PDT_ANNOTATE_RETURNS", "some", "PDT_ANNOTATE_RETURNS takes one of needed, all, none, not 'some'", ""),
        ],
    )
    def test_mistakes_are_named(
        self, variable: str, text: str, message: str, hint: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(variable, text)
        with pytest.raises(UserError) as caught:
            load("annotate")
        assert message in caught.value.message
        assert hint in caught.value.hint

    def test_values_of_the_environment_are_read_by_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, text in {
            "THIRD_PARTY": "overlay",
            "ARG": "'f32[2, 3]' k=4",
            "PROFILE": f"a{os.pathsep}b c",
            "MEND": "1",
            "VERBOSE": "true",
            "CHECK": "Yes",
            "IGNORE": "PDT037 PDT10",
            "OUTPUT_FILE": r"sarif:C:\out.sarif 'json:a b.json'",
        }.items():
            monkeypatch.setenv(f"PDT_ANNOTATE_{name}", text)
        values = load_values("annotate")
        assert {name: values[name] for name in ("third_party", "arg", "profile", "mend", "verbose", "check")} == {
            "third_party": "overlay",
            "arg": ("f32[2, 3]", "k=4"),
            "profile": ("a", "b c"),
            "mend": "exact",
            "verbose": 1,
            "check": True,
        }
        assert values["ignore"] == ("PDT037", "PDT10")
        assert values["output_file"] == (r"sarif:C:\out.sarif", "json:a b.json")


class TestAlternatives:
    def test_example_calls_of_a_stronger_place_stand_for_all(self) -> None:
        configure(f"{HEAD}inputs = 'inputs.py'\n{ENTRY}")
        assert one().options.spec == SpecSource(args=("3",))
        assert one(inputs="inputs.py").options.spec.args == ()

    def test_a_profile_alone_runs_nothing(self) -> None:
        configure(ENTRY)
        assert one(profile=("p.sqlite",)).options.runs_nothing

    def test_both_in_one_place_are_a_mistake(self) -> None:
        configure(f"{ENTRY}inputs = 'inputs.py'\n")
        with pytest.raises(SpecError, match="not from both") as caught:
            one()
        assert (caught.value.file.endswith("pyproject.toml"), caught.value.line) == (True, 2)

    def test_where_the_result_goes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        configure(f"{HEAD}check = true\n{ENTRY}")
        assert one().options.write_back is WriteBack.CHECK
        assert one(check=False).options.write_back is WriteBack.IN_PLACE
        assert one(diff=False).options.write_back is WriteBack.CHECK
        assert one(stubs="typings").options.write_back is WriteBack.STUBS
        monkeypatch.setenv("PDT_ANNOTATE_DIFF", "1")
        assert one().options.write_back is WriteBack.DIFF

    def test_loudness(self) -> None:
        configure(f"{HEAD}quiet = true\n{ENTRY}")
        assert one().options.verbosity == -1
        assert one(verbose=1).options.verbosity == 1


class TestTargets:
    def test_none_anywhere(self) -> None:
        assert load("annotate").runs == ()

    def test_those_that_are_configured_in_their_order(self, project: Path) -> None:
        configure(f"{ENTRY}{OTHER}third-party = 'overlay'\n")
        first, second = load("annotate").runs
        assert (first.options.name, first.origin) == ("net.py:Net", "pyproject.toml:2:1")
        assert (second.options.name, second.options.third_party) == ("pkg.mod:f, pkg.mod:g", ThirdParty.OVERLAY)
        assert second.options.spec == SpecSource(str(project / "inputs.py"))
        assert first.options.third_party is ThirdParty.LEAVE

    def test_a_configured_one_on_the_command_line_takes_its_settings(self) -> None:
        configure(f"{HEAD}timeout = 5\n{ENTRY}{OTHER}returns = 'all'\n")
        run = one("pkg.mod:g")
        assert (run.options.name, run.options.returns.value, run.options.spec.name) == ("pkg.mod:g", "all", "")
        assert run.options.timeout == 5

    def test_it_is_known_whether_one_is_left_out(self) -> None:
        assert load("annotate", ["other.py:f"], {"arg": ("3",)}).whole
        configure(f"{HEAD}{ENTRY}{OTHER}")
        assert load("annotate").whole
        assert not load("annotate", ["net.py:Net"]).whole

    def test_however_its_file_is_written(self, monkeypatch: pytest.MonkeyPatch) -> None:
        configure(ENTRY)
        monkeypatch.chdir("sub")
        assert one("../net.py:Net").options.spec.args == ("3",)

    def test_another_one_takes_those_of_the_table(self) -> None:
        configure(f"{HEAD}timeout = 5\n{ENTRY}timeout = 7\n")
        assert one("net.py:Other", arg=("4",)).options.timeout == 5
        with pytest.raises(SpecError, match="no example inputs"):
            one("net.py:Other")

    def test_those_with_the_same_settings_are_run_together(self) -> None:
        configure(f"{ENTRY}{OTHER}")
        runs = load("annotate", ("a:b", "pkg.mod:g", "c:d", "pkg.mod:f"), {"arg": ("1",)}).runs
        assert [run.options.name for run in runs] == ["a:b, c:d", "pkg.mod:g, pkg.mod:f"]

    def test_a_mistake_in_one_that_is_not_run_is_none(self) -> None:
        configure(f'{ENTRY}[[tool.pdt-annotate.targets]]\ntarget = "a:b"\ninputs = "missing.py"\n')
        assert one("net.py:Net").options.name == "net.py:Net"
        with pytest.raises(SpecError, match=r"missing\.py"):
            load("annotate")

    def test_text_that_is_no_target_is_told_with_its_place(self) -> None:
        configure(f"{HEAD}[[tool.pdt-annotate.targets]]\ntarget = 'nothing'\n")
        with pytest.raises(TargetError) as caught:
            load("annotate")
        assert caught.value.line == 3

    def test_a_profile_needs_none(self) -> None:
        run = one(profile=("p.sqlite",))
        assert (run.options.targets, run.options.name) == ((), "p.sqlite")


class TestPlaces:
    def test_a_configured_target_belongs_to_its_file(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        configure(f"{ENTRY}{OTHER}")
        monkeypatch.chdir("sub")
        first, second = load("annotate").runs
        assert first.options.root == second.options.root == str(project)
        assert first.options.targets[0].text == "net.py:Net"
        assert first.options.targets[0].file == os.path.join("..", "net.py")
        assert second.options.spec == SpecSource(str(project / "inputs.py"))

    def test_the_command_line_belongs_to_the_working_directory(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        configure(f"{HEAD}root = 'sub'\n{ENTRY}")
        assert one().options.root == str(project / "sub")
        monkeypatch.chdir("sub")
        assert one(root=".").options.root == str(project / "sub")
        monkeypatch.setenv("PDT_ANNOTATE_ROOT", "..")
        assert one().options.root == str(project)

    def test_the_file_of_a_target_leads_to_its_configuration(
        self, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        configure(ENTRY)
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        assert one(f"{project}/net.py:Net").options.spec.args == ("3",)

    def test_config_names_another_file(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        configure(f"{HEAD}timeout = 5\n{ENTRY}")
        (project / "sub/ci.toml").write_text('[[tool.pdt-annotate.targets]]\ntarget = "n.py:N"\narg = "1"\n')
        run = one(config="sub/ci.toml")
        assert (run.options.targets[0].file, run.options.timeout) == (os.path.join("sub", "n.py"), 600.0)
        assert run.options.root == str(project)
        monkeypatch.setenv("PDT_ANNOTATE_CONFIG", "sub/ci.toml")
        assert one().options.name == "n.py:N"

    def test_isolated_reads_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        configure(f"{HEAD}nonsense = 5\n{ENTRY}")
        monkeypatch.setenv("PDT_ANNOTATE_NONSENSE", "1")
        monkeypatch.setenv("PDT_ANNOTATE_TIMEOUT", "1")
        assert load("annotate", (), {"isolated": True}).runs == ()
        assert one("net.py:Net", arg=("3",), isolated=True).options.timeout == 600.0
        with pytest.raises(UserError, match="exclude each other"):
            load("annotate", (), {"isolated": True, "config": "a.toml"})

    def test_stubs_carry_no_mends(self) -> None:
        configure(f'{HEAD}mend = "all"\n{ENTRY}')
        with pytest.raises(UserError, match="--stubs and --mend exclude each other") as caught:
            one(stubs="typings")
        assert "--mend=" in caught.value.hint
        assert one(stubs="typings", mend="").options.mend is None
        assert one().options.mend is MendLevel.ALL


class TestOtherCommands:
    def test_settings_of_others_are_left_out(self) -> None:
        configure(f"{HEAD}check = true\nreturns = 'all'\n{ENTRY}")
        (run,) = load("verify").runs
        assert run.options.write_back is WriteBack.NOTHING
        assert "returns" not in run.values

    def test_a_default_of_their_own(self) -> None:
        configure(ENTRY)
        assert load("observe").runs[0].options.save_profile == "pdt-profile.sqlite"
        assert load("annotate").runs[0].options.save_profile == ""

    def test_one_without_targets(self, project: Path) -> None:
        configure(f"{HEAD}save-profile = 'seen.sqlite'\n{ENTRY}")
        assert load_values("run", {"quiet": 1}) | {"config": "", "isolated": False} == {
            "save_profile": "seen.sqlite",
            "root": "",
            "python": "",
            "quiet": 1,
            "config": "",
            "isolated": False,
        }


def test_what_is_shown_is_toml_that_says_the_same() -> None:
    configure(f"{HEAD}jobs = 3\n{ENTRY}timeout = 7\n{OTHER}")
    shown = show(load("annotate"))
    assert "timeout = 7.0 " in shown and "# pyproject.toml:6" in shown
    assert "# from pyproject.toml" in shown
    before = [run.options for run in load("annotate").runs]
    configure(shown)
    assert [run.options for run in load("annotate").runs] == before
    assert load("annotate").jobs == 3


def test_without_targets_the_settings_for_any_are_shown() -> None:
    shown = show(load("annotate", (), {"isolated": True}))
    assert shown.startswith("# no configuration is read\n[tool.pdt-annotate]\ninputs = ")
    assert "[[" not in shown
