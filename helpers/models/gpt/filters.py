"""Top-k and top-p: logits in which only the most probable tokens are left. As in notebook 12.

Every other token gets a logit of -inf, and so a probability of exactly 0.
"""

import torch

from ... import _


def top_k(logits, k):
    """Keep the k largest logits, and set all others to -inf.

    logits  (..., vocabulary)
    k       how many tokens to keep; all of them if there are no more than k
    Returns the same shape. Exactly k tokens are kept: among equal logits, those of smaller id.
    Raises ValueError if k is below 1.
    Source: Fan et al. 2018, "Hierarchical Neural Story Generation".
    """
    if k < 1:
        raise ValueError(_("k={k} leaves no token to choose from; pass 1 or more", k=k))
    order = _sorted(logits)[1]
    return _keep(logits, order, torch.arange(logits.shape[-1], device=logits.device) < k)


def top_p(logits, p):
    """Keep the fewest most probable tokens whose probabilities sum to at least p, the nucleus.

    logits  (..., vocabulary); the probabilities are softmax(logits), and all others become -inf
    p       the sum of probabilities to reach, above 0 and at most 1
    Returns the same shape. The token with which the sum reaches p is kept, too, so there is always
    at least one. Among equal logits, the smaller id comes first.
    Raises ValueError if p is not in (0, 1].
    Source: Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration", section 3.1.
    """
    if not 0 < p <= 1:
        text = _(
            "p={p} is not a sum of probabilities that can be reached; pass a number above 0 "
            "and at most 1, which keeps every token"
        )
        raise ValueError(text.format(p=p))
    if p == 1:
        return logits.clone()  # a rounded sum may reach 1 before the last token
    best_first, order = _sorted(logits)
    # In 16 bits, a sum over a whole vocabulary loses too much precision.
    exact = torch.promote_types(logits.dtype, torch.float32)
    probabilities = best_first.softmax(dim=-1, dtype=exact)
    before = probabilities.cumsum(dim=-1) - probabilities  # the sum of the more probable ones
    rounding = 8 * torch.finfo(exact).eps  # 0.5 + 0.3 reaches 0.8, however it is rounded
    return _keep(logits, order, before < max(p - rounding, rounding))  # 0 is before the first


def _sorted(logits):
    """Logits from the largest to the smallest, and their ids; among equals, smaller ids first."""
    return logits.sort(dim=-1, descending=True, stable=True)


def _keep(logits, order, kept):
    """Logits with -inf at each id that is not kept; `kept` is in the order that `order` gives."""
    hidden = torch.ones_like(order, dtype=torch.bool).scatter(-1, order, ~kept.expand(order.shape))
    return logits.masked_fill(hidden, float("-inf"))
