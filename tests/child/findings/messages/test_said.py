"""The compiler's messages: the code and the facts of each, from the real compiler for a small source."""

import sys
from pathlib import Path
from typing import Any, Optional

import pytest
import torch
from compiler_messages import PRELUDE, compile_failure, load
from torch_differences import holds

from pdt_annotate.findings.catalogue import entries
from pdt_annotate.findings.messages import PATTERNS, UNKNOWN, classify, code_of
from pdt_annotate.findings.messages import said as known
from pdt_annotate.findings.messages.said import CompilerMessage, Facts, branch_types, read_failure
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.values.types import TENSOR, TypeExpr
from pdt_annotate.values.verdicts import ALSO_RUNS, BEHAVES, CALLS, PUBLIC, UNDONE, Failure, Verdict

INT = TypeExpr("int")
OPTIONAL_DICT = str(Optional[dict])  # noqa: UP045
KNOWN = {name: message for name, message in vars(known).items() if isinstance(message, CompilerMessage)}


def f(body: str, parameters: str = "x", before: str = "") -> str:
    return before + f"def f({parameters}):\n    {body}\n"


MODULE = """\
class M(torch.nn.Module):
    {body}
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, {parameters}):
        {forward}


f = M()
"""
HOOK = "def h(self, input{}, output{}):\n    return output\n\n\nf.register_forward_hook(h)\n"
PRE_HOOK = "def h(self, input: Tuple[Tensor]):\n    return input\n\n\nf.register_forward_pre_hook(h)\n"
CLASS = "class C:\n    def __init__(self):\n        self.a = 1\n\n"
SUBMODULE = "class Sub(torch.nn.Module):\n    def forward(self, x):\n        return x\n\n\n"


def module(
    init: str = "pass", forward: str = "return x", parameters: str = "x", body: str = "pass", after: str = ""
) -> str:
    return MODULE.format(init=init, forward=forward, parameters=parameters, body=body) + after


