"""Distributions as classes for the compiler, with the formulas and random numbers of torch."""

from collections.abc import Mapping

NORMAL = """\
class {0}:
    def __init__(
        self,
        loc: typing.Optional[torch.Tensor],
        scale: typing.Optional[torch.Tensor],
        validate_args: bool = True,
        loc_number: float = 0.0,
        scale_number: float = 1.0,
    ):
        like = loc if loc is not None else scale if scale is not None else torch.empty(0)
        mean = loc if loc is not None else torch.tensor(loc_number, dtype=like.dtype, device=like.device)
        std = scale if scale is not None else torch.tensor(scale_number, dtype=like.dtype, device=like.device)
        assert not validate_args or bool((mean == mean).all() & (std > 0).all()), "invalid loc or scale"
        self.loc, self.scale = torch.broadcast_tensors(mean, std)
        self.mean, self.mode, self.stddev = self.loc, self.loc, self.scale
        self.validate_args = validate_args

    @property
    def variance(self):
        return self.scale.pow(2)

    def sample(self, sample_shape: typing.List[int] = ()):
        shape = sample_shape + self.loc.shape
        return torch.normal(self.loc.detach().expand(shape), self.scale.detach().expand(shape))

    def rsample(self, sample_shape: typing.List[int] = ()):
        shape = sample_shape + self.loc.shape
        eps = torch.empty(shape, dtype=self.loc.dtype, device=self.loc.device).normal_()
        return self.loc + eps * self.scale

    def log_prob(self, value: torch.Tensor):
        assert not self.validate_args or bool((value == value).all()), "invalid value"
        var = self.scale**2
        return -((value - self.loc) ** 2) / (2 * var) - self.scale.log() - 0.9189385332046727

    def entropy(self):
        return 1.4189385332046727 + torch.log(self.scale)

    def kl_divergence(self, other: "{0}"):
        var_ratio = (self.scale / other.scale).pow(2)
        t1 = ((self.loc - other.loc) / other.scale).pow(2)
        return 0.5 * (var_ratio + t1 - 1 - var_ratio.log())"""
INDEPENDENT = """\
class {0}:
    def __init__(self, base_distribution: "_ScriptedNormal", reinterpreted_batch_ndims: int):
        self.base_dist, self.ndims = base_distribution, reinterpreted_batch_ndims
        self.mean, self.mode = self.base_dist.mean, self.base_dist.mode
        self.stddev, self.variance = self.base_dist.variance.sqrt(), self.base_dist.variance

    def sample(self, sample_shape: typing.List[int] = ()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: typing.List[int] = ()):
        return self.base_dist.rsample(sample_shape)

    def total(self, each: torch.Tensor):
        return each.flatten(each.dim() - self.ndims).sum(-1) if self.ndims > 0 else each

    def log_prob(self, value: torch.Tensor):
        return self.total(self.base_dist.log_prob(value))

    def entropy(self):
        return self.total(self.base_dist.entropy())

    def kl_divergence(self, other: "{0}"):
        assert self.ndims == other.ndims
        return self.total(self.base_dist.kl_divergence(other.base_dist))"""
CATEGORICAL = """\
class {0}:
    def __init__(
        self,
        probs: typing.Optional[torch.Tensor] = None,
        logits: typing.Optional[torch.Tensor] = None,
        validate_args: bool = True,
    ):
        if probs is not None:
            p = probs / probs.sum(-1, keepdim=True)
            eps = float(torch.ones((), dtype=p.dtype).nextafter(torch.full((), 2.0, dtype=p.dtype))) - 1.0
            log_p = p.clamp(min=eps, max=1 - eps).log()
            is_valid = (p >= 0).all() & ((p.sum(-1) - 1).abs() < 1e-6).all()
        else:
            assert logits is not None
            log_p = logits - logits.logsumexp(-1, keepdim=True)
            p = log_p.softmax(-1)
            is_valid = (log_p == log_p).all()
        assert not validate_args or bool(is_valid), "invalid probs or logits"
        self.probs, self.logits, self.validate_args = p, log_p, validate_args

    @property
    def mode(self):
        return self.probs.argmax(-1)

    def sample(self, sample_shape: typing.List[int] = ()):
        count = 1
        for size in sample_shape:
            count *= size
        drawn = torch.multinomial(self.probs.reshape(-1, self.probs.size(-1)), count, True)
        return drawn.t().reshape(sample_shape + self.probs.shape[:-1])

    def log_prob(self, value: torch.Tensor):
        is_valid = (value % 1 == 0) & (value >= 0) & (value <= self.probs.size(-1) - 1)
        assert not self.validate_args or bool(is_valid.all()), "invalid value"
        index, log_pmf = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return log_pmf.gather(-1, index[..., :1]).squeeze(-1)

    def entropy(self):
        lowest = float(torch.full((), float("-inf"), dtype=self.logits.dtype).nan_to_num())
        return -(self.logits.clamp(min=lowest) * self.probs).sum(-1)

    def kl_divergence(self, other: "{0}"):
        t = self.probs * (self.logits - other.logits)
        return t.masked_fill(other.probs == 0, float("inf")).masked_fill(self.probs == 0, 0.0).sum(-1)"""
CLASSES: Mapping[str, tuple[str, ...]] = {
    "Normal": (NORMAL, "loc", "scale", "validate_args"),
    "Categorical": (CATEGORICAL, "probs", "logits", "validate_args"),
    "Independent": (INDEPENDENT, "base_distribution", "reinterpreted_batch_ndims"),
}
"""The text of the class in the place of each distribution, and the parameters that both have."""
