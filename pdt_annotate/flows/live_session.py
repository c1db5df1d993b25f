"""Sessions that hold a live object: forks of the process that has it, or new processes to which it is sent."""

import contextlib
import importlib
import importlib.util
import io
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any

import torch
from torch.utils import _pytree as pytree

from pdt_annotate.inputs import specs
from pdt_annotate.inputs.resolve import subject_of
from pdt_annotate.inputs.specs.spec import read_calls
from pdt_annotate.inputs.target import spec_source
from pdt_annotate.observers.cells import MAIN
from pdt_annotate.observers.sites import Store
from pdt_annotate.processes.child.apply import renew
from pdt_annotate.processes.child.isolation import remembering_nothing
from pdt_annotate.processes.child.prepared import Prepared, check_calls, lazy_modules
from pdt_annotate.processes.fork import CAN_FORK, can_fork
from pdt_annotate.processes.session import ForkedSession, Session
from pdt_annotate.processes.tasks import import_answers, open_session_sent
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.source.module import read_in_place
from pdt_annotate.values.errors import SpecError, UserError
from pdt_annotate.values.live import module_of_class, qualname_of
from pdt_annotate.values.made import reach_from
from pdt_annotate.values.runs import Call

NOT_COPIED = "correct its __deepcopy__, or use the command line, which constructs the model itself"
NOT_FILLED = "call the model once before script(); the compiler does not accept lazy modules"
NOT_SENT = "without os.fork, another process must import the classes of the object: define them in a module"
IN_USE = (
    "this process has used CUDA, so another one must import the classes of the object: "
    "define them in a module, or move the object and its inputs to the CPU for this call"
)

HINT = IN_USE if CAN_FORK else NOT_SENT

_for_good = contextlib.ExitStack()


@contextlib.contextmanager
def live_sessions(obj: Any, inputs: Any, options: Options) -> Iterator[Callable[[Mapping[str, bytes]], Session]]:
    """Yield a function that opens sessions with the object and the code of mended sources; they end with the block."""
    with contextlib.ExitStack() as stack:
        if can_fork() or (CAN_FORK and not _is_on_device(obj, inputs)):
            # Import here, once, everything that each fork would import: the tasks, and numpy's generators to seed.
            import_answers()
            if "numpy" in sys.modules:
                importlib.import_module("numpy.random")
            make = partial(prepare, obj, inputs, options)
            yield lambda sources: stack.enter_context(
                contextlib.closing(ForkedSession(partial(make, sources), options.timeout))
            )
        else:
            sent = send(obj, inputs)
            zygote = stack.enter_context(Zygote(options.timeout))
            yield partial(open_session_sent, options, zygote, sent)


def _is_on_device(obj: Any, inputs: Any) -> bool:
    """Whether a tensor of the object or of its inputs is elsewhere than on the CPU."""
    leaves = pytree.tree_leaves(inputs)
    passed = pytree.tree_leaves([(each.args, each.kwargs) for each in leaves if isinstance(each, Call)])
    own = (*obj.parameters(), *obj.buffers()) if isinstance(obj, torch.nn.Module) else ()
    return any(isinstance(each, torch.Tensor) and each.device.type != "cpu" for each in (*leaves, *passed, *own))


def prepare(obj: Any, inputs: Any, options: Options, sources: Mapping[str, bytes]) -> Prepared:
    """Prepare the object, with the code of mended sources, in a process whose compiler has an empty memory."""
    _for_good.enter_context(remembering_nothing())
    reach_from(obj, inputs)
    renew(sources)
    read_in_place(sources)
    subject = subject_of(obj, partial(_refuse_to_copy, obj))
    if lazy := lazy_modules(obj):
        raise UserError(f"{', '.join(lazy)}: the parameters are missing before the first call", hint=NOT_FILLED)
    if isinstance(inputs, (str, os.PathLike)):
        # The file's construction of the model is ignored, because the object exists.
        spec = specs.read(spec_source(os.fspath(inputs), ()), type(obj))
    elif not (spec := specs.Spec(tuple(read_calls(inputs)))).calls:
        raise SpecError("there is no example call", hint="give a list of tuples: example_inputs=[(x,), (y, None)]")
    prepared = Prepared(options.root, subject, obj, spec, Store(), options.types_third_party, in_memory=True)
    check_calls(prepared)
    return prepared


def _refuse_to_copy(obj: Any) -> Any:
    raise UserError(f"the {type(obj).__qualname__} cannot be copied, so results cannot be compared", hint=NOT_COPIED)


@dataclass(frozen=True)
class Sent:
    """An object with its example inputs, pickled for another process."""

    pickled: bytes
    files: Mapping[str, str]  # by name, the files of the modules that define its classes and functions
    path: tuple[str, ...]  # our sys.path


def send(obj: Any, inputs: Any) -> Sent:
    """Pickle them, or raise a `UserError` if they cannot be pickled, or cannot be imported in another process."""
    file = io.BytesIO()
    pickler = _Pickler(file)
    try:
        pickler.dump((obj, inputs))
    except UserError:
        raise
    except Exception as error:  # the user's code may customise pickling
        raise UserError(f"{qualname_of(obj)} cannot be sent to another process: {error}", hint=HINT) from error
    return Sent(file.getvalue(), pickler.files, tuple(sys.path))


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.files: dict[str, str] = {}

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, (type, FunctionType)):
            name = module_of_class(obj) if isinstance(obj, type) else obj.__module__
            if name == MAIN:
                raise UserError(f"{obj.__qualname__} is defined in the main program, not in a module", hint=HINT)
            file = getattr(sys.modules.get(name), "__file__", None)
            self.files |= {name: file} if file else {}
        return NotImplemented


def prepare_sent(sent: Sent, options: Options, sources: Mapping[str, bytes]) -> Prepared:
    """Do the same as `prepare` with an object from another process."""
    sys.path += [place for place in sent.path if place not in sys.path]
    try:
        for name, file in sent.files.items():
            # By its name or, if that is not found, from its file.
            with contextlib.suppress(ModuleNotFoundError, ValueError):
                if name in sys.modules or importlib.util.find_spec(name) is not None:
                    continue
            spec = importlib.util.spec_from_file_location(name, file)
            if spec is not None and spec.loader is not None:
                sys.modules[name] = module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
        obj, inputs = pickle.loads(sent.pickled)
    except Exception as error:  # the user's modules, or the object's own unpickling, may raise anything
        raise UserError(f"the object cannot be constructed in another process: {error}", hint=HINT) from error
    return prepare(obj, inputs, options, sources)
