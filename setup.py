"""Settings that pyproject.toml cannot express.

A `.pth` file is installed next to the package, in wheels and in editable installs. If the environment names an overlay
(docs/overlay.md), it imports the package when an interpreter starts.

The long description is README.md with absolute links, which also work on the package index.
"""

import re
from pathlib import Path

from setuptools import Command, setup
from setuptools.command.build import build

START = "pdt_annotate_overlay.pth"
HERE = Path(__file__).resolve().parent
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]\n]*)\]\((?![a-z]+:|#)(?P<target>[^)\s]+)\)")


def absolute_links(text: str, home: str, revision: str) -> str:
    """Replace relative links by links to a revision of the repository at `home`. Images link to the raw files."""

    def lead(link: re.Match[str]) -> str:
        kind = "raw" if link["image"] else "blob"
        return f"{link['image']}[{link['text']}]({home}/{kind}/{revision}/{link['target']})"

    return LINK.sub(lead, text)


def long_description() -> str:
    facts = dict(re.findall(r'^(\w+) = "(.+)"$', (HERE / "pdt_annotate/values/version.py").read_text("utf-8"), re.M))
    return absolute_links((HERE / "README.md").read_text("utf-8"), facts["HOMEPAGE"], f"v{facts['__version__']}")


class BuildStart(Command):
    """Put the file at the root of the wheel."""

    def initialize_options(self) -> None:
        self.editable_mode = False

    def finalize_options(self) -> None:
        pass

    def run(self) -> None:
        # An editable wheel does not include the files in the build directory.
        place = self.get_finalized_command("install" if self.editable_mode else "build_py")
        root = place.install_lib if self.editable_mode else place.build_lib
        self.mkpath(root)
        self.copy_file(START, root)

    def get_source_files(self) -> list[str]:
        return [START]


build.sub_commands.append(("build_start", None))
setup(
    cmdclass={"build_start": BuildStart},
    long_description=long_description(),
    long_description_content_type="text/markdown",
)
