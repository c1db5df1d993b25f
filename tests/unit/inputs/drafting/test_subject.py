"""The kind of a target, which is read from its source."""

from pathlib import Path

import pytest
from drafted import IMPORTS, names_in, write

from pdt_annotate.inputs.drafting.subject import DraftSubject, read_subject
from pdt_annotate.inputs.target import parse
from pdt_annotate.values.errors import TargetError

SOURCE = """
import torch
from torch import nn
from lib import Stranger, make_stranger

class Base(nn.Module):
    def __init__(self, width):
        super().__init__()
    def encode(self, x):
        return x

class Net(Base):
    def forward(self, x, k=2):
        return x
    @torch.jit.export
    def decode(self, z):
        return z
    def extra(self):
        pass
    @staticmethod
    def scale(x, by):
        return x

class Foreign(Stranger):
    def __init__(self, n):
        pass

class Sequence(nn.Module):
    pass

class Box:
    def __init__(self, size):
        self.size = size
    def grow(self, by):
        pass
    def _hidden(self):
        pass

class Loop(Loop2):
    pass
class Loop2(Loop):
    pass

def function(x, n):
    return x
def constant():
    return 3
def make():
    net = Net(3)
    return net
def make_sized(width=3):
    return Net(width)
def make_moved():
    net = make()
    net = net.to("cpu")
    return net.eval()
def make_again():
    return make_moved()
def make_said() -> Net:
    return globals()["Net"](3)
def make_foreign():
    return make_stranger()

net = Net(3)
foreign = make_stranger()
"""


def read(target: str, folder: Path) -> DraftSubject:
    files = {"src/inner/__init__.py": "", "src/inner/net.py": f"{IMPORTS}class Net(nn.Module):\n    pass\n"}
    write(folder, files | {"mod.py": SOURCE, "pkg/__init__.py": "from mod import Net, net\n"})
    return read_subject(parse(target), names_in(folder))


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        ("mod:Nett", "does not define 'Nett'", "Net"),
        ("mod:Net.encodes", "does not define 'Net.encodes'", "did you mean"),
        ("nope:Net", "no source of a module 'nope'", "FILE.py:Net"),
        ("mo.py:Net", "no file mo.py", "mod.py"),
        ("mod:Box.grow", "not an nn.Module", "target the class: mod:Box"),
    ],
)
def test_refused(target: str, message: str, hint: str, project: Path) -> None:
    with pytest.raises(TargetError) as refused:
        read(target, project)
    assert message in refused.value.message and hint in refused.value.hint


KINDS = {
    ("module", ("forward", "decode"), ("width",)): (
        "mod:Net mod.py:Net pkg:Net mod:make mod:make_sized() mod:make_moved mod:make_again mod:make_said mod:net "
        "pkg:net"
    ),
    ("module", ("extra",), ("width",)): "mod:Net.extra",
    ("module", ("encode",), ("width",)): "mod:Net.encode mod:make_sized().encode",
    ("function", ("scale",), ()): "mod:Net.scale",
    ("module", (), ()): "mod:Sequence",
    ("class", ("__init__",), ("n",)): "mod:Foreign",
    ("class", ("__init__", "grow"), ("size",)): "mod:Box",
    ("class", (), ()): "mod:Loop",
    ("function", ("function",), ()): "mod:function",
    ("function", ("constant",), ()): "mod:constant",
    ("function", ("make_sized",), ()): "mod:make_sized",
    ("unknown", (), ()): "mod:make_foreign mod:foreign",
}
"""The kind, the entries and the constructor parameters of targets."""


@pytest.mark.parametrize(
    ("target", "expected"), [(target, kind) for kind, targets in KINDS.items() for target in targets.split()]
)
def test_kinds(target: str, expected: tuple[str, tuple[str, ...], tuple[str, ...]], project: Path) -> None:
    subject = read(target, project)
    entries = tuple(entry.name for entry in subject.entries)
    assert (subject.kind, entries, tuple(each.name for each in subject.constructor_parameters)) == expected


def test_a_file_in_a_package_is_imported_by_its_dotted_name(project: Path) -> None:
    subject = read("src/inner/net.py:Net", project)
    assert (subject.module, subject.qualname) == ("inner.net", "Net")
