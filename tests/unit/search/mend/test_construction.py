"""What constructors set, and who else does."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.construction import (
    LISTS,
    constructor,
    declare,
    heirs,
    is_list,
    is_list_of_lists,
    is_set_later,
    last_setting,
    name_of_one,
)
from pdt_annotate.search.mend.site import MendSite, Witnessed
from pdt_annotate.values.mends import Held, HeldValue

SOURCE = '''
class Base(nn.Module):
    """Doc."""

    def __init__(self, a):
        super().__init__()
        if a:
            self.a = a
        self.b = a
        self.b += 1

    def forward(self, x):
        return x

    def later(self):
        self.b = 2


class Heir(Base):
    def reset(self):
        self.c = 1


class Stranger:
    def reset(self):
        self.a = 1


def switch(net):
    net.d = 1
'''


@pytest.fixture
def site(tmp_path: Path) -> MendSite:
    project = Mended(tmp_path, SOURCE).project
    functions = project.survey(str(tmp_path / "model.py")).functions
    return MendSite(next(f for f in functions if f.node.name == "forward"), project, Witnessed())


@pytest.mark.parametrize(("attribute", "line"), [("a", 7), ("b", 10), ("c", 6)])
def test_the_last_statement_that_sets_an_attribute(site: MendSite, attribute: str, line: int) -> None:
    built = constructor(site)
    assert built and (found := last_setting(built, attribute)) and found.lineno == line


@pytest.mark.parametrize(("attribute", "later"), [("a", False), ("b", True), ("c", True), ("d", True), ("e", False)])
def test_an_attribute_is_set_later_by_methods_heirs_and_functions(site: MendSite, attribute: str, later: bool) -> None:
    assert is_set_later(site, attribute) is later


def test_heirs_are_classes_that_inherit(site: MendSite) -> None:
    assert heirs(site.project, "Base") == {"Base", "Heir"}


def test_a_line_of_the_class_body_stands_behind_its_docstring(site: MendSite) -> None:
    assert site.cls
    text = site.text.edit(declare(site, site.cls, "a: int")).decode()
    assert '    """Doc."""\n\n    a: int\n\n    def __init__' in text


LAYERS = HeldValue(LISTS[0], length=1, items=("torch.nn.modules.linear.Linear",))
BLOCKS = HeldValue(LISTS[0], length=1, items=(LISTS[1],))


def test_a_list_is_one_in_all_modules() -> None:
    assert is_list(Held((LAYERS, BLOCKS))) and not is_list(Held((LAYERS,), lacking=True)) and not is_list(Held())
    assert not is_list(Held((LAYERS, HeldValue("builtins.NoneType", literal="None"))))


def test_a_list_of_lists_has_lists_alone() -> None:
    assert is_list_of_lists(Held((BLOCKS,))) and not is_list_of_lists(Held((BLOCKS, LAYERS)))


@pytest.mark.parametrize(
    ("attribute", "name"),
    [("convs", "conv"), ("_blocks", "block"), ("layers", "one_layer"), ("entries", "entry"), ("emb", "emb_layer")],
)
def test_one_is_named_after_its_list(tmp_path: Path, attribute: str, name: str) -> None:
    project = Mended(tmp_path, "def f(layer):\n    pass\n").project
    site = MendSite(project.survey(str(tmp_path / "model.py")).functions[0], project, Witnessed())
    assert name_of_one(site, attribute) == name
    assert name_of_one(site, attribute, [name]) != name
