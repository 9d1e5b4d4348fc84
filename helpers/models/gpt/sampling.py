"""From logits to the next token, and on: sampling. As taught in notebook 12."""

import torch

from ... import _
from ..input_checks import check_length
from ..transformer.decoding import in_eval_mode
from . import filters
from .cache import Cache


def next_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    """The probabilities from which the next token is sampled.

    logits       (..., vocabulary); to continue a text, those of the last token, model(ids)[:, -1]
    temperature  divides the logits: below 1 the distribution becomes more peaked, above 1 more
                 uniform. Its limit 0 is greedy: the token of the highest logit has probability 1
                 (among equals, the smaller id).
    top_k        then only the k most probable tokens are kept, as in `top_k`; None keeps all
    top_p        then only the most probable tokens that sum to p are kept, as in `top_p`; their
                 probabilities are those after temperature and top-k
    Returns probabilities of the same shape, which sum to 1.
    Raises ValueError if an argument is out of its range.
    Source: Holtzman et al. 2020, section 4.
    """
    if not temperature >= 0:  # a negative one would reverse the order of the tokens
        text = _(
            "temperature={temperature}; pass a number from 0 (greedy); 1 leaves the probabilities as they are"
        )
        raise ValueError(text.format(temperature=temperature))
    if temperature < torch.finfo(torch.float32).tiny:  # dividing by less gives 0/0
        best = logits.argmax(dim=-1, keepdim=True)  # the first, if several are equal
        return torch.zeros_like(logits).scatter(-1, best, 1.0)
    # The highest logit becomes 0 before the division, so a small temperature cannot overflow it.
    logits = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    if top_k is not None:
        logits = filters.top_k(logits, top_k)
    if top_p is not None:
        logits = filters.top_p(logits, top_p)
    return logits.softmax(dim=-1)


@torch.no_grad()
def generate(
    model, ids, n_new, temperature=1.0, top_k=None, top_p=None, cache=True, end=None, generator=None
):
    """Continue each prompt by n_new tokens, each sampled from the model's probabilities.

    model        a GPT. It runs in eval mode, and returns to its previous mode afterwards.
    ids          the prompts, (batch, tokens), all of the same length
    n_new        how many tokens to generate, at most
    temperature, top_k, top_p   as in next_probabilities; temperature=0 is greedy: nothing is random
    cache        whether keys and values are cached. Without a cache, each token costs a pass over
                 the whole text; the tokens are the same, up to rounding
    end          the id of a token that ends a text: the rest of its row is filled with it, and
                 generation stops when all rows have ended
    generator    a torch.Generator; the same seed samples the same tokens again
    Returns ids (batch, tokens + up to n_new), the prompts included.
    Raises ValueError if an argument is out of its range, or if the text would exceed the model's
    context_length. The last token is never read, so it may stand one position beyond.
    """
    check_length(model, ids.shape[-1] + n_new - 1)
    ended = torch.zeros(len(ids), dtype=torch.bool, device=ids.device)
    kept, new, written = Cache() if cache else None, ids, [ids]
    with in_eval_mode(model):
        for _step in range(n_new):
            read = torch.cat(written, dim=1) if kept is None else new
            logits = model(read, cache=kept, last_only=True)[:, -1]  # (batch, vocabulary)
            probabilities = next_probabilities(logits, temperature, top_k, top_p)
            if temperature == 0:
                new = probabilities.argmax(dim=-1, keepdim=True)  # (batch, 1)
            else:
                new = torch.multinomial(probabilities, 1, generator=generator)
            new = new.to(ids.dtype)
            if end is not None:
                new = new.masked_fill(ended[:, None], end)
                ended |= new[:, 0] == end
            written.append(new)
            if end is not None and ended.all():
                break
    return torch.cat(written, dim=1)
