"""From scores to the next word, and on: sampling. As taught in notebook 12."""

import math
from numbers import Integral, Real

import torch

from ..transformer.decoding import in_eval_mode
from . import filters
from .cache import Cache
from .model import GPT


def next_chances(scores, temperature=1.0, top_k=None, top_p=None):
    """The chances with which the next word is drawn.

    scores       (..., vocabulary); those of the last token, model(ids)[:, -1], to write on
    temperature  the scores are divided by it: below 1 the likely become likelier, above 1 all come
                 closer. 0 is its limit, greedy: the word of the highest score has a chance of 1
                 (of equals, the smaller id).
    top_k        then only the k best words are left, as in `top_k`; None leaves all
    top_p        then only the best that sum to p, as in `top_p`, of the chances after the former
    Returns chances of the same shape, which sum to 1.
    Raises TypeError or ValueError if scores are no scores, leave no word, or one of the others is
    out of its range.
    Source: Holtzman et al. 2020, section 4.
    """
    filters.check_scores("next_chances", scores)
    _check_settings("next_chances", temperature, top_k, top_p)
    if (scores.amax(dim=-1).isinf()).any():
        came = "a row's highest score is -inf or inf"
        raise ValueError(f"next_chances: {came}; leave at least one word a finite score")
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
    model,
    ids,
    n_new,
    temperature=1.0,
    top_k=None,
    top_p=None,
    cache=True,
    end=None,
    generator=None,
):
    """Write n_new words after each beginning, each drawn from the model's chances.

    model        a GPT. It writes in eval mode, and is put back into its own mode afterwards.
    ids          the beginnings, (batch, tokens), all equally long
    n_new        how many words to write, at most
    temperature, top_k, top_p   as in next_chances; temperature=0 is greedy, and draws nothing
    cache        whether keys and values are kept. Without, each word costs a pass over the whole
                 text; the words are the same, up to rounding. A Cache of your own is used and
                 grows: pass it again with the longer text, and only what is new is read.
    end          the id of a word that ends a text: the rest of its row is filled up with it, and
                 when all rows have ended, no more is written
    generator    a torch.Generator, for the same draws again
    Returns ids (batch, tokens + up to n_new), the beginnings included.
    Raises TypeError or ValueError if something is out of its range, and if the text would outgrow
    the model's context_length. The last word is not read again, so that it may stand one beyond.
    """
    _check_settings("generate", temperature, top_k, top_p)
    _check_writing(model, ids, n_new, cache, end)
    ended = torch.zeros(len(ids), dtype=torch.bool, device=ids.device)
    kept = cache if isinstance(cache, Cache) else Cache() if cache else None
    new, written = ids if kept is None else ids[:, kept.length :], [ids]
    with in_eval_mode(model):
        for _ in range(n_new):
            read = torch.cat(written, dim=1) if kept is None else new
            scores = model(read, cache=kept, last_only=True)[:, -1]  # (batch, vocabulary)
            chances = next_chances(scores, temperature, top_k, top_p)
            if temperature == 0:
                new = chances.argmax(dim=-1, keepdim=True)  # (batch, 1)
            else:
                new = torch.multinomial(chances, 1, generator=generator)
            new = new.to(ids.dtype)
            if end is not None:
                new = new.masked_fill(ended[:, None], end)
                ended |= new[:, 0] == end
            written.append(new)
            if end is not None and ended.all():
                break
    return torch.cat(written, dim=1)


def _check_settings(name, temperature, top_k, top_p):
    if not isinstance(temperature, Real) or isinstance(temperature, bool):
        came = f"{name}: temperature={temperature!r} is of type {type(temperature).__name__}"
        raise TypeError(f"{came}; pass a number such as 0.8")
    if not 0 <= temperature < math.inf:
        hint = "pass a number from 0 (greedy); 1 leaves the chances as they are"
        raise ValueError(f"{name}: {temperature=}; {hint}")
    if top_k is not None:
        filters.check_k(f"{name}, top_k", top_k)
    if top_p is not None:
        filters.check_p(f"{name}, top_p", top_p)


def _check_writing(model, ids, n_new, cache, end):
    if not isinstance(model, GPT):
        came = f"generate: model is a {type(model).__name__}"
        raise TypeError(
            f"{came}; pass a GPT of helpers.models.gpt, such as from_hugging_face returns"
        )
    model._check_ids(ids)
    if not isinstance(n_new, Integral) or isinstance(n_new, bool):
        raise TypeError(f"generate: {n_new=}; pass how many words to write, a whole number")
    if n_new < 1:
        raise ValueError(f"generate: {n_new=}; pass 1 or more")
    reads, most = ids.shape[1] + n_new - 1, model.context_length
    if reads > most:
        came = f"{ids.shape[1]} tokens and {n_new} new ones"
        why = f"to write the last, the model has to read {reads}, and context_length={most}"
        fits = most + 1 - ids.shape[1]
        raise ValueError(f"generate: {came} are too long a text: {why}. Pass n_new={fits} at most")
    if not isinstance(cache, bool | Cache):
        raise TypeError(f"generate: {cache=}; pass True, False, or a Cache of this text")
    if isinstance(cache, Cache) and cache.length >= ids.shape[1]:
        came = f"the cache holds {cache.length} tokens, and ids have {ids.shape[1]}"
        hint = "pass the whole text so far, its last word not in the cache yet, or a new Cache()"
        raise ValueError(f"generate: {came}, so that none is left to read; {hint}")
    if end is None:
        return
    if not isinstance(end, Integral) or isinstance(end, bool):
        raise TypeError(f"generate: {end=} is no id; pass that of the word that ends a text")
    if not 0 <= end < model.vocabulary:
        raise ValueError(f"generate: {end=} is no word's id: pass 0 to {model.vocabulary - 1}")
