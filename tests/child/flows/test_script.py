"""`pdt_annotate.script`: what it must leave as it was, what it must answer, and what it says where it cannot."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import itertools
import json
import linecache
import os
import pickle
import random
import subprocess
import sys
import threading
import warnings
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, assert_type

import golden
import pytest
import torch
from repository import HELPERS, ROOT

import pdt_annotate
from pdt_annotate import Call, PdtWarning
from pdt_annotate.errors import SpecError, TargetError, UserCodeError, VerificationError
from pdt_annotate.flows.script import _tell_of_torch
from pdt_annotate.processes.fork import CAN_FORK
from pdt_annotate.processes.session import ServedSession, Session, SpawnedSession
from pdt_annotate.processes.wire import Task
from pdt_annotate.values.torch_releases import notice

if TYPE_CHECKING:
    from torch.jit._script import RecursiveScriptModule

    class Pair:
        pass

    def what_a_type_checker_knows(net: torch.nn.Linear, double: Callable[[int], float]) -> None:
        """`make lint` judges it: of every line, and that what it is told to ignore is an error."""
        calls = [(torch.ones(1),)]
        scripted = pdt_annotate.script(net, calls, mend="exact", root=Path())
        assert_type(scripted, RecursiveScriptModule)
        assert_type(pdt_annotate.script(scripted, calls), RecursiveScriptModule)
        assert_type(pdt_annotate.script(double, {double: [(1,)]})(3), float)
        assert_type(pdt_annotate.script(Pair, [Call((1,))]), type[Pair])
        pdt_annotate.script(net, calls, mend="some")  # type: ignore[call-overload]
        pdt_annotate.script(net, calls, third_party="read")  # type: ignore[call-overload]
        pdt_annotate.script(3, calls)  # type: ignore[call-overload]
        pdt_annotate.script(net)  # type: ignore[call-overload]


script: Any = functools.partial(pdt_annotate.script, probe=False)
"""Calls are drawn where they are looked at, in `test_what_verifies_at_once_is_run_once_and_tried_once`."""

MODELS = """\
import dataclasses
import enum
import random
from typing import List, NamedTuple

import torch
from torch import nn


class Mode(enum.Enum):
    SUM = 0
    MEAN = 1


class Reader(nn.Module):
    def forward(self, x):
        return x

    def decode(self, x, n):
        return x * n

    def explain(self, x):
        return {"x"}

    def boosted(self, x, n):
        return x * ((1 << n) % 7)

    @torch.jit.export
    def exported(self, x, n):
        return x * n

    @torch.jit.ignore
    def ignored(self, x, n):
        return x * n

    @staticmethod
    def scaled(x, n):
        return x * n

    @classmethod
    def made(cls, x, n):
        return x * n

    @property
    def size(self):
        return 3


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.readers = nn.ModuleList([Reader(), Reader()])

    def forward(self, x):
        return self.readers[0](x)


class Joint(nn.Module):
    def forward(self, x):
        found, count = {}, 1
        found[x.size(0)] = x
        return found[x.size(0)] + count


class Box:
    def __init__(self, low, high):
        self.low = low
        self.high = high

    def width(self):
        return self.high - self.low


class Sizes(NamedTuple):
    all: List[int]


class Inner(nn.Module):
    def forward(self, x, scale):
        return x * scale


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.inner = Inner()
        self.steps = 0
        self.cache = []

    def forward(self, x, scale=None, mode=Mode.SUM):
        self.steps += 1
        self.cache.append(x.size(0))
        x = self.norm(x)
        x += 1
        x = x + torch.rand(1) * 0
        if scale is not None:
            x = self.inner(x, scale)
        return x.sum() if mode == Mode.SUM else x.mean()


def unentered(n):
    kept = []
    kept.append(n + 1)
    return len(kept)


def enters_rarely(x, often):
    return x + unentered(3) if often else x


class Draws(nn.Module):
    __jit_unused_properties__ = ["drawn"]

    @property
    def drawn(self):
        return random.random() + float(torch.rand(1))

    def forward(self, x, times):
        return x * times


def total(values):
    result = []
    for value in values:
        result.append(value + value)
    return result


def spoil(x, n):
    x += n
    return x


def span(low, high):
    box: Box = Box(low, high)
    return box


def shifted(x, n):
    return x.reshape(-1)[: (1 << n) % 5]


def flip(mode):
    if mode == Mode.SUM:
        return Mode.MEAN
    return Mode.SUM


