"""The facts in the compiler's messages: each known message in the words of the real compiler."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import pytest
from compiler_messages import PRELUDE, compile_failure, load

from pdt_annotate.findings.messages import said as known
from pdt_annotate.findings.messages.said import CompilerMessage, Facts, branch_types, read_failure
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.types import TENSOR, TypeExpr

INT = TypeExpr("int")
KNOWN = {name: message for name, message in vars(known).items() if isinstance(message, CompilerMessage)}

MODULE = """\
class M(torch.nn.Module):
    {body}
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, x):
        {forward}


f = M()
"""
PRE_HOOK = "def h(self, input: Tuple[Tensor]):\n    return input\n\n\nf.register_forward_pre_hook(h)\n"
BAD_HOOK = "def h(self, input, output):\n    return output\n\n\nf.register_forward_hook(h)\n"


def module(init: str = "pass", forward: str = "return x", body: str = "pass", after: str = "") -> str:
    return MODULE.format(init=init, forward=forward, body=body) + after


SOURCES = {
    "a default": "def f(x, n=3):\n    return x * n\n",
    "no return": "def f(x, b: bool) -> Tensor:\n    if b:\n        return x\n",
    "two returns": "def f(x: Tensor, b: bool):\n    if b:\n        return x\n    return 1\n",
    "a wrong return": "def f(x: Tensor) -> Tuple[int, int]:\n    return x\n",
    "a conditional": "def f(x: Tensor, b: bool):\n    return x if b else 1\n",
    "two branches": "def f(x, b: bool):\n    if b:\n        y = x\n    else:\n        y = 1\n    return y\n",
    "one branch": "def f(x, b: bool):\n    if b:\n        y = x\n    return y\n",
    "no value": "def f(x):\n    return y\n",
    "a loop": "def f(x: Tensor):\n    a = None\n    for i in range(2):\n        a = x\n    return a\n",
    "an annotated variable": "def f(x: Tensor):\n    a: int = x\n    return a\n",
    "tolist": "def f(x):\n    a = x.tolist()\n    return a\n",
    "a call": "def g(k: float, n: int = 1):\n    return k\n\n\ndef f(x, n: int):\n    return g(n)\n",
    "an un-annotated callee": "def g(k):\n    return k\n\n\ndef f(n: int):\n    return g(n)\n",
    "a method": "class C:\n    def __init__(self):\n        self.a = 1\n\n    def g(self, k: int) -> int:\n"
    "        return k\n\n\ndef f(c: C):\n    return c.g('a')\n",
    "one of many": "def g(x, sizes: List[int]):\n    return x\n\n\ndef f(x):\n    return g(x, 2.5)\n",
    "a missing argument": "def g(k):\n    return k\n\n\ndef f(x):\n    return g()\n",
    "variants": "def f(x):\n    return x.split(',')\n",
    "an empty list": "def f(n: int):\n    a = []\n    a.append(n)\n    return a\n",
    "an empty dict": "def f(n: int):\n    a = {}\n    a['a'] = n\n    return a\n",
    "an optional": "def f(x, y: Optional[Tensor]):\n    return y.sum()\n",
    "an optional argument": "def f(x, y: Optional[Tensor]):\n    return x + y\n",
    "a None": "def f(x, y: None):\n    return y.sum()\n",
    "an unknown type": "def f(x: Sequence[int]):\n    return x\n",
    "an empty attribute": module("self.items = []", "return len(self.items)"),
    "a constant": module(forward="return x * self.K", body="K = 3"),
    "an assigned attribute": module("self.n = 0", "self.n = 0.5"),
    "a new attribute": module(forward="self.y = x"),
    "a text": module("self.n = 1", body="n: 'int'"),
    "a wrong attribute": module("self.n = 'a'", body="n: int"),
    "a layer's truth": module("self.a = torch.nn.ReLU()", "return x if self.a else x + 1"),
    "an index": module("self.a = torch.nn.ModuleList([torch.nn.ReLU()])", "return [self.a[i](x) for i in range(1)]"),
    "an unpacked layer": module("self.a = torch.nn.ModuleList([torch.nn.ReLU()])", "a, = self.a"),
    "a set": "def f(x):\n    return {y for y in x}\n",
    "a layer in place": "def f(x):\n    return torch.nn.Softmax(dim=0)(x)\n",
    "a layer in place again": module("self.a = torch.nn.Softmax(0)", "return torch.nn.Softmax(0)(self.a(x))"),
    "a lambda": module("self.a = lambda x: x", "return self.a(x)"),
    "a missing member": "def f(x: Tuple[int, int]):\n    return x.width\n",
    "a union": "def f(x: Union[Tensor, List[Tensor]]):\n    a, b = x\n    return a\n",
    "an unknown name": "def f(x, n: 'dict' = None):\n    return x\n",
    "an unresolved type": "def f(x, n: Optional[dict] = None):\n    return x\n",
    "a declaration": "def f(x):\n    n: int\n    n = 1\n    return x * n\n",
    "a number": "def f(x):\n    n: List[int] = [x.item()]\n    return n\n",
    "a global": "K = 2.5\n\n\ndef f(x):\n    return x * K\n",
    "variable arguments": "def f(x, *args):\n    return x\n",
    "a definition": "def f(x):\n    def g(y):\n        return y\n    return g(x)\n",
    "callable": "def f(x):\n    return callable(x)\n",
    "a lambda in a local": "def f(x):\n    g = lambda y: y\n    return g(x)\n",
    "a function in a local": "def f(x, b: bool):\n    g = torch.relu if b else torch.tanh\n    return g(x)\n",
    "a call of no function": "class C:\n    def __init__(self):\n        self.a = 1\n\n\n"
    "def f(c: C):\n    return c(1)\n",
    "no such method": "def f(x: Tensor):\n    return x.nope()\n",
    "a set in a test": "def f(n: int):\n    return n in {1, 2}\n",
    "a conversion": "def f(n: int):\n    return f'{n!r}'\n",
    "reversed": "def f(n: List[int]):\n    return [m for m in reversed(n)]\n",
    "a comprehension with a test": "def f(n: List[int]):\n    return [m for m in n if m]\n",
    "a star": "def f(x):\n    return x.view(*x.shape[:2], 1)\n",
    "a pre-hook": module(after=PRE_HOOK),
    "a hook": module(after=BAD_HOOK),
}
CONVERTED = {"class": "M", "name": "items", "unconverted": " (This attribute exists"}

# By name: sources whose message it is not, then sources with the facts in theirs.
CASES: dict[str, tuple[list[str], dict[str, dict[str, str]]]] = {
    "SIGNATURE": (
        ["a default", "two returns"],
        {
            "a call": {"name": "g", "parameters": "float k, int n=1", "receiver": ""},
            "a missing argument": {"name": "g", "parameters": "Tensor k", "receiver": ""},
            "one of many": {"name": "g", "parameters": "Tensor x, int[] sizes", "receiver": ""},
        },
    ),
    "MISMATCH": (
        ["one of many", "an empty list", "a missing argument", "a wrong return"],
        {
            "a call": {"wanted": "float", "argument": "k", "found": "int"},
            "an un-annotated callee": {"wanted": "Tensor (inferred)", "argument": "k", "found": "int"},
            "a method": {"wanted": "int", "argument": "k", "found": "str"},
            "an optional argument": {"wanted": "Tensor", "argument": "other", "found": "Optional[Tensor]"},
        },
    ),
    "VARIADIC": (["a call", "variants"], {"one of many": {"wanted": "int", "found": "float"}}),
    "VARIANT": (
        ["one of many", "an empty list"],
        {
            "variants": {
                "name": "split",
                "parameters": "Tensor(a -> *) self, SymInt split_size, int dim=0",
                "wanted": "int",
                "argument": "split_size",
                "found": "str",
            }
        },
    ),
    "OPERATOR": (["a call", "a method"], {"variants": {}, "an empty list": {}}),
    "PUT": (["a call", "variants"], {"an empty list": {}, "an empty dict": {}}),
    "ELEMENT": (
        ["a call", "variants"],
        {"an empty list": {"found": "int", "held": "Tensor"}, "an empty dict": {"found": "int", "held": "Tensor"}},
    ),
    "DEFAULT": (["a call"], {"a default": {"wanted": "Tensor (inferred)", "name": "n"}}),
    "REASSIGNED": (
        ["two branches", "a wrong return", "an assigned attribute"],
        {
            "a loop": {"name": "a", "before": "NoneType", "after": "Tensor"},
            "an annotated variable": {"name": "a", "before": "int", "after": "Tensor"},
        },
    ),
    "TOLIST": (["variants"], {"tolist": {}}),
    "BRANCHES_SET": (
        ["a conditional", "one branch"],
        {"two branches": {"name": "y", "true": "Tensor (inferred)", "false": "int"}},
    ),
    "BRANCHES_GIVE": (["two branches"], {"a conditional": {"true": "Tensor", "false": "int"}}),
    "UNDEFINED": (["one branch"], {"no value": {"name": "y"}}),
    "BRANCH_LACKS": (["two branches"], {"one branch": {"name": "y"}}),
    "RETURNS_DIFFER": (["a wrong return", "no return"], {"two returns": {"before": "Tensor", "after": "int"}}),
    "RETURN_ANNOTATED": (
        ["two returns", "no return"],
        {"a wrong return": {"before": "Tuple[int, int]", "after": "Tensor"}},
    ),
    "HOOK_RETURN": (["a hook"], {"a pre-hook": {"name": "h"}}),
    "NO_ATTRIBUTE": (
        ["a new attribute", "a None"],
        {"an empty attribute": CONVERTED, "a constant": {"class": "M", "name": "K", "unconverted": ""}},
    ),
    "ATTRIBUTE_ASSIGNED": (
        ["a new attribute", "a loop"],
        {"an assigned attribute": {"wanted": "int", "found": "float"}},
    ),
    "QUOTED": (["an unknown type"], {"a text": {"text": "int"}}),
    "UNKNOWN_ANNOTATION": (["an unknown type"], {"a text": {}}),
    "OPTIONAL_USED": (["an optional argument", "a None"], {"an optional": {"type": "Optional[Tensor]"}}),
    "NONE_TYPE": (["an optional"], {"a None": {}, "a loop": {}}),
    "NO_BOOL": (
        ["an optional", "two returns"],
        {"a layer's truth": {"type": "__torch__.torch.nn.modules.activation.ReLU"}},
    ),
    "NO_LITERAL_INDEX": (["an unpacked layer"], {"an index": {}}),
    "UNPACKED_MODULE": (["an index"], {"an unpacked layer": {}}),
    "SET_COMPREHENSION": (["a lambda"], {"a set": {}}),
    "NO_INSTANCE": (
        ["a lambda"],
        {"a layer in place": {"class": "Softmax"}, "a layer in place again": {"class": "Softmax"}},
    ),
    "NO_FUNCTION": (["a set", "an empty attribute"], {"a lambda": {}}),
    "LACKS_MEMBER": (["a constant"], {"a missing member": {"name": "width"}}),
    "UNION": (["a call"], {"a union": {}}),
    "UNKNOWN_NAME": (["an unknown type"], {"an unknown name": {"text": "dict"}}),
    "UNRESOLVED": (["an unknown name"], {"an unresolved type": {"text": str(Optional[dict])}}),  # noqa: UP045
    "BARE_DECLARATION": (["an annotated variable"], {"a declaration": {}}),
    "NUMBER": (["a call"], {"a number": {}}),
    "FROM_OPTIONAL": (["a call"], {"an optional": {}, "a None": {}}),
    "CLOSED_OVER": (["no value"], {"a global": {"type": "float"}}),
    "VARIABLE_ARGUMENTS": (["a call"], {"variable arguments": {}}),
    "DEFINITION": (["a lambda in a local"], {"a definition": {}}),
    "CALLABLE": (["reversed"], {"callable": {}}),
    "LAMBDA": (["a definition"], {"a lambda in a local": {}}),
    "FUNCTION_VALUE": (["a lambda in a local"], {"a function in a local": {}}),
    "NO_CALL": (["no such method"], {"a call of no function": {}}),
    "NO_METHOD": (["a missing member"], {"no such method": {"name": "nope"}}),
    "SET": (["a set"], {"a set in a test": {}}),
    "CONVERSION": (["a set in a test"], {"a conversion": {}}),
    "REVERSED": (["callable"], {"reversed": {}}),
    "COMPREHENSION_IF": (["a set"], {"a comprehension with a test": {}}),
    "STARRED": (["a call"], {"a star": {}}),
    "TELLING": (["two returns"], {"a call": {}, "an empty list": {}, "a missing argument": {}}),
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the compiler says of each source, as repair gets to read it."""
    folder = tmp_path_factory.mktemp("said")
    failures = {name: compile_failure(load(source, folder).f) for name, source in SOURCES.items()}
    return {name: failure.message if failure else "" for name, failure in failures.items()}


