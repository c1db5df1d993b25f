"""The tasks that compare a source's behaviour in Python before and after a change, each in a separate process.

They compare the effects that callers can see: the answer of every example call or the class of its error, its arguments
afterwards, and the state that modules keep between calls.
"""

import ast
import inspect
import io
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from types import CodeType, GenericAlias, UnionType
from typing import Any

import torch

from pdt_annotate.findings.messages.capture_refusals import difference as shorten
from pdt_annotate.inputs import specs
from pdt_annotate.processes.child.prepared import Prepared, callee_of, in_mode
from pdt_annotate.values.live import FUNCTIONS, full_name, is_a, module_of_class, state_of
from pdt_annotate.values.verdicts import BEHAVES, Failure, Verdict
from pdt_annotate.verify.judges.clones import Objects, clone
from pdt_annotate.verify.judges.effects import HIDDEN
from pdt_annotate.verify.judges.equality import Difference, compare
from pdt_annotate.verify.text_judges import is_same_program

DEPTH = 12  # the most levels of nested objects that are compared
LARGE = 1000  # the most items of a container, such as a vocabulary, that are compared
AS_BUILT = "as it was built"  # the value of a tensor that no call has changed
DESCRIBING = (type, GenericAlias, UnionType, inspect.Signature, inspect.Parameter, CodeType, *FUNCTIONS)


@dataclass(frozen=True)
class Description:
    """Replaces a type, a typing construct, a signature, a code object or a function: annotations change these."""

    text: str


def record_behaviour(prepared: Prepared) -> bytes:
    return _saved(_behave(prepared))


def record_state(prepared: Prepared) -> bytes:
    return _saved({path: dict(_tensors_of(module)) for path, module in _modules_of(prepared.built)})


def state_keys(prepared: Prepared) -> tuple[str, ...]:
    return tuple(prepared.built.state_dict()) if isinstance(prepared.built, torch.nn.Module) else ()


def judge_behaviour(prepared: Prepared, recorded: bytes, state: bytes = b"") -> tuple[Verdict, ...]:
    begun = torch.load(io.BytesIO(state), weights_only=False) if state else {}
    for path, module in _modules_of(prepared.built):
        for name, tensor in _tensors_of(module):
            value = begun.get(path, {}).get(name)
            if value is not None and (value.shape, value.dtype) == (tensor.shape, tensor.dtype):
                tensor.data.copy_(value)
    verdicts: list[Verdict] = []
    before = torch.load(io.BytesIO(recorded), weights_only=False)
    for call, old, new in zip(prepared.calls, before, _behave(prepared), strict=True):
        failure = None
        try:
            _compare(old, new)
        except Difference as difference:
            what = str(difference).replace("when scripted", "with the changes").replace("in eager mode", "before")
            failure = Failure(f"in Python, {shorten(what)}", call=call.name)
        verdicts.append(Verdict(BEHAVES, failure is None, failure))
    return tuple(verdicts)


def _saved(value: Any) -> bytes:
    out = io.BytesIO()
    torch.save(value, out)
    return out.getvalue()


def _behave(prepared: Prepared) -> list[dict[str, Any]]:
    """The effects of the calls, one after the other, as plain data and tensors. Changes the built target."""
    built = Objects(prepared.built) if isinstance(prepared.built, type) else prepared.built
    tensors = [tensor for _, module in _modules_of(built) for _, tensor in _tensors_of(module)]
    # By identity, the tensors that modules hold before any call, each with its mark.
    before = {id(tensor): (tensor, _mark(tensor)) for tensor in tensors}
    buffers = {path: _tensors_of(module, "_buffers") for path, module in _modules_of(built)}
    begun = {path: {name: plain(each) for name, each in held} for path, held in buffers.items()}
    effects: list[dict[str, Any]] = []
    for index, call in enumerate(prepared.calls):
        specs.seed_generators(prepared.spec.settings.seed + index)
        args, kwargs = clone((call.args, dict(call.kwargs)))
        function = callee_of(prepared, built, call)
        done: dict[str, Any] = {"begun": begun if index == 0 else {}, "held": {}}
        with torch.set_grad_enabled(not prepared.spec.settings.no_grad), in_mode(built, call.mode):
            try:
                done["answer"] = plain(function(*args, **kwargs))
            except Exception as error:
                done["raised"] = type(error).__name__
        named = (*((f"argument {number}", each) for number, each in enumerate(args, 1)), *kwargs.items())
        done["arguments"] = {name: plain(each) for name, each in named}
        for path, module in _modules_of(built):
            held = {
                name: _declared(module, name, plain(v)) for name, v in state_of(module).items() if name not in HIDDEN
            }
            for name, tensor in _tensors_of(module):
                comparable = tensor.layout is torch.strided and not (tensor.is_meta or tensor.is_quantized)
                kept = before.get(id(tensor)) if comparable else None
                held[name] = AS_BUILT if kept and torch.equal(kept[1], _mark(tensor)) else plain(tensor)
            done["held"][path] = held
        effects.append(done)
    return effects


def _declared(module: torch.nn.Module, name: str, value: Any) -> Any:
    """A whole number as the float that a class of torch declares its attribute to be."""
    if type(value) is not int or not module_of_class(type(module)).startswith("torch."):
        return value
    declared = (state_of(cls).get("__annotations__", {}).get(name) for cls in type(module).__mro__)
    types = next((each for each in declared if each is not None), None)
    return float(value) if "float" in str(types) else value


def _modules_of(built: Any) -> Iterable[tuple[str, torch.nn.Module]]:
    return built.named_modules() if isinstance(built, torch.nn.Module) else ()


