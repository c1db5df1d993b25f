"""The forms for the examples in the rules' docstrings, and their observations."""

from mend_cases import Form
from mended import held

from pdt_annotate.mends.kit.construction import LISTS
from pdt_annotate.values.mends import Held, HeldValue, MendKind, Variadic

NET = "class Net(nn.Module):\n    {}\n"
FORWARD = "class Net(nn.Module):\n    def forward(self, x):\n        {}\n"
LAYERS = Held((HeldValue(LISTS[0], length=2, items=("Linear",)),))
BLOCKS = Held((HeldValue(LISTS[0], length=2, items=(LISTS[1],)),))
LAYER, NONE = (
    HeldValue("torch.nn.modules.linear.Linear", always_true=True),
    HeldValue("builtins.NoneType", literal="None"),
)
TRIPLE = Held((HeldValue("builtins.tuple", length=3),))
TENSOR, SIZE = Held((HeldValue("torch.Tensor"),)), Held((HeldValue("torch.Size"),))

DOCUMENTED = {
    "autograd_functions": Form("import torch\n\n\n{}\n", stops="apply"),
    "chosen_layers": Form(
        NET,
        held={"Net.convs": LAYERS, "Net.pools": LAYERS},
        values={"Net.forward: i": held("1"), "Net.forward: i - 1": held("0")},
    ),
    "comprehension_tests": Form("def f(xs):\n    {}\n    return kept\n"),
    "configuration": Form(
        "{}\n",
        held={"Block.args": Held((HeldValue("argparse.Namespace"),)), "Block.skip": held("3", "0")},
        stops="return x, x * self.args",
    ),
    "context_decorators": Form(
        "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    {}\n"
    ),
    "dead_branches": Form(NET, values={"Net.forward: mask is not None": held("False")}, stops="key=lambda"),
    "eager_checks": Form("import torch\n\n\ndef f(x):\n    {}\n    return x\n", stops="type(x)"),
    "einops": Form("from einops import rearrange, reduce, repeat\n\n\n" + FORWARD.replace("x", "x, q")),
    "forwards": Form("import torch\nfrom torch import nn\n\n\n{}\n", says="_forward_unimplemented", stops=(0, 0)),
    "chosen_functions": Form("import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\n" + NET),
    "class_functions": Form("from torch import nn\n\n\n{}\n", stops="return Attention.keep"),
    "assignments": Form(
        "import torch\n\n\n" + FORWARD,
        values={
            "Net.forward: x": TENSOR,
            "Net.forward: steps": held("4"),
        },
    ),
    "global_constants": Form("EPSILON = 1e-6\n{}\n"),
    "inline_layers": Form(
        "from torch import nn\nimport torch.nn.functional as F\n\n\ndef f(x):\n    {}\n    return x\n"
    ),
    "imports": Form("import torch\n\n\ndef f(x):\n    {}\n"),
    "inner_functions": Form("{}\n"),
    "kept_functions": Form("import functools\n\n\ndef blur_loss(x, y, sigma, mode):\n    return x\n\n\n" + NET),
    "layer_classes": Form("from torch import nn\n\n\n{}\n", stops="x = layer", says="Unknown type name 'Timed'"),
    "local_callables": Form("import torch.nn.functional as F\n\n\n" + FORWARD),
    "scripted_dataclasses": Form(
        "import torch\nfrom dataclasses import dataclass\nfrom typing import Optional\n\n\n{}\n",
        says="Failed to get source for <function Output.__init__>",
        stops=(0, 0),
    ),
    "local_functions": Form("def f(keys, values, n):\n    {}\n"),
    "missing_layers": Form(NET, held={"Net.expand": Held(lacking=True)}),
    "none_lists": Form(
        "import torch\n\n\n" + FORWARD, types={"Net.forward.taps": ("List[Tensor]",)}, kind=MendKind.SCRIPTED
    ),
    "none_helpers": Form("""\
import torch

def exists(value):
    return value is not None

def default(value, d):
    return value if value is not None else d()

def f(mask, bias):
    {}
    return bias
"""),
    "none_tests": Form(
        FORWARD.replace("x", "x, n, scale=None"),
        held={"Net.downsample": Held((LAYER, NONE)), "Net.last": Held((NONE,))},
        values={"Net.forward: n": held("2")},
        types={"Net.forward.scale": ("float",), "Net.forward.n": ("int",)},
    ),
    "own_lines": Form("def f(self, x):\n    {}\n"),
    "passed_dicts": Form(
        NET,
        values={"Net.forward: **batch": Held((HeldValue("builtins.dict", length=2, keys=("size", "mask")),))},
    ),
    "passed_layers": Form(
        "import torch\nfrom torch import nn\n\n\n{}\n",
        held={"Block.residual": Held((HeldValue("model.Residual", is_module=True),))},
        kind=MendKind.SCRIPTED,
    ),
    "plain_parameters": Form(NET, passed={"Net.forward": Variadic(2, fewest=2)}),
    "refined_values": Form(
        NET, held={"Net.length": held("None", "2"), "Net.scale": Held((NONE, HeldValue("torch.Tensor")))}
    ),
    "growing_lists": Form(
        "def f(self, x):\n    {}\n    return ys\n", values={"f: ys": Held((HeldValue("builtins.list"),))}
    ),
    "type_comments": Form(
        "from torch import Tensor\nfrom typing import List\n\n\ndef f(self, x):\n    {}\n    return x\n"
    ),
    "comprehension_names": Form(
        "def f(self, x):\n    {}\n    return ys\n",
        says="Cannot re-assign 'layer' to a value of type module because layer is not a first-class value.",
        stops="ys = ",
    ),
    "parameters": Form(
        "import torch\n\n\n" + FORWARD,
        held={
            "Net.scales": Held((HeldValue("torch.nn.modules.container.ParameterList"),)),
            "Net.biases": Held(
                (
                    HeldValue(
                        "torch.nn.modules.container.ParameterDict",
                        length=2,
                        items=("torch.nn.parameter.Parameter",),
                        keys=("first", "last"),
                    ),
                )
            ),
        },
    ),
    "split_names": Form(
        NET, says="Variable 'outputs' previously had type Tuple[()] but is now being assigned to a value of type Tensor"
    ),
    "super_calls": Form("from torch import nn\nimport torch.nn.functional as F\n\n\n{}\n"),
    "tensor_lists": Form(
        FORWARD.replace("x):", "lengths):"),
        values={"Net.forward: lengths": TENSOR},
        types={"Net.forward.sizes": ("List[int]",)},
    ),
    "torch_arguments": Form(
        "from torch import nn\nimport torch.nn.functional as F\n\n\n{}\n",
        types={"Net.conv.stride": ("Tuple[int, int]",)},
        values={"Net.forward: factor": held("2")},
    ),
    "tuples": Form(
        "import torch\n\n\n" + FORWARD.replace("x", "x, xs, features"), values={"Net.forward: *features": TRIPLE}
    ),
    "type_tests": Form(
        "import numpy as np\nimport torch\n\n\ndef f(x):\n    {}\n    return x\n",
        values={"f: x": TENSOR, "f: isinstance(x, np.ndarray)": held("False")},
    ),
    "unpool_layers": Form(
        "import typing\nimport torch\nfrom torch import nn\n\n\nclass _MaxUnpool2d(nn.MaxUnpool2d):\n"
        + "".join(f"    {size}: typing.Tuple[int, int]\n" for size in ("kernel_size", "stride", "padding"))
        + "\n\n"
        + NET
    ),
    "unset_attributes": Form(
        NET, held={"Net.weights": Held((HeldValue("torch.Tensor"),), late=True)}, kind=MendKind.EXACT
    ),
    "unset_names": Form(
        "import torch\n\n\n" + FORWARD,
        values={"Net.forward: out": TENSOR, "Net.forward: self.steps // 2": held("2")},
        stops="return out",
    ),
    "unraised_errors": Form(
        "import torch\n\n\nclass Net:\n    def forward(self, x, mask):\n        {}\n", values={"Net.forward: x": TENSOR}
    ),
    "open_ends": Form("import torch\n\n\nclass Net:\n    {}\n", held={"Net.pool": held("'mean'", "'max'")}),
    "untaken_branches": Form(
        "import torch\n\n\ndef f(x):\n    {}\n", values={"f: x.is_cuda": held("False")}, stops="broadcast"
    ),
    "unused_functions": Form(NET, entered=["Net.forward"], stops="key=lambda"),
    "unused_properties": Form("{}\n", stops="return getattr"),
    "variadics": Form(
        "class PreNorm(nn.Module):\n    {}\n\n\nclass Attention(nn.Module):\n    def forward(self, x, mask=None):\n"
        "        return x\n",
        held={"PreNorm.fn": Held((HeldValue("model.Attention"),))},
        passed={"PreNorm.forward": Variadic(names=("mask",))},
        kind=MendKind.EXACT,
    ),
    "sliced_layers": Form(
        "from torch import nn\n\n\n" + NET,
        held={"Net.layers": Held((HeldValue(LISTS[1], length=2),))},
        values={
            "Net.forward: self.layers[0]": Held((HeldValue("torch.nn.modules.linear.Linear", is_module=True),)),
            "Net.forward: self.heads": LAYERS,
        },
    ),
    "walked_layers": Form(
        FORWARD.replace("x", "x, ys") + "        return zs\n",
        held={**dict.fromkeys(("Net.layers", "Net.convs", "Net.norms", "Net.heads"), LAYERS), "Net.blocks": BLOCKS},
        values={"Net.forward: ys": Held((HeldValue("builtins.list", length=3),))},
    ),
    "weight_hooks": Form("from typing import Tuple\nimport torch\nfrom torch import nn\n\n\n{}\n"),
    "words": Form(
        "import math\nimport numpy as np\nimport torch\nfrom torch.autograd import Variable\n\n\n"
        + FORWARD.replace("x", "x, mode, n"),
        held={"Net.parameters()": Held((HeldValue("", name="body.1.weight"),))},
        values={
            **{"Net.forward: x": TENSOR, "Net.forward: x.size()": SIZE},
            **{"Net.forward: n": held("2"), "Net.forward: n ** 2": held("4")},
            **{f"Net.forward: {two}": held("2") for two in ("round(n ** 2 / 2)", "x.max().item()")},
            "Net.forward: sum([x.mean(1, keepdims=True), loss])": TENSOR,
        },
        types={"Net.forward.loss": ("int", "Tensor")},
    ),
    "wrapped_functions": Form("import functools\n\n\n{}\n"),
}
