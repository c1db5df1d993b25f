"""Changes in a commit that a profile does not contain: first those that pass a check, then those that fail it."""

import shutil
from pathlib import Path

import pytest
from profiled import Seen, observe, owner_of, profile_of, write

from pdt_annotate import profiles
from pdt_annotate.profiles import Profile
from pdt_annotate.profiles.outdated import find_outdated, list_unseen, renewal
from pdt_annotate.profiles.profile import Unseen
from pdt_annotate.values.slots import Finding

NET = """\
from torch import nn
import helpers
def scale(x, factor):
    return x * factor

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
    def forward(self, x):
        return x
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.block = Block(width)
    def forward(self, x):
        if self.block is None:
            return helpers.never(x)
        return scale(self.block(x), 2.0)
    def unused(self, k):
        return k
def load(path):
    return path
"""
HELPERS = "def never(x):\n    return other(x)\n\n\ndef other(x):\n    return x\n"
BUILD = "self.block = Block(width)"
IN_FORWARD = ("scale", "Block.forward", "Net.forward")
SEEN: Seen = {**{name: {"x": ("Tensor",)} for name in IN_FORWARD}, "load": {"path": ("str",)}}


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    """A profile of a run that did not import `helpers`, made before all edits."""
    modules = {"net": write(tmp_path, {"net.py": NET, "helpers.py": HELPERS})["net"]}
    in_forward = [owner_of(modules["net"], name) for name in IN_FORWARD]
    made = profile_of(tmp_path, modules, observe(modules["net"], SEEN), in_forward=in_forward)
    return list_unseen(made, str(tmp_path))


def outdated(profile: Profile, root: Path, *, all_that_ran: bool = False) -> tuple[Finding, ...]:
    matched = profiles.match(profile, str(root))
    return find_outdated(profile, matched, str(root), lambda owner: True, all_that_ran=all_that_ran)


def said(found: tuple[Finding, ...]) -> list[str]:
    """The subjects of the findings: "scale has changed"."""
    return [" ".join(finding.message.split()[:3]).replace("`", "") for finding in found]


PASSES = {
    "nothing": NET,
    "annotated by hand since": NET.replace("x, factor)", "x: 'Tensor', factor: float)").replace("* factor", "/ factor"),
    "skipped": NET.replace("factor):", "factor):  # pdt: skip").replace("* factor", "/ factor"),
    "a method that nothing calls is deleted": NET.replace("    def unused(self, k):\n        return k\n", ""),
    "what did not run in forward has changed": NET.replace("return path", "return path + ''"),
    "new, and annotated": f"{NET}\n\ndef fresh(k: int):\n    return k\n",
    "new, and never compiled": f"{NET}\n\ndef fresh(k):\n    yield k\n\n\nasync def other(k):\n    return k\n",
    "new, and not called from forward": f"{NET}\n\nclass More:\n    def __init__(self, k):\n        pass\n",
}


@pytest.mark.parametrize("source", PASSES.values(), ids=PASSES)
def test_passes(source: str, profile: Profile, tmp_path: Path) -> None:
    write(tmp_path, {"net.py": source, "helpers.py": f"{HELPERS}\n\ndef fresh(k):\n    return k\n"})
    assert said(outdated(profile, tmp_path)) == []
    assert said(outdated(profile, tmp_path, all_that_ran=True)) == ["load has changed"] * ("path + ''" in source)


def test_a_profile_that_does_not_list_what_stood_there_says_of_nothing_that_it_is_new(tmp_path: Path) -> None:
    write(tmp_path, {"net.py": NET})
    modules = {"net": str(tmp_path / "net.py")}
    old = profile_of(tmp_path, modules, observe(modules["net"], SEEN))
    write(tmp_path, {"net.py": NET.replace("* factor", "/ fresh(factor)") + "\n\ndef fresh(k):\n    return k\n"})
    assert said(outdated(old, tmp_path)) == ["scale has changed"]