def sizes(values):
    return Sizes(values)


def keyword(x, *, times):
    return x * times


def truth(flag, n):
    if isinstance(flag, int):
        return flag * 10 + n
    return flag


def annotated(n: float, times):
    return n * times


def unsupported(x, n):
    return {x, n}


def raises(x):
    raise ValueError("no such luck")


def refuses(x, n):
    if torch.jit.is_scripting():
        raise RuntimeError("not with me")
    return x * n


@dataclasses.dataclass
class Size:
    width: int


def area(size, height):
    return size.width * height
"""


NUMBERS = itertools.count()


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module above, new for every test."""
    name = f"live_models_{next(NUMBERS)}"  # the compiler never forgets a class by its name
    file = tmp_path / f"{name}.py"
    file.write_text(MODELS)
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    yield module
    for cls in (module.Box, module.Size):
        torch.jit._state._script_classes.pop(cls, None)


def plainly(obj: Any) -> Any:
    """What `torch.jit.script` makes of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.jit.script(obj)


def snapshot(module: ModuleType, obj: Any) -> dict[str, Any]:
    """All that a caller could find changed."""
    state, recursive = torch.jit._state, torch.jit._recursive
    store = recursive.concrete_type_store
    tree = list(obj.modules()) if isinstance(obj, torch.nn.Module) else []
    functions = [value for value in vars(module).values() if hasattr(value, "__annotations__")]
    return {
        "names": dict(vars(module)),
        "annotations": [dict(vars(value).get("__annotations__") or value.__annotations__) for value in functions],
        "attributes": [sorted(vars(each)) for each in tree],
        "tensors": [t.clone() for t in (*obj.parameters(), *obj.buffers())] if tree else [],
        "values": [{k: v for k, v in vars(each).items() if not k.startswith("_")} for each in tree],
        "functions": dict(state._jit_caching_layer),
        "overloads": dict(state._jit_function_overload_caching),
        "classes": dict(state._script_classes),
        "types": {cls: list(types) for cls, types in store.type_store.items()},
        "methods": set(store.methods_compiled),
        "patched": [torch.jit.frontend.get_jit_def, torch._jit_internal._qualified_name, store],
        # attrs and cattrs, which are imported to read replies, keep the text of what they generate there.
        "linecache": {file: known for file, known in linecache.cache.items() if "attrs generated" not in file},
        "path": list(sys.path),
        "meta_path": list(sys.meta_path),
        "modules": dict(sys.modules),
        "profile": [sys.getprofile(), threading.getprofile(), sys.gettrace()],
        "generators": [random.getstate(), torch.get_rng_state()],
        "modes": [torch.is_grad_enabled(), torch.get_num_threads(), os.getcwd(), list(warnings.filters)],
        "environment": dict(os.environ),
    }


def is_same(before: Any, after: Any) -> bool:
    if isinstance(before, torch.Tensor):
        return bool(torch.equal(before, after))
    if isinstance(before, (list, tuple)):
        return len(before) == len(after) and all(map(is_same, before, after))
    if isinstance(before, dict):
        return before.keys() == after.keys() and all(is_same(before[key], after[key]) for key in before)
    return before is after or bool(before == after)


def calls_of(name: str, models: ModuleType) -> list[Any]:
    x = torch.ones(2, 3)
    calls: dict[str, list[Any]] = {
        "Net": [(x,), Call((x, 0.5), {"mode": models.Mode.MEAN})],
        "Draws": [(x, 2)],
        "spoil": [(x, 2)],
        "flip": [(models.Mode.SUM,)],
        "span": [(1, 2)],
        "keyword": [{"x": x, "times": 2}],
    }
    return calls[name]


@pytest.mark.parametrize("name", ["Net", "Draws", "spoil", "flip", "span"])
def test_everything_stays_as_it_was(name: str, models: ModuleType) -> None:
    obj = getattr(models, name)
    obj = obj() if isinstance(obj, type) else obj
    calls = calls_of(name, models)
    tensors = [value for call in calls for value in (call if isinstance(call, tuple) else ()) if torch.is_tensor(value)]
    kept = [tensor.clone() for tensor in tensors]
    script(models.annotated, [(1.0, 2)])  # what is imported for the first time
    before = snapshot(models, obj)
    script(obj, calls)
    after = snapshot(models, obj)
    assert [key for key in before if not is_same(before[key], after[key])] == []
    assert all(map(torch.equal, tensors, kept))


def test_what_torch_says_of_scripting_is_told_once_a_process(models: ModuleType) -> None:
    _tell_of_torch.cache_clear()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        for _ in range(2):
            script(models.annotated, [(1.0, 2)])
    told = notice(torch.__version__, sys.version_info[:2])
    assert [str(each.message) for each in heard if each.category is FutureWarning] == [told] * bool(told)


def test_warnings_of_the_file_are_not_given_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "escaping.py").write_text("def shout(x, n):\n    '\\d'\n    return x * n\n")
    monkeypatch.syspath_prepend(tmp_path)
    with warnings.catch_warnings(record=True):
        shout = importlib.import_module("escaping").shout
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FutureWarning)  # what is said of torch itself
        assert script(shout, [(torch.ones(1), 2)])(torch.ones(1), 3) == 3


@pytest.mark.parametrize("name", ["Draws", "span"])
def test_what_verifies_at_once_is_run_once_and_tried_once(
    name: str, models: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    kind: Any = ServedSession if CAN_FORK else SpawnedSession
    ask = kind._ask

    def note(session: Session, task: Task) -> bytes:
        asked.append(task.name.rpartition(":")[2])
        answer: bytes = ask(session, task)
        return answer

    monkeypatch.setattr(kind, "_ask", note)
    obj = getattr(models, name)
    pdt_annotate.script(obj() if isinstance(obj, type) else obj, calls_of(name, models))
    assert asked == ["observe", "attempt", "look_further"]


def test_a_failure_leaves_everything_as_it_was(models: ModuleType) -> None:
    before = snapshot(models, None)
    with pytest.raises(VerificationError):
        script(models.unsupported, [(torch.ones(1), 2)])
    with pytest.raises(UserCodeError):
        script(models.raises, [(torch.ones(1),)])
    after = snapshot(models, None)
    imported = [] if CAN_FORK else ["modules"]  # what shows the failure
    assert [key for key in before if not is_same(before[key], after[key])] == imported


def test_what_is_scripted_plainly_later_knows_nothing_of_it(models: ModuleType) -> None:
    script(models.total, [([1, 2],)])
    script(models.span, [(1, 2)])
    assert str(plainly(models.total).schema) == "total(Tensor values) -> Tensor[]"
    assert str(plainly(models.span).schema).startswith("span(Tensor low, Tensor high)")


def test_what_was_scripted_plainly_before_is_no_obstacle(models: ModuleType) -> None:
    net = models.Net()
    with pytest.raises(RuntimeError):
        plainly(net)
    plainly(models.span)
    plainly(models.keyword)
    assert script(net, calls_of("Net", models))(torch.ones(2, 3), 2.0).dtype == torch.float32
    assert script(models.span, [(1, 2)])(3, 5).width() == 2
    assert str(script(models.keyword, calls_of("keyword", models)).schema).startswith("keyword(Tensor x, *, int times)")


@pytest.mark.parametrize(("name", "first", "second"), [("total", ([1],), ([1.5],)), ("span", (1, 2), (1.5, 2.5))])
def test_other_inputs_give_another_result(name: str, first: Any, second: Any, models: ModuleType) -> None:
    function = getattr(models, name)
    one, two = script(function, [first]), script(function, [second])
    for scripted, call in ((one, first), (two, second)):
        answer, eager = scripted(*call), function(*call)
        assert vars(answer) == vars(eager) if name == "span" else answer == eager


def test_other_keywords_give_another_result(models: ModuleType) -> None:
    found = [script(models.keyword, [Call((torch.ones(1),), {"times": number})]) for number in (2, 2.5)]
    assert [str(scripted.schema.arguments[1].type) for scripted in found] == ["int", "float"]


def test_the_weights_are_shared_and_the_state_is_the_models_own(models: ModuleType) -> None:
    net = models.Net()
    scripted = script(net, calls_of("Net", models))
    scripted(torch.randn(4, 3))
    assert scripted.norm.weight.data_ptr() == net.norm.weight.data_ptr()
    assert torch.equal(scripted.norm.running_mean, net.norm.running_mean)
    assert (scripted.steps, scripted.cache, net.steps, net.cache) == (1, [4], 0, [])


def test_annotations_in_the_source_are_honoured(models: ModuleType) -> None:
    schema = script(models.annotated, [(1.0, 2)]).schema
    assert str(schema) == "annotated(float n, int times) -> float"


def test_objects_come_out_as_their_own_classes(models: ModuleType) -> None:
    assert script(models.flip, calls_of("flip", models))(models.Mode.SUM) is models.Mode.MEAN
    box = script(models.span, [(1, 2)])(3, 4)
    assert type(box) is models.Box and vars(box) == {"low": 3, "high": 4}
    assert isinstance(script(models.sizes, [([1],)])([2]), tuple)


def test_a_class_is_known_to_what_is_scripted_later(models: ModuleType) -> None:
    for low, high in ((1, 2), (1.5, 2.5)):
        assert script(models.Box, {models.Box: [(low, high)], models.Box(low, high).width: [()]}) is models.Box
        torch.jit._state._jit_caching_layer.clear()
        models.span.__annotations__.update(low=type(low), high=type(high))
        name = type(low).__name__
        text = MODELS.replace("def span(low, high)", f"def span(low: {name}, high: {name})")
        file = str(models.__file__)
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        assert plainly(models.span)(low, high).width() == high - low


def test_what_is_scripted_already_is_returned(models: ModuleType) -> None:
    scripted = script(models.total, [([1],)])
    assert script(scripted, [([1],)]) is scripted


@pytest.mark.parametrize("form", ["list", "mapping", "call", "keywords", "file", "path", "named"])
def test_every_form_of_example_inputs(form: str, models: ModuleType, tmp_path: Path) -> None:
    spec = tmp_path / "inputs.py"
    spec.write_text("import torch\nexample_inputs = [(torch.ones(2), 2)]\nother = [(torch.ones(2), 2.5)]\n")
    x = torch.ones(2)
    forms: dict[str, Any] = {
        "list": [(x, 2)],
        "mapping": {models.spoil: [(x, 2)]},
        "call": [Call((x,), {"n": 2})],
        "keywords": [{"x": x, "n": 2}],
        "file": str(spec),
        "path": spec,
        "named": f"{spec}:other",
    }
    schema = script(models.spoil, forms[form]).schema
    assert str(schema.arguments[1].type) == ("float" if form == "named" else "int")


def test_methods_are_observed_by_a_mapping(models: ModuleType) -> None:
    net = models.Net()
    x = torch.ones(2, 3)
    scripted = script(net, {net: [(x,)], net.inner: [(x, 0.5)]})
    assert str(scripted.inner.forward.schema.arguments[2].type) == "float"


@pytest.mark.parametrize(
    ("name", "by"), [("decode", "name"), ("exported", "name"), ("readers.1.decode", "name"), ("readers.1.decode", "it")]
)
def test_every_method_that_calls_name_is_in_the_result(by: str, name: str, models: ModuleType) -> None:
    net, x = models.Outer() if "." in name else models.Reader(), torch.ones(2, 3)
    path, _, method = name.rpartition(".")
    inner = getattr(net.get_submodule(path), method)
    calls: Any = [Call((x,)), Call((x, 2), method=name)] if by == "name" else {net: [(x,)], inner: [(x, 2)]}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "PDT05")
        scripted = script(net, calls)
    for part in filter(None, path.split(".")):
        scripted = getattr(scripted, part)
    assert torch.equal(getattr(scripted, method)(x, 3), x * 3) and scripted._c._has_method(method)
    assert not hasattr(torch.jit.script(models.Reader()), "decode")


@pytest.mark.parametrize("name", ["ignored", "scaled", "made"])
def test_a_method_that_no_scripted_module_has_is_said(name: str, models: ModuleType) -> None:
    x = torch.ones(2, 3)
    with pytest.warns(PdtWarning, match=f"PDT058 call 2: `{name}` is not compared") as told:
        script(models.Reader(), [Call((x,)), Call((x, 2), method=name)])
    line = MODELS[: MODELS.index(f"def {name}(")].count("\n") + 1
    assert line in [each.lineno for each in told]


def test_calls_may_name_one_method_alone(models: ModuleType) -> None:
    x = torch.ones(2, 3)
    assert torch.equal(script(models.Reader(), [Call((x, 3), method="boosted")]).boosted(x, 4), x * 2)


@pytest.mark.parametrize(("name", "held_back"), [("boosted", False), ("readers.1.boosted", True)])
def test_methods_that_calls_name_are_compared(name: str, held_back: bool, models: ModuleType) -> None:
    net, x = models.Outer() if "." in name else models.Reader(), torch.ones(2, 3)
    calls = [Call((x,)), Call((x, 3), method=name), Call((x, 64), method=name, held_back=held_back)]
    with pytest.raises(VerificationError, match="held back" if held_back else "answers"):
        script(net, calls)


@pytest.mark.parametrize(
    ("name", "words"), [("decod", "Reader has no method `decod`"), ("size", "`size` of Reader is a property")]
)
def test_what_is_no_method(name: str, words: str, models: ModuleType) -> None:
    with pytest.raises(SpecError, match=words):
        script(models.Reader(), [Call((torch.ones(1),), method=name)])


def test_a_method_that_only_calls_reach_is_a_finding_where_source_is_written(models: ModuleType) -> None:
    file = str(models.__file__)
    outcome = pdt_annotate.annotate(f"{file}:Reader().decode", args=["f32[2]", "2"], probe=False)
    told = [(finding.code, finding.message) for finding in outcome.findings if finding.code.startswith("PDT05")]
    assert told == [("PDT057", "call 1: `decode` is compiled because the call names it, and nothing else reaches it")]
    outcome = pdt_annotate.annotate(f"{file}:Reader.exported", args=["f32[2]", "2"], probe=False)
    assert outcome.verified and "PDT057" not in {finding.code for finding in outcome.findings}


def test_methods_that_calls_name_fail_where_they_cannot_be_compiled(models: ModuleType) -> None:
    with pytest.raises(VerificationError, match="PDT004"):
        script(models.Reader(), [Call((torch.ones(1),), method="explain")])


def test_threads_take_turns(models: ModuleType) -> None:
    kinds = [int, float]
    with ThreadPoolExecutor(len(kinds)) as pool:
        found = list(pool.map(lambda kind: script(models.total, [([kind(1)],)]), kinds))
    assert [str(each.schema.arguments[0].type) for each in found] == [f"List[{kind.__name__}]" for kind in kinds]


def test_streams_that_are_not_there(models: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert script(models.total, [([1],)])([2]) == [4]


@pytest.mark.forks
def test_descriptors_that_a_daemon_closed(models: ModuleType, tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            os.closerange(0, 3)
            answer = script(models.total, [([1],)])([2])
            left = [number for number in range(3) if os.path.exists(f"/proc/self/fd/{number}")]
            (tmp_path / "answer").write_text(f"{answer} {left}")
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    assert (tmp_path / "answer").read_text() == "[4] []"


def test_where_the_compiler_is_turned_off(models: ModuleType) -> None:
    torch.jit._state.disable()
    try:
        assert script(models.unsupported, [(torch.ones(1), 2)]) is models.unsupported
    finally:
        torch.jit._state.enable()


@pytest.mark.parametrize("obj", [None, 3, torch.relu, len], ids=["None", "3", "relu", "len"])
def test_what_is_no_target(obj: Any) -> None:
    with pytest.raises(TargetError, match="the object to script is"):
        script(obj, [(torch.ones(1),)])


def test_a_class_whose_methods_are_made_elsewhere(models: ModuleType) -> None:
    assert script(models.Size, [(2,)]) is models.Size


def test_code_of_an_archive_is_not_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "models.zip", "w") as archive:
        archive.writestr("zipped_models.py", MODELS)
    monkeypatch.syspath_prepend(tmp_path / "models.zip")
    module = importlib.import_module("zipped_models")
    with pytest.raises(TargetError, match=r"no file .*models.zip") as caught:
        script(module.total, [([1],)])
    assert "notebook" not in caught.value.hint


def test_what_refuses_to_be_scripted_by_raising_is_not_scripted(models: ModuleType) -> None:
    with pytest.raises(VerificationError, match="raises where the eager one does not"):
        script(models.refuses, [(torch.ones(1), 2)])


def test_an_error_tells_what_stayed_without_an_annotation(models: ModuleType) -> None:
    with pytest.raises(VerificationError) as caught:
        script(models.area, [(models.Size(2), 2)])
    assert "`size`: the dataclass Size is not decorated" in str(caught.value)


def test_code_of_a_session_has_no_file() -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile("def typed_in(x, n):\n    return x * n\n", "<session>", "exec"), names)
    with pytest.raises(TargetError, match="the source of typed_in is in no file") as caught:
        script(names["typed_in"], [(torch.ones(1), 2)])
    assert "notebook" in caught.value.hint
    with pytest.raises(TargetError, match="a lambda"):
        script(lambda x, n: x * n, [(torch.ones(1), 2)])


@pytest.mark.parametrize(
    ("name", "inputs", "error", "words"),
    [
        ("total", [], SpecError, "no example call"),
        ("total", None, SpecError, "no example call"),
        ("total", [3], SpecError, "call 1 is a value of type 'int'"),
        ("total", [(1, 2)], SpecError, "2 positional arguments for 1 parameters"),
        ("total", "missing.py", SpecError, "missing.py"),
        ("Net", [(1,)], TargetError, "nn.Module class"),
        ("raises", [(1,)], UserCodeError, "no such luck"),
    ],
)
def test_faults_of_the_caller(name: str, inputs: Any, error: type[Exception], words: str, models: ModuleType) -> None:
    with pytest.raises(error, match=words):
        script(getattr(models, name), inputs)


def test_an_error_shows_the_message_beside_the_evidence(models: ModuleType) -> None:
    with pytest.raises(VerificationError) as caught:
        script(models.unsupported, [(torch.ones(1), 2), (torch.ones(1), 3)])
    message = str(caught.value)
    assert f"{Path(str(models.__file__)).name}:{MODELS[: MODELS.index('return {x')].count(chr(10)) + 1}" in message
    assert "n: int" in message and "int\N{MULTIPLICATION SIGN}" in message
    assert "does not script: 1 line is in the way" in message and ": PDT004 " in message
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == message and not again.outcome.verified


def test_an_error_for_lack_of_time_says_what_would_be_tried_next(models: ModuleType) -> None:
    with pytest.raises(VerificationError, match=r"PDT091 [^→]*would try next: `local kept: List\[int\]` in unentered"):
        script(models.enters_rarely, [(torch.ones(2), False)], budget=1e-9)


def test_a_wrong_answer_is_an_error(models: ModuleType) -> None:
    with pytest.raises(VerificationError, match="answers") as caught:
        script(models.truth, [(True, 20), (2, 30), (0.5, 40)])
    assert "`flag` is asked for isinstance int in the body, and was a bool" in str(caught.value)


def test_after_training_in_this_process(models: ModuleType) -> None:
    net = models.Net()
    net(torch.randn(4, 3)).backward()
    torch.mm(torch.randn(300, 300), torch.randn(300, 300))
    scripted = script(net, calls_of("Net", models))
    assert scripted.norm.weight.grad is net.norm.weight.grad


def run_program(folder: Path, way: str) -> dict[str, str]:
    program = HELPERS / "script_fixture.py"
    command = [sys.executable, "-B", str(program), way]
    paths = os.pathsep.join(map(str, (HELPERS, ROOT / "tools", ROOT)))
    env = os.environ | {"PYTHONPATH": paths, "TMPDIR": str(folder.parent)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


FIXTURES = ("ctc_decoder", "enum_pooling", "gnn_edges", "lstm_namedtuple", "streaming_conv", "transformer_lm", "vae")


@pytest.mark.parametrize("name", FIXTURES)
def test_a_fixture_scripts_to_what_its_annotated_source_does(name: str, tmp_path: Path) -> None:
    folder = golden.copy(name, tmp_path)
    live = run_program(folder, "live")
    patch = (golden.FIXTURES / name / "expected.diff").read_bytes()
    subprocess.run(["patch", "-p1", "--silent"], cwd=folder, input=patch, check=True)
    assert live == run_program(folder, "plain")


def test_the_public_face() -> None:
    assert {"annotate", "observe", "overlay", "script", "Call"} <= set(pdt_annotate.__all__)


def test_code_is_changed_for_one_compilation_alone(models: ModuleType) -> None:
    net, source = models.Joint(), inspect.getsource(models.Joint.forward)
    with pytest.raises(VerificationError):
        script(net, [(torch.ones(2),)])
    scripted = script(net, [(torch.ones(2),)], mend="exact")
    assert torch.equal(scripted(torch.ones(3)), torch.full((3,), 2.0))
    assert inspect.getsource(models.Joint.forward) == source


@pytest.mark.forks
def test_calls_are_drawn_where_they_are_wanted(models: ModuleType) -> None:
    """`<<` by 64 bits is 0 in TorchScript: what differs for odd numbers alone is said where a call shows it."""
    found = []
    for probe in (False, True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pdt_annotate.script(models.shifted, [(torch.ones(2, 3), 1)], probe=probe)
        found.append([each.message.code for each in caught if isinstance(each.message, PdtWarning)])
    assert found[0] == [] and "PDT120" in found[1]
