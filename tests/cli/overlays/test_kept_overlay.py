"""Kept overlays, served in processes of their own: what they leave alone, refuse, and serve. No torch is needed."""

from __future__ import annotations

import shutil
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
"""What a `.pth` file does where pdt-annotate is installed."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with packages in `site` and an overlay of them in `kept`."""
    site = install(tmp_path / "site", "pkg-dist", "1.0", FILES)
    keep(tmp_path / "kept", site, "pkg-dist", "1.0", COPIES)
    write(tmp_path / "site", {"torch.py": ""})  # imported as a name only
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


class TestLeavesAlone:
    def test_all_where_nothing_is_asked_for(self, place: Path) -> None:
        assert printed(place, IMPORT + SHOW) == "disk disk disk"
        assert printed(place, IMPORT + SHOW, PDT_ANNOTATE_OVERLAY="") == "disk disk disk"

    def test_the_packages_on_disk(self, place: Path) -> None:
        printed(place, SHOW)
        before = snapshot(place / "site")
        assert printed(place, SERVE + SHOW) == "overlay overlay disk"
        assert snapshot(place / "site") == before

    def test_a_package_without_bytecode_gets_none_for_its_copies(self, place: Path) -> None:
        printed(place, SERVE + SHOW)
        cached = {path.name.partition(".")[0] for path in (place / "site/pkg").rglob("*.pyc")}
        assert cached == {"__init__", "plain"}
        assert not list((place / "site/pkg/sub").rglob("*.pyc")) and not list((place / "kept").rglob("*.pyc"))

    def test_what_else_is_imported(self, place: Path) -> None:
        source = "import json.tool, click, sys\nprint('pkg' in sys.modules, type(click.__loader__).__name__)"
        assert printed(place, SERVE + source) == "False SourceFileLoader"

    def test_programs_that_have_nothing_to_do_with_a_changed_or_missing_overlay(self, place: Path) -> None:
        update(place)
        for directory in "kept", "missing":
            source = IMPORT + "import click, pkg.plain\nprint(pkg.plain.WHERE)"
            assert printed(place, source, PDT_ANNOTATE_OVERLAY=directory) == "disk"

    def test_finding_a_changed_module_without_importing_it(self, place: Path) -> None:
        update(place)
        source = IMPORT + "import importlib.util\nprint(importlib.util.find_spec('pkg.mod').origin)"
        assert printed(place, source, PDT_ANNOTATE_OVERLAY="kept") == str(place / "site/pkg/mod.py")


class TestRefuses:
    @pytest.mark.parametrize(
        ("source", "environment"),
        [(SERVE, {}), (IMPORT + "import pkg.mod", {"PDT_ANNOTATE_OVERLAY": "kept"})],
        ids=["by call", "by environment"],
    )
    def test_another_version(self, source: str, environment: dict[str, str], place: Path) -> None:
        update(place)
        ended = start(place, source, **environment)
        assert ended.code == 1
        assert ended.error_line == (
            f"pdt_annotate.errors.UserError: the overlay {place / 'kept'} was made for pkg-dist 1.0,"
            " but pkg-dist 1.1 is installed, with another pkg/mod.py;"
            f" run `pdt-annotate TARGET -i FILE --overlay {place / 'kept'}` again"
        )

    def test_an_edited_file_of_the_same_version(self, place: Path) -> None:
        write(place / "site", {"pkg/mod.py": "WHERE = 'edited'\n"})
        assert "made for pkg-dist 1.0, whose pkg/mod.py has changed since; run" in start(place, SERVE).error_line

    def test_a_package_that_is_gone_from_the_metadata(self, place: Path) -> None:
        shutil.rmtree(place / "site/pkg_dist-1.0.dist-info")
        write(place / "site", {"pkg/mod.py": "WHERE = 'edited'\n"})
        assert "but pkg-dist without a version is installed" in start(place, SERVE).error_line

    def test_a_copy_that_was_changed(self, place: Path) -> None:
        write(place / "kept", {"pkg/mod.py": "WHERE = 'tampered'\n"})
        for source, environment in ((SERVE, {}), (IMPORT + SHOW, {"PDT_ANNOTATE_OVERLAY": "kept"})):
            ended = start(place, source, **environment)
            assert ended.code == 1 and "is not the copy that was written into the overlay" in ended.error_line

    def test_a_copy_that_is_gone(self, place: Path) -> None:
        (place / "kept/pkg/mod.py").unlink()
        assert f"cannot read {place / 'kept/pkg/mod.py'}: No such file" in start(place, SERVE).error_line

    def test_a_module_that_is_imported_already(self, place: Path) -> None:
        ended = start(place, "import pkg.sub\n" + SERVE)
        assert "pkg.sub is imported already" in ended.error_line

    def test_a_module_that_is_imported_before_the_environment_is_read(self, place: Path) -> None:
        # Set only now: where the tool is installed, the interpreter reads it before any module.
        late = "import os, torch, pkg.mod\nos.environ['PDT_ANNOTATE_OVERLAY'] = os.path.abspath('kept')\n"
        ended = start(place, late + IMPORT)
        assert "pkg.mod is imported already" in ended.error_line

    def test_an_overlay_that_is_another_wherever_a_program_starts(self, place: Path) -> None:
        name = "import os\nos.environ['PDT_ANNOTATE_OVERLAY'] = 'kept'\n"
        assert printed(place, name + IMPORT + SHOW) == "disk disk disk"
        assert "PDT_ANNOTATE_OVERLAY names 'kept'" in start(place, name + IMPORT + "import torch").error_line

    def test_an_overlay_that_anybody_may_write(self, place: Path) -> None:
        (place / "kept").chmod(0o777)
        assert printed(place, SERVE + SHOW) == "overlay overlay disk"  # the program asks for it itself
        assert printed(place, IMPORT + SHOW, PDT_ANNOTATE_OVERLAY="kept") == "disk disk disk"
        ended = start(place, IMPORT + "import torch", PDT_ANNOTATE_OVERLAY="kept")
        assert "anybody may write it" in ended.error_line

    def test_a_copy_outside(self, place: Path) -> None:
        (place / "kept/pkg/mod.py").rename(place / "mod.py")
        (place / "kept/pkg/mod.py").symlink_to("../../mod.py")
        assert "a link leads out of the overlay" in start(place, SERVE).error_line

    def test_a_missing_overlay(self, place: Path) -> None:
        assert "there is no overlay in" in start(place, "import pdt_annotate\npdt_annotate.overlay('no')").error_line
        ended = start(place, IMPORT + "import click, torch", PDT_ANNOTATE_OVERLAY="no")
        assert ended.code == 1 and f"there is no overlay in {place / 'no'}" in ended.error_line