ELSEWHERE = {"IN_EINOPS": "a place, tested where einops is", "COMPILED_FOR": "behind the message; test_made.py"}


def test_every_known_message_is_provoked(said: dict[str, str]) -> None:
    assert KNOWN.keys() == CASES.keys() | ELSEWHERE.keys()
    assert all(said.values()), "every source must fail to compile"


@pytest.mark.parametrize("name", CASES)
def test_a_message_is_not_read_from_others(said: dict[str, str], name: str) -> None:
    others, _ = CASES[name]
    assert others
    assert {other: KNOWN[name].read(said[other]) for other in others} == dict.fromkeys(others)
    assert not KNOWN[name].is_in("") and not list(KNOWN[name].read_all("disk full"))


@pytest.mark.parametrize("name", CASES)
def test_the_facts_in_a_message(said: dict[str, str], name: str) -> None:
    _, expected = CASES[name]
    assert {source: KNOWN[name].read(said[source]) for source in expected} == {
        source: Facts(words) for source, words in expected.items()
    }


def test_a_method_is_known_by_the_class_of_its_receiver(said: dict[str, str]) -> None:
    signature = known.SIGNATURE.read(said["a method"])
    assert signature is not None
    assert (signature["name"], signature["receiver"].rpartition(".")[2]) == ("g", "C")
    assert signature.parameters == ["self", "k"]


