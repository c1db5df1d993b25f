"""A profile, and the file that it was saved to."""

from __future__ import annotations

from pathlib import Path

import pytest
from profiled import two_runs

from pdt_annotate import profiles
from pdt_annotate.profiles import Profile


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    return two_runs(tmp_path / "project")


@pytest.fixture
def file(profile: Profile, tmp_path: Path) -> Path:
    saved = tmp_path / "saved" / "p.sqlite"
    profiles.save(str(saved), profile)
    return saved
