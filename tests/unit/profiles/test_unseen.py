"""What stood in a project's files beside what ran."""

from __future__ import annotations

import shutil
from pathlib import Path

from profiled import observe, profile_of, write

from pdt_annotate import profiles
from pdt_annotate.profiles.profile import Unseen
from pdt_annotate.profiles.unseen import import_root, list_unseen

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
    one, two = (profile_of(tmp_path, {"net": net}, observe(net, {name: {"x": ("int",)}})) for name in "fg")
    both = profiles.merge([list_unseen(one, str(tmp_path)), list_unseen(two, str(tmp_path))])
    assert both.recordings[0].unseen == (Unseen("net.py"), Unseen("net.py", "f"), Unseen("net.py", "g"))


def test_the_folder_from_which_a_file_is_imported(tmp_path: Path) -> None:
    write(tmp_path, SOURCES)
    assert import_root(str(tmp_path / "src/pkg/net.py")) == str(tmp_path / "src")
    assert import_root(str(tmp_path / "src/pkg/__init__.py")) == str(tmp_path / "src")
    assert import_root(str(tmp_path / "src/flat.py")) == str(tmp_path / "src")
