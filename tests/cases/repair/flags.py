"""Flags: which become constants, and which attributes the compiler would not decide on."""

from __future__ import annotations

from repaired_module import Case

CASES = {
    "no constants: other types": Case(
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mode = "pair"
        self.level = 3
    def by_mode(self, x):
        if self.mode == "pair":
            return x, x
        return x
    def by_level(self, x):
        if self.level > 2:
            return x, x
        return x
    def forward(self, x):
        return self.by_mode(x), self.by_level(x)
""",
        """Net.by_level.return: Union[Tensor, Tuple[Tensor, Tensor]];
Net.by_mode.return: Union[Tensor, Tuple[Tensor, Tensor]]""",
    ),
    "no constants: other uses": Case(
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.reset = True
        self.both = True
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
        return self.by_value(x), self.toggled(x)
""",
        """Net.by_value.return: Union[Tensor, Tuple[Tensor, Tensor]];
Net.toggled.return: Union[Tensor, Tuple[Tensor, Tensor]]""",
    ),
    "returns": Case(
        """
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
""",
        "Net.both: Final[bool]; Net.single: Final[bool]; Net.listed: Final[bool]",
    ),
    "what is refused": Case(
        """
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
""",
        "Net.loud: Final[bool]; Net.careful: Final[bool]; Net.fast: Final[bool]",
    ),
    "inherited": Case(
        """
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
""",
        "Base.aux: Final[bool]",
    ),
}
