"""The PDTnnn catalogue: for each code what it means, a small source that shows it, and what to do.

Numbers: 001-008 the function, 010-022 a value's type, 030-038 the annotation itself, 040-056 what the compiler says of
the body, 057-059 methods that calls name and lazy modules, 060-069 how the scripted program runs, 070 what a profile
says, 079 what is ignored, 080 and 081 where the result lies, 082-089 traces, 090 and 091 what a check or a search
leaves open, 092-095 mends, 096-098 exports, from 100 on traps: where TorchScript silently differs from Python. A code
keeps its meaning for good.
"""

from __future__ import annotations

from collections.abc import Mapping

from pdt_annotate.findings.entry import CatalogueEntry
from pdt_annotate.findings.traced import TRACED
from pdt_annotate.findings.traps import TRAPS


def entry(code: str) -> CatalogueEntry:
    """The entry of a code.

    Raises:
        KeyError: there is no such code.
    """
    return CATALOGUE[code]


_MODULE = """\
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
"""

_ENTRIES = (
    CatalogueEntry(
        "PDT001",
        "*args or **kwargs",
        "TorchScript functions have a fixed list of parameters.",
        "def f(x, *args):\n    return x\n",
        "Name the parameters that callers pass, and drop what none passes; or take one list or dict.",
    ),
    CatalogueEntry(
        "PDT002",
        "keyword-only parameter with a default",
        "TorchScript compiles keyword-only parameters only where they have no default.",
        "def f(x, *, n: int = 2):\n    return x * n\n",
        "Remove the bare `*`, or the default.",
    ),
    CatalogueEntry(
        "PDT003",
        "positional-only parameter, or a name without a value",
        "The compiler drops the parameters before `/` from the signature; their names are then undefined in the body. "
        "A name that only a loop or a branch assigns is undefined behind it too.",
        "def f(x, /, y):\n    return x + y\n",
        "Remove the `/`; assign the name before the loop or in every branch. Where a branch chooses a function, class, "
        "slice or range, write what is done with it in each branch.",
    ),
    CatalogueEntry(
        "PDT004",
        "construct that TorchScript cannot compile",
        "TorchScript is a part of Python: no yield, try, match, import, lambda, nested function, set, walrus, "
        "`{**d}`, global, format specification, layer made on the way, or Python builtin without a counterpart.",
        "def f(x):\n    try:\n        return x\n    except ValueError:\n        return x\n",
        "Write it in plain statements. What only eager mode needs can stand under `if not torch.jit.is_scripting():`; "
        "what must stay Python, in a function behind @torch.jit.ignore: the model runs, but cannot be saved.",
    ),
    CatalogueEntry(
        "PDT005",
        "recursion",
        "A compiled function cannot call itself, with or without annotations.",
        "def f(x, n: int):\n    if n == 0:\n        return x\n    return f(x, n - 1)\n",
        "Write a loop with a list as its stack, or put one level behind @torch.jit.ignore.",
    ),
    CatalogueEntry(
        "PDT006",
        "source that the compiler cannot find, or finds of another function",
        "The compiler reads source: behind functools.wraps it compiles the wrapped function and drops the wrapper, and "
        "an lru_cache, a lambda or a function of a C library has no source of its own.",
        "import functools\n\n\n@functools.lru_cache\ndef f(x):\n    return x\n",
        "Write a plain `def`, without lambda or decorator. What another library computes, compute with torch, or put "
        "it behind @torch.jit.ignore, where the model need not be saved.",
    ),
    CatalogueEntry(
        "PDT007",
        "global or closed-over Python value",
        "Compiled code sees no Python variable outside its function, but functions, modules and math's constants.",
        "N = 3\n\n\ndef f(x):\n    return x * N\n",
        "Pass the value as an argument or a default, or store it on the module (with `Final` for a constant).",
    ),
    CatalogueEntry(
        "PDT008",
        "type name that the compiler does not know",
        "The annotation names a class made inside a function, imported only for type checkers, or one of the types "
        "that TorchScript lacks (Sequence, Iterable, Tuple[int, ...], a bare List).",
        "def f(x: Sequence[int]):\n    return x\n",
        "Use a TorchScript type, imported at run time at the top of the file.",
    ),
    CatalogueEntry(
        "PDT010",
        "function as a value",
        "Functions, lambdas, partials and scripted functions cannot be passed as arguments.",
        "def f(x, act: Callable[[Tensor], Tensor]):\n    return act(x)\n",
        "Store the function on the module (`self.act = F.relu` compiles), call it directly, or choose by a string.",
    ),
    CatalogueEntry(
        "PDT011",
        "set or frozenset",
        "TorchScript has no sets.",
        "def f(x, seen: Set[int]):\n    return x\n",
        "Use a List, or a Dict[T, bool] where membership must be fast.",
    ),
    CatalogueEntry(
        "PDT012",
        "numpy array",
        "TorchScript computes with tensors only.",
        "import numpy as np\n\n\ndef f(x: np.ndarray):\n    return x\n",
        "Convert with torch.from_numpy before the call, or compute with torch.",
    ),
    CatalogueEntry(
        "PDT013",
        "module as an argument",
        "A module is part of the program, not a value: compiled code cannot receive or return one.",
        "def f(x, layer: torch.nn.Linear):\n    return layer(x)\n",
        "Make it a submodule, or declare a @torch.jit.interface with the methods that are called.",
    ),
    CatalogueEntry(
        "PDT014",
        "bytes",
        "TorchScript has no bytes type.",
        "def f(x: bytes):\n    return x\n",
        "Decode before the call and pass a str, or pass a uint8 tensor.",
    ),
    CatalogueEntry(
        "PDT015",
        "value without a TorchScript type",
        "Slices, ranges, classes, paths, exceptions, generators and objects of foreign classes have no type there.",
        "def f(x, part: slice):\n    return x[part]\n",
        "Pass what it is made of: the ends of the slice, the list, the path as a str.",
    ),
    CatalogueEntry(
        "PDT016",
        "dict key",
        "Dict keys must all be of one type out of int, float, bool, complex, str, Tensor, device and dtype.",
        "def f(x: Dict[Tuple[int, int], Tensor]):\n    return x\n",
        "Make the key a str or an int, such as `row * width + column`.",
    ),
    CatalogueEntry(
        "PDT017",
        "class that the file cannot name",
        "The class is made inside a function, so no annotation at module level can refer to it.",
        "def make():\n    class Point(NamedTuple):\n        a: int\n\n    def f(p: Point):\n        return p.a\n\n"
        "    return f\n\n\nf = make()\n",
        "Move the class to the top level of a module.",
    ),
    CatalogueEntry(
        "PDT018",
        "dataclass that is not scripted",
        "The compiler can read a dataclass only while its decorator runs.",
        "@dataclasses.dataclass\nclass Box:\n    a: int\n\n\ndef f(box: Box):\n    return box.a\n",
        "Write @torch.jit.script above @dataclass, or make the class a NamedTuple.",
    ),
    CatalogueEntry(
        "PDT019",
        "class with a base class",
        "TorchScript classes do not inherit: inherited methods are missing and super() is not understood. Every method "
        "of the class must compile.",
        "class Base:\n    def g(self) -> int:\n        return 1\n\n\nclass Box(Base):\n"
        "    def __init__(self, a: int):\n        self.b = a\n\n\ndef f(box: Box):\n    return box.g()\n",
        "Make it a plain class or a NamedTuple that holds what the compiled code needs; in a module, call what the "
        "parent's method does, or move it to a method of another name, which both call.",
    ),
    CatalogueEntry(
        "PDT020",
        "Union that the body cannot use",
        "Values of several types arrived (a tensor and a number, say). The Union is legal, but nothing can be done "
        "with it before an isinstance.",
        "def f(x: Union[Tensor, float]):\n    return x * 2\n",
        "Refine with isinstance, convert at the call (torch.tensor(2.0)), or split the function.",
    ),
    CatalogueEntry(
        "PDT021",
        "Enum values",
        "The values of an Enum must be all int, all float or all str.",
        "class Mode(enum.Enum):\n    A = 1\n    B = 'b'\n\n\ndef f(mode: Mode):\n    return mode == Mode.A\n",
        "Give the members values of one of these types.",
    ),
    CatalogueEntry(
        "PDT022",
        "NamedTuple field",
        "A NamedTuple is legal only if each of its fields is annotated with a TorchScript type; Any is none there.",
        "class Out(NamedTuple):\n    a: Any\n\n\ndef f(out: Out):\n    return out.a\n",
        "Annotate the field with a TorchScript type, or pass a plain tuple.",
    ),
    CatalogueEntry(
        "PDT030",
        "guess: only None was seen",
        "No example passed a value, so the type under the Optional is a guess.",
        "def f(x, mask=None):\n    return x\n",
        "Add an example call that passes the argument, or annotate it by hand.",
    ),
    CatalogueEntry(
        "PDT031",
        "guess: only an empty container was seen",
        "An empty list or dict does not show the type of its elements, which is a guess.",
        "def f(x, states):\n    return x\n\n\n# example: f(x, [])\n",
        "Add an example call with at least one element, or annotate by hand.",
    ),
    CatalogueEntry(
        "PDT032",
        "annotation contradicts what was observed",
        "The source annotates one type and an example passed another; the annotation was kept.",
        "def f(n: int):\n    return n\n\n\n# example: f(2.5)\n",
        "Correct the annotation or the example.",
    ),
    CatalogueEntry(
        "PDT033",
        "skipped, but compiled",
        "The function is marked `# pdt: skip`, and TorchScript compiles it all the same, un-annotated parameters being "
        "tensors.",
        "def helper(x, n):  # pdt: skip\n    return x * n\n",
        "Annotate it by hand, or remove the mark.",
    ),
    CatalogueEntry(
        "PDT034",
        "compiled function outside the root",
        "TorchScript compiles a function in a file that this run may not edit, and it lacks annotations.",
        "from library import helper\n\n\ndef f(x):\n    return helper(x, 3)\n",
        "Widen --root if the file is yours; otherwise wrap the call in a function of your own.",
    ),
    CatalogueEntry(
        "PDT035",
        "import that would make a cycle",
        "The annotation needs a class from a module that imports this one.",
        "# a.py: from b import g\n# b.py: def g(p): ...   p is an a.Point\n",
        "Move the class to a module that both can import.",
    ),
    CatalogueEntry(
        "PDT036",
        "place that cannot carry an annotation",
        "Lambdas, several targets in one assignment, loop variables and names unpacked from a tuple take none.",
        "a, b = [], {}\n",
        "Write a `def`, or one assignment for each name.",
    ),
    CatalogueEntry(
        "PDT037",
        "compiled, but reached by no example",
        "TorchScript compiles the function, and no example call entered it: its types are unknown and its answers "
        "unjudged.",
        "def helper(x):\n    return x\n\n\ndef f(x, flag: bool):\n    if flag:\n        return helper(x)\n"
        "    return x\n\n\n"
        "# example: f(x, False)\n",
        "Add an example call that enters it.",
    ),
    CatalogueEntry(
        "PDT038",
        "annotation from repair",
        "No example showed this type; it answers a message of the compiler.",
        "def f(n: int):\n    found: List[int] = []\n    found.append(n)\n    return found\n",
        "Review it, and add an example that reaches the line.",
    ),
    CatalogueEntry(
        "PDT039",
        "parameter without annotation that is no Tensor",
        "TorchScript takes every parameter without annotation for a Tensor, and the examples or the default show "
        "another type.",
        "def f(x, n):\n    return x * n\n\n\n# example: f(x, 3)\n",
        "Annotate it, or let pdt-annotate do that.",
    ),
    CatalogueEntry(
        "PDT040",
        "argument of another type at a call",
        "Between compiled functions nothing is converted (int to float, Tuple to List), and containers of two element "
        "types are two types.",
        "def g(x: float):\n    return x\n\n\ndef f(n: int):\n    return g(n)\n",
        "Convert at the call: float(n), int(n), 2.0 for 2; or change the callee's annotation.",
    ),
    CatalogueEntry(
        "PDT041",
        "local variable that changes its type",
        "A variable that is assigned in a loop or branch keeps the type of its first value.",
        "def f(x):\n    a = None\n    for i in range(2):\n        a = x\n    return a\n",
        "Annotate the first assignment (`a: Optional[Tensor] = None`), start from a value of the final type (0.0), or "
        "use a second name.",
    ),
    CatalogueEntry(
        "PDT042",
        "branches with results of different types",
        "All returns of a function, and both sides of a conditional expression, must be of one type.",
        "def f(x, flag: bool):\n    if flag:\n        return x\n    return 1\n",
        "Return one type, or annotate the return as a Union or Optional.",
    ),
    CatalogueEntry(
        "PDT043",
        "module attribute without a usable type",
        "The type of an attribute is read from its value when scripting begins: None, an empty list and mixed values "
        "show none, nor do objects of foreign classes; class-level constants are not looked at, what `__init__` leaves "
        "out is not there, and annotations in quotes are not understood.",
        _MODULE
        + "        self.state = None\n\n    def forward(self, x):\n        self.state = x\n        return x\n\n\n"
        "f = M()\n",
        "Annotate it in the class body (`state: Optional[Tensor]`; `K: Final[int] = 3` for a constant).",
    ),
    CatalogueEntry(
        "PDT044",
        "attribute first set outside __init__",
        "Compiled code cannot create attributes.",
        "class M(torch.nn.Module):\n    def forward(self, x):\n        self.y = x\n        return x\n\n\nf = M()\n",
        "Set it in __init__, and annotate it in the class body.",
    ),
    CatalogueEntry(
        "PDT045",
        "Optional that is not refined",
        "A value that may be None can be used only behind `is None`, `is not None`, an assert or isinstance, on a "
        "local variable; `if x` and `x or y` do not count, nor does a test of self.x.",
        "def f(x, y: Optional[Tensor]):\n    return x + y\n",
        "Test `if y is not None:`; copy an attribute to a local first (`y = self.y`), and test that.",
    ),
    CatalogueEntry(
        "PDT046",
        "default that does not fit",
        "The default is of another type than the parameter; an un-annotated parameter is a Tensor.",
        "def f(x, n: int = None):\n    return x\n",
        "Annotate the parameter so that the default fits, such as Optional[int].",
    ),
    CatalogueEntry(
        "PDT047",
        "mutable default",
        "TorchScript refuses a list or dict as a default.",
        "def f(x, sizes: List[int] = []):\n    return x\n",
        "Use None and make the list in the body, or a tuple for a List parameter.",
    ),
    CatalogueEntry(
        "PDT048",
        "type comment",
        "A line with `# type:` is taken for the function's signature, wherever in the function it stands.",
        "def f(x):\n    a = []  # type: List[int]\n    return a\n",
        "Replace the comment by an annotation; a signature comment needs one type for each parameter.",
    ),
    CatalogueEntry(
        "PDT049",
        "other compiler message",
        "The compiler gave a message that this catalogue does not know.",
        "def f(x, name: str):\n    return getattr(x, name)\n",
        "Read the message at the line it names, and write that line otherwise; what only eager mode needs can stand "
        "under `if not torch.jit.is_scripting():`.",
    ),
    CatalogueEntry(
        "PDT050",
        "submodule chosen at run time, or annotated",
        "A ModuleList takes literal indices and a ModuleDict literal keys only, and submodules carry no annotation.",
        _MODULE + "        self.layers = torch.nn.ModuleList([torch.nn.Linear(2, 2)])\n\n"
        "    def forward(self, x, i: int):\n        return self.layers[i](x)\n\n\nf = M()\n",
        "Loop over the ModuleList with enumerate and compare, or annotate the item with a @torch.jit.interface.",
    ),
    CatalogueEntry(
        "PDT051",
        "signature of a hook",
        "A forward hook must be typed `hook(self, input: Tuple[Tensor], output: Tensor)`, with the module's own types; "
        "a pre-hook needs a return annotation too.",
        _MODULE
        + "\n    def forward(self, x):\n        return x\n\n\ndef hook(self, input, output):\n    return output\n"
        "\n\nf = M()\nf.register_forward_hook(hook)\n",
        "Annotate the hook, or remove it before scripting.",
    ),
    CatalogueEntry(
        "PDT052",
        "class compiled before",
        "The process holds an earlier, perhaps failed, compilation of this class.",
        "# Can't redefine method: forward on class: __torch__.M\n",
        "Script it in a fresh process.",
    ),
    CatalogueEntry(
        "PDT053",
        "internal assertion of the compiler",
        "A defect of the compiler, often set off by a Union whose members are one type to it.",
        "def f(x: Union[int, torch.dtype]):\n    return 1\n",
        "Simplify the annotation in the function that was being compiled.",
    ),
    CatalogueEntry(
        "PDT054",
        "operation that the type does not have",
        "The value is of another type to the compiler than the code expects, which the message names: that of an "
        "annotation, Tensor without one, or the type of the value that an attribute had when scripting began.",
        "def f(x):\n    return x.items()\n",
        "Where the type is not what the value is, annotate it where it gets its name; else write what this type can "
        "do.",
    ),
    CatalogueEntry(
        "PDT055",
        "empty container inside a container",
        "An empty list is one of Tensors, and an empty dict one from str to Tensor, wherever it is no variable of its "
        "own; no annotation of the container around it says otherwise.",
        "def f(n: int):\n    rows: List[List[int]] = []\n    rows.append([])\n    rows[0].append(n)\n    return rows\n",
        "Make the inner one an annotated local first: `row: List[int] = []`, then `rows.append(row)`; instead of a "
        "comprehension or `[[]] * n`, write a loop.",
    ),
    CatalogueEntry(
        "PDT056",
        "library function that TorchScript does not compile",
        "The compiler reads the functions of other packages that yours call, and refuses what they are made of.",
        "import collections\n\n\ndef f(x):\n    point = collections.namedtuple('point', ['x'])\n    return x\n",
        "What only eager mode needs can stand under `if not torch.jit.is_scripting():`; else compute it with functions "
        "that TorchScript has. If it lacks annotations only, `--third-party overlay` types a copy.",
    ),
    CatalogueEntry(
        "PDT057",
        "method that only example calls reach",
        "TorchScript compiles `forward`, what that calls, and what is marked @torch.jit.export. Example calls name "
        "another method, which was compiled and compared with the rest; `torch.jit.script` leaves it out.",
        _MODULE + "\n    def forward(self, x):\n        return x\n\n    def decode(self, x):\n        return -x\n\n\n"
        "f = M()\n\n# example: f.decode(x)\n",
        "Mark it @torch.jit.export, if the scripted model is to have it; `pdt_annotate.script` needs no mark.",
    ),
    CatalogueEntry(
        "PDT058",
        "method that the scripted model does not have",
        "Static and class methods are no part of a scripted module, and what is marked @torch.jit.ignore or unused "
        "stays Python: its examples are observed, and not compared.",
        _MODULE + "\n    def forward(self, x):\n        return x\n\n    @staticmethod\n    def scale(x):\n"
        "        return -x\n\n\nf = M()\n\n# example: f.scale(x)\n",
        "Target a static method by itself, as a function; make a method that the scripted model must have one of the "
        "object, without such a mark.",
    ),
    CatalogueEntry(
        "PDT059",
        "module whose first call makes its parameters",
        "A lazy module learns the sizes of its parameters from the first input, and the compiler takes it only after "
        "that. The tool makes the first example call before it scripts; whoever scripts the model has to do so too.",
        "f = torch.nn.LazyLinear(2)\n",
        "Call the model once between building and scripting it, or give the module its sizes: `nn.Linear(3, 2)` for "
        "`nn.LazyLinear(2)`.",
    ),
    CatalogueEntry(
        "PDT060",
        "scripted answers differ from eager ones",
        "The program compiles and computes something else. Usual causes: a None that is typed as a Tensor, len() of a "
        "Union or Optional (always 1), integers that became floats, isinstance(True, int), which is False there.",
        "def f(x, mask: Tensor = None):\n    return x if mask is None else x + 100\n",
        "Look where the difference begins: make a parameter that may be None an Optional, refine a Union before use, "
        "and write out what eager mode decides otherwise.",
    ),
    CatalogueEntry(
        "PDT061",
        "scripted call raises",
        "The annotated program compiles, and an example call that works in eager mode fails in it.",
        "def f(n: int):\n    return n\n\n\n# example: f(2.5)\n",
        "Where the message names an argument, compare it with the annotation of the parameter; else look at what the "
        "line that it names does to this call's values.",
    ),
    CatalogueEntry(
        "PDT062",
        "eager mode does otherwise on the annotated source",
        "The rewritten source itself fails in plain Python, or answers otherwise, or cannot be imported in an order in "
        "which it could: the program reads its own annotations, or evaluates them before their names are there.",
        "class Base:\n    def __init_subclass__(cls):\n        cls.typed = bool(cls.forward.__annotations__)\n",
        "Look at decorators and class machinery that act on annotations, and keep them from these functions.",
    ),
    CatalogueEntry(
        "PDT063",
        "held-back call differs",
        "A call from which no type was taken disagrees: the examples do not show every type the function is used with.",
        "# calls: f(1), held back: f(2.5)\n",
        "Turn the held-back call into an example.",
    ),
    CatalogueEntry(
        "PDT064",
        "a number changes its type",
        "An int parameter turns True into 1, and a float parameter turns 2 into 2.0, also where that is the default; "
        "isinstance(True, int) is False in TorchScript, and Union[int, float] refuses a bool.",
        "def f(n: Union[int, float]):\n    return n\n\n\n# example: f(True)\n",
        "Pass, and write as the default, what the annotation says; or give an example with the other type, so that the "
        "annotation holds both.",
    ),
    CatalogueEntry(
        "PDT065",
        "result loses its Python class",
        "Values come back from TorchScript as its own types: a Size as a list, a Tensor subclass as a Tensor, a "
        "NamedTuple as a class of the compiler's, a dtype as an int, a number of numpy's as one of Python's.",
        "def f(x):\n    return x.dtype\n",
        "Let callers rely on the value, not the class; convert behind the call where they must.",
    ),
    CatalogueEntry(
        "PDT066",
        "answers otherwise when scripted, on purpose",
        "The source asks torch.jit.is_scripting() and answers otherwise when compiled; eager mode in that branch "
        "agrees.",
        "def f(x):\n    if torch.jit.is_scripting():\n        return x, x\n    return x\n",
        "Nothing to mend, if that is what the author wants; callers of the scripted model must expect it.",
    ),
    CatalogueEntry(
        "PDT067",
        "answers otherwise on a further call",
        "Calls are drawn beside the examples: another batch, a longer list, None for an Optional. On the one that is "
        "told the scripted model answers otherwise than the eager one, and nobody is told of it when it is called.",
        "def f(x, n: int):\n    return x * (1 << n)\n\n\n# example: f(x, 3); a further call: f(x, 64)\n",
        "Add the call to the spec, where the model is to answer it, and change the code until it does; or forbid it "
        "with an `assert`, which TorchScript keeps. `--no-probe` draws none.",
    ),
    CatalogueEntry(
        "PDT068",
        "callers see something else than the answer",
        "The values agree, and a caller can tell the difference: lists and dicts go in and come out as copies, so what "
        "is done to a caller's is lost; a decorator such as torch.no_grad() is not compiled, so gradients are others; "
        "a list that two modules share becomes two; an error may be of another class.",
        "def f(x, items: List[int]):\n    items.append(1)\n    return x\n\n\n# example: f(x, [])\n",
        "Return what callers are to see; switch gradients off with `with torch.no_grad():` inside the function.",
    ),
    CatalogueEntry(
        "PDT069",
        "cannot be saved, or loaded",
        "The model scripts in this process; but `torch.jit.save` refuses it, or `torch.jit.load` what was saved. A "
        "call of a Python function, which `torch.jit.ignore` leaves as it is, cannot be saved; a test such as "
        "`isinstance(k, int) and k > 1`, after which the compiler takes k for an int, may not load.",
        "@torch.jit.ignore\ndef log(n: int) -> int:\n    return n\n\n\ndef f(n: int):\n    return log(n)\n",
        "Where only eager mode needs the call, put it under `if not torch.jit.is_scripting():`, or mark the function "
        "`@torch.jit.unused`; else write it so that it compiles. Write a test of the type by itself: `if isinstance(k, "
        "int):`, and the other inside.",
    ),
    CatalogueEntry(
        "PDT070",
        "profile of another source",
        "A function is known by its file or module, its qualified name and its body without annotations. What a "
        "profile has of one that is gone or has changed might be wrong by now, and is not used; of a function that is "
        "new it has nothing. Without example inputs, a check fails where such a function lacks annotations and ran "
        "inside `forward`, or is called from there.",
        "# when it was observed: def f(x, n):\ndef f(x, n: int, scale: float):\n    return x * n * scale\n",
        "Renew the profile by the command that made it, or annotate the function by hand.",
    ),
    CatalogueEntry(
        "PDT079",
        "ignores nothing",
        "A comment `# pdt: ignore[PDT037]`, a setting such as `ignore`, or an entry of the baseline ignores nothing. "
        "Said where no configured target was left out, all verified, and all findings were looked for; of comments, in "
        "functions that the compiler read.",
        "def f(x, n: int):\n    return x * n  # pdt: ignore[PDT120]\n",
        "Take it away; a baseline is written anew with `--update-baseline`.",
    ),
    CatalogueEntry(
        "PDT080",
        "third-party code is typed in an overlay only",
        "The compiler reads a function outside the root, which lacks annotations. The result was verified with an "
        "annotated copy in its place; the installed file stays as it is, and without the copy nothing scripts.",
        "from installed_package import scale\n\n\ndef f(x):\n    return scale(x, 2)\n",
        "Keep the copies with `--overlay DIR`, and serve them with `pdt_annotate.overlay(DIR)` or "
        "PDT_ANNOTATE_OVERLAY=DIR.",
    ),
    CatalogueEntry(
        "PDT081",
        "third-party code without annotations is compiled",
        "The target does not script, and the compiler reads functions outside the root whose parameters it takes for "
        "Tensors, since they lack annotations. They may be why.",
        "from installed_package import scale\n\n\ndef f(x):\n    return scale(x, 2)\n",
        "Type them in copies with `--third-party overlay`; or give their project as the root, if it is yours.",
    ),
    CatalogueEntry(
        "PDT087",
        "control flow that can be compiled while tracing",
        "What decides here depends on the values or sizes of tensors, and a trace keeps what one call decided. Put "
        "under torch.jit.script_if_tracing it stays in the trace as control flow; in Python nothing changes. That is "
        "verified: traced, the model answers every example call, held-back ones included, as in eager mode.",
        "def f(x):\n    for i in range(x.size(0)):\n        x = x + i\n    return x\n\n\n"
        "# example: f(torch.ones(2)), f(torch.ones(3))\n",
        "Apply the diff: `pdt-annotate captures TARGET --emit trace-mend | git apply`. Sizes must be read inside the "
        "function: numbers passed to it are baked in, and it may return tensors and tuples of them only.",
    ),
    CatalogueEntry(
        "PDT088",
        "control flow that a trace bakes in for good",
        "A trace keeps what one call decided here, and no part around it could be put under "
        "torch.jit.script_if_tracing such that the trace answers right: it calls a layer, reads a number that varies, "
        "gives back what is no tensor, changes a list, or does not compile.",
        "class M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layer = torch.nn.Linear(2, 2)\n\n    def forward(self, x):\n"
        "        return self.layer(x) if x.sum() > 0 else x\n\n\nf = M()\n",
        "Script the model, or script the module that this stands in and trace the others (`trace-mixed` in the table "
        "says which); or compute both arms and choose by torch.where.",
    ),
    CatalogueEntry(
        "PDT089",
        "submodules to script inside a trace",
        "A trace of the whole bakes in what these submodules decide by values or sizes of tensors. With them scripted "
        "first, traces of all example calls are the same, and the tracer warns of nothing.",
        "class Gate(torch.nn.Module):\n    def forward(self, x):\n        return x if x.sum() > 0 else -x\n\n\n"
        "f = torch.nn.Sequential(Gate(), torch.nn.ReLU())\n",
        "Script each of them in its place, `model.gate = torch.jit.script(model.gate)`, and trace the model then.",
    ),
    CatalogueEntry(
        "PDT090",
        "annotations are missing",
        "The function or class lacks annotations that TorchScript needs, by what the examples or a profile show. A "
        "check says so, as does all machine output of a run that does not write them.",
        "def f(x, n):\n    return x * n\n\n\n# example: f(x, 3)\n",
        "Run the same command without `--check`, which writes them.",
    ),
    CatalogueEntry(
        "PDT091",
        "the search ended for lack of time",
        "All searches of a run share the seconds of `--budget`. Where these end before annotations verify, what came "
        "furthest is told, and what would have been tried or read next; where they verify, some may not be "
        "needed. Further calls, drawn to test the verified model, may use a tenth of it as processor time.",
        "def f(x, n):\n    return x * n\n\n\n# pdt-annotate model.py:f -a f32[3] -a 2 --budget 0.1\n",
        "Give more time: `--budget SECONDS`; or annotate what would be tried next, and run again.",
    ),
    CatalogueEntry(
        "PDT092",
        "code that a mend would change",
        "Annotations alone do not make the target script; with this change of code, which keeps what Python does, it "
        "scripts and answers alike. A check under `--mend` says so, as does machine output of a run that does not "
        "write it; and a run that fails says it of what would have helped.",
        "def f(x, scale=None):\n    if scale:\n        x = x * scale\n    return x\n\n\n# example: f(x, None)\n",
        "Review it with `--mend --diff`, and write it with `--mend`; or change the code by hand.",
    ),
    CatalogueEntry(
        "PDT093",
        "left out of the scripted model",
        "A mend under `--mend all` keeps this from the compiler. In Python nothing changes; in the scripted model what "
        "is left out is missing or raises, and a check is not made. No example shows that the scripted model needs it.",
        "class Net(torch.nn.Module):\n    __jit_unused_properties__ = ['device']\n\n    @property\n"
        "    def device(self):\n        return next(self.parameters()).device\n\n    def forward(self, x):\n"
        "        return x\n\n\nf = Net()\n",
        "Nothing, where only Python uses it. What the scripted model must have, write so that it compiles, or add an "
        "example call that uses it.",
    ),
    CatalogueEntry(
        "PDT094",
        "mends that would change the program",
        "Mends must keep the program as it was: undone, they leave the files that were read; public names stay; calls "
        "in the project still fit; every example call answers in Python as before, with the same effects. A judge of "
        "these said no, so nothing is written.",
        "def f(x, *args):\n    return x + len(args)\n\n\n# example: f(x, 1), after `*args` was taken away\n",
        "Run it without `--mend`, or with a lower level such as `--mend exact`, and change the code by hand. A mend "
        "that does not keep what Python does is a bug of ours: please report it.",
    ),
    CatalogueEntry(
        "PDT095",
        "a command that fails with the changes",
        "A command of `--also-run` succeeds with the files as they are, and fails with the changes in their place, so "
        "nothing is written.",
        "def f(x, **kwargs):\n    return x\n\n\n# tests: f(x, unused=1)\n",
        "Read what the command printed (`-v` shows it): it says what the changes break. Run it without `--mend`, or "
        "with a lower level.",
    ),
    CatalogueEntry(
        "PDT096",
        "call that the export does not serve",
        "An exported program is made for one structure of arguments: the same ones None, the same ones tensors, of the "
        "same dtypes and as many sizes, and the same constants. The largest group of calls is served; this call is not "
        "in it, or its sizes are not in the range that was seen.",
        "def f(x, mask=None):\n    return x if mask is None else x * mask\n\n\n# examples: f(x); f(-x); f(x, mask)\n",
        "Export once for each such group, with a spec that has its calls alone; or let the model take one structure, "
        "such as a mask of ones for none.",
    ),
    CatalogueEntry(
        "PDT097",
        "size or int that the export takes for a constant",
        "It was another from call to call, and the program that torch.export makes holds for one value: the code "
        "branches on it, loops over it, or needs it to be that.",
        "def f(x, n: int):\n    for i in range(n):\n        x = x + i\n    return x\n\n\n"
        "# examples: f(x, 3); f(x, 4)\n",
        "Export once for each value that is needed; or write what depends on it with operators of tensors.",
    ),
    CatalogueEntry(
        "PDT098",
        "size that the export binds",
        "torch.export takes the target only where this size is in a relation to another, or in a narrower range than "
        "the calls showed.",
        "def f(x, y):\n    return x[1:] + y\n\n\n# examples: f(x of 6, y of 5); f(x of 4, y of 3)\n",
        "Nothing, where the relation is meant; otherwise look at the line for what asks for it.",
    ),
)

_ALL = sorted((*_ENTRIES, *TRACED, *TRAPS), key=lambda each: each.code)

CATALOGUE: Mapping[str, CatalogueEntry] = {each.code: each for each in _ALL}
