"""What the search for mends makes of rules."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from star_package import write_package

from pdt_annotate.flows.review import review_cut_off
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.find_mends import MendSearch, Version
from pdt_annotate.search.mend.make import Mended
from pdt_annotate.search.mend.site import MendRule, MendSite
from pdt_annotate.search.plan import Plan
from pdt_annotate.source import imports
from pdt_annotate.source.imports import read_names
from pdt_annotate.source.pages import module_name_of
from pdt_annotate.source.project import Project
from pdt_annotate.source.survey import Function
from pdt_annotate.values.budget import UNBOUNDED, Budget
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.places import Place
from pdt_annotate.values.verdicts import Failure, Trial, Verdict


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


@dataclass(frozen=True)
class Failing(Version):
    """A version that fails in one function, where no session is asked."""

    failures = (Failure("why"),)
    in_reach = iter(())
    sites = ()

    def way_to(self, failure: Failure) -> Iterator[tuple[Place, Function]]:
        return iter(())


class TestBudget:
    """A search for mends in a package of which only so many files can be read in time."""

    @pytest.fixture
    def project(self, tmp_path: Path) -> Project:
        package = write_package(tmp_path, 60)
        return Project(str(tmp_path), {module_name_of(str(file)): str(file) for file in package.rglob("*.py")})

    def failing(self, project: Project) -> Failing:
        failed = Trial((Verdict("scripts", False, Failure("why")),))
        return Failing(Mended(project), None, Step(Plan(), failed))  # type: ignore[arg-type]

    @pytest.mark.parametrize("seconds", [0, 1, 30])
    def test_reading_ends_where_it_is_spent(
        self, seconds: int, project: Project, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ticks, read = count(), list[str]()
        monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
        monkeypatch.setattr(imports, "read_names", lambda page: read.append(page.file) or read_names(page))

        def find_name(site: MendSite) -> Iterator[Mend]:
            assert site.project.names.find(site.file, "nothing") is None
            yield from ()

        rule = MendRule("names", MendKind.EXACT, lambda failure: True, find_name, sweeps=True)
        (function, *_) = project.survey(project.modules["pkg.sub.net"]).functions
        site, version = MendSite(function, project, failure=Failure("why")), self.failing(project)
        monkeypatch.setattr(Failing, "sites", (site,))
        ended = MendSearch(refuse, [*MendKind], Budget(seconds, began=0), (rule,)).run(version)
        assert len(read) <= seconds
        (said,) = [each.message for each in review_cut_off(ended.step.cut_off, seconds, project)]
        assert said.startswith(f"the search ended after {seconds} s, before ")
        assert "change of code" in said and ("reading pkg" in said) == (seconds > 1)

    def test_it_goes_to_the_end_in_time(self, project: Project) -> None:
        version = self.failing(project)
        assert MendSearch(refuse, [*MendKind], Budget(1e9)).run(version) is version
