"""Targets: parsing, importing, finding, resolving, with real files in separate projects."""

import os
import sys
import types
from pathlib import Path
from textwrap import dedent

import pytest
import torch

from pdt_annotate.inputs.import_target import load_module
from pdt_annotate.inputs.resolve import Subject, class_of, resolve
from pdt_annotate.inputs.target import parse
from pdt_annotate.overlays.serving import OverlayFinder, install
from pdt_annotate.source.identifiers import module_name_of
from pdt_annotate.values.errors import TargetError, UserCodeError
from pdt_annotate.values.runs import Target

NET = """
    import functools
    import torch
    from torch import nn
    class Net(nn.Module):
        def __init__(self, width=2):
            super().__init__()
            self.lin = nn.Linear(width, width)
        def forward(self, x):
            return self.lin(x)
        def encode(self, x):
            return x
        @staticmethod
        def scale(x):
            return x
        @classmethod
        def create(cls):
            return cls()
        @property
        def width(self):
            return 2
    class Wide(nn.Module):
        def __init__(self, width, *, depth, bias=True):
            super().__init__()
    class Plain:
        def __init__(self):
            self.n = 1
        def get(self, x):
            return x
    net = Net()
    plain = Plain()
    scripted = torch.jit.script(nn.Linear(1, 1))
    half = functools.partial(torch.add, 1)
    number = 3
    def double(x):
        return 2 * x
    def constant():
        return 42
    def make_net():
        return Net(3)
    def make_function():
        return double
    def make_class():
        return Plain
    def make_module_class():
        return Net
    def make_method():
        return net.encode
    bound = net.encode
    def make_sized(width=5):
        return Net(width)
    def fail():
        raise KeyError("weights")
    def leave():
        raise SystemExit(3)
"""


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text))
    return path


@pytest.fixture(autouse=True)
def net(project: Path) -> Path:
    return write("net.py", NET)


def resolve_text(text: str, **options: object) -> Subject:
    target = parse(text)
    return resolve(target, load_module(target), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("pkg.mod:Net", ("pkg.mod", "", "Net")),
        ("mod:Net.encode", ("mod", "", "Net.encode")),
        ("mod:make_net()", ("mod", "", "make_net", True)),
        ("mod:Net.make().lin.x", ("mod", "", "Net.make", True, "lin.x")),
        ("a.py:make().encode", ("", "a.py", "make", True, "encode")),
        ("a/b c.py:Net", ("", "a/b c.py", "Net")),
        (r"C:\x\net.py:Net", ("", r"C:\x\net.py", "Net")),
    ],
)
def test_parse(text: str, parts: tuple[str, ...]) -> None:
    assert parse(text) == Target(text, *parts)  # type: ignore[arg-type]


NO_TARGETS = {
    "MODULE:NAME": "Net :Net net.py::Net pkg/net:Net .net:Net net:Net..x net:3 net:Net()encode net:Net(). net:().x",
    "did you mean pkg.mod:Net?": "pkg.mod.Net",
    "net.py:NAME": "net.py net.py:",
    "in quotes: -a": "3]",
    "`model` in the spec": "net:Net(4) net:Net(4).encode net:Net().encode()",
}


@pytest.mark.parametrize(
    ("text", "hint"),
    [("", "MODULE:NAME"), *((text, hint) for hint, texts in NO_TARGETS.items() for text in texts.split())],
)
def test_parse_refuses(text: str, hint: str, net: Path) -> None:
    net.unlink()
    with pytest.raises(TargetError) as caught:
        parse(text)
    assert hint in caught.value.hint


def test_module_name_of() -> None:
    Path("lone").mkdir()
    for package in ("pkg", "pkg/sub", "my-pkg"):
        write(f"{package}/__init__.py", "")
    names = {"lone/net.py": "net", "pkg/sub/net.py": "pkg.sub.net", "pkg/__init__.py": "pkg", "my-pkg/net.py": "net"}
    assert {file: module_name_of(file) for file in names} == names
    assert module_name_of("lone/my-net.py") == ""


