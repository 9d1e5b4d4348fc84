"""From scores to the next word, and on: sampling. As taught in notebook 12."""

import torch

from ... import _
from ..transformer.decoding import in_eval_mode
from . import filters
from .cache import Cache


def next_probabilities(scores, temperature=1.0, top_k=None, top_p=None):
    """The probabilities with which the next word is drawn.

    scores       (..., vocabulary); those of the last token, model(ids)[:, -1], to write on
    temperature  the scores are divided by it: below 1 the likely become likelier, above 1 all come
                 closer. 0 is its limit, greedy: the word of the highest score has a probability of 1
                 (of equals, the smaller id).
    top_k        then only the k best words are left, as in `top_k`; None leaves all
    top_p        then only the best that sum to p, as in `top_p`, of the probabilities after the former
    Returns probabilities of the same shape, which sum to 1.
    Raises ValueError if one of them is out of its range.
    Source: Holtzman et al. 2020, section 4.
    """
    if not temperature >= 0:  # below, the unlikely words would become the likely ones
        text = _(
            "temperature={temperature}; pass a number from 0 (greedy); 1 leaves the probabilities as they are"
        )
        raise ValueError(text.format(temperature=temperature))
    if temperature < torch.finfo(torch.float32).tiny:  # to divide by less gives 0/0
        best = scores.argmax(dim=-1, keepdim=True)  # the first, if several are equal
        return torch.zeros_like(scores).scatter(-1, best, 1.0)
    # The highest score becomes 0 before it is divided: a small temperature cannot overflow it.
    scores = (scores - scores.amax(dim=-1, keepdim=True)) / temperature
    if top_k is not None:
        scores = filters.top_k(scores, top_k)
    if top_p is not None:
        scores = filters.top_p(scores, top_p)
    return scores.softmax(dim=-1)


@torch.no_grad()
def generate(
    model, ids, n_new, temperature=1.0, top_k=None, top_p=None, cache=True, end=None, generator=None
):
    """Write n_new words after each beginning, each drawn from the model's probabilities.

    model        a GPT. It writes in eval mode, and is put back into its own mode afterwards.
    ids          the beginnings, (batch, tokens), all equally long
    n_new        how many words to write, at most
    temperature, top_k, top_p   as in next_probabilities; temperature=0 is greedy, and draws nothing
    cache        whether keys and values are kept. Without, each word costs a pass over the whole
                 text; the words are the same, up to rounding
    end          the id of a word that ends a text: the rest of its row is filled up with it, and
                 when all rows have ended, no more is written
    generator    a torch.Generator, for the same draws again
    Returns ids (batch, tokens + up to n_new), the beginnings included.
    Raises ValueError if one of them is out of its range, or the text would outgrow the model's
    context_length. The last word is not read again, so that it may stand one beyond.
    """
    _check_length(model, ids.shape[-1], n_new)
    ended = torch.zeros(len(ids), dtype=torch.bool, device=ids.device)
    kept, new, written = Cache() if cache else None, ids, [ids]
    with in_eval_mode(model):
        for _step in range(n_new):
            read = torch.cat(written, dim=1) if kept is None else new
            scores = model(read, cache=kept, last_only=True)[:, -1]  # (batch, vocabulary)
            probabilities = next_probabilities(scores, temperature, top_k, top_p)
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


def _check_length(model, tokens, n_new):
    """Raise ValueError if a text would outgrow the model. The last word is not read again."""
    reads, most = tokens + n_new - 1, model.context_length
    if reads > most:
        text = _(
            "generate: {tokens} tokens and {n_new} new ones make too long a text: to "
            "generate the last one, the model would have to read {reads} tokens, but "
            "context_length={most}. Pass n_new={fits} at most"
        )
        fits = most + 1 - tokens
        numbers = {"tokens": tokens, "n_new": n_new, "reads": reads, "most": most, "fits": fits}
        raise ValueError(text.format(**numbers))
