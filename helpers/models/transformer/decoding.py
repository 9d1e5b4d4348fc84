"""Decoding with a Transformer, token by token: greedily, or with beam search."""

from contextlib import contextmanager
from operator import itemgetter

import torch

from ... import _


@torch.no_grad()
def greedy(model, source, start, end, max_length, source_padding=None):
    """Generate a target sentence for each source, always with the token of the highest logit.

    source          ids (batch, source tokens); source_padding has the same shape, True = hidden
    start, end      ids of the tokens that begin and end a target sentence
    max_length      the most tokens to generate after `start`; `end` counts as one of them
    Returns ids (batch, tokens), beginning with `start`; a row that has ended is filled with `end`.
    The model runs in eval mode, and returns to its previous mode afterwards.
    """
    with in_eval_mode(model):
        memory = model.encode(source, source_padding)
        written = source.new_full((len(source), 1), start)  # (batch, 1)
        ended = torch.zeros(len(source), dtype=torch.bool, device=source.device)
        for _step in range(max_length):
            logits = model.decode(written, memory, source_padding)[:, -1]  # (batch, vocabulary)
            word = logits.argmax(dim=-1).masked_fill(ended, end)  # (batch,)
            written = torch.cat([written, word[:, None]], dim=1)
            ended |= word == end
            if ended.all():
                break
    return written


@torch.no_grad()
def beam(model, source, start, end, width, max_length):
    """Beam search: the most probable target sentences among those that grow from `width` prefixes.

    source      ids (1, source tokens): one sentence, without padding; the others as in greedy
    width       how many prefixes survive each step; 1 is greedy decoding
    Returns a list of (ids (tokens,), log_probability), at most `width` of them, the best first. A
    sentence ends with `end`, or after max_length tokens.
    Raises ValueError if source is not one sentence.
    Source: Wu et al. 2016, section 7 (without coverage, and without a power of the length).
    """
    if source.dim() != 2 or len(source) != 1:
        text = _(
            "beam: source has shape {shape}; "
            "pass one sentence, (1, source tokens), such as source[:1]"
        )
        raise ValueError(text.format(shape=tuple(source.shape)))

    with in_eval_mode(model):
        memory = model.encode(source)  # (1, source tokens, d_model)
        going, kept = [(source.new_tensor([start]), 0.0)], []
        for _step in range(max_length):
            ids = torch.stack([ids for ids, _log_probability in going])  # (prefixes, tokens)
            repeated = memory.expand(len(ids), -1, -1)  # the one source, for each prefix
            log_probabilities = model.decode(ids, repeated)[:, -1].log_softmax(dim=-1)
            best = log_probabilities.topk(min(width, log_probabilities.shape[-1]))
            longer = [
                (torch.cat([beginning, word[None]]), log_probability + gain.item())
                for (beginning, log_probability), gains, words in zip(going, *best)
                for gain, word in zip(gains, words)
            ]
            ended = [sentence for sentence in kept if sentence[0][-1] == end]
            kept = sorted(ended + longer, key=itemgetter(1), reverse=True)[:width]
            going = [sentence for sentence in kept if sentence[0][-1] != end]
            if not going:
                break
    return kept


@contextmanager
def in_eval_mode(model):
    """Run the model in eval mode: with dropout, each run would generate another text."""
    modes = {module: module.training for module in model.modules()}  # submodules may differ
    model.eval()
    try:
        yield
    finally:
        for module, training in modes.items():
            module.training = training
