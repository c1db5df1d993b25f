"""The tracer on real functions: functions that it ignores, every kind of function, and the observations of a call."""

import builtins
import contextlib
import functools
import gc
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from loaded import load
from torch import nn

from pdt_annotate.observers.files import make_code_filter
from pdt_annotate.observers.sites import Store
from pdt_annotate.observers.tracer import Tracer, unobserved_imports
from pdt_annotate.values.slots import Observation, Owner, SlotKind
from pdt_annotate.values.types import NONE, TypeExpr

HERE = os.path.dirname(os.path.realpath(__file__))
INT, INTS = TypeExpr("int"), TypeExpr("list", (TypeExpr("int"),))


def no_locals(owner: Owner) -> Iterable[tuple[str, int]]:
    return ()


def observe(run: Callable[[], Any], root: str = HERE, wanted: Any = no_locals) -> list[Observation]:
    store = Store()
    tracer = Tracer(store, make_code_filter(root), wanted)
    with tracer.tracing("first"):
        run()
    return list(store.observations())


def types_at(found: list[Observation], function: str, name: str) -> list[str]:
    return [str(o.type) for o in found if o.slot.owner.qualname.endswith(function) and o.slot.name == name]


def plain(x: Any, n: Any = 3) -> Any:
    return x


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(2)
        self._scale = 1.0

    def forward(self, x: Any, scale: Any = None) -> Any:
        return self.norm(x)

    @property
    def scale(self) -> Any:
        return self._scale

    @scale.setter
    def scale(self, value: Any) -> None:
        self._scale = value


class TestLeavesAlone:
    def test_generators_coroutines_lambdas_comprehensions_and_code_outside_the_root(self, tmp_path: Path) -> None:
        def generate(n: Any) -> Any:
            yield n

        async def wait(n: Any) -> Any:
            return n

        def run() -> None:
            list(generate(1))
            wait(1).close()
            sorted([(lambda n: n)(1) for _ in range(2)])

        assert {o.slot.owner.qualname.rpartition(".")[2] for o in observe(run)} == {"run"}
        assert observe(lambda: plain(1), root=str(tmp_path)) == []

    def test_profilers_are_put_back(self) -> None:
        def profiler(frame: Any, event: str, arg: Any) -> None:
            pass

        sys.setprofile(profiler)
        try:
            observe(lambda: plain(1))
            assert sys.getprofile() is profiler
        finally:
            sys.setprofile(None)
        assert threading.getprofile() is None
        with pytest.raises(ZeroDivisionError):
            observe(lambda: 1 / 0)
        assert sys.getprofile() is None

    def test_imports_if_asked_to(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "imported_unobserved.py").write_text("def made(n):\n    return n\nmade(1)\n")
        monkeypatch.syspath_prepend(str(tmp_path))

        def run() -> None:
            with unobserved_imports():
                assert __import__("imported_unobserved").made("seen") == "seen"

        before = builtins.__import__
        assert types_at(observe(run, root=str(tmp_path)), "made", "n") == ["str"]
        assert builtins.__import__ is before

    def test_no_argument_or_result_outlives_the_call(self) -> None:
        class Big:
            pass

        store = Store()
        with Tracer(store, make_code_filter(HERE), no_locals).tracing("first"):
            big = plain(Big())
            gone = weakref.ref(big)
            plain([big, []])
            del big
            gc.collect()
            assert gone() is None

    def test_objects_are_not_called(self) -> None:
        class Hostile:
            def refuse(self, *args: Any) -> Any:
                raise AssertionError("the user's code was called")

            __class__ = property(refuse)
            __eq__ = __hash__ = __len__ = __iter__ = __bool__ = __getattribute__ = refuse

        found = observe(lambda: plain(Hostile(), [Hostile()]))
        assert [t.endswith("Hostile") for t in types_at(found, "plain", "x")] == [True]

    def test_arguments_are_unchanged_and_what_a_function_binds_itself_is_kept(self) -> None:
        def count(n: Any) -> Any:
            def step() -> None:
                nonlocal n
                n += 1

            step()
            step()
            return n

        x = torch.ones(2, 2, requires_grad=True)
        version, items, results = x._version, [1, []], []
        observe(lambda: (plain(x, items), results.append(count(1))))
        assert x._version == version and x.grad is None and items == [1, []]
        assert results == [3]


