"""`pdt_annotate.script`: state that it must not change, results that it must return, and its errors."""

from __future__ import annotations

import functools
import importlib
import inspect
import linecache
import os
import pickle
import random
import re
import sys
import threading
import warnings
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, assert_type

import pytest
import torch
from compiler_messages import PRELUDE, load

import pdt_annotate
from pdt_annotate import Call, PdtWarning
from pdt_annotate.errors import SpecError, TargetError, UserCodeError, VerificationError
from pdt_annotate.flows.script import _warn_of_torch
from pdt_annotate.processes.fork import CAN_FORK
from pdt_annotate.processes.session import ServedSession, Session, SpawnedSession
from pdt_annotate.processes.wire import Task
from pdt_annotate.values.torch_releases import notice

if TYPE_CHECKING:
    from torch.jit._script import RecursiveScriptModule

    class Pair:
        pass

    def what_a_type_checker_knows(net: torch.nn.Linear, double: Callable[[int], float]) -> None:
        """mypy checks this function in `make lint`: every line, and that each ignored error exists."""
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
"""`test_what_verifies_at_once_is_run_once_and_tried_once` generates calls."""

X = torch.ones(2, 3)
BOOSTED = "readers.1.boosted"
HELD_BACK = Call((X, 64), method=BOOSTED, held_back=True)

MODELS = """\
import random
from torch import nn

class Mode(enum.Enum):
    SUM = 0
    MEAN = 1

class Reader(nn.Module):
    def forward(self, x):
        return x
    def decode(self, x, n):
        return x * n
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

def flip(mode):
    if mode == Mode.SUM:
        return Mode.MEAN
    return Mode.SUM

def sizes(values):
    return Sizes(values)

def keyword(x, *, times):
    return x * times

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

def area(height, size=Size(2)):
    return size.width * height
"""


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module above, imported again for every test, because the compiler remembers classes by name."""
    monkeypatch.chdir(tmp_path)
    module = load(MODELS, tmp_path)
    yield module
    for cls in (module.Box, module.Size):
        torch.jit._state._script_classes.pop(cls, None)


def line_of(text: str) -> int:
    return (PRELUDE + MODELS).partition(text)[0].count("\n") + 1


def plainly(obj: Any) -> Any:
    """The result of `torch.jit.script`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.jit.script(obj)


def snapshot(module: ModuleType, obj: Any) -> dict[str, Any]:
    """All state that a caller could find changed."""
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
        # attrs and cattrs, which are imported to read replies, store the text of generated code there.
        "linecache": {file: known for file, known in linecache.cache.items() if "attrs generated" not in file},
        "paths": [list(sys.path), list(sys.meta_path)],
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


def calls_of_net(models: ModuleType) -> list[Any]:
    return [(X,), Call((X, 0.5), {"mode": models.Mode.MEAN})]


def test_everything_stays_as_it_was(models: ModuleType) -> None:
    schema = script(models.annotated, [(1.0, 2)]).schema  # and modules that are imported for the first time
    assert str(schema) == "annotated(float n, int times) -> float"
    objects: list[tuple[Any, list[Any]]] = [
        (models.Net(), calls_of_net(models)),
        (models.Draws(), [(X, 2)]),
        (models.spoil, [(X, 2)]),
        (models.span, [(1, 2)]),
    ]
    kept = X.clone()
    for obj, calls in objects:
        before = snapshot(models, obj)
        script(obj, calls)
        after = snapshot(models, obj)
        assert [key for key in before if not is_same(before[key], after[key])] == [], obj
        assert torch.equal(X, kept)


def test_what_torch_says_of_scripting_is_told_once_a_process(models: ModuleType) -> None:
    _warn_of_torch.cache_clear()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        for _ in range(2):
            with pytest.raises(SpecError, match="no example call"):
                script(models.annotated, [])
    told = notice(torch.__version__, sys.version_info[:2])
    assert [str(each.message) for each in heard if each.category is FutureWarning] == [told] * bool(told)


