"""Links that lead out of where something is to be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdt_annotate.emit.files.within import assert_led_by_no_link, assert_within
from pdt_annotate.values.errors import UserError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (root / "in").symlink_to("sub")
    (root / "out").symlink_to("..")
    return root


@pytest.mark.parametrize("path", ["x", "sub/x", "in/x", "no/such/x"])
def test_what_stays_may_be_written(path: str, project: Path) -> None:
    assert_within([str(project / path)], str(project))
    assert_led_by_no_link(str(project / path), str(project), "--json")


def test_what_leads_out_is_refused(project: Path) -> None:
    with pytest.raises(UserError, match="a link leads out of"):
        assert_within([str(project / "x"), str(project / "out" / "x")], str(project))
    with pytest.raises(UserError, match=r"--json cannot be written: the link .*out leads out of the project"):
        assert_led_by_no_link(str(project / "out" / "x"), str(project), "--json")


def test_who_names_a_place_outside_gets_it(project: Path, tmp_path: Path) -> None:
    assert_led_by_no_link(str(tmp_path / "x"), str(project), "--json")
