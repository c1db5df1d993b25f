"""The versions are those of what is installed, and asking for them imports nothing of it."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from pdt_annotate.settings.load import versions
from pdt_annotate.values.version import __version__


def test_nothing_is_imported_for_it() -> None:
    code = "import sys, pdt_annotate.settings.load as v; v.versions(); print({'torch', 'libcst'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_they_are_those_installed() -> None:
    known = versions()
    assert list(known) == ["pdt-annotate", "torch", "libcst", "MonkeyType", "Python"]
    assert all(known.values())
    assert known["pdt-annotate"] == __version__
    assert torch.__version__.startswith(known["torch"])  # which build it is, a wheel may leave out
    assert known["Python"] == sys.version.split()[0]


def test_what_is_not_installed_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pdt_annotate.settings.load.PACKAGES", ("no-such-package",))
    assert versions()["no-such-package"] == ""
