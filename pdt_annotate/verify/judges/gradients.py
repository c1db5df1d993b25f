"""Has the scripted model the gradients of the eager one, of a weighted sum of all results that have any?

With respect to the parameters, and to the arguments that require one. A plain sum would not do: the sum of a softmax or
of a norm has only the gradient that rounding leaves.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils import _pytree as pytree

from pdt_annotate.findings.messages.said import last_line
from pdt_annotate.values.live import function_of, is_a, state_of
from pdt_annotate.values.runs import Call
from pdt_annotate.values.verdicts import Failure
from pdt_annotate.verify.judges.clones import Done, clone, leaves_of
from pdt_annotate.verify.judges.equality import SEEN, Difference

RELATIVE, RELATIVE_OF_HALVES = 1e-3, 3e-2
HALVES = (torch.float16, torch.bfloat16)
OF_GREATEST = 1e-2  # for a gradient that is all rounding: it is compared with this part of the greatest of all
ABSOLUTE = 1e-6
STIR = 16  # units in the last place by which the eager model is moved to see their effect on a gradient
ROUNDING = 30  # how many times as much the scripted gradient may differ: it sums in another order throughout

Gradients = Mapping[str, torch.Tensor]
Again = Callable[[Any, Call], Done]  # makes a call of an object, from the same random numbers


@dataclass(frozen=True)
class RanBy:
    callee: Any
    done: Done


def compare_gradients(eager: RanBy, scripted: RanBy, call: Call, again: Again) -> tuple[Failure, ...]:
    """Compare the gradients of one call. A model that cannot be differentiated in eager mode is not compared.

    Nobody trains a module in eval mode, so there a difference is a remark, unless an argument requires a gradient. Else
    raises a `Difference`, also if a gradient cannot be computed when scripted. If gradients differ, the call is made
    `again`, to see whether the model has only magnified rounding.
    """
    difference = _difference(eager, scripted, call, again)
    if not difference:
        return ()
    in_eval = is_a(eager.callee, torch.nn.Module) and (call.mode or eager.callee.training) in ("eval", False)
    if not in_eval or any(_has_gradient(leaf) for _, leaf in leaves_of({"": call.args, " ": dict(call.kwargs)})):
        raise Difference(difference)
    message = f"{difference}; the model is in eval mode, so this matters only if the model is trained"
    return (Failure(message, code=SEEN),)


def _difference(eager: RanBy, scripted: RanBy, call: Call, again: Again) -> str:
    """The first gradient that differs when scripted, as a sentence; "" if all agree."""
    results = _differentiable(eager.done).keys() & _differentiable(scripted.done).keys()
    if not results:
        return ""
    try:
        old = _gradients(eager, results)
    except Exception:  # a model that differentiates inside, or the user's own differentiation
        return ""
    try:
        new = _gradients(scripted, results)
    except Exception as error:
        said = last_line(str(error)) or type(error).__name__
        return f"the gradients of its results cannot be computed when scripted: {said}"
    sizes = {name: _size(gradient) for name, gradient in old.items()}
    least = OF_GREATEST * max(sizes.values(), default=0.0)
    relative = {name: RELATIVE_OF_HALVES if each.dtype in HALVES else RELATIVE for name, each in old.items()}
    allowed = {name: relative[name] * max(size, least) + ABSOLUTE for name, size in sizes.items()}
    distances = {name: _distance(old[name], new[name]) for name in old if name in new}
    off = {name: worst for name, worst in distances.items() if worst > allowed[name]}
    rounding = _rounding(eager, results, call, again, old) if off else {}
    wrong = (name for name, worst in off.items() if worst > ROUNDING * rounding.get(name, 0.0))
    return next((_describe(name, old[name], new[name], eager.callee) for name in wrong), "")


def _differentiable(done: Done) -> dict[str, torch.Tensor]:
    return {where: leaf for where, leaf in leaves_of({"the result": done.answer}) if _has_gradient(leaf)}


def _has_gradient(leaf: Any) -> bool:
    return isinstance(leaf, torch.Tensor) and leaf.requires_grad and leaf.layout is torch.strided and not leaf.is_nested


def _gradients(run: RanBy, results: set[str]) -> Gradients:
    """The gradient of each parameter and argument that requires one, by its name in messages."""
    found = _differentiable(run.done)
    outputs = [found[where] for where in sorted(results)]
    inputs = {where: leaf for where, leaf in leaves_of(run.done.before) if _has_gradient(leaf) and leaf.is_leaf}
    if is_a(run.callee, torch.nn.Module):
        inputs |= {f"`{name}`": value for name, value in run.callee.named_parameters() if value.requires_grad}
    if not inputs:
        return {}
    totals = []
    for output in outputs:
        # Weights of about the same size, and without a pattern that results may have.
        weights = torch.cos(torch.arange(output.numel(), device=output.device, dtype=torch.float32)) + 0.5
        exact = output.to(torch.promote_types(output.dtype, torch.float32))
        total = (exact * weights.reshape(output.shape)).sum()
        totals.append((total.real if total.is_complex() else total).to("cpu", torch.float64))
    # Of a single number: with weights, `grad` would spend half a second on imports for symbolic shapes.
    total = torch.stack(totals).sum()
    # The graph stays: a later call may go through it once more.
    gradients = torch.autograd.grad(total, list(inputs.values()), retain_graph=True, allow_unused=True)
    pairs = zip(inputs.items(), gradients, strict=True)
    found = {name: torch.zeros_like(of) if each is None else each for (name, of), each in pairs}
    return {name: each if each.layout is torch.strided else each.to_dense() for name, each in found.items()}


def _distance(old: torch.Tensor, new: torch.Tensor) -> float:
    """The greatest difference; 0 for elements that are both infinite, or both no number."""
    same = (old == new) | (torch.isnan(old) & torch.isnan(new))
    return _greatest(torch.where(same, torch.zeros_like(old), new - old))


def _greatest(values: torch.Tensor) -> float:
    greatest = values.abs().max().item() if values.numel() else 0.0
    return float("inf") if greatest != greatest else greatest


def _size(gradient: torch.Tensor) -> float:
    """The greatest of the numbers that are finite."""
    return _greatest(torch.nan_to_num(gradient, 0.0, 0.0, 0.0))


def _rounding(eager: RanBy, results: set[str], call: Call, again: Again, old: Gradients) -> Mapping[str, float]:
    """How far each eager gradient moves if its inputs move by a rounding error; empty if that cannot be computed."""
    try:
        still, stirred = copy.deepcopy(eager.callee), copy.deepcopy(eager.callee)
        if is_a(stirred, torch.nn.Module):
            _stir(*stirred.parameters())
        args, kwargs = clone((call.args, dict(call.kwargs)))
        _stir(*pytree.tree_leaves((args, kwargs)))
        runs = RanBy(still, again(still, call)), RanBy(stirred, again(stirred, replace(call, args=args, kwargs=kwargs)))
        one, other = (_gradients(run, results) for run in runs)
        return {name: _distance(one[name], other[name]) for name in old}
    except Exception:  # the user's code: a model that cannot be copied, or does not run twice
        return {}


def _stir(*values: Any) -> None:
    with torch.no_grad():
        for value in values:
            if isinstance(value, torch.Tensor) and value.is_floating_point() and value.layout is torch.strided:
                value.mul_(1 + STIR * torch.finfo(value.dtype).eps * torch.randn_like(value))


def _describe(name: str, old: torch.Tensor, new: torch.Tensor, callee: Any) -> str:
    kind = "gradient of" if name.startswith("argument") else "gradient of the parameter"
    sizes = f"its size is {_size(new):.4g} when scripted, {_size(old):.4g} in eager mode"
    # The functions that a decorator of torch's runs with gradients on or off.
    classes = dict.fromkeys(type(each) for each in callee.modules()) if is_a(callee, torch.nn.Module) else {}
    functions = [value for cls in classes for base in cls.__mro__ for value in vars(base).values()]
    function = function_of(callee)
    if function is not None:
        functions += [callee, *(function.__globals__.get(each) for each in function.__code__.co_names)]
    made_by_torch = (f for f in functions if getattr(getattr(f, "__code__", None), "co_name", "") == "decorate_context")
    without_gradient = (f"`{f.__qualname__}`" for f in made_by_torch if "__wrapped__" in state_of(f))
    decorated = ", ".join(dict.fromkeys(without_gradient))
    reason = f"; the compiler ignores the decorator `no_grad` or `inference_mode` of {decorated}" if decorated else ""
    return f"the {kind} {name} differs: off by {_distance(old, new):.4g}, {sizes}{reason}"
