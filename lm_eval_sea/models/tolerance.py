"""The tolerance of log-likelihoods against those of a plain forward pass, and the check."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import torch
from transformers import PreTrainedModel

# Per token, on average, in nats: with these types, batches of different shapes differ by a few times less.
_EXACT: dict[torch.dtype | None, float] = {torch.float64: 1e-4, torch.float32: 1e-4}

# Per token, on average, for an engine whose noise cannot be measured.
_COARSE = {torch.float16: 0.03}
_COARSEST = 0.2

# Types in which models compute; weights of other types are converted to one of them.
_ARITHMETIC = {torch.float64, torch.float32, torch.float16, torch.bfloat16}

# Predictions may be off by NOISES times the noise of the plain pass, which is drawn DRAWS times before they count as wrong.
# Rounding alone makes them up to 2.7 times as far off as one draw; models that ignore our masks or positions begin at 4.
NOISES = 3.0
DRAWS = 3
# The same for a single token, which may be many times further off than the root mean square over the vocabulary.
TOKEN_NOISES = 20.0
# Differences between two orders of the same sums in 32 bits, which a model without any noise may still show.
LEAST_NOISE = 1e-5

# Predictions of a text that are compared over the whole vocabulary: enough to notice faults, and few beside a batch.
COMPARED = 8
# Texts that are compared in 16 bits where one is in doubt: rounding takes a single prediction ten times as far off as another.
WITNESSES = 8


class Mismatch(Exception):
    """Log-likelihoods along shared prefixes are not those of the plain forward pass, or there are none."""


def tolerance(dtype: torch.dtype | None, *, quantized: bool) -> float:
    """Nats per token by which two ways to batch the same computation may differ; None is an unknown type."""
    return _COARSEST if quantized else (_EXACT | _COARSE).get(dtype, _COARSEST)


def check_agreement(shared: float, plain: float, tokens: int, per_token: float) -> None:
    """Compares a log-likelihood of `tokens` tokens along a shared prefix with that of the plain forward pass.

    Raises `Mismatch` if they differ by more than the tolerance `per_token`, or one is not a number.
    """
    if shared != plain and not abs(plain - shared) <= per_token * tokens:  # two infinities are equal
        raise Mismatch(f"along a shared prefix {tokens} token(s) came out as {shared:.6g} nats and not as {plain:.6g}")


class Agreement:
    """Decides whether a model computes the same along shared prefixes as in plain forward passes.

    In 32 bits and more, a fixed tolerance separates wrong numbers from rounding. In 16 bits, and with quantised weights, rounding
    errors are as large as those of a position that is off by one, and differ between models: there the model's own noise is
    measured, on the very request that is compared, and predictions are compared over the whole vocabulary.
    """

    def __init__(self, dtype: torch.dtype | None, *, quantized: bool) -> None:
        """Starts without measurements; `dtype` is that which the model computes in, None if unknown."""
        self.dtype = dtype if dtype is not None and dtype in _ARITHMETIC else torch.bfloat16
        self._is_exact = self.dtype in _EXACT and not quantized
        self._noise = LEAST_NOISE
        self.witnesses = 1 if self._is_exact else WITNESSES  # how many texts of a batch may be compared

    def check_predictions(
        self,
        shared: torch.Tensor,
        plain: torch.Tensor,
        once_more: Callable[[int], torch.Tensor],
        others: Iterable[tuple[float, float]] = (),
    ) -> None:
        """Compares predictions along a shared prefix with those of the plain forward pass.

        Both are log-probabilities, [predictions, vocabulary]. `once_more` gives those of the plain forward pass under a draw of
        `rounded_otherwise`. If they differ by more than its noise, the root mean squares over this text and the `others` decide.
        `others`, which are computed only then, give the distance of each text from its plain forward pass, and the noise of that
        pass, in nats. Raises `Mismatch` if the numbers are wrong.
        """
        if self._is_exact:
            return
        apart = distance(shared, plain)
        for draw in range(DRAWS):
            if apart <= NOISES * self._noise:
                return
            self._noise = max(self._noise, distance(once_more(draw), plain))
        if apart <= NOISES * self._noise:
            return
        apart, noise = map(_root_mean_square, zip((apart, self._noise), *others, strict=True))
        if apart > NOISES * noise:
            raise Mismatch(
                f"along a shared prefix log-probabilities came out {apart:.2g} nats from those of the plain forward pass, "
                f"whose own noise is {noise:.2g}"
            )

    def check_sum(self, shared: float, plain: float, tokens: int) -> None:
        """Compares a log-likelihood along a shared prefix with that of the plain forward pass.

        Raises `Mismatch` if they differ by more than rounding explains.
        """
        if self._is_exact:
            return check_agreement(shared, plain, tokens, _EXACT[self.dtype])
        rounding = 2 * torch.finfo(self.dtype).eps * abs(plain) / tokens  # of the terms, and of their sum
        return check_agreement(shared, plain, tokens, TOKEN_NOISES * self._noise + rounding)


def _root_mean_square(numbers: Sequence[float]) -> float:
    return math.hypot(*numbers) / math.sqrt(len(numbers))


def distance(one: torch.Tensor, other: torch.Tensor) -> float:
    """The distance of two computations of the same predictions, in nats.

    It is the root mean square over the vocabulary, and the median over several predictions: in a mixture of experts,
    rounding alone can change a single prediction completely.

    Both are log-probabilities, [predictions, vocabulary]; if one has more predictions, its last are taken.
    """
    rows = min(len(one), len(other))
    one, other = one[-rows:].float(), other[-rows:].float()  # Apple's GPUs have no float64
    squares = torch.where(one == other, 0.0, (one - other).square())  # two infinities are equal
    return float(squares.mean(-1).sqrt().nan_to_num(torch.inf, posinf=torch.inf).median())


@contextmanager
def rounded_otherwise(model: PreTrainedModel, dtype: torch.dtype, draw: int) -> Iterator[None]:
    """Moves each number of a model's word embeddings one rounding step up or down, by one of the draws.

    What this changes is the noise of its arithmetic: sums in another order round differently, too, from the first layer on.
    Another batch size often shows no noise, because the kernels of some machines add in one order whatever the size.
    """
    step = torch.finfo(dtype).eps

    def nudge(_: torch.nn.Module, __: tuple[torch.Tensor, ...], embedded: torch.Tensor) -> torch.Tensor:
        dice = torch.Generator().manual_seed(draw)
        signs = torch.randint(0, 2, embedded.shape, generator=dice, dtype=torch.int8).to(embedded.device) * 2 - 1
        return (embedded.float() * (1 + step * signs)).to(embedded.dtype)

    with model.get_input_embeddings().register_forward_hook(nudge):
        yield
