"""The changes that a call makes in its arguments and in the modules of a target; the identity of its results.

TorchScript takes and returns lists and dicts as copies; tensors keep their identity.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils import _pytree as pytree

from pdt_annotate.values.live import module_of_class, state_of
from pdt_annotate.values.verdicts import Failure
from pdt_annotate.verify.judges.clones import Done, is_opaque, is_size, leaves_of
from pdt_annotate.verify.judges.equality import SEEN, Difference, compare

HIDDEN = vars(torch.nn.Module()).keys() - {"training"}  # the attributes of every module


def compare_arguments(eager: Done, scripted: Done) -> Iterator[Failure]:
    """Remarks on lost changes of lists, dicts and objects. Raises a Difference if a tensor changed in place differs."""
    handed = dict(leaves_of(scripted.before))
    for where, old in leaves_of(eager.before):
        if isinstance(old, torch.Tensor) and where in handed:
            compare(old, handed[where], f"after the call, {where}")
    for where, now in eager.passed.items():
        flat = (pytree.tree_flatten(value, is_leaf=is_size) for value in (eager.before[where], now))
        (old, old_shape), (new, new_shape) = flat
        moved = old_shape != new_shape or any(one is not other for one, other in zip(old, new, strict=True))
        may_have_changed = moved or any(map(is_opaque, new))
        if may_have_changed and _difference(where, lambda: (now, scripted.passed[where])):  # noqa: B023 - called at once
            message = f"the change that the call makes to {where}, a {type(now).__name__}, is lost when scripted"
            yield Failure(message, code=SEEN)


def _difference(where: str, read: Callable[[], tuple[Any, Any]]) -> str:
    """How two values differ, in words; "" if they do not, or if one of them is gone."""
    try:
        compare(*read(), where)
    except Difference as difference:
        return str(difference)
    except Exception:  # it is gone, or an object of the user's, whose comparison raises
        return ""
    return ""


@dataclass(frozen=True)
class HeldPair:
    """A member of a module, eager and scripted: an attribute, a parameter or a buffer."""

    where: str
    name: str
    eager: torch.nn.Module
    scripted: Any

    def versions(self) -> tuple[int, ...]:
        """How often each parameter was changed in place; it is never replaced. Empty for other members."""
        parameter = self.eager._parameters.get(self.name)
        if parameter is None or parameter.is_inference():
            return ()
        return parameter._version, getattr(self.scripted, self.name)._version

    def difference(self) -> str:
        return _difference(self.where, lambda: (getattr(self.eager, self.name), getattr(self.scripted, self.name)))


class State:
    """The members of a target's modules that the compiled ones have, too, and that are equal before the first call.

    A parameter is compared only if a call has changed it: there may be very many.
    """

    def __init__(self, eager: Any, scripted: Any) -> None:
        self._held: list[tuple[HeldPair, tuple[int, ...]]] = []
        is_module = isinstance(eager, torch.nn.Module)
        compiled = dict(scripted.named_modules(remove_duplicate=False)) if is_module else {}
        for path, module in eager.named_modules(remove_duplicate=False) if is_module else ():
            # A module that is scripted already is one program on both sides.
            native: Any = None if isinstance(module, torch.jit.ScriptModule) else compiled.get(path)
            state = state_of(module)
            # A call of a class of torch's changes no attribute.
            is_torchs = module_of_class(type(module)).startswith("torch.")
            own = () if is_torchs else (name for name in state if name not in HIDDEN)
            for name in (*state.get("_parameters", ()), *state.get("_buffers", ()), *own) if native is not None else ():
                if native._c.hasattr(name):
                    held = HeldPair(f"`{path}.{name}`".replace("`.", "`"), name, module, native)
                    versions = held.versions()
                    if versions or not held.difference():
                        self._held.append((held, versions))

    def compare(self) -> None:
        """Raise a `Difference` if a call has left another value in one of them."""
        for held, versions in self._held:
            difference = "" if versions and held.versions() == versions else held.difference()
            if difference:
                raise Difference(f"after the call, {difference}")


# By the name of a result: the arguments and earlier results that are the same object or share its memory.
Links = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]


def compare_identity(eager: Done, scripted: Done) -> Iterator[Failure]:
    """Remarks on results of one call whose identity differs."""
    found = _links(scripted)
    for where, (is_, shares) in _links(eager).items():
        is_scripted, shares_scripted = found.get(where, (is_, shares))
        if is_ != is_scripted:
            yield _remark(where, "is", is_, is_scripted, " itself")
        elif shares != shares_scripted:
            yield _remark(where, "shares its memory with", shares, shares_scripted)


def _remark(where: str, what: str, eager: tuple[str, ...], scripted: tuple[str, ...], itself: str = "") -> Failure:
    first = next(name for name in (*eager, *scripted) if (name in eager) is not (name in scripted))
    ways = ("in eager mode", "when scripted") if first in eager else ("when scripted", "in eager mode")
    return Failure(f"{where} {what} {first}{itself} {ways[0]}, and not {ways[1]}", code=SEEN)


def _links(done: Done) -> Links:
    objects: dict[int, list[str]] = {}
    memories: dict[int, list[str]] = {}
    found: Links = {}
    # The arguments, and the tensors that were in them; tensors that the call put into them are not the caller's.
    inside = ((where, leaf) for where, leaf in leaves_of(done.before) if where not in done.passed)
    for where, value in (*done.passed.items(), *inside):
        objects.setdefault(id(value), []).append(where)
        memories.setdefault(_memory_of(value), []).append(where)
    for where, value in _walk(done.answer, "the result"):
        same, sharing = objects.setdefault(id(value), []), memories.setdefault(_memory_of(value), [])
        found[where] = (tuple(same), tuple(sharing) if _memory_of(value) else ())
        same.append(where)
        sharing.append(where)
    return found


def _memory_of(value: Any) -> int:
    """The address of a tensor's memory; 0 if it has no address, or an unknown one."""
    is_plain = type(value) in (torch.Tensor, torch.nn.Parameter) and value.layout is torch.strided
    return value.untyped_storage().data_ptr() if is_plain and not value.is_nested and not value.is_meta else 0


def _walk(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    """The tensors, lists and dicts in a value, itself included, each with its path."""
    if type(value) in (list, dict) or isinstance(value, torch.Tensor):
        yield where, value
    if isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _walk(item, f"{where}[{i}]")
    elif type(value) is dict:
        for key, item in value.items():
            yield from _walk(item, f"{where}[{key!r:.60}]")