def test_modules_are_found_by_name_in_the_working_directory_and_src_and_by_file() -> None:
    write("here.py", "x = 1")
    write("src/pkg/__init__.py", "")
    write("src/pkg/there.py", "x = 2")
    assert load_module(parse("here:x")).x == 1
    assert load_module(parse("pkg.there:x")).x == 2
    write("lib/own/__init__.py", "")
    write("lib/own/base.py", "class Base: pass")
    write("lib/own/net.py", "from .base import Base\nclass Net(Base): pass")
    module = load_module(parse("lib/own/net.py:Net"))
    assert module.__name__ == "own.net"
    assert load_module(parse("own.net:Net")) is module
    assert load_module(parse("lib/own/base.py:Base")).Base is module.Base
    write("models/layers.py", "class Layer: pass")
    write("models/lone_net.py", "from layers import Layer\nclass Net(Layer): pass")
    module = load_module(parse("models/lone_net.py:Net"))
    assert module.__name__ == "lone_net"
    assert __import__("lone_net") is load_module(parse("models/lone_net.py:Net")) is module


def test_a_file_whose_stem_is_taken_or_no_name_shadows_nothing_and_a_package_whose_name_is_taken_is_refused() -> None:
    write("here/types.py", "class Net: pass")
    write("other/types.py", "class Net: pass")
    first, second = load_module(parse("here/types.py:Net")), load_module(parse("other/types.py:Net"))
    assert sys.modules["types"] is types
    assert first.Net is not second.Net
    assert load_module(parse("here/types.py:Net")) is first
    assert sys.modules[first.Net.__module__] is first
    write("my-net.v2.py", "class Net: pass")
    assert load_module(parse("my-net.v2.py:Net")).Net.__module__.isidentifier()
    write("email/__init__.py", "")
    write("email/net.py", "")
    __import__("email")
    with pytest.raises(TargetError, match=r"another module is imported as 'email\.net'"):
        load_module(parse("email/net.py:Net"))


@pytest.mark.parametrize("name", ["served_net.py", "served-net.py", "pkg/served_net.py"])
def test_the_overlay_is_served_however_a_file_is_imported(name: str) -> None:
    write("pkg/__init__.py", "")
    install({str(write(name, "x = 'file'").resolve()): b"x = 'overlay'"})
    assert any(isinstance(finder, OverlayFinder) for finder in sys.meta_path)
    assert load_module(parse(f"{name}:x")).x == "overlay"


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("itself.py:Net", "the link itself.py leads back to itself: "),
        ("round.py:Net", "the link round.py leads back to itself: "),
        ("within/net.py:Net", "the link within/net.py leads back to itself: "),
        ("gone.py:Net", "gone.py is a link to nowhere.py, which does not exist"),
        ("itsel.py:Net", ""),
        ("itself:Net", "looked in "),
    ],
)
def test_a_link_that_leads_nowhere_is_not_what_was_meant(text: str, hint: str) -> None:
    links = {"itself.py": "itself.py", "round.py": "about.py", "about.py": "round.py", "within": "within"}
    for name, to in {**links, "gone.py": "nowhere.py"}.items():
        os.symlink(to, name)
    with pytest.raises(TargetError) as caught:
        resolve_text(text)
    assert caught.value.message.startswith("there is no ")
    assert caught.value.hint.startswith(hint) and "did you mean" not in caught.value.hint


@pytest.mark.parametrize(
    ("name", "text", "message", "line"),
    [
        ("broken.py", "x = 1\nimport no_such_dependency\n", "no_such_dependency", 2),
        ("syntax.py", "x = 1\ndef f(:\n", None, 2),
        ("exits-now.py", "raise SystemExit(1)", None, 1),
    ],
)
def test_errors_in_the_users_module_are_located(name: str, text: str, message: str | None, line: int) -> None:
    write(name, text)
    with pytest.raises(UserCodeError, match=message) as caught:
        load_module(parse(f"{name}:x"))
    assert (Path(caught.value.file).name, caught.value.line) == (name, line)


RESOLVED = {
    ("module", "", "Net"): "Net Net() net make_net make_net() make_sized() make_module_class Net.create",
    ("module", "", "Linear"): "net.lin make_net().lin",
    ("module", "forward", "Net"): "Net.forward",
    ("module", "forward", "Linear"): "make_net.lin.forward",
    ("module", "encode", "Net"): "Net.encode net.encode Net().encode make_net().encode make_net.encode make_method "
    "make_sized().encode Net.create().encode Net.create.encode bound",
    ("function", "", "function"): "make_net().scale Net.scale double constant make_sized make_function",
    ("method", "", "function"): "Plain.get",
    ("method", "", "method"): "plain.get",
    ("class", "", "type"): "Plain make_class",
}


