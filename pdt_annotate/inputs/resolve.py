"""Finds the object that a target names in its imported module, and the way to make the object to script.

It does not import torch: torch's classes are known by name, so that a function needs no model.
"""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from types import FunctionType, MethodType, ModuleType
from typing import Any, Literal, TypeGuard

from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.values.errors import TargetError
from pdt_annotate.values.live import qualname_of
from pdt_annotate.values.runs import Target
from pdt_annotate.values.user_code import user_code

TARGETS = "a target is an nn.Module class or instance, a function, a method, a class, or a factory without parameters"

MODULE = "torch.nn.modules.module.Module"
SCRIPTED = ("torch.jit._script.ScriptModule", "torch.jit.ScriptFunction", "torch.ScriptFunction")

AS_SPECIFIED = "(…)"  # in an expression: arguments from the spec
_MISSING = object()

Build = Callable[[], Any]


@dataclass(frozen=True)
class Subject:
    """A resolved target."""

    # The kind of object that `make` returns; a method is bound, or of a plain class.
    kind: Literal["module", "function", "method", "class"]
    # Returns a fresh object on every call for a class or a factory; seed before each call to get equal ones.
    make: Build
    method: str = ""  # the module's method that the target names; empty for the whole module
    # The expression that `make` evaluates in the target's file, with `AS_SPECIFIED` for arguments of a spec.
    said: str = ""


def look_up(value: object, qualname: str) -> object:
    """Follow a dotted name from a module or class. Raises TargetError with a hint of near names."""
    for part in qualname.split("."):
        with user_code(f"reading {part!r}"):
            inner = getattr(value, part, _MISSING)
            if inner is _MISSING:
                place = f"a {type(value).__qualname__!r}"
                if isinstance(value, ModuleType):
                    place = f"the module {value.__name__!r}"
                elif isinstance(value, type):
                    place = f"the class {value.__qualname__!r}"
                raise TargetError(f"{place} has no {part!r}", hint=did_you_mean(part, dir(value)))
        value = inner
    return value


def class_of(target: Target, module: ModuleType) -> type | None:
    """The nn.Module class that `model` in a spec constructs; None if the target is not such a class."""
    owner, value, _ = _find_with_owner(_said_outright(target, module), module)
    return next(filter(_is_module_class, (value, owner)), None)


def resolve(target: Target, module: ModuleType, build: Build | None = None) -> Subject:
    """Return the kind of a target and the way to make it. Raises TargetError if TorchScript cannot compile it.

    A function without parameters is a factory if it returns something that can be a target; to find out, it is called
    once. `build` constructs the model, from the spec; it is used if the target is an nn.Module class.
    """
    target = _said_outright(target, module)
    owner, value, name = _find_with_owner(target, module)
    found: Subject | None
    if target.member:
        found, said = _resolve_member(target, value, build), f"{_say(target.qualname, value, '()')}.{target.member}"
    elif called := _resolve_call(target, value, build):
        return replace(called, said=f"{target.qualname}()")
    elif isinstance(owner, type) and isinstance(inspect.getattr_static(owner, name), FunctionType):
        # A method that needs an object of its class.
        if _is_module_class(owner):
            said = f"{target.qualname.rpartition('.')[0]}{AS_SPECIFIED}"
            return Subject("module", lambda: _construct(owner, build), method=name, said=said)
        return Subject("method", lambda: getattr(owner, name), said=target.qualname)
    else:
        found, said = _resolve_value(value, lambda: value, build, name), _say(target.qualname, value, "")
    if found is None:
        raise TargetError(f"{target.text} is {_describe(value)}", hint=_advise(value))
    if found.method:  # the expression of a bound method is that of its module
        said = said.removesuffix(f".{found.method}") if said.endswith(f".{found.method}") else f"{said}.__self__"
    return replace(found, said=said)


def _say(qualname: str, value: object, otherwise: str) -> str:
    return f"{qualname}{AS_SPECIFIED if _is_module_class(value) else otherwise}"


def subject_of(value: object, make: Build) -> Subject:
    """Return the kind of a live object; `make` makes another one. Raises TargetError as `resolve` does."""
    name = qualname_of(value)
    if _is_module_class(value):
        raise TargetError(f"{name} is an nn.Module class", hint=f"pass an instance: {name}(…)")
    if isinstance(value, MethodType) and is_instance(value.__self__, MODULE):
        hint = "script the module; if `forward` does not call the method, mark it @torch.jit.export"
        raise TargetError(f"{name} is a method of a module", hint=hint)
    if name.endswith("<lambda>"):
        raise TargetError("a lambda has no parameters that could be annotated", hint="define the function with `def`")
    subject = _resolve_value(value, make, None, name)
    if subject is None:
        raise TargetError(f"the object to script is {_describe(value)}", hint=_advise(value))
    return subject


def _find_with_owner(target: Target, module: ModuleType) -> tuple[object, object, str]:
    """The holder of the target's object, the object, and its name in the holder."""
    holder, _, name = target.qualname.rpartition(".")
    owner = look_up(module, holder) if holder else module
    return owner, look_up(owner, name), name


