"""Which code is observed: that of the root, and that of third parties."""

from __future__ import annotations

import functools
import os
import sysconfig
from pathlib import Path

import click
import monkeytype
import numpy
import pytest
import torch

import pdt_annotate
from pdt_annotate.observers.files import make_code_filter, make_file_filter, make_third_party_filter

NEVER_READ = (torch, torch.nn.functional, numpy, monkeytype, pdt_annotate, functools)
"""What the compiler never reads."""


@pytest.mark.parametrize(
    ("file", "is_own", "is_third_party"),
    [
        ("{root}/model.py", True, False),
        ("{root}/pkg/model.py", True, False),
        ("{root}/env/lib/site-packages/pkg/model.py", False, True),
        ("{root}_other/model.py", False, True),
        ("{root}/../elsewhere.py", False, True),
        ("<string>", False, False),
        ("_ops.py", False, False),
        ("/lib/native.so", False, False),
        ("{root}/no\0/file.py", False, False),
        ("/no\0/file.py", False, False),
        (click.__file__, False, True),
        *((module.__file__, False, False) for module in NEVER_READ),
    ],
)
def test_files(file: str, is_own: bool, is_third_party: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    root, path = str(tmp_path), file.format(root=tmp_path)
    assert make_file_filter(root)(path) is is_own
    assert make_third_party_filter(root)(path) is is_third_party
    assert make_file_filter(root, True)(path) is (is_own or is_third_party)


def test_the_running_interpreters_library_is_left_out() -> None:
    is_wanted = make_file_filter("/")
    assert is_wanted("/model.py")
    assert not is_wanted(functools.__file__)
    assert not is_wanted(torch.__file__)


def test_a_root_inside_a_library_is_meant(tmp_path: Path) -> None:
    package = tmp_path / "site-packages/pkg"
    assert make_file_filter(str(package))(str(package / "model.py"))
    installed = os.path.join(sysconfig.get_path("purelib"), "torch")
    assert make_file_filter(installed)(torch.__file__)


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert make_file_filter(str(tmp_path / "link"))(str(tmp_path / "real/model.py"))


def test_a_code_filter_too(tmp_path: Path) -> None:
    assert make_code_filter(str(tmp_path), True)(click.echo.__code__)
    assert not make_code_filter(str(tmp_path))(click.echo.__code__)
    assert not make_code_filter(str(tmp_path), True)(torch.nn.Linear.forward.__code__)
