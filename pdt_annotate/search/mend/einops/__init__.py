"""A call of einops with its pattern written out is replaced by the tensor's own methods, which do the same.

Message: `Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults`, in
    einops.
Kind: exact.
Needs: pattern and reduction are literals that einops takes, the tensor is no list, and lengths are given by name, in
    the order in which the methods take them where they are more than values. Sizes that do not divide, and lengths that
    are other than given, are refused as before; so are other ranks where axes change places. What only joins, splits
    or adds dimensions takes more ranks than einops does, and a dimension of another size than 1 is not squeezed.
Before:
    q = rearrange(q, "b n (h d) -> b h n d", h=self.heads)
    token = repeat(self.token, "() n d -> b n d", b=x.shape[0])
    return reduce(x, "b c h w -> b c", "mean")
After:
    # b n (h d) -> b h n d
    q = q.unflatten(2, (self.heads, -1)).permute(0, 2, 1, 3)
    token = self.token.expand(x.shape[0], -1, -1)
    return x.mean(dim=(2, 3))
"""

from __future__ import annotations

from pdt_annotate.search.mend.einops.find import NAME, find, is_asked_for
from pdt_annotate.search.mend.site import MendRule
from pdt_annotate.values.mends import MendKind

RULE = MendRule(NAME, MendKind.EXACT, is_asked_for, find, sweeps=True)