class TestKindsOfFunction:
    def test_a_property_its_setter_and_a_forward_that_is_set_on_the_instance(self) -> None:
        net = Net()

        def patched(x: Any) -> Any:
            return x

        def run() -> None:
            net.scale = 2
            _ = net.scale
            net.forward = patched  # type: ignore[method-assign, assignment]
            net(torch.ones(2, 2))

        found = observe(run)
        assert types_at(found, "Net.scale", "value") == ["int"]
        assert types_at(found, "Net.scale", "return") == ["int", "None"]
        assert len({o.slot.owner.line for o in found if o.slot.owner.qualname == "Net.scale"}) == 2
        assert types_at(found, "<locals>.patched", "x") == ["Tensor"]

    def test_decorated_functions_are_known_by_the_line_of_the_decorator(self) -> None:
        def twice(function: Any) -> Any:
            @functools.wraps(function)
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                return function(*args, **kwargs)

            return wrapper

        @twice
        def wrapped(n: Any) -> Any:
            return n

        @torch.no_grad()
        def without_grad(n: Any) -> Any:
            return n

        found = observe(lambda: (wrapped(1), without_grad(2.5)))
        assert types_at(found, "<locals>.wrapped", "n") == ["int"]
        assert types_at(found, "<locals>.without_grad", "n") == ["float"]
        lines = {o.slot.owner.line for o in found if o.slot.owner.qualname.endswith(".wrapped")}
        assert lines == {wrapped.__wrapped__.__code__.co_firstlineno}

    def test_functions_belong_to_their_files(self, tmp_path: Path) -> None:
        base = load(tmp_path / "base_net.py", "class Base:\n    def forward(self, n):\n        return n\n")

        class Sub(base.Base):  # type: ignore[misc, name-defined]
            pass

        found = observe(lambda: Sub().forward(1), root=str(tmp_path))
        assert {(o.slot.owner.file, o.slot.owner.qualname) for o in found} == {(base.__file__, "Base.forward")}
        source = "def helper(n):\n    return n\n"
        one, two = load(tmp_path / "one.py", source), load(tmp_path / "two.py", source)
        assert one.helper.__code__ == two.helper.__code__
        found = observe(lambda: (one.helper(1), two.helper(2.5)), root=str(tmp_path))
        seen = {(Path(o.slot.owner.file).stem, str(o.type)) for o in found if o.slot.name == "n"}
        assert seen == {("one", "int"), ("two", "float")}

    def test_counts_are_exact_across_threads(self) -> None:
        def work() -> None:
            for _ in range(2_000):
                plain(1)

        def run() -> None:
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            with ThreadPoolExecutor(1) as pool:
                pool.submit(plain, 2.5).result()

        found = [o for o in observe(run) if o.slot.owner.qualname == "plain" and o.slot.name == "x"]
        assert {str(o.type): o.count for o in found} == {"int": 8_000, "float": 1}


