"""The pytest plugin: `pytest --pdt` observes a test run, as `pdt-annotate run -- pytest` does (docs/run.md).

Every pytest imports this at its start, so it imports next to nothing until it is used.
"""

from __future__ import annotations

import os

import pytest

DEFAULT = "pdt-profile.sqlite"
PARTS = "PDT_ANNOTATE_RUN_PARTS"  # set in every process of an observed program, such as the workers of pytest-xdist


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("pdt-annotate").addoption(
        "--pdt",
        nargs="?",
        const=DEFAULT,
        metavar="PROFILE",
        help=f"observe the types in the project's functions, for pdt-annotate, and save them [{DEFAULT}]",
    )
    parser.addini("pdt_root", "directory of the files whose functions --pdt observes [the project]", default="")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before any module of the project is imported."""
    is_observed = PARTS in os.environ
    file = early_config.known_args_namespace.pdt
    if not (file or is_observed):
        return
    from pdt_annotate.pytest_plugin.observed_session import ObservedSession, ObservedTests  # noqa: PLC0415

    if file and not is_observed:
        early_config.pluginmanager.register(ObservedSession(early_config, file))
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    early_config.pluginmanager.register(ObservedTests(bool(file and is_observed and not is_worker)))
