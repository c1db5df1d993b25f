"""The text of the file, laid out as formatters do."""

import json
import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.captures.exporting.export_plan import ExportPlan
from pdt_annotate.findings.catalogue import entry
from pdt_annotate.values.exports import Exportable, FileImport, NestSeen, Path, Seen, SpelledCall, TensorSeen
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.slots import Finding

WIDTH = 100  # from so many columns on, text is broken into lines
NAMED = 8  # so many calls are named; the rest is counted

EXPORT = '''\
def export() -> torch.export.ExportedProgram:
    """Export what `build` gives."""
    return torch.export.export(build(), args, kwargs, dynamic_shapes=dynamic_shapes, strict=False)
'''
MAIN = """\
if __name__ == "__main__":
    program = export()
    if len(sys.argv) > 1:
        torch.export.save(program, sys.argv[1])
    else:
        print(program)
"""
LOADER = '''
def load(name, file):
    """Import a file under a name, once."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


'''


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
    def imports(self) -> list[FileImport]:
        both = {*self.exportable.building.imports, *self.spelled.imports}
        return sorted(both, key=lambda each: (each.module, each.name))

    @property
    def needs_module(self) -> bool:
        """Whether the target needs a module around it: torch.export takes modules, and fails with `**kwargs`."""
        building, plan = self.exportable.building, self.plan
        has_own_names = plan.passed != plan.arrangement or any(each.variadic for each in self.exportable.parameters)
        return building.function or bool(building.method) or has_own_names

    def here(self, path: str) -> str:
        relative = named_from(path, os.path.dirname(self.file))
        return "HERE" if relative == os.curdir else f'HERE / "{relative}"'


def write(sheet: ExportSheet) -> str:
    plan = sheet.plan
    dims = [f'{root} = Dim("{root}", min={low}, max={high})' for root, (low, high) in plan.ranges.items()]
    sizes = {name: str(plan.wishes.resolve(name)) for name in plan.named}
    dims += [f"{name} = {size}  # as torch.export asked" for name, size in sizes.items() if size != name]
    top = (_docstring(sheet), _imports(sheet), "\n".join(dims), _arguments(sheet))
    head = "\n".join(f"{block}\n" for block in top if block)
    return "\n\n".join((head, *(f"{block.rstrip()}\n" for block in (*making(sheet), EXPORT, MAIN))))


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


def _imports(sheet: ExportSheet) -> str:
    """The imports; the ones of the project come after the statements that make them work."""
    building = sheet.exportable.building
    has_paths = building.folders or building.state or any(each.file for each in sheet.imports)
    standard = ["import importlib.util"] if any(each.file for each in sheet.imports) else []
    standard += ["import sys", *(["from pathlib import Path"] if has_paths else [])]
    dims = ["from torch.export import Dim"] if sheet.plan.named else []
    blocks = ["\n".join((*standard, "", "import torch", *dims))]
    if has_paths:
        searched = [f"sys.path.insert(0, str({sheet.here(folder)}))" for folder in reversed(building.folders)]
        blocks.append("\n".join(("HERE = Path(__file__).resolve().parent", *searched)))
    named = [each for each in sheet.imports if not each.file]
    statements = (f"from {each.module} import {each.name}" if each.name else f"import {each.module}" for each in named)
    blocks.append("\n".join(statements))
    by_file = [each for each in sheet.imports if each.file]  # no import statement can name these
    if by_file:
        files = dict.fromkeys((each.module, each.file) for each in by_file)
        loads = [f'{module} = load("{module}", {sheet.here(file)})' for module, file in files]
        names = [f"{each.name} = {each.module}.{each.name}" for each in by_file if each.name]
        blocks.append(LOADER + "\n".join((*loads, *names)))
    if building.device != "cpu":
        blocks.append(f'torch.set_default_device("{building.device}")')
    return "\n\n".join(filter(None, blocks))


def _arguments(sheet: ExportSheet) -> str:
    plan, texts = sheet.plan, sheet.spelled.texts
    shapes = {name: shapes_of((name,), plan.example.arguments[name], plan) for name in plan.arrangement.names}
    greater = ", with greater sizes, because torch.export makes a size of 1 a constant" if plan.instead else ""
    return "\n".join(
        (
            f"torch.manual_seed({sheet.exportable.building.seed})",
            f"# Like those of {plan.example.name}{greater}.",
            f"args = {_as_tuple([texts[name] for name in plan.arrangement.args])}",
            f"kwargs = {_as_dict({name: texts[name] for name in plan.arrangement.kwargs})}",
            f"dynamic_shapes = {_as_dict(shapes)}",
        )
    )


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


def making(sheet: ExportSheet) -> Iterator[str]:
    """The source that makes the target: a wrapper module if it needs one, and a function `build`."""
    if sheet.needs_module:
        yield _module(sheet)
    body = "\n".join(f"    {line}" for line in _statements(sheet))
    yield f'def build() -> torch.nn.Module:\n    """Make what is exported."""\n{body}\n'


def _statements(sheet: ExportSheet) -> Iterator[str]:
    building = sheet.exportable.building
    yield f"torch.manual_seed({building.seed})"
    if building.function:
        yield "return Target()"
        return
    yield f"module = {building.expression}"
    if building.state:
        key = f'["{building.key}"]' if building.key is not None else ""
        yield f"module.load_state_dict(torch.load({sheet.here(building.state)}, weights_only=True){key})"
    if building.device != "cpu":
        yield f'module.to("{building.device}")'
    if building.dtype:
        yield f"module.to(torch.{building.dtype})"
    if mode := sheet.plan.example.mode or building.mode:
        yield f"module.{mode}()"
    returned = "Target(module)" if sheet.needs_module else "module"
    if building.lazy:
        yield f"{returned}(*args, **kwargs)  # gives lazy modules their parameters"
    yield f"return {returned}"


def _module(sheet: ExportSheet) -> str:
    """A module around the target: it names each argument, and holds values that torch.export does not take as one."""
    building, arrangement, calls = sheet.exportable.building, sheet.plan.arrangement, sheet.plan.passed
    taken = ["self", *arrangement.args, *(["*", *arrangement.kwargs] if arrangement.kwargs else [])]
    values = {name: name if name in arrangement.names else sheet.spelled.texts[name] for name in calls.names}
    passed = [*(values[name] for name in calls.args), *(f"{name}={values[name]}" for name in calls.kwargs)]
    called = building.expression if building.function else f"self.module{building.method and f'.{building.method}'}"
    init = ["    def __init__(self, module):", "        super().__init__()", "        self.module = module", ""]
    return "\n".join(
        (
            "class Target(torch.nn.Module):",
            f'    """{sheet.target} as torch.export takes it: a module, with a name for each argument."""',
            "",
            *([] if building.function else init),
            f"    def forward({', '.join(taken)}):",
            f"        return {called}({', '.join(passed)})",
        )
    )
