"""Which third-party code is observed. The filter of the root has its tests beside the tracer's."""

from __future__ import annotations

import functools
from pathlib import Path

import click
import monkeytype
import numpy
import torch

import pdt_annotate
from pdt_annotate.observers.files import make_code_filter, make_file_filter, make_third_party_filter


class TestLeftOut:
    def test_what_the_compiler_never_reads(self, tmp_path: Path) -> None:
        is_third_party = make_third_party_filter(str(tmp_path))
        for module in (torch, torch.nn.functional, numpy, monkeytype, pdt_annotate, functools):
            assert not is_third_party(str(module.__file__))

    def test_what_is_no_source_file(self, tmp_path: Path) -> None:
        is_third_party = make_third_party_filter(str(tmp_path))
        assert not any(map(is_third_party, ("<string>", "_ops.py", "/lib/native.so")))

    def test_a_name_that_no_file_can_have(self, tmp_path: Path) -> None:
        assert not make_file_filter(str(tmp_path))(f"{tmp_path}/no\0/file.py")

    def test_the_root(self, tmp_path: Path) -> None:
        assert not make_third_party_filter(str(tmp_path))(str(tmp_path / "model.py"))

    def test_everything_else_unless_it_is_asked_for(self, tmp_path: Path) -> None:
        assert not make_file_filter(str(tmp_path))(str(click.__file__))


def test_installed_packages_also_inside_the_root_and_files_elsewhere(tmp_path: Path) -> None:
    is_third_party = make_third_party_filter(str(tmp_path / "project"))
    assert is_third_party(str(click.__file__))
    assert is_third_party(str(tmp_path / "project/env/lib/site-packages/pkg/model.py"))
    assert is_third_party(str(tmp_path / "elsewhere.py"))


def test_a_file_filter_with_third_party_code_has_both(tmp_path: Path) -> None:
    is_wanted = make_file_filter(str(tmp_path), True)
    assert is_wanted(str(tmp_path / "model.py")) and is_wanted(str(click.__file__))
    assert not is_wanted(str(torch.__file__))


def test_a_code_filter_too(tmp_path: Path) -> None:
    assert make_code_filter(str(tmp_path), True)(click.echo.__code__)
    assert not make_code_filter(str(tmp_path))(click.echo.__code__)
    assert not make_code_filter(str(tmp_path), True)(torch.nn.Linear.forward.__code__)