def test_warnings_of_the_file_are_not_given_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "escaping.py").write_text("def shout(x, n):\n    '\\d'\n    return x * n\n")
    monkeypatch.syspath_prepend(tmp_path)
    with warnings.catch_warnings(record=True):
        shout = importlib.import_module("escaping").shout
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FutureWarning)  # the warning about torch itself
        warnings.filterwarnings("ignore", "PDT122")  # `n` is converted
        assert script(shout, [(torch.ones(1), 2)])(torch.ones(1), 3) == 3


def test_what_verifies_at_once_is_run_once_and_tried_once(models: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    kind: Any = ServedSession if CAN_FORK else SpawnedSession
    ask = kind._ask

    def note(session: Session, task: Task) -> bytes:
        asked.append(task.name.rpartition(":")[2])
        answer: bytes = ask(session, task)
        return answer

    monkeypatch.setattr(kind, "_ask", note)
    pdt_annotate.script(models.span, [(1, 2)])
    assert asked == ["observe", "attempt", "look_further"]


def test_a_failure_leaves_everything_as_it_was_and_shows_the_message_beside_the_evidence(models: ModuleType) -> None:
    before = snapshot(models, None)
    with pytest.raises(VerificationError) as caught:
        script(models.unsupported, [(torch.ones(1), 2), (torch.ones(1), 3)])
    with pytest.raises(UserCodeError):
        script(models.raises, [(X,)])
    after = snapshot(models, None)
    changed = {key for key in before if not is_same(before[key], after[key])}
    assert changed <= {"modules"}  # a first failure imports the modules that look for its cause and format it
    message = str(caught.value)
    assert f"{Path(str(models.__file__)).name}:{line_of('return {x')}" in message
    assert "n: int" in message and "int\N{MULTIPLICATION SIGN}" in message
    assert "does not script: 1 line at fault" in message and ": PDT004 " in message
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == message and not again.outcome.verified


def test_other_inputs_give_another_result_and_what_is_scripted_plainly_knows_of_none(models: ModuleType) -> None:
    for low, high in ((1, 2), (1.5, 2.5)):
        total, span = script(models.total, [([low],)]), script(models.span, [(low, high)])
        keyword = script(models.keyword, [Call((torch.ones(1),), {"times": low})])
        assert (total([low]), total([high])) == ([2 * low], [2 * high])
        box = span(low, high)
        assert type(box) is models.Box and vars(box) == {"low": low, "high": high}
        assert str(keyword.schema).startswith(f"keyword(Tensor x, *, {type(low).__name__} times)")
        assert script(total, [([low],)]) is total
    assert str(plainly(models.total).schema) == "total(Tensor values) -> Tensor[]"
    assert str(plainly(models.span).schema).startswith("span(Tensor low, Tensor high)")


def test_what_was_scripted_plainly_or_trained_before_is_no_obstacle(models: ModuleType) -> None:
    net = models.Net()
    with pytest.raises(RuntimeError):
        plainly(net)
    plainly(models.span)
    net(torch.randn(4, 3)).backward()
    torch.mm(torch.randn(300, 300), torch.randn(300, 300))
    scripted = script(net, calls_of_net(models))
    assert scripted(torch.randn(5, 3), 2.0).dtype == torch.float32
    assert scripted.norm.weight.data_ptr() == net.norm.weight.data_ptr()
    assert scripted.norm.weight.grad is net.norm.weight.grad
    assert torch.equal(scripted.norm.running_mean, net.norm.running_mean)
    assert (scripted.steps, scripted.cache, net.steps, net.cache) == (2, [4, 5], 1, [4])
    assert script(models.span, [(1, 2)])(3, 5).width() == 2
    by_method = script(net, {net: [(X,)], net.inner: [(X, 0.5)]})
    assert str(by_method.inner.forward.schema.arguments[2].type) == "float"


def test_objects_come_out_as_their_own_classes(models: ModuleType) -> None:
    assert script(models.flip, [(models.Mode.SUM,)])(models.Mode.SUM) is models.Mode.MEAN
    assert isinstance(script(models.sizes, [([1],)])([2]), tuple)
    assert script(models.Size, [(2,)]) is models.Size, "its methods are made elsewhere"


def test_a_class_is_known_to_what_is_scripted_later(models: ModuleType) -> None:
    for low, high in ((1, 2), (1.5, 2.5)):
        assert script(models.Box, {models.Box: [(low, high)], models.Box(low, high).width: [()]}) is models.Box
        torch.jit._state._jit_caching_layer.clear()
        models.span.__annotations__.update(low=type(low), high=type(high))
        name = type(low).__name__
        text = (PRELUDE + MODELS).replace("def span(low, high)", f"def span(low: {name}, high: {name})")
        file = str(models.__file__)
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        assert plainly(models.span)(low, high).width() == high - low


@pytest.mark.parametrize("form", ["keywords", "path", "named"])
def test_every_form_of_example_inputs(form: str, models: ModuleType, tmp_path: Path) -> None:
    spec = tmp_path / "inputs.py"
    spec.write_text("import torch\nexample_inputs = [(torch.ones(2), 2)]\nother = [(torch.ones(2), 2.5)]\n")
    forms = {"keywords": [{"x": X, "n": 2}], "path": spec, "named": f"{spec}:other"}
    schema = script(models.spoil, forms[form]).schema
    assert str(schema.arguments[1].type) == ("float" if form == "named" else "int")


@pytest.mark.parametrize(
    ("name", "by"), [("exported", "name"), ("readers.1.decode", "name"), ("readers.1.decode", "it")]
)
def test_every_method_that_calls_name_is_in_the_result(by: str, name: str, models: ModuleType) -> None:
    net = models.Outer() if "." in name else models.Reader()
    path, _, method = name.rpartition(".")
    inner = getattr(net.get_submodule(path), method)
    calls: Any = [Call((X,)), Call((X, 2), method=name)] if by == "name" else {net: [(X,)], inner: [(X, 2)]}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "PDT05")
        scripted = script(net, calls)
    for part in filter(None, path.split(".")):
        scripted = getattr(scripted, part)
    assert torch.equal(getattr(scripted, method)(X, 3), X * 3) and scripted._c._has_method(method)
    assert not hasattr(torch.jit.script(models.Reader()), "decode")


