"""Fields of config objects."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended, held

from pdt_annotate.search.mend.config_fields import RULE
from pdt_annotate.values.mends import Held, HeldValue, MendKind

MODULE = """\
class Net:
    def __init__(self, args):
        super().__init__()
        self.args = args

    def forward(self, x):
        {}
{}"""
CONFIG = Held((HeldValue("model.Config"),))
TUPLE = Held((HeldValue("model.Args", immutable=True),))
DICT = Held((HeldValue("builtins.dict", length=2),))


def find(folder: Path, line: str, args: Held, more: str = "") -> Mended:
    return Mended(folder, MODULE.format(line, more), {"Net": {"args": args}})


@pytest.mark.parametrize(
    ("line", "args"),
    [
        ("return x * self.args.scale", held("3")),
        ("return x * self.args.scale", Held((HeldValue("torch.nn.modules.linear.Linear"),))),
        ("return x * self.args.scale", Held((HeldValue("model.Layer", is_module=True),))),
        ("return x * self.args.scale", Held((HeldValue("model.Config"),), changes=True)),
        ("return x * self.args.scale", Held()),
        ("return x * self.args.scale()", CONFIG),
        ("self.args.scale = 3", CONFIG),
        ("return x * self.args['scale']", CONFIG),
        ("return x * self.args['a b']", DICT),
        ("return x * self.args.items", DICT),
        ("return x * other.args.scale", CONFIG),
    ],
)
def test_what_is_left_alone(tmp_path: Path, line: str, args: Held) -> None:
    assert find(tmp_path, line, args).apply(RULE) == MODULE.format(line, "")


@pytest.mark.parametrize(
    "more",
    ["\ndef widen(args):\n    args.scale = 2\n", "\n    def swap(self, args):\n        self.args = args\n"],
)
def test_what_is_set_later_is_left_alone(tmp_path: Path, more: str) -> None:
    line = "return x * self.args.scale"
    assert find(tmp_path, line, CONFIG, more).apply(RULE) == MODULE.format(line, more)


@pytest.mark.parametrize(
    ("args", "read", "kind"),
    [(CONFIG, ".scale", MendKind.FROZEN), (TUPLE, ".scale", MendKind.EXACT), (DICT, '["scale"]', MendKind.FROZEN)],
)
def test_what_functions_read_is_copied_once(tmp_path: Path, args: Held, read: str, kind: MendKind) -> None:
    more = f"\n    def g(self, x):\n        return self.args{read} + self.args{read}\n"
    found = find(tmp_path, f"return x * self.args{read}", args, more)
    assert {mend.kind for mend in found.find(RULE)} == {kind}
    text = found.apply(RULE)
    assert text.count(f"        self.args = args\n        self._args_scale = self.args{read}\n") == 1
    assert "return x * self._args_scale\n" in text and "return self._args_scale + self._args_scale\n" in text