def _said_outright(target: Target, module: ModuleType) -> Target:
    """The target with a factory's parentheses added, if it names an attribute of the factory's result."""
    holder, _, name = target.qualname.rpartition(".")
    parts = holder.split(".")
    for end in range(1, len(parts) + 1) if holder and not target.called else ():
        factory, member = ".".join(parts[:end]), ".".join((*parts[end:], name))
        value = look_up(module, factory)
        if _may_be_factory(value) and not hasattr(value, member.partition(".")[0]):
            return replace(target, qualname=factory, called=True, member=member)
    return target


def _resolve_member(target: Target, value: object, build: Build | None) -> Subject:
    """A method, or a part, of the object that a class or factory makes."""
    factory, _, _ = target.text.rpartition("()")

    def make() -> object:
        made = _construct(value, build) if _is_module_class(value) else call_without_arguments(value, factory)
        return look_up(made, target.member)

    found = make()
    subject = _resolve_value(found, make, None, target.member.rpartition(".")[2])
    if subject is None:
        raise TargetError(f"{target.text} is {_describe(found)}", hint=_advise(found))
    return subject


def _resolve_call(target: Target, value: object, build: Build | None) -> Subject | None:
    """A factory, with parentheses or recognised by its result; None if the target is not one."""
    # `Net()` is `Net`: the spec may say how it is constructed.
    if _is_module_class(value) or not (target.called or _may_be_factory(value)):
        return None
    make = functools.partial(call_without_arguments, value, target.text)
    product = make()
    subject = _resolve_value(product, make, build)
    if subject is None and target.called:
        raise TargetError(f"{target.text} returns {_describe(product)}", hint=_advise(product))
    return subject


def _may_be_factory(value: object) -> bool:
    unbound = isinstance(value, FunctionType) or (isinstance(value, MethodType) and isinstance(value.__self__, type))
    return unbound and not inspect.signature(value).parameters  # type: ignore[arg-type]


def _resolve_value(value: object, make: Build, build: Build | None, name: str = "") -> Subject | None:
    """A value that can be a target, and that `make` makes again; None if it cannot be one."""
    if _is_subclass(value if isinstance(value, type) else type(value), *SCRIPTED):
        hint = "name the Python class or function from which it was scripted"
        raise TargetError(f"{name or 'the target'} is already scripted", hint=hint)
    if _is_module_class(value):
        return Subject("module", lambda: _construct(make(), build))
    if isinstance(value, type):
        return Subject("class", make)
    if is_instance(value, MODULE):
        return Subject("module", make)
    if isinstance(value, MethodType):
        if is_instance(value.__self__, MODULE):
            method = name if hasattr(value.__self__, name) else value.__name__  # a variable may have another name
            return Subject("module", lambda: make().__self__, method=method)
        return Subject("method", make)
    return Subject("function", make) if isinstance(value, FunctionType) else None


def _construct(cls: Any, build: Build | None) -> object:
    """An instance of an nn.Module class, made by the spec if it can."""
    if build is None:
        return call_without_arguments(cls, cls.__qualname__)
    model = build()
    if isinstance(model, cls):
        return model
    hint = "`model` in the spec must be an instance of the target's class, or a function that returns such an instance"
    if type(model).__qualname__ == cls.__qualname__:
        modules = f"{type(model).__module__!r} in the spec and {cls.__module__!r} in the target"
        hint = f"the class is imported twice, as {modules}; import it the same way in both"
    raise TargetError(f"`model` in the spec returns {_describe(model)}, not a {cls.__qualname__}", hint=hint)


def call_without_arguments(function: Any, name: str) -> object:
    """Call a class or factory of the user's. Raises TargetError if it has parameters without a default."""
    if not callable(function):
        raise TargetError(f"{name} cannot be called: it is {_describe(function)}")
    parameters: Iterable[inspect.Parameter] = ()
    with contextlib.suppress(TypeError, ValueError):  # a callable in C may have no signature; the call will raise
        parameters = inspect.signature(function).parameters.values()
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in variadic]
    if needed:
        hint = f"define `model` in the spec: def model(): return {name.removesuffix('()')}(…) (YAML: {{args: […]}})\n"
        hint += "`pdt-annotate init` drafts a spec from the source and its tests"
        raise TargetError(f"{name} takes arguments ({', '.join(needed)})", hint=hint)
    with user_code(f"calling {name.removesuffix('()')}()"):
        return function()


def is_instance(value: object, dotted: str) -> bool:
    return _is_subclass(type(value), dotted)


def _is_module_class(value: object) -> TypeGuard[type]:
    return isinstance(value, type) and _is_subclass(value, MODULE)


def _is_subclass(cls: type, *dotted: str) -> bool:
    """Whether a class is, or inherits from, one of the named classes; by name, without imports."""
    return any(f"{base.__module__}.{base.__qualname__}" in dotted for base in cls.__mro__)


def _describe(value: object) -> str:
    return "None" if value is None else f"an object of type {type(value).__qualname__!r}"


def _advise(value: object) -> str:
    if isinstance(value, ModuleType):
        return f"name a class or function in the module: {value.__name__}:NAME"
    if isinstance(value, property):
        return "name the class that has the property"
    return TARGETS