# By code: sources for messages that neither an example of the catalogue nor remedies.diff provokes.
MESSAGES = {
    "PDT001": [f("return x", "a,*args, x: int")],
    "PDT002": [f("return x * n", "\n    x,\n    *,\n    n: int = 2,\n")],
    "PDT004": [
        f("return [j for i in x for j in i]", "x: List[List[int]]"),
        f("print(x, sep='')\n    return x"),
        f("x @= x\n    return x"),
        f("return b'a'"),
        f("return hasattr(x, 'a')"),
        "@torch.jit._overload\n" + f("...", "x: int") + "\n\n" + f("return x"),
    ],
    "PDT008": [
        f("return x", "x: Tuple[int, ...]"),
        f("return x", "x: List"),
        f("return x", "x: Dict"),
        f("return p.a", "p: P", before="class P(NamedTuple):\n    a: set\n\n\n"),
    ],
    "PDT010": [
        f("return act(x)", "x, act: Callable"),
        "import functools\n\n\n" + module("self.act = functools.partial(torch.clamp, min=0)", "return self.act(x)"),
    ],
    "PDT011": [f("return x", "x, s: set"), f("return x", "x, s: FrozenSet[int]")],
    "PDT012": [
        module("self.a = torch.zeros(1).numpy()", body="import numpy\n    a: numpy.ndarray"),
        *(f(f"y = np.{call}\n    return x", before="import numpy as np\n\n\n") for call in ("zeros(2)", "stack([x])")),
    ],
    "PDT015": [f("return x", "x, s: range"), f("return x", "x, s: type")],
    "PDT020": [f("return x.sum()", "x: Union[Tensor, int]")],
    "PDT021": [f("return c == C.A", "c: C", before="class C(enum.Enum):\n    A = (1,)\n\n\n")],
    "PDT040": [f(f"return g({given})", before="def g(a):\n    return a\n\n\n") for given in ("", "x, b=1")],
    "PDT041": [
        f("s: float = 0\n    return s"),
        f("a: List[Optional[Tensor]] = [None] * n\n    return a", "n: int"),
        f("a: List[List[int]] = [[x] for i in range(3)]\n    return a"),
        f("a: List[int] = {}\n    return a"),
    ],
    "PDT042": ["def f(x: float) -> float:\n    return 1\n"],
    "PDT043": [
        module("self.n = 0.5", "return x * self.n", body="n: int"),
        module("self.n = {1}", body="n: Set[int]"),
        module("self.n = 1", body="n: Optional[Set[int]]"),
    ],
    "PDT045": [
        f("return y.sum()", "x, y: Optional[Tensor]"),
        f("return n[0]", "n: Optional[List[int]]"),
        "def f(n: Optional[int]) -> int:\n    return n\n",
        f("return x + mask", "x, mask: None"),
    ],
    "PDT046": [f("return g(x)", before="def g(x, mask: Tensor = None):\n    return x\n\n\n")],
    "PDT048": [f("# type: (int, int) -> int\n    return x"), f("#type: (int) -> int\n    return x")],
    "PDT050": [
        module("self.ls = torch.nn.ModuleDict({'a': torch.nn.ReLU()})", "return self.ls[i](x)", "x, i: str"),
        SUBMODULE + module("self.sub = Sub()", "return self.sub(x)", body="sub: Sub"),
        SUBMODULE + module("self.sub = Sub()", "return self.sub(x)", body="sub: Optional[Sub]"),
    ],
    "PDT051": [module(after=HOOK.format(": Tuple[int]", ": Tensor")), module(after=PRE_HOOK)],
    "PDT054": [
        f("a, b = x\n    return a"),
        f("return [i for i in x]", "x: int"),
        f("return x[0]", "x: bool"),
        f("return x['a']"),
        f("for i in range(n):\n        x = x + i\n    return x", "x, n"),
        f("x.a = y\n    return x", "x, y"),
        f("return torch.nope(x)"),
    ],
    "PDT055": [
        f("a: List[List[int]] = [[], []]\n    return a"),
        f("a: List[List[int]] = [[]] * 3\n    return a"),
        f("a: Dict[str, List[int]] = {'a': []}\n    return a"),
        f("a: List[Dict[str, int]] = []\n    a.append({})\n    return a"),
        f("a: List[List[int]] = [\n        [],\n    ]\n    return a"),
    ],
}
if holds("refuses a module of torch's as the annotation of an attribute"):
    MESSAGES["PDT050"].append(module("self.l = torch.nn.ReLU()", "return self.l(x)", body="l: torch.nn.ReLU"))
if sys.version_info < (3, 14):  # in 3.14 it is a function with `*`, which is reported first
    MESSAGES["PDT006"] = [f("return os.path.join(x, 'a')", "x: str", before="import os\n\n\n")]


@pytest.mark.parametrize("code", MESSAGES)
def test_the_code_of_a_message(code: str, tmp_path: Path) -> None:
    failures = {source: compile_failure(load(source, tmp_path).f) for source in MESSAGES[code]}
    found = {source: failure and classify(failure.text) for source, failure in failures.items()}
    assert found == dict.fromkeys(found, code)


@pytest.mark.parametrize(
    "message",
    ["", "disk full", "KeyError: 'x'", "getattr's second argument must be a string literal: \n  File 'a.py', line 3"],
)
def test_other_messages_stay_unexplained(message: str) -> None:
    assert classify(message) == UNKNOWN
    assert {code for _, code in PATTERNS} | {UNKNOWN} <= set(entries())


def test_a_class_whose_compilation_failed_before(tmp_path: Path) -> None:
    made = load(module(forward="return self.g(x)", body="def g(self, x):\n        return x + 'a'\n"), tmp_path).M
    said = []
    for _ in range(2):
        with pytest.raises(RuntimeError) as caught:
            torch.jit.script(made())
        said.append(classify(str(caught.value)))
    assert said == ["PDT040", "PDT052"]