@pytest.mark.parametrize(
    ("name", "expected"), [(name, expected) for expected, names in RESOLVED.items() for name in names.split()]
)
def test_resolve(name: str, expected: tuple[str, str, str]) -> None:
    subject = resolve_text(f"net:{name}")
    assert (subject.kind, subject.method, type(subject.make()).__name__) == expected


def test_make_is_fresh_and_scripts() -> None:
    for name in ("Net", "make_net", "Net.encode", "make_net().encode", "make_net.lin"):
        subject = resolve_text(f"net:{name}")
        first, second = subject.make(), subject.make()
        assert first is not second
        assert torch.jit.script(first) is not None
    for name, made in {"net": "net", "constant": "constant", "make_function": "double"}.items():
        assert resolve_text(f"net:{name}").make() is getattr(sys.modules["net"], made)
    subject, weights = resolve_text("net:make_net"), []
    for _ in range(2):
        torch.manual_seed(7)
        weights.append(subject.make().lin.weight)
    assert torch.equal(*weights)


def test_the_spec_says_how_a_class_is_constructed_and_the_class_of_a_target() -> None:
    with pytest.raises(TargetError, match=r"Wide takes arguments \(width, depth\)") as caught:
        resolve_text("net:Wide").make()
    assert "`model`" in caught.value.hint
    module = load_module(parse("net:Wide"))
    model = resolve_text("net:Wide", build=lambda: module.Wide(3, depth=1)).make()
    assert isinstance(model, module.Wide)
    for name in ("Wide()", "Wide.train", "Wide().train"):
        assert resolve_text(f"net:{name}", build=lambda: model).make() is model
    assert resolve_text("net:double", build=lambda: model).make() is module.double
    classes = ("Net", "Net.encode", "Net().encode")
    for name in (*classes, "net", "double", "Plain", "Plain.get", "make_net", "make_net.encode"):
        target = parse(f"net:{name}")
        module = load_module(target)
        assert class_of(target, module) is (module.Net if name in classes else None)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("ner.py:Net", "there is no file ner.py", "did you mean net.py?"),
        ("nowhere.net:Net", "there is no module 'nowhere'", "src/"),
        ("net.Net:forward", "there is no module 'net.Net'", "write net:Net"),
        ("net:Nett", "the module 'net' has no 'Nett'", "did you mean Net?"),
        ("net:Net.encod", "the class 'Net' has no 'encod'", "did you mean encode?"),
        ("net:number", "net:number is an object of type 'int'", "a target is"),
        ("net:torch", "an object of type 'module'", "torch:NAME"),
        ("net:half", "'partial'", "a target is"),
        ("net:plain", "'Plain'", "a target is"),
        ("net:Net.width", "'property'", "name the class"),
        ("net:scripted", "scripted is already scripted", "from which it was scripted"),
        ("net:constant()", "net:constant() returns an object of type 'int'", "a target is"),
        ("net:double()", "net:double() takes arguments (x)", "`model` in the spec"),
        ("net:number()", "cannot be called", ""),
        ("net:make_net().width", "net:make_net().width is an object of type 'int'", "a target is"),
        ("net:make_net().encod", "a 'Net' has no 'encod'", "did you mean encode"),
        ("net:double().encode", "net:double takes arguments (x)", "`model` in the spec"),
        ("net:double.encode", "a 'function' has no 'encode'", ""),
        ("net:constant.encode", "a 'int' has no 'encode'", ""),
    ],
)
def test_what_is_no_target(text: str, message: str, hint: str) -> None:
    with pytest.raises(TargetError) as caught:
        resolve_text(text)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_model_of_another_class_is_refused() -> None:
    with pytest.raises(TargetError, match="returns an object of type 'Linear', not a Net"):
        resolve_text("net:Net", build=lambda: torch.nn.Linear(1, 1)).make()
    copy = type("Net", (torch.nn.Module,), {"__module__": "elsewhere"})
    with pytest.raises(TargetError) as caught:
        resolve_text("net:Net", build=copy).make()
    assert "imported twice" in caught.value.hint


@pytest.mark.parametrize("name", ["fail", "leave", "fail()"])
def test_a_factory_that_raises_is_the_users_fault(name: str, net: Path) -> None:
    with pytest.raises(UserCodeError) as caught:
        resolve_text(f"net:{name}")
    assert caught.value.file == str(net.resolve())
    assert "raise" in net.read_text().splitlines()[caught.value.line - 1]