def test_a_method_that_no_scripted_module_has_is_said_and_calls_may_name_one_alone(models: ModuleType) -> None:
    names = ("ignored", "scaled", "made")
    with pytest.warns(PdtWarning) as told:
        script(models.Reader(), [Call((X,)), *(Call((X, 2), method=name) for name in names)])
    found = {(each.lineno, str(each.message).partition(" is not compared")[0]) for each in told}
    for number, name in enumerate(names):
        assert (line_of(f"def {name}("), f"PDT058 call {number + 2}: `{name}`") in found
    assert torch.equal(script(models.Reader(), [Call((X, 3), method="boosted")]).boosted(X, 4), X * 2)


def test_it_is_what_annotated_source_scripts_to(models: ModuleType, tmp_path: Path) -> None:
    targets = [f"{models.__file__}:{name}" for name in ("Net", "Reader().decode", "Reader.exported")]
    outcome = pdt_annotate.annotate(targets, args=["f32[2,3]", "2"], probe=False)
    told = [(finding.code, finding.message) for finding in outcome.findings if finding.code.startswith("PDT05")]
    assert told == [("PDT057", "call 1: `decode` is compiled only because an example call calls it")]
    annotated = load(outcome.changes[0].after.decode(), tmp_path)
    schemas = [
        [re.sub(r"provoked_\d+|___torch_mangle_\d+\.", "", str(part.forward.schema)) for part in (net, net.inner)]
        for net in (script(models.Net(), [(X, 2)]), plainly(annotated.Net()))
    ]
    assert schemas[0] == schemas[1]