EXTRA = "\n\nclass Extra(nn.Module):\n    def forward(self, q):\n        return helpers.more(q)\n"
FAILS = {
    "a changed body": (NET.replace("* factor", "/ factor"), ["scale has changed"]),
    "a decorator": (NET.replace("def scale", "@helpers.mark\ndef scale"), ["scale has changed"]),
    "a parameter": (NET.replace("x, factor", "x, factor, bias=None"), ["scale has changed"]),
    "a renamed function": (NET.replace("scale", "zoom"), ["Net.forward has changed", "zoom is new:"]),
    "a renamed class": (NET.replace("Block", "Brick"), ["Brick.forward is new:"]),
    "a new function that is called": (
        NET.replace("2.0)", "fresh(2.0))") + "\n\ndef fresh(k):\n    return k\n",
        ["Net.forward has changed", "fresh is new:"],
    ),
    "a new method that is called": (
        NET.replace(
            "        return x\n", "        return self.fresh(x)\n\n    def fresh(self, k):\n        return k\n"
        ),
        ["Block.forward has changed", "Block.fresh is new:"],
    ),
    "another name for the class that is built": (NET.replace("class Net", "class Mesh"), ["Mesh.forward is new:"]),
    "a new submodule, and what it calls": (
        NET.replace(BUILD, "self.block = nn.Sequential(Block(width), Extra())") + EXTRA,
        ["Extra.forward is new:", "more is new:"],
    ),
}


@pytest.mark.parametrize(("source", "failing"), FAILS.values(), ids=FAILS)
def test_fails(source: str, failing: list[str], profile: Profile, tmp_path: Path) -> None:
    more = "\n\ndef more(z):\n    return z\n" if "more(" in source else ""
    write(tmp_path, {"net.py": source, "helpers.py": HELPERS + more})
    assert sorted(said(outdated(profile, tmp_path))) == failing


def test_fails_where_a_function_or_its_file_has_moved(profile: Profile, tmp_path: Path) -> None:
    head, _, rest = NET.partition("def scale")
    function, _, classes = rest.partition("\n\n")
    write(tmp_path, {"net.py": f"{head}from moved import scale\n{classes}", "moved.py": f"def scale{function}\n"})
    (finding,) = outdated(profile, tmp_path)
    assert finding.message.startswith("`scale` is new: `Net.forward` calls it")
    assert finding.place.file.endswith("moved.py")
    (tmp_path / "net.py").rename(tmp_path / "net2.py")
    (finding,) = outdated(profile, tmp_path)
    assert finding.message.startswith("the file net.py no longer exists")


def test_the_command_that_renews_is_told_as_far_as_it_is_known(tmp_path: Path) -> None:
    modules = write(tmp_path, {"net.py": NET})
    observed = observe(modules["net"], SEEN)
    run, target = (profile_of(tmp_path, modules, observed, label=label) for label in ("train.py", "net:Net"))
    file = f"{tmp_path}/p.sqlite"
    assert renewal(run, [file]).endswith("p.sqlite -- train.py …")
    assert renewal(target, [file]).startswith("pdt-annotate observe net:Net -i … --save-profile ")
    assert renewal(target, [str(tmp_path)]) == "pdt-annotate observe net:Net -i … --save-profile FILE"


SOURCES = {
    "src/pkg/__init__.py": "",
    "src/pkg/net.py": "from . import parts\nfrom .deep.more import grow\n\n\ndef f(x):\n    ...\n\n\ndef g(): ...\n",
    "src/pkg/parts.py": "import torch\n\n\nclass Part:\n    def go(self):\n        pass\n",
    "src/pkg/deep/more.py": "def grow(k):\n    import flat\n",
    "src/flat.py": "def flat():\n    pass\n",
    "src/env/pyvenv.cfg": "",
    "src/other.py": "def other():\n    pass\n",
}


def test_functions_that_did_not_run_are_listed_with_those_of_imported_files(tmp_path: Path) -> None:
    write(tmp_path, SOURCES)
    net = str(tmp_path / "src/pkg/net.py")
    before = profile_of(tmp_path, {"pkg.net": net}, observe(net, {"f": {"x": ("int",)}}))
    profile = list_unseen(before, str(tmp_path))
    listed = {(each.path.removeprefix("src/"), each.qualname) for each in profile.recordings[0].unseen}
    named = {("pkg/net.py", "g"), ("pkg/parts.py", "Part.go"), ("pkg/deep/more.py", "grow"), ("flat.py", "flat")}
    assert listed == named | {(path, "") for path, _ in named} | {("pkg/__init__.py", "")}
    shutil.rmtree(tmp_path / "src")
    assert list_unseen(before, str(tmp_path)) == before
    profiles.save(str(tmp_path / "p.sqlite"), profile)
    assert profiles.load([str(tmp_path / "p.sqlite")]) == profiles.merge([profile])


def test_two_runs_list_what_either_does(tmp_path: Path) -> None:
    net = write(tmp_path, {"net.py": "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n"})["net"]
    runs = (profile_of(tmp_path, {"net": net}, observe(net, {name: {"x": ("int",)}})) for name in "fg")
    both = profiles.merge(list_unseen(each, str(tmp_path)) for each in runs)
    assert both.recordings[0].unseen == (Unseen("net.py"), Unseen("net.py", "f"), Unseen("net.py", "g"))
