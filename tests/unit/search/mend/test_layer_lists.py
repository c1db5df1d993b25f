"""Lists of layers, by what modules held."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.layer_lists import LISTS, is_list, is_list_of_lists, name_of_one
from pdt_annotate.search.mend.site import MendSite, Witnessed
from pdt_annotate.values.mends import Held, HeldValue

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