@pytest.mark.parametrize(
    ("source", "arguments", "code"),
    [
        (f("return n", "n: int"), (2.5,), "PDT061"),
        (f("return n", "n: int"), (), "PDT061"),
        (f("return n", "n: int"), (1, 2), "PDT061"),
        (f("return x", "x: Any"), (slice(1),), "PDT061"),
        (f("return x[3]", "x: List[int]"), ([1],), "PDT061"),
        (f("return n", "n: Union[int, float]"), (True,), "PDT064"),
        (f("return n", "n: Union[int, float]"), ("a",), "PDT061"),
    ],
)
def test_messages_of_a_scripted_call(source: str, arguments: tuple[Any, ...], code: str, tmp_path: Path) -> None:
    scripted: Any = torch.jit.script(load(source, tmp_path).f)
    with pytest.raises(Exception) as caught:
        scripted(*arguments)
    assert classify(str(caught.value)) == code


@pytest.mark.parametrize("judge", [UNDONE, PUBLIC, CALLS, BEHAVES, ALSO_RUNS])
def test_a_judge_of_mends_has_a_code_whatever_it_says(judge: str) -> None:
    code = code_of(Verdict(judge, ok=False, failure=Failure("Set aren't supported")))
    assert code == ("PDT095" if judge == ALSO_RUNS else "PDT094")