def _tensors_of(module: torch.nn.Module, *kinds: str) -> Iterator[tuple[str, torch.Tensor]]:
    state = state_of(module)
    for kind in kinds or ("_parameters", "_buffers"):
        yield from ((name, tensor) for name, tensor in state.get(kind, {}).items() if is_a(tensor, torch.Tensor))


def _mark(tensor: torch.Tensor) -> torch.Tensor:
    """A value that changes with a tensor: for a parameter its count of writes, which kernels skip for buffers."""
    if is_a(tensor, torch.nn.Parameter) and not tensor.is_inference():
        return torch.tensor(tensor._version)
    return tensor.detach().clone()


def plain(value: Any, depth: int = DEPTH, met: dict[int, Any] | None = None) -> Any:
    """A value as data that any process can read: objects become the names of their classes and their contents."""
    met = {} if met is None else met
    if module_of_class(type(value)) == "numpy" and hasattr(value, "item") and not getattr(value, "shape", ()):
        return value.item()  # a number of numpy is as good as one of Python where all calls go on as before
    if value is None or is_a(value, bool, int, float, complex, str, bytes, torch.dtype, torch.device):
        return value
    if is_a(value, torch.Tensor):
        return value.detach().clone()
    if is_a(value, *DESCRIBING) or module_of_class(type(value)) == "typing":
        return Description(repr(value))
    name = full_name(type(value))
    if depth == 0 or id(value) in met or is_a(value, torch.nn.Module) or callable(value):
        return name
    met[id(value)] = value
    if issubclass(type(value), Mapping):
        pairs = [(plain(k, depth - 1, met), plain(v, depth - 1, met)) for k, v in islice(value.items(), LARGE)]
        by_name = type(value) is dict and all(isinstance(key, str) for key, _ in pairs)
        return dict(pairs) if by_name else {"class": name, "items": pairs}
    if is_a(value, list, tuple):
        items = [plain(each, depth - 1, met) for each in value[:LARGE]]
        return type(value)(items) if type(value) in (list, tuple) else {"class": name, "items": items}
    return {"class": name, "holds": {k: plain(v, depth - 1, met) for k, v in state_of(value).items()}}


def _compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Raise a Difference unless both do the same. That modules hold more than before is no difference."""
    if old.get("raised") != new.get("raised"):
        before, now = (each.get("raised", "nothing") for each in (old, new))
        raise Difference(f"it raises {now} when scripted, {before} in eager mode")
    if "answer" in old:
        _assert_same(old["answer"], new["answer"], "the result")
    for name, value in old["arguments"].items():
        _assert_same(value, new["arguments"][name], f"after the call, {name}")
    for before, now in ((old["begun"], new["begun"]), (old["held"], new["held"])):
        for path, name, value in ((path, name, each[name]) for path, each in before.items() for name in each):
            where = f"{path}.{name}".lstrip(".")
            # A layer may replace a function: the results of the calls show whether it does the same.
            if isinstance(value, Description) and where in now:
                continue
            if name not in now.get(path, {}):
                raise Difference(f"`{where if path in now else path}` no longer exists")
            _assert_same(value, now[path][name], f"`{where}`")


def _assert_same(old: Any, new: Any, where: str) -> None:
    if compare(old, _with_descriptions_of(old, new), where):
        raise Difference(f"{where} has another class")


def _with_descriptions_of(old: Any, new: Any) -> Any:
    """The new value, with the old one's descriptions of code instead of its own.

    A class may keep the signatures, type hints or source of its methods, and annotations change all of these.
    """
    kinds = {*map(type, _leaves((old, new)))}
    if Description in kinds and kinds <= {Description, type(None)}:
        return old
    if is_a(old, str) and is_a(new, str):
        return old if _is_same_code(old, new) else new
    if is_a(old, dict) and is_a(new, dict):
        kept = {key: value for key, value in new.items() if key in old or {*map(type, _leaves(value))} - {Description}}
        pairs = _with_spellings_of([(old.get(key, value), value) for key, value in kept.items()])
        return dict(zip(kept, pairs, strict=True))
    if is_a(old, list, tuple) and type(old) is type(new) and len(old) == len(new):
        return type(new)(_with_spellings_of(list(zip(old, new, strict=True))))
    return new


def _with_spellings_of(pairs: Iterable[tuple[Any, Any]]) -> list[Any]:
    """The new items of a container. If a description among them has changed, a text may spell the same type."""
    changed = any(type(old) is type(new) is Description and old != new for old, new in pairs)
    return [
        old if changed and is_a(old, str) and is_a(new, str) else _with_descriptions_of(old, new) for old, new in pairs
    ]


def _leaves(value: Any) -> Iterator[Any]:
    if is_a(value, dict, list, tuple):
        items = value.values() if is_a(value, dict) else value
        yield from chain.from_iterable(map(_leaves, items))
    else:
        yield value


def _is_same_code(old: str, new: str) -> bool:
    """Whether two texts are the source of one definition, or signatures that differ only in annotations."""
    with suppress(SyntaxError, ValueError):  # the text is not code, or contains a null byte
        one, other = (ast.parse(textwrap.dedent(text)).body for text in (old, new))
        names = [getattr(body[0], "name", "") for body in (one, other) if len(body) == 1]
        return len(names) == 2 and names[0] == names[1] != ""
    with suppress(SyntaxError, ValueError):
        old, new = (f"def function{text}: ..." for text in (old, new))
        return is_same_program(old.encode(), new.encode())
    return False
