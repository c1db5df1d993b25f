"""The text of the file."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.captures.exporting.plan import Plan
from pdt_annotate.findings.catalogue import entry
from pdt_annotate.values.exports import (
    Building,
    Exportable,
    Import,
    NestSeen,
    NumberSeen,
    Path,
    Seen,
    Spelled,
    TensorSeen,
)
from pdt_annotate.values.slots import Finding

WIDTH = 100
"""Columns from which on a value is broken into lines."""

TAIL = '''

def export() -> torch.export.ExportedProgram:
    """Export what `build` gives."""
    return torch.export.export(build(), args, kwargs, dynamic_shapes=dynamic_shapes, strict=False)


if __name__ == "__main__":
    program = export()
    if len(sys.argv) > 1:
        torch.export.save(program, sys.argv[1])  # FILE.pt2
    else:
        print(program)
'''


@dataclass(frozen=True)
class Sheet:
    """All that the text is made from.

    Args:
        target: its name, for people.
        command: what made the file.
        folder: where the file is to lie; paths in it are relative to that.
        findings: what is to be known of it.
    """

    target: str
    command: str
    folder: str
    exportable: Exportable
    plan: Plan
    spelled: Spelled
    findings: tuple[Finding, ...] = ()


def write(sheet: Sheet) -> str:
    """The text of the file."""
    building = sheet.exportable.building
    parts = [_docstring(sheet), _imports(sheet), _dims(sheet.plan), _arguments(sheet), _build(sheet, building), TAIL]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts if part)


def _docstring(sheet: Sheet) -> str:
    lines = [f"Exports {sheet.target} with torch.export.", ""]
    lines += [f"Made by `{sheet.command}` with torch {sheet.exportable.torch}."]
    served = [f"{call.name} (held back)" if call.held_back else call.name for call in sheet.plan.served]
    lines += textwrap.wrap(f"Verified: it answers like eager mode on the calls {', '.join(served)}.", WIDTH)
    for finding in sheet.findings:
        said = f"{entry(finding.code).title}: {finding.message}"
        lines += textwrap.wrap(said, WIDTH, initial_indent="- ", subsequent_indent="  ")
    lines += ["", "    python FILE.py           prints the program", "    python FILE.py NET.pt2   saves it"]
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}\n"""\n'


def _imports(sheet: Sheet) -> str:
    building = sheet.exportable.building
    imports = sorted({*building.imports, *sheet.spelled.imports}, key=lambda each: (each.module, each.name))
    by_file = [each for each in imports if each.file]
    folders = [os.path.relpath(folder, sheet.folder) for folder in building.folders]
    standard = ["import importlib.util", "import sys"] if by_file else ["import sys"]
    standard += ["from pathlib import Path"] if folders or by_file or building.state else []
    lines = [*standard, "", "import torch"]
    if sheet.plan.axes or sheet.plan.numbers:
        lines.append("from torch.export import Dim")
    if "from pathlib import Path" in lines:
        lines += ["", "HERE = Path(__file__).resolve().parent"]
    lines += [f"sys.path.insert(0, str({_here(folder)}))" for folder in reversed(folders)]
    lines += ["", *(_import(each) for each in imports if not each.file)]
    lines += ["", *_loader(by_file, sheet.folder)] if by_file else []
    lines += [f'torch.set_default_device("{building.device}")'] if building.device != "cpu" else []
    return "\n".join(lines) + "\n"


def _here(path: str) -> str:
    """A path from the file, as an expression."""
    return "HERE" if path == os.curdir else f'HERE / "{path.replace(os.sep, "/")}"'


def _import(each: Import) -> str:
    line = f"from {each.module} import {each.name}" if each.name else f"import {each.module}"
    return f"{line}  # noqa: E402"


def _loader(imports: Iterable[Import], folder: str) -> Iterator[str]:
    """Modules whose files no import statement can name."""
    yield from (
        "",
        "def load(name, file):",
        '    """Import a file under a name."""',
        "    spec = importlib.util.spec_from_file_location(name, file)",
        "    module = sys.modules[name] = importlib.util.module_from_spec(spec)",
        "    spec.loader.exec_module(module)",
        "    return module",
        "",
        "",
    )
    for module, file in dict.fromkeys((each.module, each.file) for each in imports):
        yield f'{module} = load("{module}", {_here(os.path.relpath(file, folder))})'
    yield from (f"{each.name} = {each.module}.{each.name}" for each in imports if each.name)


def _dims(plan: Plan) -> str:
    """The sizes that vary, and what they are in terms of others."""
    lines = [f'{root} = Dim("{root}", min={low}, max={high})' for root, (low, high) in plan.ranges.items()]
    sizes = {name: plan.wishes.resolve(name) for name in plan.named}
    lines += [f"{name} = {size}  # torch.export asked for this" for name, size in sizes.items() if str(size) != name]
    return "\n".join(lines)


