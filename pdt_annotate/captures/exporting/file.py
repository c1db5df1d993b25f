"""The text of the file."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from pdt_annotate.captures.exporting.arguments import arguments
from pdt_annotate.captures.exporting.layout import WIDTH, ExportSheet
from pdt_annotate.captures.exporting.making import making
from pdt_annotate.captures.exporting.plan import ExportPlan
from pdt_annotate.findings.catalogue import entry
from pdt_annotate.values.exports import FileImport

NAMED = 8
"""So many calls are named, and the rest counted."""

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


def write(sheet: ExportSheet) -> str:
    """The text of the file, laid out as formatters do."""
    plan = sheet.plan
    top = (_docstring(sheet), _imports(sheet), _own_imports(sheet), _dims(plan), arguments(sheet))
    head = "\n".join(f"{block}\n" for block in top if block)
    return "\n\n".join((head, *(f"{block.rstrip()}\n" for block in (*making(sheet), EXPORT, MAIN))))


def _docstring(sheet: ExportSheet) -> str:
    name = os.path.basename(sheet.file)
    lines = [f"Exports {sheet.target} with torch.export.", ""]
    lines += [f"Made with torch {sheet.exportable.torch} by", f"    {sheet.command}", ""]
    lines += textwrap.wrap(f"Verified: the program answers like eager mode on {_calls(sheet.plan)}.", WIDTH)
    if sheet.plan.witnesses:
        names = ", ".join(call.name for call in sheet.plan.witnesses)
        ends = f"{sheet.plan.example.name} with the least and the greatest of these"
        said = f"Its sizes vary as in {names}, too; it answers so on calls like {ends}."
        lines += textwrap.wrap(said, WIDTH)
    for finding in sheet.findings:
        said = f"{finding.code} {entry(finding.code).title}: {finding.message}"
        lines += textwrap.wrap(said, WIDTH, initial_indent="- ", subsequent_indent="  ")
    lines += ["", f"    python {name}           prints the program", f"    python {name} NET.pt2   saves it"]
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}\n"""'


def _calls(plan: ExportPlan) -> str:
    names = [f"{call.name} (held back)" if call.held_back else call.name for call in plan.served]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def _imports(sheet: ExportSheet) -> str:
    building = sheet.exportable.building
    standard = ["import importlib.util"] if _by_file(sheet) else []
    standard += ["import sys"]
    standard += ["from pathlib import Path"] if building.folders or building.state or _by_file(sheet) else []
    dims = ["from torch.export import Dim"] if sheet.plan.axes or sheet.plan.numbers else []
    return "\n".join((*standard, "", "import torch", *dims))


def _own_imports(sheet: ExportSheet) -> str:
    """The imports of the project, behind what they need to be found."""
    building = sheet.exportable.building
    blocks = []
    if building.folders or building.state or _by_file(sheet):
        searched = [f"sys.path.insert(0, str({sheet.here(folder)}))" for folder in reversed(building.folders)]
        blocks.append(["HERE = Path(__file__).resolve().parent", *searched])
    blocks.append([_import(each) for each in _all_imports(sheet) if not each.file])
    blocks += [list(_loader(sheet, _by_file(sheet)))] if _by_file(sheet) else []
    blocks += [[f'torch.set_default_device("{building.device}")']] if building.device != "cpu" else []
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _all_imports(sheet: ExportSheet) -> list[FileImport]:
    both = {*sheet.exportable.building.imports, *sheet.spelled.imports}
    return sorted(both, key=lambda each: (each.module, each.name))


def _by_file(sheet: ExportSheet) -> list[FileImport]:
    """What no import statement can name."""
    return [each for each in _all_imports(sheet) if each.file]


def _import(each: FileImport) -> str:
    return f"from {each.module} import {each.name}" if each.name else f"import {each.module}"


def _loader(sheet: ExportSheet, imports: Sequence[FileImport]) -> Iterator[str]:
    """What imports modules by their files."""
    yield from (
        "",
        "def load(name, file):",
        '    """FileImport a file under a name, once."""',
        "    if name not in sys.modules:",
        "        spec = importlib.util.spec_from_file_location(name, file)",
        "        sys.modules[name] = importlib.util.module_from_spec(spec)",
        "        spec.loader.exec_module(sys.modules[name])",
        "    return sys.modules[name]",
        "",
        "",
    )
    for module, file in dict.fromkeys((each.module, each.file) for each in imports):
        yield f'{module} = load("{module}", {sheet.here(file)})'
    yield from (f"{each.name} = {each.module}.{each.name}" for each in imports if each.name)


def _dims(plan: ExportPlan) -> str:
    """The sizes that vary, then those that are told in terms of others."""
    roots = (f'{root} = Dim("{root}", min={low}, max={high})' for root, (low, high) in plan.ranges.items())
    sizes = {name: str(plan.wishes.resolve(name)) for name in plan.named}
    bound: Iterable[str] = (f"{name} = {size}  # as torch.export asked" for name, size in sizes.items() if size != name)
    return "\n".join((*roots, *bound))
