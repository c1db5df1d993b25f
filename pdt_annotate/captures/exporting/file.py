"""The text of the file, by a template; long values are laid out as formatters do."""

import json
import os
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.captures.exporting.export_plan import ExportPlan
from pdt_annotate.findings.catalogue import entry
from pdt_annotate.values.exports import Exportable, NestSeen, Path, Seen, SpelledCall, TensorSeen
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.slots import Finding

WIDTH = 100  # from so many columns on, text is broken into lines
NAMED = 8  # so many calls are named; the rest is counted
GREATER = ", with greater sizes, because torch.export makes a size of 1 a constant"


@dataclass(frozen=True)
class ExportSheet:
    target: str  # its name, for people
    command: str  # that made the file
    file: str  # its future path; paths in it are relative to its folder
    exportable: Exportable
    plan: ExportPlan
    spelled: SpelledCall
    findings: tuple[Finding, ...] = ()

    @property
    def needs_module(self) -> bool:
        """Whether the target needs a module around it.

        torch.export takes modules, fails with `**kwargs`, and does not take every value as an argument.
        """
        building, plan = self.exportable.building, self.plan
        has_own_names = plan.passed != plan.arrangement or any(each.variadic for each in self.exportable.parameters)
        return building.function or bool(building.method) or has_own_names

    def here(self, path: str) -> str:
        relative = named_from(path, os.path.dirname(self.file))
        return "HERE" if relative == os.curdir else f'HERE / "{relative}"'


def write(sheet: ExportSheet) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  (only an export needs it)

    building, plan, texts = sheet.exportable.building, sheet.plan, sheet.spelled.texts
    arrangement, calls = plan.arrangement, plan.passed
    imports = sorted({*building.imports, *sheet.spelled.imports}, key=lambda each: (each.module, each.name))
    loaded = [each for each in imports if each.file]  # no import statement can name these
    values = {name: name if name in arrangement.names else texts[name] for name in calls.names}
    shapes = {name: shapes_of((name,), plan.example.arguments[name], plan) for name in arrangement.names}
    loader = PackageLoader(__package__)
    environment = Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    text = environment.get_template("export.jinja").render(
        sheet=sheet,
        plan=plan,
        building=building,
        about=_docstring(sheet),
        imported=[each for each in imports if not each.file],
        loaded=loaded,
        files=tuple(dict.fromkeys((each.module, each.file) for each in loaded)),
        needs_paths=building.folders or building.state or loaded,
        sizes={name: str(plan.wishes.resolve(name)) for name in plan.named},
        greater=GREATER,
        args=_as_tuple([texts[name] for name in arrangement.args]),
        kwargs=_as_dict({name: texts[name] for name in arrangement.kwargs}),
        dynamic_shapes=_as_dict(shapes),
        taken=["self", *arrangement.args, *(["*", *arrangement.kwargs] if arrangement.kwargs else [])],
        called=building.expression if building.function else f"self.module{building.method and f'.{building.method}'}",
        passed=[*(values[name] for name in calls.args), *(f"{name}={values[name]}" for name in calls.kwargs)],
        key=f'["{building.key}"]' if building.key is not None else "",
        mode=plan.example.mode or building.mode,
    )
    return f"{text}\n"


def _docstring(sheet: ExportSheet) -> str:
    name = os.path.basename(sheet.file)
    lines = [f"Exports {sheet.target} with torch.export.", ""]
    lines += [f"Made with torch {sheet.exportable.torch} by", f"    {sheet.command}", ""]
    served = [f"{call.name} (held back)" if call.held_back else call.name for call in sheet.plan.served]
    more = f" and {len(served) - NAMED} more" if len(served) > NAMED else ""
    verified = f"Verified: the program returns the results of eager mode on {', '.join(served[:NAMED])}{more}."
    lines += textwrap.wrap(verified, WIDTH)
    for finding in sheet.findings:
        said = f"{finding.code} {entry(finding.code).title}: {finding.message}"
        lines += textwrap.wrap(said, WIDTH, initial_indent="- ", subsequent_indent="  ")
    lines += ["", f"    python {name}           prints the program", f"    python {name} NET.pt2   saves it"]
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}\n"""'


def shapes_of(path: Path, seen: Seen, plan: ExportPlan) -> str:
    """The dynamic shapes of a value for torch.export, in containers of the same structure; "None" for a static part."""
    if isinstance(seen, TensorSeen):
        names = plan.names
        varying = [f"{axis}: {names[path, axis]}" for axis in range(len(seen.shape)) if (path, axis) in names]
        return f"{{{', '.join(varying)}}}" if varying else "None"
    if not isinstance(seen, NestSeen):
        return "None"
    parts = [shapes_of((*path, key), part, plan) for key, part in zip(seen.keys, seen.parts, strict=True)]
    if seen.kind == "list":
        return f"[{', '.join(parts)}]"
    if seen.kind == "dict":
        keys = (json.dumps(key, ensure_ascii=False) for key in seen.keys)
        return f"{{{', '.join(f'{key}: {part}' for key, part in zip(keys, parts, strict=True))}}}"
    return _as_tuple(parts) if seen.kind == "tuple" else f"{seen.kind}({', '.join(parts)})"


def _as_tuple(parts: Sequence[str]) -> str:
    inside = ", ".join(parts) + ("," if len(parts) == 1 else "")
    return f"({inside})" if len(inside) < WIDTH else _broken("(", parts, ")")


def _as_dict(parts: Mapping[str, str]) -> str:
    pairs = [f'"{name}": {text}' for name, text in parts.items()]
    inside = ", ".join(pairs)
    return f"{{{inside}}}" if len(inside) < WIDTH // 2 else _broken("{", pairs, "}")


def _broken(before: str, parts: Iterable[str], after: str) -> str:
    return "\n".join((before, *(f"    {part}," for part in parts), after))
