"""Wrong answers to the functions of notebook 3, one known mistake in each.

The line that makes the mistake stands above a comment with the line that mends it; a mend with
nothing in it means: leave the line out. pitfalls.py says what each mistake is called.
"""

import torch

# ---------------------------------------------------------------- mask


def mask_diagonal_0(tokens):
    return torch.ones(tokens, tokens).triu(diagonal=0).bool()
    # mend: return torch.ones(tokens, tokens).triu(diagonal=1).bool()


def mask_diagonal_2(tokens):
    return torch.ones(tokens, tokens).triu(diagonal=2).bool()
    # mend: return torch.ones(tokens, tokens).triu(diagonal=1).bool()


def mask_inverted(tokens):
    return torch.ones(tokens, tokens).tril().bool()
    # mend: return torch.ones(tokens, tokens).triu(diagonal=1).bool()


def mask_of_the_past(tokens):
    return torch.ones(tokens, tokens).tril(diagonal=-1).bool()
    # mend: return torch.ones(tokens, tokens).triu(diagonal=1).bool()


def mask_of_numbers(tokens):
    return torch.ones(tokens, tokens).triu(diagonal=1)
    # mend: return torch.ones(tokens, tokens).triu(diagonal=1).bool()


def mask_of_infinity(tokens):
    return torch.full((tokens, tokens), float("-inf")).triu(diagonal=1)
    # mend: return torch.full((tokens, tokens), True).triu(diagonal=1)


def mask_times_infinity(tokens):
    return torch.triu(torch.ones(tokens, tokens), diagonal=1) * float("-inf")
    # mend: return torch.triu(torch.ones(tokens, tokens), diagonal=1).bool()


# ---------------------------------------------------------------- masked weights


def future(scores, diagonal=1):
    tokens = scores.shape[-1]
    return torch.ones(tokens, tokens).triu(diagonal).bool()


def masked_nan(scores):
    mask = torch.triu(torch.ones(scores.shape[-2:]), diagonal=1) * float("-inf")
    # mend: mask = torch.full(scores.shape[-2:], float("-inf")).triu(diagonal=1)
    return torch.softmax(scores + mask, dim=-1)


def masked_diagonal_0(scores):
    hidden = future(scores, diagonal=0)
    # mend: hidden = future(scores, diagonal=1)
    return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)


def masked_diagonal_2(scores):
    hidden = future(scores, diagonal=2)
    # mend: hidden = future(scores, diagonal=1)
    return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)


def masked_tril(scores):
    hidden = torch.ones(scores.shape[-2:]).tril().bool()
    # mend: hidden = torch.ones(scores.shape[-2:]).triu(diagonal=1).bool()
    return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)


def masked_past(scores):
    hidden = torch.ones(scores.shape[-2:]).tril(diagonal=-1).bool()
    # mend: hidden = torch.ones(scores.shape[-2:]).triu(diagonal=1).bool()
    return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)


def masked_by_zero(scores):
    return torch.softmax(scores * ~future(scores), dim=-1)
    # mend: return torch.softmax(scores.masked_fill(future(scores), float("-inf")), dim=-1)


def masked_tiny(scores):
    return scores.masked_fill(future(scores), 1e-9).softmax(dim=-1)
    # mend: return scores.masked_fill(future(scores), float("-inf")).softmax(dim=-1)


def masked_after(scores):
    return scores.softmax(dim=-1).masked_fill(future(scores), 0.0)
    # mend: return scores.masked_fill(future(scores), float("-inf")).softmax(dim=-1)


def masked_by_scores(scores):
    hidden = torch.triu(scores, diagonal=1).bool()
    # mend: hidden = torch.triu(torch.ones_like(scores), diagonal=1).bool()
    return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)


def masked_not_at_all(scores):
    return scores.softmax(dim=-1)
    # mend: return scores.masked_fill(future(scores), float("-inf")).softmax(dim=-1)


def masked_over_queries(scores):
    return scores.masked_fill(future(scores), float("-inf")).softmax(dim=-2)
    # mend: return scores.masked_fill(future(scores), float("-inf")).softmax(dim=-1)


