"""What the search for mends makes of rules."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdt_annotate.search.find_mends import MendSearch, Version
from pdt_annotate.search.mend.make import Mended
from pdt_annotate.search.mend.rule import MendRule
from pdt_annotate.search.mend.site import MendSite
from pdt_annotate.source.project import Project
from pdt_annotate.values.budget import UNBOUNDED
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure


def find_one(site: MendSite) -> Iterator[Mend]:
    yield site.mend("one", MendKind.FROZEN, site.node, "one", [])


def stumble(site: MendSite) -> Iterator[Mend]:
    raise AttributeError("no such node")


@pytest.fixture
def site(tmp_path: Path) -> MendSite:
    (tmp_path / "model.py").write_text("def f(x):\n    return x\n")
    project = Project(str(tmp_path), {"model": str(tmp_path / "model.py")})
    return MendSite(project.survey(project.modules["model"]).functions[0], project)


def refuse(mended: Mended) -> Version:
    raise UserError("does not build")


def search(*kinds: MendKind) -> MendSearch:
    return MendSearch(refuse, kinds, UNBOUNDED)


def test_only_what_is_allowed_is_found_each_with_its_reason(site: MendSite) -> None:
    rule, failure = MendRule("one", MendKind.FROZEN, lambda failure: True, find_one), Failure("why")
    assert [mend.because for mend in search(*MendKind)._find(rule, site, failure)] == ["why"]
    assert search(MendKind.EXACT)._find(rule, site, failure) == []


def test_a_rule_that_stumbles_finds_nothing_and_is_logged(site: MendSite, caplog: pytest.LogCaptureFixture) -> None:
    rule = MendRule("odd", MendKind.EXACT, lambda failure: True, stumble)
    with caplog.at_level(logging.INFO, "pdt_annotate"):
        assert search(*MendKind)._find(rule, site, None) == []
    assert "the rule odd stumbled" in caplog.text


def test_a_version_that_does_not_build_is_none(site: MendSite) -> None:
    assert search(*MendKind)._look(Mended(site.project)) is None