def _arguments(sheet: Sheet) -> str:
    plan, texts = sheet.plan, sheet.spelled.texts
    args = [texts[name] for name in plan.arrangement.args]
    kwargs = {name: texts[name] for name in plan.arrangement.kwargs}
    source = f"# The sizes of the call `{plan.example.name}`" + (", made greater." if plan.instead else ".")
    shapes = {name: _shapes((name,), plan.example.arguments[name], plan) for name in (*plan.arrangement.args, *kwargs)}
    return "\n".join(
        (
            f"torch.manual_seed({sheet.exportable.building.seed})",
            source,
            f"args = {_sequence('(', args, ')')}",
            f"kwargs = {_mapping(kwargs)}",
            f"dynamic_shapes = {_mapping(shapes)}",
        )
    )


def _sequence(before: str, parts: list[str], after: str) -> str:
    inside = ", ".join(parts) + ("," if len(parts) == 1 and before == "(" else "")
    return f"{before}{inside}{after}" if len(inside) < WIDTH else _broken(before, parts, after)


def _mapping(parts: Mapping[str, str]) -> str:
    pairs = [f'"{name}": {text}' for name, text in parts.items()]
    inside = ", ".join(pairs)
    return f"{{{inside}}}" if len(inside) < WIDTH // 2 else _broken("{", pairs, "}")


def _broken(before: str, parts: Iterable[str], after: str) -> str:
    return "\n".join((before, *(f"    {part}," for part in parts), after))


def _shapes(path: Path, seen: Seen, plan: Plan) -> str:
    """What torch.export is told of a value, of the same structure; "None" where nothing in it varies."""
    if isinstance(seen, NestSeen):
        return _nest_shapes(path, seen, plan)
    if isinstance(seen, NumberSeen) and path in plan.numbers:
        low, high = plan.numbers[path]
        return f"Dim.DYNAMIC(min={low}, max={high})"
    if not isinstance(seen, TensorSeen):
        return "None"
    names = {axis: name for name, group in plan.named.items() for axis in group}
    varying = {axis: names[path, axis] for axis in range(len(seen.shape)) if (path, axis) in names}
    return "{" + ", ".join(f"{axis}: {name}" for axis, name in varying.items()) + "}" if varying else "None"


def _nest_shapes(path: Path, seen: NestSeen, plan: Plan) -> str:
    parts = [_shapes((*path, key), part, plan) for key, part in zip(seen.keys, seen.parts, strict=True)]
    if seen.kind == "list":
        return f"[{', '.join(parts)}]"
    if seen.kind == "dict":
        return "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(seen.keys, parts, strict=True)) + "}"
    if seen.kind == "tuple":
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    return f"{seen.kind}({', '.join(parts)})"


def _build(sheet: Sheet, building: Building) -> str:
    """What makes the target, as a module."""
    needs_module = building.function or building.method or any(each.variadic for each in sheet.exportable.parameters)
    made = building.expression
    lines = [f"torch.manual_seed({building.seed})"]
    if building.function:
        lines.append("return Target()")
        return f"\n\n{_wrapper(sheet, '')}\n\n{_define(lines)}"
    lines.append(f"module = {made}")
    if building.state:
        lines.append(f"module.load_state_dict(torch.load({_here(os.path.relpath(building.state, sheet.folder))}))")
    moved = [f"dtype=torch.{building.dtype}"] if building.dtype else []
    moved += [f'device="{building.device}"'] if building.device != "cpu" else []
    lines += [f"module.to({', '.join(moved)})"] if moved else []
    mode = sheet.plan.example.mode or building.mode
    lines += [f"module.{mode}()"] if mode else []
    if building.lazy:
        lines.append("module(*args, **kwargs)  # gives lazy modules their parameters")
    lines.append("return Target(module)" if needs_module else "return module")
    wrapper = f"\n\n{_wrapper(sheet, f'.{building.method}' if building.method else '')}" if needs_module else ""
    return f"{wrapper}\n\n{_define(lines)}"


def _define(lines: Iterable[str]) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f'def build() -> torch.nn.Module:\n    """What is exported."""\n{body}\n'


def _wrapper(sheet: Sheet, method: str) -> str:
    """A module around a function, a method, or a `forward` with `*args` or `**kwargs`: its parameters have names."""
    building, arrangement = sheet.exportable.building, sheet.plan.arrangement
    names = [*arrangement.args, *(["*"] if arrangement.kwargs else []), *arrangement.kwargs]
    passed = [*arrangement.args, *(f"{name}={name}" for name in arrangement.kwargs)]
    callee = building.expression if building.function else f"self.inner{method}"
    init = [] if building.function else ["    def __init__(self, inner):", "        super().__init__()", "        self.inner = inner", ""]
    return "\n".join(
        (
            "class Target(torch.nn.Module):",
            f'    """{sheet.target} with what it is called with, by name."""',
            "",
            *init,
            f"    def forward({', '.join(('self', *names))}):",
            f"        return {callee}({', '.join(passed)})",
        )
    )

