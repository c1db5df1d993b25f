"""The table of settings is the one place: click, the environment, pyproject.toml, Options and the docs follow it."""

from __future__ import annotations

import re
from dataclasses import fields

import click
import pytest
from repository import ROOT

from pdt_annotate import cli, settings
from pdt_annotate.settings.layers import VARIABLES
from pdt_annotate.settings.load import FIELDS, MODES
from pdt_annotate.settings.options import Options
from pdt_annotate.settings.pyproject import EVERYWHERE, PER_TARGET
from pdt_annotate.settings.table import BY_NAME, SETTINGS, Setting

DOCS = ROOT / "docs" / "configuration.md"
COMMANDS = (
    settings.ANNOTATE,
    settings.OBSERVE,
    settings.VERIFY,
    settings.RUN,
    settings.CAPTURES,
    settings.GRAPH,
)

HANDLED = {"inputs", "arg", "profile", "quiet", "verbose", *MODES}
"""Settings that are read into fields of other names."""

NOT_OF_ONE_RUN = {"jobs", "config", "isolated", "show-settings"}
"""Settings that no Options has."""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_an_option_for_each_setting_and_no_other(name: str) -> None:
    params = cli.main_group.commands[name].params
    options = {param.name: param for param in params if isinstance(param, click.Option)}
    assert list(options) == [setting.key for setting in settings.settings_of(name)]
    for setting in settings.settings_of(name):
        option = options[setting.key]
        assert f"--{setting.name}" in option.opts
        assert (f"-{setting.short}" in option.opts) is bool(setting.short)
        assert option.default == setting.default_for(name)
        assert option.help == setting.help


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda each: each.name)
def test_every_setting_has_a_place_in_the_options_of_a_run(setting: Setting) -> None:
    places = (setting.key in FIELDS, setting.name in HANDLED, setting.name in NOT_OF_ONE_RUN)
    assert any(places)


def test_every_option_of_a_run_comes_from_a_setting() -> None:
    made = {"targets", "spec", "specs", "write_back", "profiles", "verbosity"}
    assert {field.name for field in fields(Options)} - made <= {setting.key for setting in SETTINGS}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda each: each.name)
def test_a_default_is_a_value_of_its_kind(setting: Setting) -> None:
    for default in (setting.default, *setting.defaults.values()):
        plain = list(default) if isinstance(default, tuple) else default
        assert setting.kind.of_toml(plain) == default


def test_names_letters_and_variables_are_unique() -> None:
    assert len(BY_NAME) == len(SETTINGS)
    for command in COMMANDS:
        letters = [setting.short for setting in settings.settings_of(command) if setting.short]
        assert len(set(letters)) == len(letters)
    assert set(VARIABLES) == {s.variable for s in SETTINGS if s.in_environment}
    assert set(PER_TARGET) < set(EVERYWHERE)


def test_the_overlays_variable_is_left_to_programs() -> None:
    assert "PDT_ANNOTATE_OVERLAY" not in VARIABLES


@pytest.mark.parametrize("setting", [s for s in SETTINGS if s.configurable], ids=lambda each: each.name)
def test_the_page_names_every_setting(setting: Setting) -> None:
    assert re.search(rf"`{setting.name}`", DOCS.read_text())


def test_no_form_of_a_flag_is_listed_that_changes_nothing() -> None:
    with click.Context(cli.main_group.commands[settings.ANNOTATE]) as context:
        text = cli.main_group.commands[settings.ANNOTATE].get_help(context)
    assert "--diff " in text and "--no-diff" not in text