def test_each_variant_is_read(said: dict[str, str]) -> None:
    variants = list(known.VARIANT.read_all(said["variants"]))
    assert [variant["argument"] for variant in variants] == ["split_size", "split_size", "self", "split_sizes"]
    assert [variant.is_inferred("wanted") for variant in variants] == [False] * 4
    assert variants[0].parameters == ["self", "split_size", "dim"]


def test_types_that_no_annotation_can_say_are_left_out() -> None:
    two = Facts({"before": "Module", "after": "Tensor (inferred)"})
    assert (two.type("before"), two.type("after"), two.types("before", "after")) == (None, TENSOR, [TENSOR])
    assert [two.is_inferred(name) for name in ("before", "after")] == [False, True]


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ("", [""]),
        ("Tensor x", ["x"]),
        ("Tensor(a!) self, int[2] k=[1, 1], *, bool b=False", ["self", "k", "*", "b"]),
        ("Dict(str, Tuple[int, List[int]]) d, (int, int) p", ["d", "p"]),
    ],
)
def test_the_parameters_of_a_signature(signature: str, names: list[str]) -> None:
    assert Facts({"parameters": signature}).parameters == names


def test_the_types_of_two_returns(said: dict[str, str]) -> None:
    assert branch_types(said["a conditional"]) == []
    assert branch_types(said["two returns"]) == [TENSOR, INT]
    assert branch_types(said["a wrong return"]) == [TypeExpr("tuple", (INT, INT)), TENSOR]


