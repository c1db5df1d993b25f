"""What makes the target in the file: a function `build`, and a module around what is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pdt_annotate.captures.exporting.layout import ExportSheet
from pdt_annotate.values.exports import Building


def making(sheet: ExportSheet) -> Iterator[str]:
    """The definitions, in order."""
    if _needs_module(sheet):
        yield _module(sheet)
    yield _define(_statements(sheet, sheet.exportable.building))


def _needs_module(sheet: ExportSheet) -> bool:
    """Whether there has to be one around the target: torch.export takes modules, and is at odds with `**kwargs`."""
    building, plan = sheet.exportable.building, sheet.plan
    has_own_names = plan.passed != plan.arrangement or any(each.variadic for each in sheet.exportable.parameters)
    return building.function or bool(building.method) or has_own_names


def _statements(sheet: ExportSheet, building: Building) -> Iterator[str]:
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
    returned = "Target(module)" if _needs_module(sheet) else "module"
    if building.lazy:
        yield f"{returned}(*args, **kwargs)  # gives lazy modules their parameters"
    yield f"return {returned}"


def _define(lines: Iterable[str]) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f'def build() -> torch.nn.Module:\n    """Make what is exported."""\n{body}\n'


def _module(sheet: ExportSheet) -> str:
    """A module around the target: a name for each argument, and what torch.export takes for no argument held."""
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
