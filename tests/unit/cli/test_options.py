"""Options are declared in one place: click, the environment, pyproject.toml, `Options` and the docs follow it."""

from __future__ import annotations

import re
from dataclasses import fields

import click
import pytest
from repository import ROOT

from pdt_annotate import cli
from pdt_annotate.cli.load import VARIABLES
from pdt_annotate.cli.options import SETTINGS, Setting, options_of
from pdt_annotate.cli.pyproject import EVERYWHERE, PER_TARGET
from pdt_annotate.settings.options import Options, WriteBack

DOCS = ROOT / "docs" / "configuration.md"
COMMANDS = ("annotate", "observe", "verify", "run", "captures", "graph", "hook")

FIELDS = {field.name for field in fields(Options)}

HANDLED = {"inputs", "arg", "profile", "quiet", "verbose", *(each.option for each in WriteBack)}
"""Options that are read into fields of other names."""

NOT_OF_ONE_RUN = {"jobs", "config", "isolated", "show_settings"}
"""Options that no `Options` has."""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_its_options_and_no_other(name: str) -> None:
    params = cli.main_group.commands[name].params
    assert [param.name for param in params if isinstance(param, click.Option)] == [
        each.key for each in options_of(name)
    ]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda each: each.long)
def test_every_option_has_a_place_in_the_options_of_a_run(setting: Setting) -> None:
    assert setting.key in FIELDS | HANDLED | NOT_OF_ONE_RUN


def test_every_field_of_a_run_comes_from_an_option() -> None:
    made = {"targets", "spec", "write_back", "profiles", "verbosity"}
    assert made | {setting.key for setting in SETTINGS} >= FIELDS


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda each: each.long)
def test_a_default_is_a_value_of_its_kind(setting: Setting) -> None:
    for default in (setting.default, *setting.defaults.values()):
        if default != "":
            assert setting.read_toml(list(default) if isinstance(default, tuple) else default, ".") == default


def test_names_letters_and_variables_are_unique() -> None:
    assert len({setting.key for setting in SETTINGS}) == len(SETTINGS)
    for command in COMMANDS:
        forms = [form for setting in options_of(command) for form in (*setting.opts, *setting.secondary_opts)]
        assert len(set(forms)) == len(forms)
    assert set(PER_TARGET) < set(EVERYWHERE)


def test_the_overlays_variable_is_left_to_programs() -> None:
    assert "PDT_ANNOTATE_OVERLAY" not in VARIABLES


def test_a_command_may_have_a_default_of_its_own() -> None:
    assert [each.default for each in options_of("run") if each.key == "save_profile"] == ["pdt-profile.sqlite"]
    assert [each.default for each in options_of("annotate") if each.key == "save_profile"] == [""]


@pytest.mark.parametrize(
    "setting", [s for s in SETTINGS if s.in_pyproject or s.allow_from_autoenv], ids=lambda each: each.long
)
def test_the_page_names_every_setting(setting: Setting) -> None:
    assert re.search(rf"`{setting.long}`", DOCS.read_text())


def test_no_form_of_a_flag_is_listed_that_changes_nothing() -> None:
    with click.Context(cli.main_group.commands["annotate"]) as context:
        text = cli.main_group.commands["annotate"].get_help(context)
    assert "--diff " in text and "--no-diff" not in text