SLOTS: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    "parameters of every kind": (
        "def f(a, /, b, *rest, c, d=None, **more): return rest",
        "f(1, 2.5, 'x', c='s', e=1)",
        {"f.a": ["int"], "f.b": ["float"], "f.c": ["str"], "f.d": ["None"], "f.rest": [], "f.more": []}
        | {"f.return": ["Tuple[str]"]},
    ),
    "nested functions and parameters that they close over": (
        "def f(n):\n    def inner(m): return n + m\n    return inner(1.5)",
        "f(2)",
        {"f.n": ["int"], "f.<locals>.inner.m": ["float"]},
    ),
    "methods": (
        "class A:\n    def f(self, n): return n\n    @staticmethod\n    def static(n): return n\n"
        "    @classmethod\n    def of_class(cls, n): return n",
        "(A().f(1), A.static('a'), A().static(2), A.of_class(2.5))",
        {"A.f.n": ["int"], "A.f.self": ["A"], "A.static.n": ["int", "str"], "A.of_class.n": ["float"]},
    ),
    "None by its name": ("def f(): return None", "f()", {"f.return": ["None"]}),
    "None by no statement": ("def f(): pass", "f()", {"f.return": ["None"]}),
    "a constant": ("def f(): return 3", "f()", {"f.return": ["int"]}),
    "None, and a block that runs then": (
        "def f():\n    try: return None\n    finally: print(1, end='')",
        "f()",
        {"f.return": ["None"]},
    ),
    "an exception, which is no return": (
        "def f(n): raise ValueError\ndef g(n): return f(n)",
        "g(1)",
        {"f.n": ["int"], "g.n": ["int"], "f.return": [], "g.return": []},
    ),
    "containers": ("def f(x): return x", "(f([1]), f({'a': 1}))", {"f.return": ["Dict[str, int]", "List[int]"]}),
    "an empty container that stays empty": ("def f(x): return x", "f([])", {"f.x": ["List"]}),
    "empty containers that the function fills": (
        "def f(out, table, nested):\n    out.append(1)\n    table['a'] = 2.5\n    nested['b'].append('s')",
        "f([], {}, {'b': []})",
        {"f.out": ["List", "List[int]"], "f.table": ["Dict", "Dict[str, float]"]}
        | {"f.nested": ["Dict[str, List[str]]", "Dict[str, List]"]},
    ),
    "an empty container that was filled before an exception": (
        "def f(out):\n    out.append(1)\n    raise ValueError",
        "f([])",
        {"f.out": ["List", "List[int]"]},
    ),
    "another object under the name of an empty container": (
        "def f(out):\n    first = out\n    out = ['a']\n    return first",
        "f([])",
        {"f.out": ["List"]},
    ),
    "an empty container for each call of a recursion": (
        "def f(out, depth):\n    if depth: f([], depth - 1)\n    out.append(1 if depth else 'a')",
        "f([], 1)",
        {"f.out": ["List", "List[int]", "List[str]"]},
    ),
}


@pytest.mark.parametrize(("source", "call", "expected"), SLOTS.values(), ids=SLOTS)
def test_slots(source: str, call: str, expected: dict[str, list[str]], tmp_path: Path) -> None:
    module = load(tmp_path / "observed.py", f"{source}\n")

    def run() -> None:
        with contextlib.suppress(ValueError):
            eval(call, vars(module))

    found = observe(run, root=str(tmp_path))
    assert {slot: sorted(types_at(found, *slot.rsplit(".", 1))) for slot in expected} == expected


def test_wanted_locals_are_read_at_return_and_others_once_for_their_classes() -> None:
    def work(n: Any) -> Any:
        found = []
        for i in range(int(n)):
            found.append(i)
        doubled = n * 2
        if n is None:
            unset = n  # noqa: F841
        return str(doubled)

    def wanted(owner: Owner) -> Iterable[tuple[str, int]]:
        return [("found", 7), ("never", 8), ("doubled", 0), ("unset", 0)] if owner.qualname.endswith("work") else []

    found = observe(lambda: [work(n) for n in (1, 2, 3, 0.5, 4)], wanted=wanted)
    locals_ = [(o.slot.name, o.slot.line, str(o.type), o.count) for o in found if o.slot.kind is SlotKind.LOCAL]
    assert sorted(locals_) == [
        ("doubled", 0, "float", 1),
        ("doubled", 0, "int", 1),
        ("found", 7, "List", 1),
        ("found", 7, "List[int]", 4),
    ]


class TestCounts:
    def test_by_type_and_by_example_call_beside_containers_too(self) -> None:
        store = Store()
        tracer = Tracer(store, make_code_filter(HERE), no_locals)
        for name, values in (("first", [1, 2, None]), ("second", [3, [1]])):
            with tracer.tracing(name):
                for value in values:
                    plain(value)
        seen = {o.type: (o.count, o.calls) for o in store.observations() if o.slot.name == "x"}
        assert seen == {INT: (3, ("first", "second")), NONE: (1, ("first",)), INTS: (1, ("second",))}
        found = observe(lambda: (plain([1], 1), plain([2], 1), plain(["a"], 1)))
        assert [(str(o.type), o.count) for o in found if o.slot.name == "x"] == [("List[int]", 2), ("List[str]", 1)]
        assert [(str(o.type), o.count) for o in found if o.slot.name == "n"] == [("int", 3)]

    def test_code_is_asked_for_once(self) -> None:
        asked: list[str] = []

        def filter_(code: Any) -> bool:
            asked.append(code.co_qualname)
            return code.co_qualname == "plain"

        tracer = Tracer(Store(), filter_, no_locals)
        for name in ("first", "second"):
            with tracer.tracing(name):
                plain(1)
                plain(2)
        assert asked.count("plain") == 1
