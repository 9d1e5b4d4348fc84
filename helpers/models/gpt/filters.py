"""Scores of which only the best words are left: top-k and top-p. As taught in notebook 12.

What falls away gets a score of -inf, and so a probability of exactly 0.
"""

import torch

from ... import _


def top_k(scores, k):
    """The k largest scores stay, all others become -inf.

    scores  (..., vocabulary)
    k       how many words are left; all of them, if there are no more than k
    Returns the same shape. Exactly k are left, also if scores are equal: then the smaller id wins.
    Raises ValueError if k is below 1.
    Source: Fan et al. 2018, "Hierarchical Neural Story Generation".
    """
    if k < 1:
        raise ValueError(_("k={k} leaves no token to choose from; pass 1 or more", k=k))
    order = _sorted(scores)[1]
    return _keep(scores, order, torch.arange(scores.shape[-1], device=scores.device) < k)


def top_p(scores, p):
    """The fewest likely words whose probabilities sum to at least p stay, all others become -inf.

    scores  (..., vocabulary)
    p       the sum of probabilities to reach, above 0 and at most 1; the probabilities are softmax(scores)
    Returns the same shape. The word with which the sum reaches p is left, too: so there is always
    one at least. Among equal scores, the smaller id comes first.
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
        return scores.clone()  # a rounded sum may reach 1 before the last word
    best_first, order = _sorted(scores)
    # A sum over a vocabulary loses too much in the 16 bits of a half.
    exact = torch.promote_types(scores.dtype, torch.float32)
    probabilities = best_first.softmax(dim=-1, dtype=exact)
    before = probabilities.cumsum(dim=-1) - probabilities  # the sum of those that are likelier
    rounding = 8 * torch.finfo(exact).eps  # 0.5 + 0.3 has reached 0.8, however it is rounded
    return _keep(scores, order, before < max(p - rounding, rounding))  # 0 is before the first


def _sorted(scores):
    """Scores from the largest to the smallest, and their ids; of equals, the smaller id first."""
    return scores.sort(dim=-1, descending=True, stable=True)


def _keep(scores, order, kept):
    """Scores with -inf where, in this order of ids, a word is not kept."""
    hidden = torch.ones_like(order, dtype=torch.bool).scatter(-1, order, ~kept.expand(order.shape))
    return scores.masked_fill(hidden, float("-inf"))
