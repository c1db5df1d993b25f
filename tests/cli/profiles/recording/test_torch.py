"""`pdt-annotate run` on programs with torch: workers and ranks, then rest and waking."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recorded_program import PROFILE, plainly, recorded, saved, seen, types_at, write

from pdt_annotate.profiles.profile import Profile

LOADER = """
    import sys
    import torch
    from torch.utils.data import DataLoader, Dataset


    class Numbers(Dataset):
        def __len__(self):
            return 8

        def __getitem__(self, index):
            return make(index, None if index % 2 else 2.0)


    def make(index, scale=None):
        return torch.full((3,), index * (scale or 1.0)), index


    class Net(torch.nn.Module):
        def __init__(self, size=2):
            super().__init__()
            self.size = prepare(size)

        def forward(self, x, extras):
            return double(x)


    def prepare(size):
        return size


    def double(x, mask=None):
        return x * 2


    net = Net()
    for x, index in DataLoader(Numbers(), batch_size=2, num_workers=int(sys.argv[1])):
        net(x, [index])
"""

RANKS = """
    import os
    import torch
    import torch.distributed as dist


    class Net(torch.nn.Module):
        def forward(self, x, rank, extras=None):
            return shift(x, [rank])


    def shift(x, by):
        return x + by[0]


    dist.init_process_group("gloo")
    rank = dist.get_rank()
    Net()(torch.ones(2), rank, None if rank else {"rank": rank})
    dist.barrier()
    dist.destroy_process_group()
"""

RESTING = """
    import sys, warnings


    def early(x):
        return x


    for _ in range(400_000):
        early(1)
    idle = sys.getprofile() is None

    import torch

    warnings.simplefilter("error", UserWarning)  # torch.compile warns of hooks


    class Net(torch.nn.Module):
        def forward(self, x, extras=None):
            return x


    class Inner(torch.nn.Module):
        def forward(self, x):
            return x


    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            return self.inner(x) + 1


    net, x, slept = Net(), torch.ones(2), False
    for _ in range(30_000):
        net(x)
        slept = slept or sys.getprofile() is None
    for _ in range(20):
        net(x, "text")
    outer = Outer()
    compiled = torch.compile(outer, backend="eager", fullgraph=True)
    ways = compiled, torch.jit.script(outer), torch.jit.trace(outer, (x,)), torch.fx.symbolic_trace(outer)
    print(idle, slept, [way(x).tolist() for way in ways])
    net.train(False)
    for _ in range(20):
        net(x, 1)
"""


def in_forward(profile: Profile) -> set[str]:
    return {place.qualname for recording in profile.recordings for place in recording.in_forward}


def types(profile: Profile) -> dict[str, set[str]]:
    """The names of the types that were seen, by function and parameter."""
    found: dict[str, set[str]] = {}
    for place, _, name, type_ in seen(profile):
        if name not in ("self", "return"):
            found.setdefault(f"{place.qualname} {name}", set()).add(json.loads(type_)["name"])
    return found


def test_what_workers_run_is_seen(tmp_path: Path) -> None:
    write(tmp_path, "load.py", LOADER)
    done = recorded(tmp_path, "load.py", "2")
    assert done.returncode == 0, done.stderr
    assert "in 3 process" in done.stderr
    profile = saved(tmp_path)
    assert types(profile) == {
        "Net.forward x": {"torch.Tensor"},
        "Net.forward extras": {"list"},
        "Numbers.__getitem__ index": {"int"},
        "double x": {"torch.Tensor"},
        "double mask": {"None"},
        "make index": {"int"},
        "make scale": {"None", "float"},
        "prepare size": {"int"},
    }
    assert in_forward(profile) == {"Net.forward", "double"}
    assert not types_at(profile, "Net.__init__", "size")  # a module's constructor is not compiled


def test_what_ranks_run_is_seen(tmp_path: Path) -> None:
    write(tmp_path, "ranks.py", RANKS)
    done = recorded(tmp_path, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "ranks.py")
    assert done.returncode == 0, done.stderr
    assert "in 2 process" in done.stderr
    profile = saved(tmp_path)
    assert types(profile) == {
        "Net.forward x": {"torch.Tensor"},
        "Net.forward rank": {"int"},
        "Net.forward extras": {"dict", "None"},
        "shift x": {"torch.Tensor"},
        "shift by": {"list"},
    }
    assert in_forward(profile) == {"Net.forward", "shift"}


@pytest.fixture(scope="module")
def rested(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Profile]:
    folder = tmp_path_factory.mktemp("resting")
    write(folder, "train.py", RESTING)
    done = recorded(folder, "train.py")
    assert done.returncode == 0, done.stderr
    return done.stdout, saved(folder)


def test_compilers_answer_as_ever_while_the_bell_hangs(rested: tuple[str, Profile]) -> None:
    assert rested[0] == f"True True {[[2.0, 2.0]] * 4}\n"


def test_a_module_that_is_called_with_new_classes_or_in_another_mode_wakes(rested: tuple[str, Profile]) -> None:
    assert types_at(rested[1], "Net.forward", "extras") == {'{"name":"None"}', '{"name":"str"}', '{"name":"int"}'}


NET = """
    import torch


    class Net(torch.nn.Module):
        def __init__(self, channels, classes=10):
            super().__init__()
            self.conv = torch.nn.Conv2d(3, channels, 3)
            self.head = torch.nn.Linear(channels, classes)

        def forward(self, image, mask=None, gain=1.0):
            x = self.conv(image).mean((2, 3))
            return self.head(x if mask is None else x * mask) * gain
"""
TRAIN = """
    import torch
    from net import Net

    for net in (Net(4), Net(4, classes=2)):
        net(torch.rand(2, 3, 9, 9))
        net(torch.rand(2, 3, 9, 9), torch.ones(2, 4, dtype=torch.bool), gain=0.5)
"""


def test_a_draft_from_what_ran_runs_as_it_is(tmp_path: Path) -> None:
    for name, text in {"net.py": NET, "train.py": TRAIN}.items():
        write(tmp_path, name, text)
    assert recorded(tmp_path, "train.py").returncode == 0
    done = plainly(tmp_path, "-m", "pdt_annotate", "init", "net:Net", "--from-profile", PROFILE)
    assert "to be filled in" not in done.stderr
    shapes = "*inputs.model()(*call.args, **call.kwargs).shape, *call.kwargs"
    use = f"import inputs\nfor call in inputs.calls():\n    print({shapes})\n"
    assert plainly(tmp_path, "-c", use).stdout.splitlines() == ["2 10", "2 10 mask gain", "2 10"]
