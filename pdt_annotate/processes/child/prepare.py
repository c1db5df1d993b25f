"""The setup of a session: imports the target, reads its spec and builds the target."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Mapping, Sequence

from pdt_annotate.inputs import specs
from pdt_annotate.inputs.import_target import load_module
from pdt_annotate.inputs.resolve import class_of, resolve
from pdt_annotate.observers.files import make_code_filter
from pdt_annotate.observers.sites import Store
from pdt_annotate.observers.tracer import Tracer
from pdt_annotate.overlays import kept_overlay, serving
from pdt_annotate.processes.child import dependencies
from pdt_annotate.processes.child.prepared import CONSTRUCTION, NOTHING, Prepared, check_calls, configure, fill_lazy
from pdt_annotate.source.module import read_in_place
from pdt_annotate.values.made import reach_from
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.user_code import user_code


def prepare(
    target: Target,
    source: SpecSource,
    root: str,
    sources: Mapping[str, bytes],
    imports: Mapping[str, Sequence[str]] = serving.NO_IMPORTS,
    *,
    third_party: bool = False,
    traced: bool = False,
    with_modules: Sequence[str] = (),
) -> Prepared:
    """Import the target over the overlay of `sources`, read its spec and build it.

    Args:
        root: the directory whose files may be annotated.
        imports: by file, import statements to run before it.
        third_party: type code outside the root as well, so read it as installed.
        traced: observe the construction, but not the import: a tracer makes that four times as long.
        with_modules: modules of ours to import at the end, if possible, so that no task imports them again.
    """
    dependencies.watch()
    if third_party:
        kept_overlay.disregard()
    else:
        kept_overlay.start()
    serving.install(sources, imports)
    read_in_place(sources)
    store = Store()
    tracer = Tracer(store, make_code_filter(root), lambda owner: ())
    module = load_module(target, root)
    spec = specs.read(source, class_of(target, module))
    specs.seed_generators(spec.settings.seed)
    with tracer.tracing(CONSTRUCTION) if traced else NOTHING, user_code(f"building {target.text} failed"):
        subject = resolve(target, module, spec.build)
        built = subject.make()
    configure(built, spec.settings)
    reach_from(built, [call.args for call in spec.calls])
    prepared = Prepared(root, subject, built, spec, store, third_party)
    check_calls(prepared)
    prepared.lazy = fill_lazy(prepared)
    for name in with_modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    return prepared


def import_first(module: str, root: str, sources: Mapping[str, bytes]) -> None:
    serving.install(sources)
    load_module(Target(module, module, "", ""), root)
