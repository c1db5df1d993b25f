"""Build and test the files of a release; publish nothing.

    python tools/release.py [--to dist]

The unit tests run in the unpacked sdist. The wheel is installed with its dependencies in a clean environment, and the
command runs there. twine checks the metadata of both. The release note is the version's section of CHANGELOG.md.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

from pdt_annotate.values.version import __version__

ROOT = Path(__file__).resolve().parent.parent
NOTES = "RELEASE_NOTES.md"


class ReleaseError(Exception):
    """The reason why this tree cannot be released."""


def note_of(version: str, changelog: str) -> str:
    """The section of a version, without its heading.

    Raises:
        ReleaseError: there is no such section, or it is empty.
    """
    found = re.search(rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if found is None or not found[1].strip():
        raise ReleaseError(f"CHANGELOG.md has no text under `## [{version}]`; move the text under Unreleased there")
    return found[1].strip() + "\n"


def build(tree: Path, out: Path) -> tuple[Path, Path]:
    """Build the sdist of a tree, and a wheel from the sdist."""
    _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, tree)
    (sdist,), (wheel,) = out.glob("*.tar.gz"), out.glob("*.whl")
    return sdist, wheel


def check_metadata(*archives: Path) -> None:
    """Check the metadata that the package index shows, in strict mode."""
    _run(sys.executable, "-m", "twine", "check", "--strict", *archives)


def unpack(sdist: Path, folder: Path) -> Path:
    """Unpack an sdist, and return the directory of its source tree."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (tree,) = folder.iterdir()
    return tree


def run_tests(tree: Path, *tests: str) -> None:
    """Run tests of an unpacked sdist on the package in the sdist."""
    _run(sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *tests, cwd=tree)


def install(wheel: Path, folder: Path, *flags: str) -> Path:
    """Install a wheel in a new environment, and return the interpreter of this environment."""
    venv.create(folder)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    _run(sys.executable, "-m", "pip", "--python", python, "install", "--disable-pip-version-check", *flags, wheel)
    return python


def release(out: Path) -> None:
    """
    Raises:
        ReleaseError: something is missing or wrong.
    """
    note = note_of(__version__, (ROOT / "CHANGELOG.md").read_text("utf-8"))
    if _run("git", "status", "--porcelain", cwd=ROOT, heard=False):
        raise ReleaseError("the working tree has uncommitted changes; commit them before a release")
    shutil.rmtree(out, ignore_errors=True)
    sdist, wheel = build(ROOT, out)
    check_metadata(sdist, wheel)
    with tempfile.TemporaryDirectory() as scratch:
        run_tests(unpack(sdist, Path(scratch, "sdist")), "tests/unit")
        python = install(wheel, Path(scratch, "venv"))
        _run(python, "-m", "pdt_annotate", "--version", cwd=scratch)
    (out / NOTES).write_text(note, "utf-8")
    print(f"\n{sdist.name}, {wheel.name} and {NOTES} are in {out}; nothing was published.")
    print(f"To publish: tag v{__version__}, then `twine upload {out}/*.tar.gz {out}/*.whl`.")


def _run(*words: str | Path, cwd: str | Path | None = None, heard: bool = True) -> str:
    """Run a command. Return its output, which is printed instead if `heard`.

    Raises:
        ReleaseError: the command failed.
    """
    done = subprocess.run(words, cwd=cwd, text=True, stdout=None if heard else subprocess.PIPE, check=False)
    if done.returncode:
        raise ReleaseError(f"failed with {done.returncode}: {' '.join(map(str, words))}")
    return done.stdout or ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--to", type=Path, default=ROOT / "dist", help="the output folder, which is emptied first")
    try:
        release(parser.parse_args().to)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