# Sources, and the messages and facts that the compiler reports for each.
LAYERS = "self.l = torch.nn.ModuleList([Sub()])"
CASES: dict[str, tuple[str, dict[str, dict[str, str]]]] = {
    "a default": (f("return x * n", "x, n=3"), {"DEFAULT": {"wanted": "Tensor (inferred)", "name": "n"}}),
    "two returns": (
        f("if b:\n        return x\n    return 1", "x: Tensor, b: bool"),
        {"RETURNS_DIFFER": {"before": "Tensor", "after": "int"}},
    ),
    "no return at the end": (
        "def f(x: Tensor, b: bool) -> Tensor:\n    if b:\n        return x\n",
        {"OPEN_END": {}},
    ),
    "a wrong return": (
        "def f(x: Tensor) -> Tuple[int, int]:\n    return x\n",
        {"RETURN_ANNOTATED": {"before": "Tuple[int, int]", "after": "Tensor"}},
    ),
    "a conditional": (
        f("return x if b else 1", "x: Tensor, b: bool"),
        {"BRANCHES_GIVE": {"true": "Tensor", "false": "int"}},
    ),
    "two branches": (
        f("if b:\n        y = x\n    else:\n        y = 1\n    return y", "x, b: bool"),
        {"BRANCHES_SET": {"name": "y", "true": "Tensor (inferred)", "false": "int"}},
    ),
    "an optional number": (f("return [1][n]", "n: Optional[int]"), {"OPTIONAL_FOUND": {}}),
    "one branch": (f("if b:\n        y = x\n    return y", "x, b: bool"), {"BRANCH_LACKS": {"name": "y"}}),
    "no value": (f("return y"), {"UNDEFINED": {"name": "y"}}),
    "a loop": (
        f("a = None\n    for i in range(2):\n        a = x\n    return a", "x: Tensor"),
        {"REASSIGNED": {"name": "a", "before": "NoneType", "after": "Tensor"}, "NONE_TYPE": {}},
    ),
    "an annotated variable": (
        f("a: int = x\n    return a", "x: Tensor"),
        {"REASSIGNED": {"name": "a", "before": "int", "after": "Tensor"}},
    ),
    "a dict that is passed": (f("return x.sum(**{'dim': 0})"), {"EXPANSION": {}}),
    "a size by another name": (f("return torch.split(x, split_size_or_sections=1)"), {"NO_SPLIT": {}}),
    "a list as a default": (f("return n", "n=[1]"), {"MUTABLE_DEFAULT": {}}),
    "tolist": (f("a = x.tolist()\n    return a"), {"TOLIST": {}}),
    "a call": (
        f("return g(n)", "x, n: int", before="def g(k: float, n: int = 1):\n    return k\n\n\n"),
        {
            "SIGNATURE": {"name": "g", "parameters": "float k, int n=1", "receiver": ""},
            "MISMATCH": {"wanted": "float", "argument": "k", "found": "int"},
            "TELLING": {},
        },
    ),
    "an un-annotated callee": (
        f("return g(n)", "n: int", before="def g(k):\n    return k\n\n\n"),
        {"MISMATCH": {"wanted": "Tensor (inferred)", "argument": "k", "found": "int"}},
    ),
    "a method": (
        f("return c.g('a')", "c: C", before=CLASS + "    def g(self, k: int) -> int:\n        return k\n\n\n"),
        {"MISMATCH": {"wanted": "int", "argument": "k", "found": "str"}},
    ),
    "one of many": (
        f("return g(x, 2.5)", before="def g(x, sizes: List[int]):\n    return x\n\n\n"),
        {
            "SIGNATURE": {"name": "g", "parameters": "Tensor x, int[] sizes", "receiver": ""},
            "VARIADIC": {"wanted": "int", "found": "float"},
        },
    ),
    "a missing argument": (
        f("return g()", before="def g(k):\n    return k\n\n\n"),
        {"SIGNATURE": {"name": "g", "parameters": "Tensor k", "receiver": ""}, "TELLING": {}},
    ),
    "variants": (
        f("return x.split(',')"),
        {
            "VARIANT": {
                "name": "split",
                "parameters": "Tensor(a -> *) self, SymInt split_size, int dim=0",
                "wanted": "int",
                "argument": "split_size",
                "found": "str",
            },
            "OPERATOR": {},
        },
    ),
    "an empty list": (
        f("a = []\n    a.append(n)\n    return a", "n: int"),
        {"OPERATOR": {}, "PUT": {}, "ELEMENT": {"found": "int", "held": "Tensor"}, "TELLING": {}},
    ),
    "an empty dict": (
        f("a = {}\n    a['a'] = n\n    return a", "n: int"),
        {"PUT": {}, "ELEMENT": {"found": "int", "held": "Tensor"}},
    ),
    "an optional": (
        f("return y.sum()", "x, y: Optional[Tensor]"),
        {"OPTIONAL_USED": {"type": "Optional[Tensor]"}, "FROM_OPTIONAL": {}},
    ),
    "an optional argument": (
        f("return x + y", "x, y: Optional[Tensor]"),
        {"MISMATCH": {"wanted": "Tensor", "argument": "other", "found": "Optional[Tensor]"}},
    ),
    "a None": (f("return y.sum()", "x, y: None"), {"NONE_TYPE": {}, "FROM_OPTIONAL": {}}),
    "an empty attribute": (
        module("self.items = []", "return len(self.items)"),
        {"NO_ATTRIBUTE": {"class": "M", "name": "items", "unconverted": " (This attribute exists"}},
    ),
    "a private name": (
        module("self.__k = 3", "return x * self.__k"),
        {"PRIVATE": {}, "NO_ATTRIBUTE": {"class": "M", "name": "__k", "unconverted": ""}},
    ),
    "a constant": (
        module(forward="return x * self.K", body="K = 3"),
        {"NO_ATTRIBUTE": {"class": "M", "name": "K", "unconverted": ""}},
    ),
    "an assigned attribute": (
        module("self.n = 0", "self.n = 0.5"),
        {"ATTRIBUTE_ASSIGNED": {"wanted": "int", "found": "float"}},
    ),
    "a default of None": (
        f("return d.get('a', None)", "d: Dict[str, Tensor]"),
        {"NO_DEFAULT": {}, "NONE_TYPE": {}, "TOO_MANY": {}},
    ),
    "a text": (module("self.n = 1", body="n: 'int'"), {"QUOTED": {"text": "int"}, "UNKNOWN_ANNOTATION": {}}),
    "an index": (
        module("self.a = torch.nn.ModuleList([torch.nn.ReLU()])", "return [self.a[i](x) for i in range(1)]"),
        {"NO_LITERAL_INDEX": {}},
    ),
    "a computed key": (module("self.a = torch.nn.ModuleDict()", "return self.a[str(x)](x)"), {"NO_LITERAL_KEY": {}}),
    "a computed name": (module("self.a = 1", "return getattr(self, str(x))"), {"NO_LITERAL_NAME": {}}),
    "overloaded": (module("self.a = torch.nn.functional.interpolate", "return self.a(x)"), {"OVERLOADED": {}}),
    "an unknown operator": (f("return torch.is_tensor(x)"), {"NO_OPERATOR": {"name": "is_tensor"}}),
    "an unknown keyword": (f("return torch.ones(2, a=1)"), {"UNKNOWN_KEYWORD": {"name": "a"}}),
    "an unpacked layer": (
        module("self.a = torch.nn.ModuleList([torch.nn.ReLU()])", "a, = self.a"),
        {"UNPACKED_MODULE": {}},
    ),
    "a set": (f("return {y for y in x}"), {"SET_COMPREHENSION": {}}),
    "a floor division in place": (f("x //= 2"), {"FLOOR_DIVISION": {}}),
    "a random number": (f("return x * random.random()", before="import random\n"), {"RANDOM": {}}),
    "an element of a list of None": (f("y = [None]\n    y[0] = x"), {"NONE_LIST": {}, "NONE_TYPE": {}, "PUT": {}}),
    "a number of numpy": (
        module("import numpy\n        self.a = torch.nn.Linear(numpy.int64(2), 2)", "return self.a(x)"),
        {"NUMPY_CONSTANT": {}, "NONE_TYPE": {}},
    ),
    "a layer in place": (f("return torch.nn.Softmax(dim=0)(x)"), {"NO_INSTANCE": {"class": "Softmax"}}),
    "a layer in place again": (
        module("self.a = torch.nn.Softmax(0)", "return torch.nn.Softmax(0)(self.a(x))"),
        {"NO_INSTANCE": {"class": "Softmax"}},
    ),
    "a context of the standard library": (
        f("with contextlib.nullcontext():\n        return x", before="import contextlib\n"),
        {"NO_CONTEXT": {"name": "nullcontext"}},
    ),
    "a lambda": (module("self.a = lambda x: x", "return self.a(x)"), {"NO_FUNCTION": {}}),
    "a missing member": (f("return x.width", "x: Tuple[int, int]"), {"LACKS_MEMBER": {"name": "width"}}),
    "a union": (f("a, b = x\n    return a", "x: Union[Tensor, List[Tensor]]"), {"UNION": {}}),
    "a buffer that a call registers": (
        module(forward="self.register_buffer('b', x)\n        return x"),
        {"SCRIPT_MODULE": {}, "UNKNOWN_NAME": {"text": "torch.jit.ScriptModule"}},
    ),
    "an unknown name": (f("return x", "x, n: 'dict' = None"), {"UNKNOWN_NAME": {"text": "dict"}}),
    "a type of typing": (
        f("return x", "x, n: Sequence[int] = (1,)", before="from typing import Sequence\n\n\n"),
        {"UNREADABLE_TYPE": {}},
    ),
    "a tuple of any length": (f("return x", "x, n: Tuple[int, ...] = (1,)"), {"UNREADABLE_TYPE": {}}),
    "an unresolved type": (f("return x", "x, n: Optional[dict] = None"), {"UNRESOLVED": {"text": OPTIONAL_DICT}}),
    "a declaration": (f("n: int\n    n = 1\n    return x * n"), {"BARE_DECLARATION": {}}),
    "a number": (f("n: List[int] = [x.item()]\n    return n"), {"NUMBER": {}}),
    "a global": (f("return x * K", before="K = 2.5\n\n\n"), {"CLOSED_OVER": {"type": "float"}}),
    "a tuple of slices": (f("parts = (slice(0, 1), slice(1, None))\n    return x"), {"SLICE_VALUE": {}}),
    "variable arguments": (f("return x", "x, *args"), {"VARIABLE_ARGUMENTS": {}}),
    "a class with a constructor that has no source": (
        "import dataclasses\n\n\n@dataclasses.dataclass\nclass Config:\n    n: int = 1\n\n\n"
        + f("return x", "x, config: Optional[Config] = None"),
        {"NO_CONSTRUCTOR": {"name": "Config"}},
    ),
    "a name in torch's wrapper": (
        "import torch.nn.functional as F\n\n\n"
        + module(forward="return F.relu(x)").replace("    def forward", "    @torch.no_grad()\n    def forward"),
        {"IN_WRAPPER": {}},
    ),
    "a decorator for autocast": (
        "@torch.autocast('cpu')\ndef f(x):\n    return x\n",
        {"AUTOCAST": {}},
    ),
    "an assignment in an expression": (f("return x + (n := 1)"), {"ASSIGNED_INSIDE": {}}),
    "a definition": (f("def g(y):\n        return y\n    return g(x)"), {"DEFINITION": {}}),
    "a list on the left": (f("[a, b] = x.unbind(0)\n    return a + b"), {"LIST_TARGET": {}}),
    "an import": (f("import math\n    return x * math.pi"), {"IMPORT": {}}),
    "callable": (f("return callable(x)"), {"NO_BUILTIN": {"name": "callable"}}),
    "a lambda in a local": (f("g = lambda y: y\n    return g(x)"), {"LAMBDA": {}}),
    "a function in a local": (
        f("g = torch.relu if b else torch.tanh\n    return g(x)", "x, b: bool"),
        {"FUNCTION_VALUE": {}},
    ),
    "a call of no function": (f("return c(1)", "c: C", before=f"{CLASS}\n"), {"NO_CALL": {}}),
    "indices of no tensor": (f("return y[None, :]", "y: List[int]"), {"NO_INDEXING": {}}),
    "a call of a tensor": (f("return x(1)", "x: Tensor"), {"CALLED_VALUE": {}}),
    "no such method": (f("return x.nope()", "x: Tensor"), {"NO_METHOD": {"name": "nope"}}),
    "no such method of a layer": (
        SUBMODULE + module(LAYERS, "for m in self.l[::-1]:\n            x = m.nope(x)\n        return x"),
        {"NO_METHOD_OF_LAYER": {"name": "nope"}},
    ),
    "a variable that is not set": (
        f("for i in range(n):\n        if i:\n            n += input\n        input = n\n    return n", "n: int"),
        {"NO_BUILTIN": {"name": "input"}},
    ),
    "a handled error": (f("try:\n        return x\n    except ValueError:\n        return -x"), {"TRY": {}}),
    "a set in a test": (f("return n in {1, 2}", "n: int"), {"SET": {}}),
    "a conversion": (f("return f'{n!r}'", "n: int"), {"CONVERSION": {}}),
    "reversed": (f("return [m for m in reversed(n)]", "n: List[int]"), {"REVERSED": {}}),
    "a comprehension with a test": (f("return [m for m in n if m]", "n: List[int]"), {"COMPREHENSION_IF": {}}),
    "a star": (f("return x.view(*x.shape[:2], 1)"), {"STARRED": {}}),
    "an unset attribute": (module(forward="self.a = x\n        return x"), {"UNSET_ATTRIBUTE": {"name": "a"}}),
    "an attribute of a tensor": (f("x.a = 1\n    return x", "x: Tensor"), {"SET_ATTRIBUTE": {"name": "a"}}),
    "a growing tuple": (
        f("t = (x,)\n    for _ in range(2):\n        t = t + (x,)\n    return t", "x: Tensor"),
        {"GROWING_TUPLE": {}, "REASSIGNED": {"name": "t", "before": "Tuple[Tensor]", "after": "Tuple[Tensor, Tensor]"}},
    ),
    "a default None of a Tensor": (
        f("return g(x)", "x: Tensor", before="def g(x: Tensor, y: Tensor = None):\n    return x\n\n\n"),
        {"NONE_DEFAULT": {}},
    ),
    "a range of a float": (f("return [m for m in range(n / 2)]", "n: int"), {"NO_RANGE": {}}),
    "a number that becomes a tensor": (
        f("if b:\n        y = 1\n    else:\n        y = x\n    return y", "x: Tensor, b: bool"),
        {"NUMBER_FOR_TENSOR": {}, "BRANCHES_SET": {"name": "y", "true": "int", "false": "Tensor"}},
    ),
    "a sum of tensors": (f("return sum([x, x])", "x: Tensor"), {"SUM": {}}),
    "a product": (
        f("return math.prod([n])", "n: int", before="import math\n\n\n"),
        {"PROD": {}, "NO_BUILTIN": {"name": "prod"}},
    ),
    "modules by name": (
        module(forward="for m in self._modules.values():\n            x = m(x)\n        return x"),
        {"NO_MODULES": {}, "NO_ATTRIBUTE": {"class": "M", "name": "_modules", "unconverted": ""}},
    ),
    "an empty tuple": (f("return len(tuple())"), {"EMPTY_TUPLE": {}}),
    "a range as a tuple": (f("return x.mean(tuple(range(2)))", "x: Tensor"), {"UNPACKED_RANGE": {}}),
    "a tensor that is unpacked": (f("a, b = x\n    return a + b", "x: Tensor"), {"UNPACKED_TENSOR": {}}),
    "layers and values": (
        SUBMODULE + module(LAYERS, "for m, y in zip(self.l, [x, x]):\n            x = m(y)\n        return x"),
        {"NO_LENGTH": {}},
    ),
    "a layer as an argument": (
        SUBMODULE + module("self.l = Sub()", "return torch.neg(self.l)"),
        {"PASSED_MODULE": {}, "OPERATOR": {}},
    ),
    "two loops": (f("return [i + j for i in [x] for j in [x]]"), {"SINGLE_LOOP": {}}),
    "a class of modules": (SUBMODULE + module(forward="return Sub.g(x)"), {"CLASS_LOOKUP": {}}),
    "an attribute of the own class": (
        module(forward="return x * type(self).k"),
        {"OWN_CLASS": {}, "PASSED_MODULE": {}},
    ),
    "a list behind dots": (f("return x[..., [0, 1]]"), {"DOTS": {}}),
    "a tuple as an index": (f("return x[:, (0, 1)]"), {"TUPLE_INDEX": {}}),
    "a comment that is no signature": (f("n = x  # type: ignore # why\n    return n"), {"TYPE_COMMENT": {}}),
    "a layer with the name of a local": (
        SUBMODULE + module(LAYERS, "m = 1\n        return [m(x) for m in self.l]"),
        {"NOT_FIRST_CLASS": {"name": "m"}},
    ),
    "a break": (SUBMODULE + module(LAYERS, "for m in self.l:\n            break\n        return x"), {"NO_BREAK": {}}),
    "a slice of a tuple": (f("return t[:n]", "t: Tuple[int, int], n: int"), {"NO_LITERAL_SLICE": {}}),
    "a pre-hook": (module(after=PRE_HOOK), {"HOOK_RETURN": {"name": "h"}}),
    "a function with too few parameters": (
        f("return g(x, x)", before="def g(x: Tensor):\n    return x\n\n\n"),
        {"TOO_MANY": {}},
    ),
    "a loop over lists of layers": (
        module(
            "self.a, self.b = torch.nn.ModuleList([torch.nn.ReLU()]), torch.nn.Sequential(torch.nn.ReLU())",
            "for layers in (self.a, self.b):\n            for layer in layers:\n                x = layer(x)",
        ),
        {"NO_ROUNDS": {}},
    ),
    "the first of several": (f("return next(iter(x))"), {"NO_ITERATOR": {}, "NO_BUILTIN": {"name": "next"}}),
    "an object as hook": (
        module("self.l = torch.nn.utils.weight_norm(torch.nn.Linear(1, 1))", "return self.l(x)"),
        {"OBJECT_HOOK": {}},
    ),
}
NOT_IN = {
    "FROM_OPTIONAL": ["a call"],
    "LACKS_MEMBER": ["a constant"],
    "MISMATCH": ["one of many", "an empty list", "a missing argument", "a wrong return"],
    "NUMBER": ["a call"],
    "OPTIONAL_FOUND": ["a default"],
    "OPERATOR": ["a call", "a method"],
    "SIGNATURE": ["a default", "two returns"],
    "TELLING": ["two returns"],
    "VARIANT": ["one of many", "an empty list"],
}
"""Messages that match other sources, too, and sources that they do not match. Others match only their own sources."""
# Messages for libraries, which follow another message (test_made.py, the cases of mends); of our own judge; of numpy,
# which is not installed; and messages that a scripted model raises.
ELSEWHERE = {
    "IN_EINOPS",
    "DISPATCHED",
    "IN_AUTOGRAD",
    "SUPER_CALL",
    "COMPILED_FOR",
    "NO_FORWARD",
    "NUMPY",
    "NUMBER_OF_TENSOR",
    "TOLIST_DTYPE",
    "MISREAD",
    "INT_LIST",
    "LEAF_VIEW",
    "PYTHON_RESULT",
    "PARAMETRIZED",
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The compiler's message for each source, as repair receives it."""
    folder = tmp_path_factory.mktemp("said")
    failures = {name: compile_failure(load(source, folder).f) for name, (source, _) in CASES.items()}
    return {name: failure.message if failure else "" for name, failure in failures.items()}


def test_every_known_message_is_provoked_and_read_from_no_other(said: dict[str, str]) -> None:
    assert KNOWN.keys() == {message for _, facts in CASES.values() for message in facts} | ELSEWHERE
    assert all(said.values()), "every source must fail to compile"
    for message in KNOWN.keys() - ELSEWHERE:
        others = NOT_IN.get(message) or [name for name, (_, facts) in CASES.items() if message not in facts]
        assert {name: KNOWN[message].read(said[name]) for name in others} == dict.fromkeys(others), message
        assert not KNOWN[message].is_in("")
        assert not list(KNOWN[message].read_all("disk full"))


@pytest.mark.parametrize("name", CASES)
def test_the_facts_in_a_message(said: dict[str, str], name: str) -> None:
    _, expected = CASES[name]
    assert {message: KNOWN[message].read(said[name]) for message in expected} == {
        message: Facts(words) for message, words in expected.items()
    }


def test_receivers_and_variants_are_read_and_types_that_nobody_can_say_left_out(said: dict[str, str]) -> None:
    signature = known.SIGNATURE.read(said["a method"])
    assert signature is not None
    assert (signature["name"], signature["receiver"].rpartition(".")[2]) == ("g", "C")
    assert signature.parameters == ["self", "k"]
    variants = list(known.VARIANT.read_all(said["variants"]))
    assert [variant["argument"] for variant in variants] == ["split_size", "split_size", "self", "split_sizes"]
    assert [variant.is_inferred("wanted") for variant in variants] == [False] * 4
    assert variants[0].parameters == ["self", "split_size", "dim"]
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
    assert [(place.line - first, place.column) for place in (failure.place, *failure.chain)] == PLACES[source]


def test_without_signs_the_line_alone_is_known() -> None:
    failure = read_failure(
        RuntimeError('no:\n  File "a.py", line 3\n    ~x\n  File "b.py", line 4\n    y\n    ~ <--- HERE\n')
    )
    assert (failure.place, failure.chain) == (Place("a.py", 3), (Place("b.py", 4, 5),))
    assert read_failure(RuntimeError("no")).place == NO_PLACE
