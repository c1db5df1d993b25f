"""What pyproject.toml cannot say: a `.pth` file that goes beside the package, in wheels and editable installs alike.

It imports the package at the start of every interpreter whose environment names an overlay (docs/overlay.md).
"""

from setuptools import Command, setup
from setuptools.command.build import build

START = "pdt_annotate_overlay.pth"


class BuildStart(Command):
    """Put the file at the root of the wheel."""

    def initialize_options(self) -> None:
        self.editable_mode = False

    def finalize_options(self) -> None:
        pass

    def run(self) -> None:
        # An editable wheel does not take what lies in the build directory.
        place = self.get_finalized_command("install" if self.editable_mode else "build_py")
        root = place.install_lib if self.editable_mode else place.build_lib
        self.mkpath(root)
        self.copy_file(START, root)

    def get_source_files(self) -> list[str]:
        return [START]


build.sub_commands.append(("build_start", None))
setup(cmdclass={"build_start": BuildStart})
