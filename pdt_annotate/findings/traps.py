"""The part of the catalogue from PDT100 on: traps, where TorchScript compiles and differs from Python in silence.

The examples compile, and beside them stands a call on which both answer otherwise; a test makes it both ways.
"""

from __future__ import annotations

from pdt_annotate.findings.entry import CatalogueEntry

TRAPS = (
    CatalogueEntry(
        "PDT100",
        "a wrapper that TorchScript leaves out",
        "Behind functools.wraps the compiler reads the function inside. What the wrapper does, Python does alone.",
        "import functools\n\n\ndef doubled(function):\n    @functools.wraps(function)\n    def wrapper(x):\n"
        "        return function(x) * 2\n\n    return wrapper\n\n\n@doubled\ndef f(x):\n    return x + 1\n\n\n"
        "# f(torch.ones(1)): 4 in Python, 2 in TorchScript\n",
        "Move what the wrapper does into the function, or write `return doubled(inner(x))` with two plain functions. "
        "A wrapper that only logs, times or remembers is none.",
    ),
    CatalogueEntry(
        "PDT101",
        "a gradient mode that TorchScript leaves out",
        "`@torch.no_grad()` and `@torch.inference_mode()` are wrappers, and dropped: the result has a gradient.",
        "@torch.no_grad()\ndef f(x):\n    return x * 2\n\n\n"
        "# f(torch.ones(1, requires_grad=True)).requires_grad: False in Python, True in TorchScript\n",
        "Write `with torch.no_grad():` inside the function, which TorchScript keeps, or `.detach()` the result.",
    ),
    CatalogueEntry(
        "PDT102",
        "an override that TorchScript never calls",
        "Of a module the compiler reads `forward` and what that calls. Python calls `__call__`, `__setattr__`, "
        "`__getattr__`, `__getattribute__`, and the `__iter__` and `__getitem__` of a list of layers by itself; the "
        "scripted model's `train()` and `eval()` are torch's own.",
        "class Net(torch.nn.Module):\n    def __call__(self, x):\n        return super().__call__(x) + 1\n\n"
        "    def forward(self, x):\n        return x * 2\n\n\nf = Net()\n\n"
        "# f(torch.ones(1)): 3 in Python, 2 in TorchScript\n",
        "Move what it does into `forward`, or where the attribute is set or read.",
    ),
    CatalogueEntry(
        "PDT103",
        "a method that one instance has for itself",
        "The compiler reads the methods of the class. One that was set on an instance (`net.scale = "
        "types.MethodType(…)`) is called in Python alone; a `forward` of an instance is read, but for all instances "
        "that hold the same.",
        "import types\n\n\nclass Net(torch.nn.Module):\n    def scale(self, x):\n        return x * 2\n\n"
        "    def forward(self, x):\n        return self.scale(x)\n\n\ndef tripled(self, x):\n    return x * 3\n\n\n"
        "f = Net()\nf.scale = types.MethodType(tripled, f)\n\n# f(torch.ones(1)): 3 in Python, 2 in TorchScript\n",
        "Make a subclass with the method, and set the class of the instance or build one of it.",
    ),
    CatalogueEntry(
        "PDT104",
        "a hook of the backward pass",
        "Forward hooks are compiled; `register_full_backward_hook` and `register_full_backward_pre_hook` are dropped, "
        "and gradients are those without.",
        "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n\n\n"
        "def tenfold(module, inner, outer):\n    return (inner[0] * 10,)\n\n\n"
        "f = Net()\nf.register_full_backward_hook(tenfold)\n\n"
        "# the gradient of f(x): 20 in Python, 2 in TorchScript\n",
        "Register it on the scripted module, or `tensor.register_hook` on the tensor whose gradient it changes.",
    ),
    CatalogueEntry(
        "PDT105",
        "a caller's list or dict that is changed",
        "Lists and dicts are copied on their way from Python into TorchScript. What the function does to its own copy "
        "the caller never sees. Between scripted functions they are shared as in Python.",
        "def f(x, seen: List[int]):\n    seen.append(x.size(0))\n    return x\n\n\n"
        "# seen = []; f(torch.ones(3), seen); len(seen): 1 in Python, 0 in TorchScript\n",
        "Return the list, and let the caller take that.",
    ),
    CatalogueEntry(
        "PDT106",
        "a list or dict that two attributes share",
        "Each attribute of the scripted model has its own copy. In Python both see a change, in TorchScript one.",
        "class Net(torch.nn.Module):\n    seen: List[int]\n    known: List[int]\n\n    def __init__(self):\n"
        "        super().__init__()\n        self.seen = [1]\n        self.known = self.seen\n\n"
        "    def forward(self, x):\n        self.seen.append(2)\n        return x * len(self.known)\n\n\nf = Net()\n\n"
        "# f(torch.ones(1)): 2 in Python, 1 in TorchScript\n",
        "Keep it in one attribute of one module, and pass it to those that need it; or share a tensor.",
    ),
    CatalogueEntry(
        "PDT107",
        "a branch that only one of both takes",
        "`torch.jit.is_scripting()` is False in Python and True in TorchScript. Where the branches compute different "
        "things, so do the models; a branch that only checks, warns or raises is none of these.",
        "def f(x, n: int):\n    if not torch.jit.is_scripting() and n > 2:\n        x = x * 2\n    return x\n\n\n"
        "# f(torch.ones(1), 3): 2 in Python, 1 in TorchScript\n",
        "Compute it in one way, or let both branches compute the same.",
    ),
    CatalogueEntry(
        "PDT110",
        "the length of an Optional, a Union or Any",
        "To the compiler such a value is no list; it is put into a list of one, and `len` counts that. So does the "
        "truth of a dict whose keys are Any.",
        "def f(x, sizes: Optional[List[int]]):\n    return x * len(sizes)\n\n\n"
        "# f(torch.ones(1), [1, 2]): 2 in Python, 1 in TorchScript\n",
        "Narrow the type first: `assert sizes is not None`, `isinstance(sizes, str)` or "
        "`torch.jit.isinstance(sizes, List[int])`.",
    ),
    CatalogueEntry(
        "PDT111",
        "a test for None of what is never None there",
        "`x is None` is False for every Any, whatever it holds, and for a Tensor, though it defaults to None.",
        "def f(x, scale: Any):\n    return x if scale is None else x * 2\n\n\n"
        "# f(torch.ones(1), None): 1 in Python, 2 in TorchScript\n",
        "Annotate it as an Optional: `Optional[Any]` is tested as it should be.",
    ),
    CatalogueEntry(
        "PDT112",
        "`and` and `or` for their operands",
        "In Python they give one of their operands, in TorchScript True or False.",
        "def f(x, n: int):\n    return x * (n or 5)\n\n\n# f(torch.ones(1), 3): 3 in Python, 1 in TorchScript\n",
        "Write `n if n else 5` for `n or 5`, and `m if n else n` for `n and m`.",
    ),
    CatalogueEntry(
        "PDT113",
        "isinstance that answers otherwise",
        "TorchScript decides it by the static type: a bool is no int there, a shape is a list and no tuple, and a "
        "Tensor that is passed for a number has become that number before, without its gradient.",
        "def f(x, flag: bool):\n    return x * 2 if isinstance(flag, int) else x\n\n\n"
        "# f(torch.ones(1), True): 2 in Python, 1 in TorchScript\n",
        "Ask for `(bool, int)`, or for `(list, tuple)`; annotate what may be a Tensor as one.",
    ),
    CatalogueEntry(
        "PDT114",
        "values of two classes that are compared",
        "In Python a shape is never equal to a list, nor a device to a string. TorchScript converts and compares.",
        "def f(x):\n    return x * 2 if x.shape == [1] else x\n\n\n# f(torch.ones(1)): 1 in Python, 2 in TorchScript\n",
        "Compare with a tuple, and `.device.type` with a string.",
    ),
    CatalogueEntry(
        "PDT115",
        "a number or tensor as text",
        "`str`, `format`, `%` and f-strings write floats, tensors, dtypes and lists of strings in another way: `1.` "
        "for 1.0. `'{:.2f}'.format(x)` stays as it is.",
        "def f(x, scale: float):\n    return {str(scale): x}\n\n\n"
        "# f(torch.ones(1), 1.0): the key is '1.0' in Python, '1.' in TorchScript\n",
        "Make texts of whole numbers, or outside of the model. Texts that are only printed or raised are none.",
    ),
    CatalogueEntry(
        "PDT116",
        "characters beyond ASCII",
        "A string is UTF-8 in TorchScript: `len`, an index, a slice and a loop go by bytes, and `upper` leaves all but "
        "ASCII as it is. It is told where a call shows it.",
        "def f(x, name: str):\n    return x * len(name)\n\n\n# f(torch.ones(1), 'é'): 1 in Python, 2 in TorchScript\n",
        "Keep to ASCII, or pass numbers: `[ord(c) for c in text]`, made in Python.",
    ),
    CatalogueEntry(
        "PDT117",
        "a method that does something else",
        "`rsplit()` without a separator parts at every space; `popitem` takes the first item and not the last; `hash` "
        "gives other numbers.",
        "def f(x, found: Dict[str, int]):\n    known = found.copy()\n    return x * known.popitem()[1]\n\n\n"
        "# f(torch.ones(1), {'a': 1, 'b': 2}): 2 in Python, 1 in TorchScript\n",
        "Use `split()`; take the key that is meant; compute a number of your own.",
    ),
    CatalogueEntry(
        "PDT118",
        "a tensor made of numbers of another type",
        "`torch.full` of a bool makes whole numbers. Where the annotation says float, a whole number of Python's "
        "is one as well, and `torch.tensor`, `full`, `arange` and `sum` of it make floats; that is told where a call "
        "shows it.",
        "def f(x):\n    return torch.full(x.shape, True)\n\n\n"
        "# f(torch.ones(1)).dtype: torch.bool in Python, torch.int64 in TorchScript\n",
        "Pass `dtype=`.",
    ),
    CatalogueEntry(
        "PDT119",
        "a loop over a list that it changes",
        "TorchScript counts the elements once, before the loop; Python looks each time.",
        "def f(x):\n    left = [1, 2]\n    for each in left:\n        if len(left) < 5:\n"
        "            left.append(each)\n    return x * len(left)\n\n\n"
        "# f(torch.ones(1)): 5 in Python, 4 in TorchScript\n",
        "Go over a copy (`for each in left[:]:`), or use `while`.",
    ),
    CatalogueEntry(
        "PDT120",
        "whole numbers beyond 64 bit",
        "They wrap around in TorchScript, and have no end in Python: in hashes, factorials, shifts and products in a "
        "loop. A power of whole numbers is a float there. Where it takes unlikely numbers, it is told where a "
        "call shows it.",
        "def f(x, n: int):\n    product = 1\n    for i in range(n):\n        product = product * (i + 1)\n"
        "    return product\n\n\n# f(torch.ones(1), 21): 51090942171709440000 in Python, -4249290049419214848 in "
        "TorchScript\n",
        "Keep them small at each step (`% m`, `& mask`), or compute them in Python.",
    ),
    CatalogueEntry(
        "PDT121",
        "numbers for which Python raises",
        "A division of floats by zero, `math.sqrt(-1.0)`, `math.log(0.0)` and `math.exp(1000.0)` raise in Python and "
        "give nan or inf in TorchScript; `int` of nan or inf gives -2**63. It is told where a call shows it.",
        "def f(x, n: float):\n    return x * int(n)\n\n\n"
        "# f(torch.ones(1), math.inf): raises in Python, -9.2e18 in TorchScript\n",
        "Test for such numbers before: `if math.isnan(n) or math.isinf(n): raise ValueError`; TorchScript raises too.",
    ),
    CatalogueEntry(
        "PDT122",
        "an argument that is converted on its way in",
        "TorchScript makes an int of a bool, and of a tensor without dimensions, which it cuts: 2.5 becomes 2; a float "
        "of an int and of a tensor, whose gradient is lost; a bool of any number; a complex of a real number; a tuple "
        "of a list and a list of a tuple; a device of a string. Python keeps what it is given. It is told of the "
        "parameters for which that shows: in a result, in arithmetic with tensors, as an index of a tensor, in a "
        "branch; not of those that only are sizes, count turns or are checked.",
        "def f(x, n: int):\n    return x * n\n\n\n"
        "# f(torch.ones(1), torch.tensor(2.5)): 2.5 in Python, 2 in TorchScript\n",
        "Pass what the annotation says, or convert in the function: `n = int(n)`, `scale = float(scale)`, `sizes = "
        "list(sizes)`, and Python does the same. What may be a tensor, annotate as one.",
    ),
)
