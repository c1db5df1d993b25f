"""`pdt-annotate run` on programs with torch: what they answer, then workers and ranks, then rest and waking."""

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
    for rank in range(2):
        if dist.get_world_size() == 1 or rank == dist.get_rank():
            Net()(torch.ones(2), rank, None if rank else {"rank": rank})
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


def test_workers_and_one_process_see_the_same(tmp_path: Path) -> None:
    write(tmp_path, "load.py", LOADER)
    found = []
    for workers in (0, 2):
        done = recorded(tmp_path, "load.py", str(workers))
        assert done.returncode == 0, done.stderr
        assert f"in {workers + 1} process" in done.stderr
        found.append(saved(tmp_path))
    alone, shared = found
    assert seen(alone) == seen(shared)
    assert types_at(alone, "make", "scale") == {'{"name":"None"}', '{"name":"float"}'}
    assert in_forward(alone) == in_forward(shared) == {"Net.forward", "double"}
    assert not types_at(alone, "Net.__init__", "size")  # a module's constructor is not compiled
    assert types_at(alone, "prepare", "size") == {'{"name":"int"}'}


def test_two_ranks_and_one_process_see_the_same(tmp_path: Path) -> None:
    write(tmp_path, "ranks.py", RANKS)
    found = []
    for ranks in (1, 2):
        launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks))
        done = recorded(tmp_path, *launcher, "ranks.py")
        assert done.returncode == 0, done.stderr
        assert f"in {ranks} process" in done.stderr
        found.append(saved(tmp_path))
    one, two = found
    assert seen(one) == seen(two)
    assert {json.loads(type_)["name"] for type_ in types_at(one, "Net.forward", "extras")} == {"None", "dict"}
    assert in_forward(one) == in_forward(two) == {"Net.forward", "shift"}


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


def test_a_draft_from_what_ran_runs_as_it_is(tmp_path: Path) -> None:
    write(
        tmp_path,
        "net.py",
        """
        import torch


        class Net(torch.nn.Module):
            def __init__(self, channels, classes=10):
                super().__init__()
                self.conv = torch.nn.Conv2d(3, channels, 3)
                self.head = torch.nn.Linear(channels, classes)

            def forward(self, image, mask=None, gain=1.0):
                x = self.conv(image).mean((2, 3))
                return self.head(x if mask is None else x * mask) * gain
        """,
    )
    write(
        tmp_path,
        "train.py",
        """
        import sys
        import torch
        from net import Net

        width, size = map(int, sys.argv[1:])
        for net in (Net(width), Net(width, classes=2)):
            net(torch.rand(2, 3, size, size))
            net(torch.rand(2, 3, size, size), torch.ones(2, width, dtype=torch.bool), gain=0.5)
        """,
    )
    assert recorded(tmp_path, "train.py", "4", "9").returncode == 0
    done = plainly(tmp_path, "-m", "pdt_annotate", "init", "net:Net", "--from-profile", PROFILE)
    assert "to be filled in" not in done.stderr
    write(
        tmp_path,
        "use.py",
        """
        import inputs

        for call in inputs.calls():
            print(*inputs.model()(*call.args, **call.kwargs).shape, *call.kwargs)
        """,
    )
    assert plainly(tmp_path, "use.py").stdout.splitlines() == ["2 10", "2 10 mask gain", "2 10"]