class TestServes:
    def test_imports_and_whoever_reads_source(self, place: Path) -> None:
        source = """
            import inspect, linecache
            from pkg.mod import scale
            linecache.checkcache()
            print(inspect.getsource(scale).splitlines()[0], scale(2, 3), inspect.getfile(scale))
        """
        for head, environment in ((SERVE, {}), (IMPORT, {"PDT_ANNOTATE_OVERLAY": "kept"})):
            shown = printed(place, head + source.replace("            ", ""), **environment)
            assert shown == f"def scale(x, n: int): 6 {place / 'site/pkg/mod.py'}"

    def test_as_long_as_a_block_takes(self, place: Path) -> None:
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
        assert "pkg.mod is imported already" in ended.error_line

    def test_without_torch_and_libcst(self, place: Path) -> None:
        source = "import sys\nprint({'torch', 'libcst', 'monkeytype'} & set(sys.modules))"
        assert printed(place, SERVE + source) == "set()"

    def test_a_second_call_changes_nothing(self, place: Path) -> None:
        source = "import sys, pkg.mod\nbefore = list(sys.meta_path)\npdt_annotate.overlay('kept')\n"
        assert printed(place, SERVE + source + "print(before == sys.meta_path)") == "True"

    def test_child_processes(self, place: Path) -> None:
        child = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {IMPORT + SHOW!r}], check=True)"
        assert printed(place, child, PDT_ANNOTATE_OVERLAY="kept") == "overlay overlay disk"

    def test_of_several_overlays_the_first_that_holds_a_module(self, place: Path) -> None:
        other = {"pkg/mod.py": "WHERE = 'other'\n", "pkg/plain.py": "WHERE = 'other'\n"}
        keep(place / "other", place / "site", "pkg-dist", "1.0", other)
        shown = {printed(place, IMPORT + SHOW, PDT_ANNOTATE_OVERLAY=order) for order in ("kept:other", "other:kept")}
        assert shown == {"overlay overlay other", "other overlay other"}

    def test_a_module_that_is_not_installed_is_no_one_s_loss(self, place: Path) -> None:
        shutil.rmtree(place / "site/pkg/sub")
        assert printed(place, SERVE + "import pkg.mod\nprint(pkg.mod.WHERE)") == "overlay"

    def test_the_package_s_own_files_are_read_from_disk(self, place: Path) -> None:
        write(place / "site", {"pkg/sub/data.txt": "data"})
        source = "import pkgutil\nprint(pkgutil.get_data('pkg.sub', 'data.txt'), pkg.sub.WHERE)"
        assert printed(place, SERVE + "import pkg.sub\n" + source) == "b'data' overlay"


class TestWithdraw:
    def test_until_it_is_started_again(self, place: Path) -> None:
        source = """
            import pdt_annotate.overlays.kept_overlay as kept
            kept.withdraw()
            import pkg.plain
            kept.start()
            import pkg.mod
            print(pkg.mod.WHERE)
        """.replace("            ", "")
        assert printed(place, source, PDT_ANNOTATE_OVERLAY="kept") == "overlay"

    def test_disregarded_for_good(self, place: Path) -> None:
        source = IMPORT + "import pdt_annotate.overlays.kept_overlay as kept\nkept.disregard()\n" + SERVE + SHOW
        assert printed(place, source, PDT_ANNOTATE_OVERLAY="kept") == "disk disk disk"


def test_the_manifest_of_these_tests_is_read(place: Path) -> None:
    assert set(manifest.load(str(place / "kept"))) == {"pkg.mod", "pkg.sub"}