def test_threads_take_turns_and_streams_may_not_be_there(models: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [int, float]
    with ThreadPoolExecutor(len(kinds)) as pool:
        found = list(pool.map(lambda kind: script(models.total, [([kind(1)],)]), kinds))
    assert [str(each.schema.arguments[0].type) for each in found] == [f"List[{kind.__name__}]" for kind in kinds]
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


def test_code_of_an_archive_or_a_session_is_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "models.zip", "w") as archive:
        archive.writestr("zipped_models.py", PRELUDE + MODELS)
    monkeypatch.syspath_prepend(tmp_path / "models.zip")
    module = importlib.import_module("zipped_models")
    with pytest.raises(TargetError, match=r"no file .*models.zip") as caught:
        script(module.total, [([1],)])
    assert "notebook" not in caught.value.hint
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile("def typed_in(x, n):\n    return x * n\n", "<session>", "exec"), names)
    with pytest.raises(TargetError, match="the source of typed_in is in no file") as caught:
        script(names["typed_in"], [(torch.ones(1), 2)])
    assert "notebook" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "inputs", "error", "words"),
    [
        ("total", [], SpecError, "no example call"),
        ("total", [3], SpecError, "call 1 is a value of type 'int'"),
        ("total", [(1, 2)], SpecError, "2 positional arguments for 1 parameters"),
        ("total", "missing.py", SpecError, "missing.py"),
        ("Reader()", [Call((X,), method="decod")], SpecError, "Reader has no method `decod`"),
        ("Reader()", [Call((X,), method="size")], SpecError, "`size` of Reader is a property"),
        ("Net", [(1,)], TargetError, "nn.Module class"),
        *((text, [(X,)], TargetError, "the object to script is") for text in ("None", "3", "torch.relu", "len")),
        ("lambda x, n: x * n", [(X, 2)], TargetError, "a lambda"),
        ("raises", [(X,)], UserCodeError, "no such luck"),
        ("refuses", [(X, 2)], VerificationError, "raises, and the eager model does not"),
        ("Outer()", [Call((X,)), Call((X, 3), method=BOOSTED), HELD_BACK], VerificationError, "held back"),
        ("area", [Call(kwargs={"height": 2})], VerificationError, "`size`: the dataclass Size is not decorated"),
    ],
)
def test_what_is_at_fault(text: str, inputs: Any, error: type[Exception], words: str, models: ModuleType) -> None:
    with pytest.raises(error, match=words):
        script(eval(text, vars(models)), inputs)


def test_an_error_for_lack_of_time_says_what_would_be_tried_next(models: ModuleType) -> None:
    with pytest.raises(VerificationError) as caught:
        script(models.enters_rarely, [(torch.ones(2), False)], budget=1e-9)
    outcome: Any = caught.value.outcome
    (finding,) = [each for each in outcome.findings if each.code == "PDT091"]
    assert f"PDT091 {finding.message}" in str(caught.value)
    assert finding.message.endswith("the next step would be to try `local kept: List[int]` in unentered")
    assert (finding.place.file, finding.place.line) == (models.__file__, line_of("kept = []"))


def test_code_is_changed_for_one_compilation_alone(models: ModuleType) -> None:
    net, source = models.Joint(), inspect.getsource(models.Joint.forward)
    assert torch.equal(script(net, [(torch.ones(2),)], mend="exact")(torch.ones(3)), torch.full((3,), 2.0))
    assert inspect.getsource(models.Joint.forward) == source


ANNOTATED = "def double(x: int):\r\n    return 2 * x\r\n"
SHOWN = f"""\
import torch\r
\f\r
{ANNOTATED}\r
\r
@torch.jit.ignore\r
def told(x):\r
    return x\r
\r
\r
def times(x, n): # times\r
    return x * double(n)\r
\r
\r
def refused(x):\r
    return {{x}}\r
"""


def test_annotated_source_shows_statements_that_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "shown_model.py"
    file.write_bytes(SHOWN.encode())
    monkeypatch.syspath_prepend(tmp_path)
    model = importlib.import_module("shown_model")
    assert pdt_annotate.annotated_source(model.double, [(2,)]) == ""
    expected = "def times(x: torch.Tensor, n: int): # times\r\n    return x * double(n)"
    assert pdt_annotate.annotated_source(model.times, [(torch.ones(1), 2)]) == expected
    assert file.read_bytes() == SHOWN.encode() and "return" not in model.times.__annotations__
    with pytest.raises(VerificationError, match="PDT004"):
        pdt_annotate.annotated_source(model.refused, [(2,)])