def masked_in_place(scores):
    scores.masked_fill_(future(scores), float("-inf"))
    # mend: scores = scores.masked_fill(future(scores), float("-inf"))
    return scores.softmax(dim=-1)


def masked_billion(scores):
    return scores.masked_fill(future(scores), -1e9).softmax(dim=-1)
    # mend: return scores.masked_fill(future(scores), float("-inf")).softmax(dim=-1)


def masked_scores_returned(scores):
    return scores.masked_fill(future(scores), float("-inf"))
    # mend: return scores.masked_fill(future(scores), float("-inf")).softmax(dim=-1)


def masked_unstable(scores):
    e = scores.exp() * ~future(scores)
    # mend: e = torch.softmax(scores, dim=-1) * ~future(scores)
    return e / e.sum(dim=-1, keepdim=True)


def masked_by_batch(scores):
    tokens = scores.shape[0]
    # mend: tokens = scores.shape[-1]
    hidden = torch.ones(tokens, tokens).triu(1).bool()
    return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)


def masked_detached(scores):
    return scores.detach().masked_fill(future(scores), float("-inf")).softmax(dim=-1)
    # mend: return scores.masked_fill(future(scores), float("-inf")).softmax(dim=-1)


# ---------------------------------------------------------------- tests for a leak


def leaks(layer, x, atol=1e-6):
    """A right answer, for the mends below."""
    return any(moves(layer, x, t, atol) for t in range(1, x.shape[1]))


def moves(layer, x, t, atol=1e-6):
    """Whether an output before place t moves with the tokens from there on."""
    poked = x.clone()
    poked[:, t:] += 1.0
    return not torch.allclose(layer(poked)[:, :t], layer(x)[:, :t], atol=atol)


def leak_not_poked(layer, x):
    for t in range(1, x.shape[1]):
        poked = x.clone()
        poked[:, t:] + 1.0
        # mend: poked[:, t:] += 1.0
        if not torch.allclose(layer(poked)[:, :t], layer(x)[:, :t], atol=1e-6):
            return True
    return False


def leak_alias(layer, x):
    for t in range(1, x.shape[1]):
        poked = x
        # mend: poked = x.clone()
        poked[:, t:] += 1.0
        if not torch.allclose(layer(poked)[:, :t], layer(x)[:, :t], atol=1e-6):
            return True
    return False


def leak_before_and_alias(layer, x):
    before = layer(x)
    poked = x
    # mend: poked = x.clone()
    for t in range(x.shape[1] - 1, 0, -1):
        poked[:, t] += 1.0
        if not torch.allclose(layer(poked)[:, :t], before[:, :t], atol=1e-6):
            return True
    return False


def leak_own_output(layer, x):
    for t in range(1, x.shape[1]):
        poked, watched = x.clone(), slice(0, x.shape[1])
        # mend: poked, watched = x.clone(), slice(0, t)
        poked[:, t:] += 1.0
        if not torch.allclose(layer(poked)[:, watched], layer(x)[:, watched], atol=1e-6):
            return True
    return False


def leak_of_the_past(layer, x):
    for t in range(1, x.shape[1]):
        changed, watched = slice(0, t), slice(t, None)
        # mend: changed, watched = slice(t, None), slice(0, t)
        poked = x.clone()
        poked[:, changed] += 1.0
        if not torch.allclose(layer(poked)[:, watched], layer(x)[:, watched], atol=1e-6):
            return True
    return False


def leak_answer_inverted(layer, x):
    return not leaks(layer, x)
    # mend: return leaks(layer, x)


def leak_last_on_first(layer, x):
    poked = x.clone()
    poked[:, -1] += 1.0
    return not torch.allclose(layer(poked)[:, 0], layer(x)[:, 0], atol=1e-6)
    # mend: return leaks(layer, x)


def leak_one_place(layer, x):
    return moves(layer, x, x.shape[1] - 1)
    # mend: return any(moves(layer, x, t) for t in range(1, x.shape[1]))


def leak_coarse(layer, x):
    return leaks(layer, x, atol=0.1)
    # mend: return leaks(layer, x, atol=1e-6)
