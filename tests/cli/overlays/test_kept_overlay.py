"""Kept overlays in separate processes: modules that they do not change, refuse, and replace. torch is not needed."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kept_overlay_programs import Ended, install, keep, run, snapshot
from repository import ROOT
from tool import write

from pdt_annotate.overlays import manifest

FILES = {
    "pkg/__init__.py": "",
    "pkg/mod.py": "WHERE = 'disk'\n\n\ndef scale(x, n):\n    return x * n\n",
    "pkg/sub/__init__.py": "WHERE = 'disk'\n",
    "pkg/plain.py": "WHERE = 'disk'\n",
}
MOD = "WHERE = 'overlay'\n\n\ndef scale(x, n: int):\n    return x * n\n"
COPIES = {"pkg/mod.py": MOD, "pkg/sub/__init__.py": "WHERE = 'overlay'\n"}
SERVE = "import pdt_annotate\npdt_annotate.overlay('kept')\n"
SHOW = "import pkg.mod, pkg.sub, pkg.plain\nprint(pkg.mod.WHERE, pkg.sub.WHERE, pkg.plain.WHERE)"
IMPORT = "import pdt_annotate\n"
"""The effect of the `.pth` file that is installed with pdt-annotate."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with packages in `site`, and an overlay of them in `kept`."""
    site = install(tmp_path / "site", "pkg-dist", "1.0", FILES)
    keep(tmp_path / "kept", site, "pkg-dist", "1.0", COPIES)
    write(tmp_path / "site", {"torch.py": ""})  # imports only a name
    return tmp_path


def start(place: Path, source: str, **environment: Any) -> Ended:
    return run(source, place / "site", ROOT, cwd=place, **environment)


def printed(place: Path, source: str, **environment: object) -> str:
    ended = start(place, source, **environment)
    assert ended.code == 0, ended.stderr
    return ended.stdout.strip()


def update(place: Path) -> None:
    """Install another version of the package."""
    shutil.rmtree(place / "site/pkg_dist-1.0.dist-info")
    install(place / "site", "pkg-dist", "1.1", {**FILES, "pkg/mod.py": "WHERE = 'new'\n"})


def link_out(place: Path) -> None:
    (place / "kept/pkg/mod.py").rename(place / "mod.py")
    (place / "kept/pkg/mod.py").symlink_to("../../mod.py")


OTHER = {"pkg/mod.py": "WHERE = 'other'\n", "pkg/plain.py": "WHERE = 'other'\n"}
CHANGES: dict[str, Callable[[Path], object]] = {
    "": lambda place: None,
    "update": update,
    "edit": lambda place: write(place / "site", {"pkg/mod.py": "WHERE = 'edited'\n"}),
    "lose metadata": lambda place: shutil.rmtree(place / "site/pkg_dist-1.0.dist-info"),
    "uninstall": lambda place: shutil.rmtree(place / "site/pkg/sub"),
    "tamper": lambda place: write(place / "kept", {"pkg/mod.py": "WHERE = 'tampered'\n"}),
    "remove": lambda place: (place / "kept/pkg/mod.py").unlink(),
    "link out": link_out,
    "open to all": lambda place: (place / "kept").chmod(0o777),
    "add data": lambda place: write(place / "site", {"pkg/sub/data.txt": "data"}),
    "keep another": lambda place: keep(place / "other", place / "site", "pkg-dist", "1.0", OTHER),
}
"""The change of the packages or the overlay before the program runs, by name."""

PLAIN = IMPORT + "import click, pkg.plain\nprint(pkg.plain.WHERE)"
READ = """\
import inspect, linecache
from pkg.mod import scale
linecache.checkcache()
print(inspect.getsource(scale).splitlines()[0], scale(2, 3), inspect.getfile(scale))
"""
SHOWN = "def scale(x, n: int): 6 {place}/site/pkg/mod.py"
KEPT = "import pdt_annotate.overlays.kept_overlay as kept\n"
NAMED_HERE = "import os\nos.environ['PDT_ANNOTATE_OVERLAY'] = 'kept'\n" + IMPORT

FIND = IMPORT + "import importlib.util\nprint(importlib.util.find_spec('pkg.mod').origin)"
LOADER = SERVE + "import json.tool, click, sys\nprint('pkg' in sys.modules, type(click.__loader__).__name__)"
HEAVY = SERVE + "import sys\nprint({'torch', 'libcst', 'monkeytype'} & set(sys.modules))"
TWICE = (
    "import sys, pkg.mod\nbefore = list(sys.meta_path)\npdt_annotate.overlay('kept')\nprint(before == sys.meta_path)"
)
CHILD = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {IMPORT + SHOW!r}], check=True)"
DATA = SERVE + "import pkg.sub, pkgutil\nprint(pkgutil.get_data('pkg.sub', 'data.txt'), pkg.sub.WHERE)"
AGAIN = "kept.withdraw()\nimport pkg.plain\nkept.start()\nimport pkg.mod\nprint(pkg.mod.WHERE)"

