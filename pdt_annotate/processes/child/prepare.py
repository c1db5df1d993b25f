"""The setup of a session: the target imported, its spec read, the target built."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence

from pdt_annotate.inputs import specs
from pdt_annotate.inputs.load import load_module
from pdt_annotate.inputs.resolve import class_of, resolve
from pdt_annotate.observers import (
    Store,
    Tracer,
    make_code_filter,
    make_file_filter,
    make_third_party_filter,
)
from pdt_annotate.overlays import kept_overlay, serving
from pdt_annotate.processes.child import dependencies
from pdt_annotate.processes.child.prepared import CONSTRUCTION, Prepared, check_call, configure
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.user_code import user_code


def prepare(
    target: Target,
    source: SpecSource,
    root: str,
    sources: Mapping[str, bytes],
    imports: Mapping[str, Sequence[str]] = serving.NO_IMPORTS,
    third_party: bool = False,
) -> Prepared:
    """Import the target over the overlay of `sources`, read its spec and build it.

    Args:
        target: what to build.
        source: the example calls.
        root: the directory whose files may be annotated.
        sources: by file, what to read in its place.
        imports: by file, import statements to run before it.
        third_party: code outside the root is to be typed as well; so it is read as it is installed.
    """
    dependencies.watch()
    if third_party:
        kept_overlay.disregard()
    else:
        kept_overlay.start()
    serving.install(sources, imports)
    serving.cache_bytecode_of(make_file_filter(root))
    store = Store()
    tracer = Tracer(store, make_code_filter(root), lambda owner: ())
    with tracer.tracing(CONSTRUCTION):
        module = load_module(target, root)
        spec = specs.read(source, class_of(target, module))
        specs.seed_generators(spec.settings.seed)
        with user_code(f"building {target.text} failed"):
            subject = resolve(target, module, spec.build)
            built = subject.make()
    configure(built, spec.settings)
    return with_checked_calls(Prepared(root, subject, built, spec, label_calls(spec), store, third_party))


def label_calls(spec: specs.Spec) -> tuple[str, ...]:
    return tuple(specs.label(call, index) for index, call in enumerate(spec.calls))


def with_checked_calls(prepared: Prepared) -> Prepared:
    """The same, once every call fits what it calls; else a `SpecError`."""
    for name, call in prepared.calls:
        check_call(prepared, name, call)
    return prepared


def loaded_files(prepared: Prepared) -> dict[str, str]:
    """The modules that are imported now from files under the root, libraries left out: dotted name → file."""
    is_wanted = make_file_filter(prepared.root)
    return {name: file for name, file in _imported() if file.endswith(".py") and is_wanted(file)}


def third_party_files(prepared: Prepared) -> dict[str, str]:
    """The modules that are imported now from other files than those under the root, which the compiler may come to."""
    is_wanted = make_third_party_filter(prepared.root)
    named = ((name, file) for name, file in _imported() if name != "__main__")  # another module in every process
    return {name: file for name, file in named if os.path.isfile(file) and is_wanted(file)}


def _imported() -> Iterator[tuple[str, str]]:
    """The dotted name and the file of every module that has one."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file:
            yield name, file
