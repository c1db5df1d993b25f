"""`args`, `kwargs` and `dynamic_shapes`, as Python."""

from __future__ import annotations

import json

from pdt_annotate.captures.exporting.layout import ExportSheet, as_dict, as_tuple
from pdt_annotate.captures.exporting.plan import ExportPlan
from pdt_annotate.values.exports import NestSeen, NumberSeen, Path, Seen, TensorSeen


def arguments(sheet: ExportSheet) -> str:
    """The arguments that torch.export is given, and what of them varies."""
    plan, texts = sheet.plan, sheet.spelled.texts
    shapes = {name: shapes_of((name,), plan.example.arguments[name], plan) for name in plan.arrangement.names}
    greater = ", with greater sizes: torch.export takes 1 for a constant" if plan.instead else ""
    return "\n".join(
        (
            f"torch.manual_seed({sheet.exportable.building.seed})",
            f"# Like those of {plan.example.name}{greater}.",
            f"args = {as_tuple([texts[name] for name in plan.arrangement.args])}",
            f"kwargs = {as_dict({name: texts[name] for name in plan.arrangement.kwargs})}",
            f"dynamic_shapes = {as_dict(shapes)}",
        )
    )


def shapes_of(path: Path, seen: Seen, plan: ExportPlan) -> str:
    """What torch.export is told of a value, in containers of the same structure; "None" for what does not vary."""
    if isinstance(seen, NestSeen):
        return _nested(
            seen, [shapes_of((*path, key), part, plan) for key, part in zip(seen.keys, seen.parts, strict=True)]
        )
    if isinstance(seen, NumberSeen) and path in plan.numbers:
        low, high = plan.numbers[path]
        return f"Dim.DYNAMIC(min={low}, max={high})"
    if not isinstance(seen, TensorSeen):
        return "None"
    names = {axis: name for name, group in plan.named.items() for axis in group}
    varying = [f"{axis}: {names[path, axis]}" for axis in range(len(seen.shape)) if (path, axis) in names]
    return f"{{{', '.join(varying)}}}" if varying else "None"


def _nested(seen: NestSeen, parts: list[str]) -> str:
    if seen.kind == "list":
        return f"[{', '.join(parts)}]"
    if seen.kind == "dict":
        return f"{{{', '.join(f'{_key(key)}: {part}' for key, part in zip(seen.keys, parts, strict=True))}}}"
    if seen.kind == "tuple":
        return as_tuple(parts)
    return f"{seen.kind}({', '.join(parts)})"


def _key(key: str | int) -> str:
    return json.dumps(key, ensure_ascii=False)
