"""Measure the cost of `pdt-annotate run` for a small training loop.

    .venv/bin/python benchmarks/recording.py

The program runs without and with `run` in turn, so that other load on the machine affects both. The shortest times are
compared.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 3
STEPS = (0, 300, 3_000)
PLAIN = [sys.executable]
OBSERVED = [sys.executable, "-m", "pdt_annotate", "run", "-q", "--"]

PROGRAM = """
import sys, time
begun = time.perf_counter()
import torch
from torch import nn


def blend(x, y, weight=0.5, clamp=None):
    mixed = x * weight + y * (1 - weight)
    return mixed if clamp is None else mixed.clamp(-clamp, clamp)


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(size), nn.Linear(size, 2 * size), nn.Linear(2 * size, size)

    def forward(self, x, extras=None):
        return blend(x, self.down(torch.relu(self.up(self.norm(x)))), clamp=3.0)


class Net(nn.Module):
    def __init__(self, size=64, depth=4):
        super().__init__()
        self.blocks = nn.ModuleList([Block(size) for _ in range(depth)])
        self.head = nn.Linear(size, 10)

    def forward(self, batch):
        x = batch["x"]
        for block in self.blocks:
            x = block(x, [x])
        return {"scores": self.head(x)}


def loss_of(answer, labels):
    return nn.functional.cross_entropy(answer["scores"], labels)


def train(steps):
    torch.set_num_threads(1)
    net, x, labels = Net(), torch.randn(32, 64), torch.randint(10, (32,))
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    begun = time.perf_counter()
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of(net({"x": x}), labels).backward()
        optimizer.step()
    return time.perf_counter() - begun


took = train(int(sys.argv[1]))
print(took, time.perf_counter() - begun)
"""


def run(command: list[str], folder: str, steps: int) -> tuple[float, float]:
    """The seconds of the loop, and the seconds of the program from its first line on."""
    done = subprocess.run([*command, "train.py", str(steps)], cwd=folder, capture_output=True, text=True, check=True)
    loop, whole = map(float, done.stdout.split())
    return loop, whole


def main() -> None:
    print(f"{'steps':>8}{'loop, s':>12}{'observed, s':>14}{'ratio':>8}{'start, s':>12}{'observed, s':>14}")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "train.py").write_text(PROGRAM)
        for steps in STEPS:
            pairs = [(run(PLAIN, folder, steps), run(OBSERVED, folder, steps)) for _ in range(ROUNDS)]
            plain, observed = zip(*pairs, strict=True)
            loops = [min(loop for loop, _ in times) for times in (plain, observed)]
            starts = [min(whole - loop for loop, whole in times) for times in (plain, observed)]
            ratio = f"{loops[1] / loops[0]:.2f}" if steps else "-"
            print(f"{steps:>8}{loops[0]:>12.2f}{loops[1]:>14.2f}{ratio:>8}{starts[0]:>12.2f}{starts[1]:>14.2f}")


if __name__ == "__main__":
    main()
