"""Writing with a Transformer, word by word: greedily, or with a beam."""

from contextlib import contextmanager

import torch

from ... import _


@torch.no_grad()
def greedy(model, source, start, end, max_length, source_padding=None):
    """Write a target sentence for each source, each time with the word of the highest score.

    source          ids (batch, source tokens); source_padding the same shape, True = hidden
    start, end      ids of the words that begin and end a target sentence
    max_length      the most words to write after `start`, `end` among them
    Returns ids (batch, tokens), `start` first; a row that has ended is filled up with `end`.
    The model writes in eval mode, and is put back into its own mode afterwards.
    """
    with in_eval_mode(model):
        memory = model.encode(source, source_padding)
        written = source.new_full((len(source), 1), start)  # (batch, 1)
        ended = torch.zeros(len(source), dtype=torch.bool, device=source.device)
        for _step in range(max_length):
            scores = model.decode(written, memory, source_padding)[:, -1]  # (batch, vocabulary)
            word = scores.argmax(dim=-1).masked_fill(ended, end)  # (batch,)
            written = torch.cat([written, word[:, None]], dim=1)
            ended |= word == end
            if ended.all():
                break
    return written


@torch.no_grad()
def beam(model, source, start, end, width, max_length, source_padding=None, normalise=False):
    """The likeliest target sentences that a search finds which keeps `width` beginnings.

    source      ids (1, source tokens): one sentence; the other arguments as in greedy
    width       how many beginnings to keep; 1 is greedy
    normalise   False: ranked by the log-probability of the whole sentence, which favours short ones;
                True: by its mean per word written, `end` among them
    Returns a list of (ids (tokens,), log_probability), at most `width`, the best first. A sentence ends
    with `end`, or after max_length words.
    Raises ValueError if source is not one sentence.
    Source: Wu et al. 2016, section 7 (without coverage, and with length to the power 0 or 1).
    """
    if source.dim() != 2 or len(source) != 1:
        text = _(
            "beam: source has shape {shape}; "
            "pass one sentence, (1, source tokens), such as source[:1]"
        )
        raise ValueError(text.format(shape=tuple(source.shape)))

    def rank(sentence):
        ids, log_probability = sentence
        return log_probability / (len(ids) - 1) if normalise else log_probability

    with in_eval_mode(model):
        memory = model.encode(source, source_padding)  # (1, source tokens, d_model)
        going, kept = [(source.new_tensor([start]), 0.0)], []
        for _step in range(max_length):
            ids = torch.stack(
                [ids for ids, probability in going]
            )  # (beginnings, tokens): equally long
            repeated = memory.expand(len(ids), -1, -1)  # the one source, for each beginning
            padding = None if source_padding is None else source_padding.expand(len(ids), -1)
            log_probabilities = model.decode(ids, repeated, padding)[:, -1].log_softmax(dim=-1)
            best = log_probabilities.topk(
                min(width, log_probabilities.shape[-1])
            )  # no more can survive
            longer = [
                (torch.cat([beginning, word[None]]), log_probability + gain.item())
                for (beginning, log_probability), gains, words in zip(going, *best)
                for gain, word in zip(gains, words)
            ]
            ended = [sentence for sentence in kept if sentence[0][-1] == end]
            kept = sorted(ended + longer, key=rank, reverse=True)[:width]
            going = [sentence for sentence in kept if sentence[0][-1] != end]
            if not going:
                break
    return kept


@contextmanager
def in_eval_mode(model):
    """In eval mode while it writes: with dropout, each try would give another text."""
    modes = {module: module.training for module in model.modules()}  # a part may have its own
    model.eval()
    try:
        yield
    finally:
        for module, training in modes.items():
            module.training = training
