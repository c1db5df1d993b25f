"""Flags against the real compiler: which become constants, and which attributes the compiler would not decide on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from repaired_module import annotate, describe

from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.values.slots import SlotKind

NO_CONSTANTS = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.mode = "pair"
            self.level = 3
            self.reset = True
            self.both = True

        def by_mode(self, x):
            if self.mode == "pair":
                return x, x
            return x

        def by_level(self, x):
            if self.level > 2:
                return x, x
            return x

        def by_value(self, x):
            if self.both == True:
                return x, x
            return x

        def toggled(self, x):
            self.reset = not self.reset
            if self.reset:
                return x, x
            return x

        def forward(self, x):
            return self.by_mode(x), self.by_level(x), self.by_value(x), self.toggled(x)
"""

RETURNS = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.both, self.single, self.listed = True, False, True

        def pair(self, x):
            if not self.single and self.both:
                return x, x
            return x

        def forward(self, x):
            y = [x] if self.listed else x
            return self.pair(x), y
"""

REFUSED = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.debug, self.loud, self.careful, self.fast = True, False, False, True

        def show(self, x):
            print(f"{x.mean().item():.3f}")

        def report(self, x):
            if self.loud:
                self.show(x)
            print(x.size(0))

        def guarded(self, x):
            try:
                return x * 2
            except RuntimeError:
                return x

        def quick(self, x):
            if self.fast:
                return x
            return super().forward(x)

        def forward(self, x):
            if self.debug:
                self.report(x)
            return self.guarded(x) if self.careful else self.quick(x)
"""

INHERITED = """
    class Base(nn.Module):
        def __init__(self, aux):
            super().__init__()
            self.aux = aux

        def finish(self, x):
            if self.aux:
                return {"x": x}
            return x

    class Mid(Base):
        pass

    class Net(Mid):
        def __init__(self):
            super().__init__(False)

        def forward(self, x):
            return self.finish(x)
"""

MODULES: Mapping[str, tuple[str, dict[str, str]]] = {
    "no constants": (NO_CONSTANTS, {}),
    "returns": (
        RETURNS,
        {"Net.both": "Final[bool]", "Net.single": "Final[bool]", "Net.listed": "Final[bool]"},
    ),
    "what is refused": (
        REFUSED,
        {"Net.loud": "Final[bool]", "Net.careful": "Final[bool]", "Net.fast": "Final[bool]"},
    ),
    "inherited": (INHERITED, {"Base.aux": "Final[bool]"}),
}


@pytest.mark.parametrize("name", MODULES)
def test_flags(name: str, zygote: Zygote, tmp_path: Path) -> None:
    source, constants = MODULES[name]
    outcome = annotate(zygote, tmp_path, source, "(torch.ones(2, 2),)")
    assert outcome.verified, [verdict.failure for verdict in outcome.verdicts if not verdict.ok]
    attributes = [a for a in outcome.annotations if a.slot.kind is SlotKind.ATTRIBUTE]
    assert dict(map(describe, attributes)) == constants