PLACES = {
    "def f(x):\n    return x.nope( 1 , 2)\n": [(2, 12)],
    "def f(x):\n\tä = 'öü' + x.nope(1)\n\treturn ä\n": [(2, 13)],
    "def f(x, y='äöü'):\n        s = 'äöü'; y = nope(x)\n        return y\n": [(2, 24)],
    "def f(x, n: int):\n    if x > 0:\n        x = torch.cat([x,   x],\n            n, x)\n    return x\n": [(3, 13)],
    "def f(x: int) -> str:\n    return x +\\\n       1\n": [(2, 5)],
    "def f(x, *, ä='ö', k: int=3): return x\n": [(1, 15)],
    "def g(k, n: str):\n    return (k   +   n) * 2\n\n\ndef f(x): y = 'ö'; return g(x, '') + (x +\n  1)\n": [
        (2, 13),
        (5, 27),
    ],
    module(forward="y = 'ö'; return x.nope()"): [(8, 25)],
}


@pytest.mark.parametrize("source", PLACES)
def test_a_place_is_that_of_the_expression_in_characters(source: str, tmp_path: Path) -> None:
    failure = compile_failure(load(source, tmp_path).f)
    assert failure is not None
    first = PRELUDE.count("\n")
    found = [(place.line - first, place.column) for place in (failure.place, *failure.chain)]
    assert found == PLACES[source]


def test_without_signs_the_line_alone_is_known() -> None:
    failure = read_failure(
        RuntimeError('no:\n  File "a.py", line 3\n    ~x\n  File "b.py", line 4\n    y\n    ~ <--- HERE\n')
    )
    assert (failure.place, failure.chain) == (Place("a.py", 3), (Place("b.py", 4, 5),))
    assert read_failure(RuntimeError("no")).place == NO_PLACE
