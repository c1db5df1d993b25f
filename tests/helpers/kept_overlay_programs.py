"""A kept overlay, its packages and programs that use it, for tests that serve overlays."""

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from tool import write

from pdt_annotate.overlays import manifest
from pdt_annotate.overlays.kept_overlay import VARIABLE


@dataclass(frozen=True)
class Ended:
    """The result of a program."""

    code: int
    stdout: str
    stderr: str

    @property
    def error_line(self) -> str:
        """The message of our error that ended the program, without the place and the advice after it."""
        return next((line for line in self.stderr.splitlines() if line.startswith("pdt_annotate.errors.")), "")


def run(
    source: str,
    *path: Path,
    arguments: Iterable[str] = ("-c",),
    python: str | Path = sys.executable,
    cwd: Path | None = None,
    **environment: object,
) -> Ended:
    """Run a program in a new interpreter, with directories on its path."""
    command = [str(python), *arguments, dedent(source)]
    given = {name: str(value) for name, value in environment.items()}
    if given.get(VARIABLE):
        given[VARIABLE] = os.pathsep.join(str((cwd or Path.cwd()) / part) for part in given[VARIABLE].split(os.pathsep))
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env = inherited | {"PYTHONPATH": os.pathsep.join(map(str, path))} | given
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    return Ended(done.returncode, done.stdout, done.stderr)


def install(site: Path, name: str, version: str, files: Mapping[str, str]) -> Path:
    """Install a distribution in a directory of packages, as an installer does."""
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    record = "".join(f"{file},,\n" for file in files)
    return write(site, {**files, f"{info}/METADATA": metadata, f"{info}/RECORD": record})


def keep(overlay: Path, site: Path, distribution: str, version: str, copies: Mapping[str, str]) -> Path:
    """An overlay of copies, by the path of the file that each copy replaces."""
    write(overlay, copies)
    entries = [
        manifest.ManifestEntry(
            module=path.removesuffix(".py").removesuffix("/__init__").replace("/", "."),
            path=path,
            distribution=distribution,
            version=version,
            original=manifest.digest((site / path).read_bytes()),
            annotated=manifest.digest((overlay / path).read_bytes()),
        )
        for path in copies
    ]
    (overlay / manifest.MANIFEST).write_bytes(manifest.dump(entries))
    return overlay


def snapshot(folder: Path) -> dict[str, str]:
    """The digest of every file below a folder, including bytecode."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): manifest.digest(path.read_bytes()) for path in files}
