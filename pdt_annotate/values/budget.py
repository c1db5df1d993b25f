"""How long a run may search."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Budget:
    """Seconds that all searches of a run share, from the moment when it is made."""

    seconds: float
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Seconds; never less than none."""
        return max(0.0, self.began + self.seconds - time.monotonic())

    def share(self, part: float) -> Budget:
        """A budget of its own for a part of what is left."""
        return Budget(self.left * part)

    @property
    def is_spent(self) -> bool:
        return not self.left


UNBOUNDED = Budget(math.inf)