PRINTED = {
    "nothing is asked for": ("", IMPORT + SHOW, "", "disk disk disk"),
    "a changed overlay is not used": ("update", PLAIN, "kept", "disk"),
    "a missing overlay is not used": ("", PLAIN, "missing", "disk"),
    "a changed module is found and not imported": ("update", FIND, "kept", "{place}/site/pkg/mod.py"),
    "what else is imported": ("", LOADER, "", "False SourceFileLoader"),
    "source is read, by call": ("", SERVE + READ, "", SHOWN),
    "source is read, by environment": ("", IMPORT + READ, "kept", SHOWN),
    "nothing heavy is imported": ("", HEAVY, "", "set()"),
    "a second call changes nothing": ("", SERVE + TWICE, "", "True"),
    "child processes": ("", CHILD, "kept", "overlay overlay disk"),
    "the first of two": ("keep another", IMPORT + SHOW, "kept:other", "overlay overlay other"),
    "the first of two, the other way": ("keep another", IMPORT + SHOW, "other:kept", "other overlay other"),
    "not installed": ("uninstall", SERVE + "import pkg.mod\nprint(pkg.mod.WHERE)", "", "overlay"),
    "other files are read from disk": ("add data", DATA, "", "b'data' overlay"),
    "withdrawn and started again": ("", IMPORT + KEPT + AGAIN, "kept", "overlay"),
    "disregarded for good": ("", IMPORT + KEPT + "kept.disregard()\n" + SERVE + SHOW, "", "disk disk disk"),
    "anybody may write it, by call": ("open to all", SERVE + SHOW, "", "overlay overlay disk"),
    "anybody may write it, by environment": ("open to all", IMPORT + SHOW, "kept", "disk disk disk"),
    "named too late": ("", NAMED_HERE + SHOW, "", "disk disk disk"),
}


@pytest.mark.parametrize(("change", "source", "overlay", "expected"), PRINTED.values(), ids=PRINTED)
def test_serves_or_leaves_alone(change: str, source: str, overlay: str, expected: str, place: Path) -> None:
    CHANGES[change](place)
    assert printed(place, source, PDT_ANNOTATE_OVERLAY=overlay) == expected.format(place=place)


ANOTHER = (
    "pdt_annotate.errors.UserError: the overlay {place}/kept was made for pkg-dist 1.0,"
    " but pkg-dist 1.1 is installed, with another pkg/mod.py;"
    " run `pdt-annotate TARGET -i FILE --overlay {place}/kept` again"
)
# The variable is set only now. If the tool is installed, the interpreter reads it before it imports any module.
LATE = "import os, torch, pkg.mod\nos.environ['PDT_ANNOTATE_OVERLAY'] = os.path.abspath('kept')\n"

REFUSED = {
    "another version, by call": ("update", SERVE, "", ANOTHER),
    "another version, by environment": ("update", IMPORT + "import pkg.mod", "kept", ANOTHER),
    "an edited file": ("edit", SERVE, "", "made for pkg-dist 1.0, and pkg/mod.py has changed since; run"),
    "no metadata": ("edit, lose metadata", SERVE, "", "but pkg-dist without a version is installed"),
    "a changed copy, by call": ("tamper", SERVE, "", "is not the copy that was written into the overlay"),
    "a changed copy, by environment": ("tamper", IMPORT + SHOW, "kept", "is not the copy that was written into"),
    "no copy": ("remove", SERVE, "", "cannot read {place}/kept/pkg/mod.py: No such file"),
    "imported already": ("", "import pkg.sub\n" + SERVE, "", "pkg.sub is already imported"),
    "imported before the environment is read": ("", LATE + IMPORT, "", "pkg.mod is already imported"),
    "a relative path": ("", NAMED_HERE + "import torch", "", "PDT_ANNOTATE_OVERLAY names 'kept'"),
    "writable by everybody": ("open to all", IMPORT + "import torch", "kept", "writable by everybody"),
    "a copy outside": ("link out", SERVE, "", "a symbolic link leads out of the overlay"),
    "no overlay, by call": ("", SERVE.replace("kept", "no"), "", "there is no overlay in"),
    "no overlay, by environment": ("", IMPORT + "import click, torch", "no", "there is no overlay in {place}/no"),
}


@pytest.mark.parametrize(("changes", "source", "overlay", "said"), REFUSED.values(), ids=REFUSED)
def test_refuses(changes: str, source: str, overlay: str, said: str, place: Path) -> None:
    for change in changes.split(", "):
        CHANGES[change](place)
    ended = start(place, source, **({"PDT_ANNOTATE_OVERLAY": overlay} if overlay else {}))
    assert ended.code == 1 and said.format(place=place) in ended.error_line


def test_the_packages_on_disk_stay_and_get_no_bytecode_for_their_copies(place: Path) -> None:
    printed(place, SERVE + SHOW)
    assert {path.name.partition(".")[0] for path in (place / "site/pkg").rglob("*.pyc")} == {"__init__", "plain"}
    assert not list((place / "site/pkg/sub").rglob("*.pyc")) and not list((place / "kept").rglob("*.pyc"))
    printed(place, SHOW)
    before = snapshot(place / "site")
    assert printed(place, SERVE + SHOW) == "overlay overlay disk"
    assert snapshot(place / "site") == before
    assert set(manifest.load(str(place / "kept"))) == {"pkg.mod", "pkg.sub"}


def test_serves_as_long_as_a_block_takes(place: Path) -> None:
    source = """
        import sys
        import pdt_annotate
        before = list(sys.meta_path)
        try:
            with pdt_annotate.overlay("kept"):
                with pdt_annotate.overlay("kept"):
                    import pkg.mod
                import pkg.sub
                raise KeyError
        except KeyError:
            print(pkg.mod.WHERE, pkg.sub.WHERE, sys.meta_path == before)
        del sys.modules["pkg.mod"]
        import pkg.mod
        print(pkg.mod.WHERE)
        pdt_annotate.overlay("kept")
    """
    ended = start(place, source)
    assert ended.stdout.splitlines() == ["overlay overlay True", "disk"], "the inner one ends nothing"
    assert "pkg.mod is already imported" in ended.error_line
